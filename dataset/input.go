package dataset

import (
	"bufio"
	"fmt"
	"io"
)

// Input is data as they come: rows that are features already or a table whose columns are
// still to be encoded. One of the two is nil.
type Input struct {
	Rows  *Dataset
	Table *Table
}

// InputOptions say what to expect of data of either format.
type InputOptions struct {
	Rows   ReadOptions
	Table  CSVOptions
	Schema *Schema // of a CSV file; nil leaves everything to be found out
	CSV    bool    // it is a CSV file, whatever it looks like
}

// LoadInput returns the data of the given name, whatever their format: what Load knows by
// name, or else the file that Resolve finds, which is a CSV file if opts say so or if it
// does not look like LIBSVM's format.
func LoadInput(name string, stdin io.Reader, opts InputOptions) (Input, error) {
	if !opts.CSV && (name == trainName || name == testName || isLoan(name)) {
		d, err := Load(name, stdin, opts.Rows)
		return Input{Rows: d}, err
	}
	path, err := Resolve(name)
	if err != nil {
		return Input{}, err
	}
	f, err := Open(path, stdin)
	if err != nil {
		return Input{}, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, sampleSize)
	start, err := in.Peek(sampleSize)
	if err != nil && err != io.EOF {
		return Input{}, fmt.Errorf("%s: %w", path, err)
	}
	if !opts.CSV && (len(start) == 0 || IsLIBSVM(start)) {
		opts.Rows.Name = path
		d, err := ReadLIBSVM(in, opts.Rows)
		if err != nil {
			return Input{}, err
		}
		d.Name = name
		return Input{Rows: d}, nil
	}
	if opts.Schema == nil {
		opts.Schema = new(Schema)
	}
	opts.Table.Name = path
	t, err := ReadTable(in, opts.Schema, opts.Table)
	if err != nil {
		return Input{}, err
	}
	t.Name = name
	return Input{Table: t}, nil
}
