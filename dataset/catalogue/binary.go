package catalogue

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/dataset/packed"
	"github.com/fairtrain/fairtrain/dataset/people"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/dataset/tabular/parquet"
)

// IsPacked reports whether the only file that a name stands for is a packed file. Data for
// which isMade holds are none, and standard input is none.
func IsPacked(name string) bool {
	path, err := onlyFile(name)
	return err == nil && path != "-" && !isMade(name) && begins(path, packed.Magic)
}

// begins reports whether a plain file begins with some bytes.
func begins(path, magic string) bool {
	if info, err := os.Stat(path); people.Is(path) || err != nil || !info.Mode().IsRegular() {
		return false // a pipe is opened and read only once
	}
	f, err := os.Open(path)
	if err != nil {
		return false // reading it will tell
	}
	defer f.Close()
	begin := make([]byte, len(magic))
	_, err = io.ReadFull(f, begin)
	return err == nil && string(begin) == magic
}

// loadPacked opens the packed file of IsPacked.
func loadPacked(name string, opts libsvm.Options) (Input, error) {
	path, err := onlyFile(name)
	if err != nil {
		return Input{}, err
	}
	f, err := packed.Open(path, opts.Features)
	if err != nil {
		return Input{}, err
	}
	most := cmp.Or(opts.MaxFeatures, libsvm.DefaultMaxFeatures)
	if n := f.Data.Features(); n > most {
		return Input{}, fmt.Errorf("%s: it has %d features, above the limit of %d (raise the limit with --max-features)", path, n, most)
	}
	f.Data.Name = name
	return Input{Rows: f.Data, Encoding: f.Encoding, Identities: f.Identities, Packed: true}, nil
}

// errEncoded is the error if columns are asked for, but the file has features.
var errEncoded = errors.New("is a packed file, whose columns are features already; expected a CSV file")

func isCompressed(path string) bool {
	return begins(path, gzipMagic) || begins(path, bzip2Magic) || begins(path, zstdMagic) ||
		begins(path, "\x50"+skipMagic)
}

// Hashed says of what the hash of data is, if not of a file as it is.
func Hashed(name string) string {
	switch paths := Sources(name); {
	case IsPacked(name):
		return "of what was packed"
	case len(paths) > 1:
		return "of those of the contents, one a line"
	case len(paths) == 1 && isCompressed(paths[0]):
		return "of the decompressed text"
	}
	return ""
}

// IsParquet reports whether a name stands for Parquet files.
func IsParquet(name string) bool {
	paths := filesOf(name)
	return len(paths) > 0 && begins(paths[0], parquet.Magic)
}

// readParquet reads the Parquet files of IsParquet.
func readParquet(name string, opts InputOptions) (*tabular.Table, error) {
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
