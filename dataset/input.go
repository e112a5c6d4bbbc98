package dataset

import (
	"bufio"
	"errors"
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
	f, err := openInput(name, stdin, opts.CSV)
	if err != nil {
		return Input{}, err
	}
	defer f.Close()
	if !f.isCSV {
		opts.Rows.Name = f.path
		d, err := ReadLIBSVM(f, opts.Rows)
		if err != nil {
			return Input{}, err
		}
		d.Name = name
		return Input{Rows: d}, nil
	}
	t, err := f.table(opts)
	if err != nil {
		return Input{}, err
	}
	t.Name = name
	return Input{Table: t}, nil
}

// CheckFile reads the file that Resolve finds and keeps the first limit faults. Of a CSV file
// it keeps only the first: after a fault the rest may mean anything.
func CheckFile(name string, stdin io.Reader, opts InputOptions, limit int) (*CheckReport, error) {
	f, err := openInput(name, stdin, opts.CSV)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if !f.isCSV {
		opts.Rows.Name = f.path
		return checkLIBSVM(f, opts.Rows, limit)
	}
	t, err := f.table(opts)
	if fault, ok := errors.AsType[*ParseError](err); ok {
		return &CheckReport{Bad: 1, Problems: []*ParseError{fault}}, nil
	}
	if err != nil {
		return nil, err
	}
	return &CheckReport{Rows: t.Rows}, nil
}

// IsCSV reports whether LoadInput takes the file that Resolve finds, which must not be
// standard input, for a CSV file.
func IsCSV(name string) (bool, error) {
	f, err := openInput(name, nil, false)
	if err != nil {
		return false, err
	}
	defer f.Close()
	return f.isCSV, nil
}

// inputFile is an open data file whose beginning has been looked at.
type inputFile struct {
	*bufio.Reader
	io.Closer
	path  string
	isCSV bool
}

func openInput(name string, stdin io.Reader, isCSV bool) (*inputFile, error) {
	f, path, err := openFound(Resolve, name, stdin)
	if err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(f, sampleSize)
	start, err := in.Peek(sampleSize)
	if err != nil && err != io.EOF {
		f.Close()
		return nil, err // names the path
	}
	return &inputFile{in, f, path, isCSV || len(start) > 0 && !looksLikeLIBSVM(start)}, nil
}

func (f *inputFile) table(opts InputOptions) (*Table, error) {
	opts.Table.Name = f.path
	return ReadTable(f, opts.Schema, opts.Table)
}
