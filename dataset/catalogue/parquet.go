package catalogue

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/fairtrain/fairtrain/dataset/parquet"
	"github.com/fairtrain/fairtrain/dataset/table"
)

// IsParquet reports whether a name stands for Parquet files: for one that Resolve finds, for
// the files *.parquet of a folder, or for a pattern of files such as "rows/2025-*.parquet".
func IsParquet(name string) bool {
	paths, err := parquetFiles(name)
	return paths != nil || err != nil
}

// parquetFiles returns the paths of the Parquet files that a name stands for, sorted; nil if
// it stands for other data.
func parquetFiles(name string) ([]string, error) {
	if name == "-" || isMade(name) {
		return nil, nil
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		// Characters of patterns in the name of the folder are none.
		folder := strings.NewReplacer(`[`, `[[]`, `*`, `[*]`, `?`, `[?]`).Replace(name)
		return filepath.Glob(filepath.Join(folder, "*.parquet"))
	case err != nil && strings.ContainsAny(name, "*?["):
		paths, err := filepath.Glob(name)
		if err != nil {
			return nil, nil // it is no pattern, and no file
		}
		for _, path := range paths {
			if !begins(path, parquet.Magic) {
				return nil, fmt.Errorf("%s, which %s matches, is no Parquet file: other files are read one at a time", path, name)
			}
		}
		return paths, nil
	}
	if path, err := Resolve(name); err == nil && begins(path, parquet.Magic) {
		return []string{path}, nil
	}
	return nil, nil
}

// readParquet reads the files that parquetFiles has found, unless that failed.
func readParquet(paths []string, opts InputOptions, err error) (*table.Table, error) {
	if err != nil {
		return nil, err
	}
	opts.Table.Name = paths[0]
	return parquet.Read(paths, opts.Schema, opts.Table)
}
