package fairness

import (
	"bytes"
	"encoding/gob"
	"fmt"
)

// sentBin is a bin that has rows, as it travels.
type sentBin struct {
	At     int
	Sums   sums
	Weight weightSums
}

// binnedParts are the bins that have rows: of the groups, and of the others.
type binnedParts struct {
	Apart    int
	Weighted bool
	Bins     [][]sentBin
}

// sets returns the bins of the groups, and of the others.
func (b *Binned) sets() []bins { return append(b.cells[:len(b.cells):len(b.cells)], b.others) }

// Merge adds other rows. Both must come from the same call of NewBinned.
func (b *Binned) Merge(other *Binned) {
	from := other.sets()
	for k, set := range b.sets() {
		set.merge(from[k])
	}
}

// MarshalBinary returns the bins that have rows.
func (b *Binned) MarshalBinary() ([]byte, error) {
	parts := binnedParts{Apart: b.apart, Weighted: b.weighted}
	for k, set := range b.sets() {
		parts.Bins = append(parts.Bins, nil)
		for at, s := range set.of {
			if s.Rows > 0 {
				parts.Bins[k] = append(parts.Bins[k], sentBin{at, s, set.weightAt(at)})
			}
		}
	}
	var text bytes.Buffer
	err := gob.NewEncoder(&text).Encode(parts)
	return text.Bytes(), err
}

// MergeBinary adds what MarshalBinary has returned of other rows of the same groups.
func (b *Binned) MergeBinary(text []byte) error {
	var parts binnedParts
	if err := gob.NewDecoder(bytes.NewReader(text)).Decode(&parts); err != nil {
		return fmt.Errorf("fairness: %w", err)
	}
	sets := b.sets()
	if len(parts.Bins) != len(sets) || parts.Apart != b.apart || parts.Weighted != b.weighted {
		return fmt.Errorf("fairness: bins of %d sets of rows, %d of them apart, with weights: %v; expected %d, %d, %v",
			len(parts.Bins), parts.Apart, parts.Weighted, len(sets), b.apart, b.weighted)
	}
	for k, bins := range parts.Bins {
		for _, from := range bins {
			if from.At < 0 || from.At >= len(sets[k].of) {
				return fmt.Errorf("fairness: bin %d, expected less than %d", from.At, len(sets[k].of))
			}
			sets[k].add(from.At, from.Sums, from.Weight)
		}
	}
	return nil
}
