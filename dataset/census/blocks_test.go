package census

import (
	"errors"
	"slices"
	"testing"

	"github.com/fairtrain/fairtrain/dataset"
)

// TestBlocks draws more people than Train has. The first of them must be the people of Train.
func TestBlocks(t *testing.T) {
	first := Train()
	done := 0
	hash, err := Blocks(TrainRows, 10_000, func(d *dataset.Dataset) error {
		for i, y := range d.Y {
			if y != first.Y[done+i] || !slices.Equal(columns(d, i), columns(first, done+i)) {
				t.Fatalf("row %d differs", done+i)
			}
		}
		done += d.Rows()
		return nil
	})
	if err != nil || done != TrainRows || hash != first.Hash {
		t.Errorf("%d rows of hash %s (%v), want %d of %s", done, hash, err, TrainRows, first.Hash)
	}
	full := errors.New("the disk is full")
	if _, err := Blocks(1e9, 10, func(*dataset.Dataset) error { return full }); !errors.Is(err, full) {
		t.Errorf("after a failure: %v", err)
	}
}

// columns returns the columns of the non-zeros of row i.
func columns(d *dataset.Dataset, i int) []int {
	var list []int
	for j := range d.X.Row(i) {
		list = append(list, j)
	}
	return list
}
