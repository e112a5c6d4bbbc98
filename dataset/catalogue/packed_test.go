package catalogue

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/dataset/packed"
	"github.com/fairtrain/fairtrain/dataset/sparse"
)

// packRows writes a packed file of two rows of three features.
func packRows(t *testing.T) string {
	t.Helper()
	var b sparse.Builder
	b.Add(1, []int{0, 2}, nil)
	b.Add(-1, []int{1}, nil)
	d := &dataset.Dataset{}
	d.X, d.Y = b.Finish(3)
	path := filepath.Join(t.TempDir(), "rows")
	w, err := packed.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Discard()
	if err := w.Append(d, nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(packed.Content{Features: 3}, nil); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoadPacked(t *testing.T) {
	path := packRows(t)
	for _, c := range []struct {
		opts     libsvm.Options
		features int    // 0 if an error is expected
		fault    string // in the error
	}{
		{libsvm.Options{}, 3, ""},
		{libsvm.Options{Features: 300}, 300, ""},
		{libsvm.Options{Features: 2}, 0, "it has 3 features, expected 2"},
	} {
		d, err := Load(path, nil, c.opts)
		if (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%+v: %v", c.opts, err)
		}
		if err == nil && (d.Features() != c.features || d.Name != path || d.X.NNZ() != 3) {
			t.Errorf("%+v: %d features and %d non-zeros of %s", c.opts, d.Features(), d.X.NNZ(), d.Name)
		}
	}
	if IsTable(path) {
		t.Error("taken for a CSV file")
	}
}

// TestNoPackedFile: these names are no packed files, and are not opened: a pipe would wait for
// its writer.
func TestNoPackedFile(t *testing.T) {
	for _, name := range []string{"-", t.TempDir(), "synthetic", "loan", "nosuch"} {
		if IsPacked(name) {
			t.Errorf("%s is taken for a packed file", name)
		}
	}
}

// TestIdentified: rows that an older version packed from a CSV file have no hashes that this
// version makes, so they can't be known again by others.
func TestIdentified(t *testing.T) {
	in, err := LoadInput(packRows(t), nil, InputOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ids, err := in.Identified()
	if err != nil || len(slices.Collect(ids)) != 2 {
		t.Errorf("LIBSVM rows: %v", err)
	}
	in.Encoding = &encoding.Encoding{}
	if _, err := in.Identified(); err == nil || !strings.Contains(err.Error(), "packed again") {
		t.Errorf("rows of an older version: %v", err)
	}
	in.Identities = []uint64{3, 4}
	if ids, err := in.Identified(); err != nil || !slices.Equal(slices.Collect(ids), in.Identities) {
		t.Errorf("packed rows: %v", err)
	}
}
