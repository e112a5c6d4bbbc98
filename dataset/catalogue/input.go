package catalogue

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/dataset/textfile"
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

// LoadInput returns the data of the given name, in any format: what Load knows by name, or the
// files that the name stands for. Text is CSV if opts say so, or if the first of its files does not
// look like LIBSVM's format.
func LoadInput(name string, stdin io.Reader, opts InputOptions) (Input, error) {
	if !opts.CSV {
		if d, err := made(name); d != nil || err != nil {
			return Input{Rows: d}, err
		}
	}
	if IsPacked(name) {
		if opts.CSV {
			return Input{}, fmt.Errorf("%s: %w", name, errEncoded)
		}
		return loadPacked(name, opts.Rows)
	}
	if IsParquet(name) {
		t, err := readParquet(name, opts)
		if err != nil {
			return Input{}, err
		}
		t.Name = name
		return Input{Table: t}, nil
	}
	f, err := openInput(name, stdin, opts.CSV)
	if err != nil {
		return Input{}, err
	}
	defer f.Close()
	if !f.isCSV {
		d, err := f.rows(name, opts.Rows)
		return Input{Rows: d}, err
	}
	return f.input(name, opts)
}

// LoadBlocks reads rows in the format of LIBSVM as LoadInput does, but hands them over in
// blocks, see libsvm.Blocks. With every block comes the share of the file that was read so
// far, 0 if nobody knows it. LoadBlocks returns what only the end of the file tells. For all
// other data it returns what LoadInput returns.
func LoadBlocks(name string, stdin io.Reader, opts InputOptions, rows int, each func(d *dataset.Dataset, share float64) error) (*libsvm.Whole, Input, error) {
	if isMade(name) || IsPacked(name) || IsParquet(name) {
		in, err := LoadInput(name, stdin, opts)
		return nil, in, err
	}
	f, err := openInput(name, stdin, opts.CSV)
	if err != nil {
		return nil, Input{}, err
	}
	defer f.Close()
	if f.isCSV {
		in, err := f.input(name, opts)
		return nil, in, err
	}
	text, several := f.lines()
	opts.Rows.Name = f.path
	whole, err := libsvm.Blocks(text, opts.Rows, rows, func(d *dataset.Dataset) error { return each(d, f.share()) })
	if err != nil {
		return nil, Input{}, several.located(err)
	}
	if several != nil {
		whole.Hash, whole.Files = several.content()
	}
	return whole, Input{}, nil
}

// IsTable reports whether LoadInput returns a table of the data of the given name, such as of a
// CSV file. The data must not be standard input.
func IsTable(name string) (bool, error) {
	if isMade(name) || IsPacked(name) {
		return false, nil
	}
	if IsParquet(name) {
		return true, nil
	}
	f, err := openInput(name, nil, false)
	if err != nil {
		return false, err
	}
	defer f.Close()
	return f.isCSV, nil
}

// inputFile is one or several text files whose beginning has been looked at.
type inputFile struct {
	*textFiles
	path  string // of a single file, or the name of several
	isCSV bool
	hint  string // for faults in a table
}

func openInput(name string, stdin io.Reader, isCSV bool) (*inputFile, error) {
	paths, path := filesOf(name), name
	if len(paths) == 0 {
		only, err := onlyFile(name)
		if err != nil {
			return nil, err
		}
		paths = []string{only}
	}
	if len(paths) == 1 {
		path = paths[0]
	}
	if err := checkFiles(name, paths); err != nil {
		return nil, err
	}
	files, start, err := openFiles(paths, stdin)
	if err != nil {
		return nil, err
	}
	f := &inputFile{textFiles: files, path: path}
	isRows := libsvm.Detect(start)
	switch text, isUTF16 := textfile.FromUTF16(start); {
	case isCSV && isRows:
		f.hint = "; the file begins as rows in the format of LIBSVM: leave out the flags for CSV"
	case !isCSV && isUTF16 && libsvm.Detect(text):
		f.Close()
		return nil, fmt.Errorf("%s: rows in the format of LIBSVM are in UTF-16, expected ASCII or UTF-8", path)
	}
	f.isCSV = isCSV || len(start) > 0 && !isRows
	return f, nil
}

// lines returns the text of files whose rows are lines, and what is joined of it; nil for a single
// one.
func (f *inputFile) lines() (io.Reader, *joined) {
	if len(f.opened) == 1 && len(f.paths) == 0 {
		return f.opened[0], nil
	}
	j := &joined{next: f.next, name: f.path}
	return j, j
}

// rows reads LIBSVM files as the data of the given name.
func (f *inputFile) rows(name string, opts libsvm.Options) (*dataset.Dataset, error) {
	text, several := f.lines()
	opts.Name, opts.Bytes = f.path, int64(f.bytes)
	d, err := libsvm.Read(text, opts)
	if err != nil {
		return nil, several.located(err)
	}
	if d.Name = name; several != nil {
		d.Hash, d.Files = several.content()
	}
	return d, nil
}

// input reads CSV files as the data of the given name.
func (f *inputFile) input(name string, opts InputOptions) (Input, error) {
	t, err := f.table(opts)
	if err != nil {
		return Input{}, err
	}
	t.Name = name
	return Input{Table: t}, nil
}

func (f *inputFile) table(opts InputOptions) (*tabular.Table, error) {
	opts.Table.Name, opts.Table.Bytes = f.path, int64(f.bytes)
	t, err := tabular.ReadFiles(f.next, opts.Schema, opts.Table)
	if fault, ok := errors.AsType[*textfile.ParseError](err); ok {
		fault.Msg += f.hint
	}
	return t, err
}
