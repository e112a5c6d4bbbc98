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

// binnedParts are the bins that have rows: of all, and by group.
type binnedParts struct{ Bins [][]bin }

// MarshalBinary returns the bins that have rows.
func (b *Binned) MarshalBinary() ([]byte, error) {
	parts := binnedParts{make([][]bin, len(b.cells))}
	for k, cell := range b.cells {
		for at, r := range cell {
			if r.rows > 0 {
				parts.Bins[k] = append(parts.Bins[k], bin{at, r.rows, r.weight, r.squares, r.score, r.loss})
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
	if len(parts.Bins) != len(b.cells) {
		return fmt.Errorf("fairness: bins of %d sets of rows, expected %d", len(parts.Bins), len(b.cells))
	}
	for k, bins := range parts.Bins {
		for _, from := range bins {
			if from.At < 0 || from.At >= len(b.cells[k]) {
				return fmt.Errorf("fairness: bin %d, expected less than %d", from.At, len(b.cells[k]))
			}
			to := &b.cells[k][from.At]
			to.rows += from.Rows
			to.weight += from.Weight
			to.squares += from.Squares
			to.score += from.Scores
			to.loss += from.Loss
		}
	}
	return nil
}
