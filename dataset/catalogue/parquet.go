package catalogue

import (
	"fmt"

	"github.com/fairtrain/fairtrain/dataset/parquet"
	"github.com/fairtrain/fairtrain/dataset/table"
)

// IsParquet reports whether a name stands for Parquet files.
func IsParquet(name string) bool {
	paths := filesOf(name)
	return len(paths) > 0 && begins(paths[0], parquet.Magic)
}

// readParquet reads the Parquet files of IsParquet.
func readParquet(name string, opts InputOptions) (*table.Table, error) {
	paths := filesOf(name)
	for _, path := range paths {
		if !begins(path, parquet.Magic) {
			return nil, fmt.Errorf("%s: is no Parquet file, as %s is", path, paths[0])
		}
	}
	if err := checkFiles(name, paths); err != nil {
		return nil, err
	}
	opts.Table.Name = paths[0]
	return parquet.Read(paths, opts.Schema, opts.Table)
}
