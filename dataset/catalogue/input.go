package catalogue

import (
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/dataset/packed"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/dataset/tabular/parquet"
)

// Input is data as they come: either rows of features, or a table whose columns are still to
// be encoded. One of the two is nil.
type Input struct {
	Rows  *dataset.Dataset
	Table *tabular.Table

	Packed bool // the rows are those of a packed file
	// Encoding made the rows of a packed file from the rows of a CSV file; nil if there was no
	// CSV file.
	Encoding   *encoding.Encoding
	Identities []uint64 // of the rows of a packed file; nil if it has none
}

// Identified returns the hashes by which the rows are known again. A table must have been read with
// them. It fails for rows that an earlier version packed from a CSV file, whose rows have other
// hashes.
func (in Input) Identified() (iter.Seq[uint64], error) {
	switch {
	case in.Table != nil:
		return slices.Values(in.Table.Identities), nil
	case in.Identities != nil:
		return slices.Values(in.Identities), nil
	case in.Encoding != nil:
		return nil, fmt.Errorf("%s was packed without what rows are known again by, as this version needs it: its source must be packed again", in.Rows.Name)
	}
	return dataset.Identities(in.Rows), nil
}

// InputOptions say what to expect of data of either format.
type InputOptions struct {
	Rows   libsvm.Options
	Table  tabular.Options
	Schema *tabular.Schema // of a CSV file; nil leaves everything to be found out
	CSV    bool            // it is a CSV file, whatever it looks like
}

// LoadTable reads the CSV or Parquet files that the given name stands for, or stdin for "-". The
// table gets the name, errors the path.
func LoadTable(name string, stdin io.Reader, schema *tabular.Schema, opts tabular.Options) (*tabular.Table, error) {
	in, err := LoadInput(name, stdin, InputOptions{Table: opts, Schema: schema, CSV: true})
	return in.Table, err
}

// Load returns rows of features of the given name, see LoadInput. Text is in the format of LIBSVM.
func Load(name string, stdin io.Reader, opts libsvm.Options) (*dataset.Dataset, error) {
	d, err := made(name)
	if d != nil || err != nil {
		return d, err
	}
	paths, err := filesOf(name)
	if err != nil {
		return nil, err
	}
	if isPacked(paths) {
		in, err := loadPacked(name, paths[0], opts)
		return in.Rows, err
	}
	f, err := openText(name, paths, stdin, false)
	if err != nil {
		return nil, err
	}
	defer func() { f.last.Close() }()
	return f.rows(name, opts)
}

// LoadInput returns the data of the given name, in any format: the built-in "synthetic" or
// "synthetic.t", even if there are files of that name; "loan" or "loan.t", made from the
// LendingClub file; or the files that the name stands for. Text is CSV if opts say so, or if the
// first of its files does not look like LIBSVM's format. Errors name the path, the result has the
// given name.
func LoadInput(name string, stdin io.Reader, opts InputOptions) (Input, error) {
	_, in, err := LoadBlocks(name, stdin, opts, nil)
	return in, err
}

// LoadBlocks reads rows in the format of LIBSVM as LoadInput does, but hands them over in blocks,
// see libsvm.Blocks. With every block comes the share of the file that was read so far, 0 if it is
// not known. LoadBlocks returns what only the end of the file tells. For all other data it
// returns what LoadInput returns.
func LoadBlocks(name string, stdin io.Reader, opts InputOptions, each func(d *dataset.Dataset, share float64) error) (*libsvm.Whole, Input, error) {
	if !opts.CSV {
		if d, err := made(name); d != nil || err != nil {
			return nil, Input{Rows: d}, err
		}
	}
	paths, err := filesOf(name)
	switch {
	case err != nil:
		return nil, Input{}, err
	case isPacked(paths) && opts.CSV:
		return nil, Input{}, fmt.Errorf("%s: is a packed file, whose columns are features already; expected a CSV file", name)
	case isPacked(paths):
		in, err := loadPacked(name, paths[0], opts.Rows)
		return nil, in, err
	case begins(paths[0], parquet.Magic):
		opts.Table.Name = paths[0]
		t, err := parquet.Read(paths, opts.Schema, opts.Table)
		return nil, tableInput(t, name), err
	}
	f, err := openText(name, paths, stdin, opts.CSV)
	if err != nil {
		return nil, Input{}, err
	}
	defer func() { f.last.Close() }()
	switch {
	case f.isCSV:
		opts.Table.Name = f.name
		t, err := tabular.ReadFiles(f.next, opts.Schema, opts.Table)
		return nil, tableInput(t, name), err
	case each == nil:
		d, err := f.rows(name, opts.Rows)
		return nil, Input{Rows: d}, err
	}
	opts.Rows.Name = f.name
	whole, err := libsvm.Blocks(f.next, opts.Rows, func(d *dataset.Dataset) error { return each(d, f.share()) })
	return whole, Input{}, err
}

// rows reads LIBSVM files as the data of the given name.
func (fs *textFiles) rows(name string, opts libsvm.Options) (*dataset.Dataset, error) {
	opts.Name = fs.name
	d, err := libsvm.ReadFiles(fs.next, opts)
	if err == nil {
		d.Name = name
	}
	return d, err
}

// tableInput is a table, which may be nil, of the given name.
func tableInput(t *tabular.Table, name string) Input {
	if t != nil {
		t.Name = name
	}
	return Input{Table: t}
}

func loadPacked(name, path string, opts libsvm.Options) (Input, error) {
	f, err := packed.Open(path, opts.Features)
	if err != nil {
		return Input{}, err
	}
	f.Data.Name = name
	return Input{Rows: f.Data, Encoding: f.Encoding, Identities: f.Identities, Packed: true}, nil
}

// IsPacked reports whether the only file that a name stands for is a packed file. Data for
// which isMade holds are none, and standard input is none.
func IsPacked(name string) bool {
	paths, err := filesOf(name)
	return err == nil && !isMade(name) && isPacked(paths)
}

func isPacked(paths []string) bool { return len(paths) == 1 && begins(paths[0], packed.Magic) }

// IsTable reports whether LoadInput returns a table of the data of the given name, such as of a
// CSV file. The data must not be standard input.
func IsTable(name string) bool {
	paths, err := filesOf(name)
	switch {
	case err != nil || isMade(name) || isPacked(paths):
		return false
	case begins(paths[0], parquet.Magic):
		return true
	}
	f, err := openText(name, paths, nil, false)
	if err != nil {
		return false
	}
	defer f.last.Close()
	return f.isCSV
}

// begins reports whether a plain file begins with some bytes.
func begins(path, magic string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
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
