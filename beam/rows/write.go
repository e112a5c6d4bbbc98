package rows

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/dataset/packed"
	"github.com/fairtrain/fairtrain/model"
)

// Write writes rows as at most count shards into a folder and returns the pattern of their names.
// They are cut between leaves, so that sums are added in the same order as in one file.
func Write(dir string, d *dataset.Dataset, count int) (pattern string, err error) {
	leaves := (d.Rows() + model.LeafRows - 1) / model.LeafRows
	size := (leaves + count - 1) / count * model.LeafRows
	for k, lo := 0, 0; lo < d.Rows(); k, lo = k+1, lo+size {
		var rows []int
		for i := lo; i < min(lo+size, d.Rows()); i++ {
			rows = append(rows, i)
		}
		if err := write(filepath.Join(dir, fmt.Sprintf("part-%05d.fpk", k)), d.Pick(rows, d.Name), nil); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, "part-*.fpk"), nil
}

func write(path string, d *dataset.Dataset, e *encoding.Encoding) error {
	w, err := packed.Create(path)
	if err != nil {
		return err
	}
	defer w.Discard()
	if err := w.Append(d, nil); err != nil {
		return err
	}
	content := sha256.New()
	if err := libsvm.Write(content, d); err != nil {
		return err
	}
	return w.Finish(packed.Content{Rule: d.Rule, Hash: hex.EncodeToString(content.Sum(nil)), Features: d.Features(), Names: d.Cols, Encoding: e}, nil)
}
