package main

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/fairtrain/fairtrain/dataset/libsvm"
)

// TestRows reads what is written.
func TestRows(t *testing.T) {
	const rows, features, entries = 300, 500, 9
	for name, write := range map[string]func(*bytes.Buffer, *rand.Rand) error{
		"uniform":  func(w *bytes.Buffer, r *rand.Rand) error { return writeSparse(w, rows, features, entries, uniform, r) },
		"frequent": func(w *bytes.Buffer, r *rand.Rand) error { return writeSparse(w, rows, features, entries, frequent, r) },
		"dense":    func(w *bytes.Buffer, r *rand.Rand) error { return writeDense(w, rows, entries, r) },
	} {
		var b bytes.Buffer
		if err := write(&b, rand.New(rand.NewPCG(1, 1))); err != nil {
			t.Fatal(err)
		}
		d, err := libsvm.Read(&b, libsvm.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		group, err := d.Strata("1")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if n := group.Size(0) + group.Size(1); d.Rows() != rows || d.Features() > features || n < rows/5 || n > rows/2 {
			t.Errorf("%s: %d rows of %d features, %d of them in the group", name, d.Rows(), d.Features(), n)
		}
		if perRow := float64(d.X.NNZ()) / rows; perRow < entries/2 || perRow > entries+1 {
			t.Errorf("%s: %v entries a row, want about %d", name, perRow, entries)
		}
	}
}
