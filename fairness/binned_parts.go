package fairness

import (
	"bytes"
	"encoding/gob"
	"fmt"
)

// bin is what is known of the rows of a bin, as it travels.
type bin struct {
	At, Rows                      int
	Weight, Squares, Scores, Loss float64
}

// binnedParts are the bins that have rows, by group.
type binnedParts struct {
	Threshold float64
	Groups    []string
	Weighted  bool
	Bins      [][]bin
}

// MarshalBinary returns the bins that have rows.
func (b *Binned) MarshalBinary() ([]byte, error) {
	parts := binnedParts{Threshold: b.threshold, Weighted: b.weighted, Bins: make([][]bin, len(b.cells))}
	for _, g := range b.groups {
		parts.Groups = append(parts.Groups, g.Name)
	}
	for k, cell := range b.cells {
		for at, r := range cell {
			if r.rows > 0 {
				parts.Bins[k] = append(parts.Bins[k], bin{at, int(r.rows), r.weight, r.squares, r.score, r.loss})
			}
		}
	}
	var text bytes.Buffer
	err := gob.NewEncoder(&text).Encode(parts)
	return text.Bytes(), err
}

// UnmarshalBinary is the inverse of MarshalBinary.
func (b *Binned) UnmarshalBinary(text []byte) error {
	var parts binnedParts
	if err := gob.NewDecoder(bytes.NewReader(text)).Decode(&parts); err != nil {
		return err
	}
	if len(parts.Bins) != 1+len(parts.Groups) {
		return fmt.Errorf("fairness: bins of %d sets of rows, expected %d", len(parts.Bins), 1+len(parts.Groups))
	}
	*b = *NewBinned(parts.Threshold, parts.Groups, parts.Weighted)
	for k, bins := range parts.Bins {
		for _, from := range bins {
			if from.At < 0 || from.At >= len(b.cells[k]) {
				return fmt.Errorf("fairness: bin %d, expected less than %d", from.At, len(b.cells[k]))
			}
			b.cells[k][from.At] = row{
				rows: int32(from.Rows), weight: from.Weight, squares: from.Squares, score: from.Scores, loss: from.Loss,
			}
		}
	}
	return nil
}

// Merge adds other rows of the same groups.
func (b *Binned) Merge(other *Binned) {
	for k, cell := range other.cells {
		for at, r := range cell {
			to := &b.cells[k][at]
			to.rows += r.rows
			to.weight += r.weight
			to.squares += r.squares
			to.score += r.score
			to.loss += r.loss
		}
	}
}
