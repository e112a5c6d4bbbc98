package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/dataset/packed"
	"github.com/fairtrain/fairtrain/model"
)

// TestMeasure measures a file of the invented people.
func TestMeasure(t *testing.T) {
	d, _ := census.Synthetic()
	path := filepath.Join(t.TempDir(), "census.fpk")
	w, err := packed.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Discard()
	if err := w.Append(d, nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(packed.Content{Rule: d.Rule, Hash: d.Hash, Features: d.Features()}, nil); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	constraint, err := model.ParseConstraint("demographic-parity:group=72,bound=0.02")
	if err != nil {
		t.Fatal(err)
	}
	c, err := measure(path, constraint, 2, 64)
	if err != nil {
		t.Fatal(err)
	}
	if c.rows != d.Rows() || c.bytes != info.Size() {
		t.Errorf("measured %d rows, %d bytes; want %d, %d", c.rows, c.bytes, d.Rows(), info.Size())
	}
	if min(c.reading, c.opening, c.all, c.one, c.cachedPerRow) <= 0 {
		t.Errorf("something took no time: %+v", c)
	}
}
