package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/fairtrain/fairtrain/dataset/tabular/delimited"
	"github.com/fairtrain/fairtrain/dataset/textfile"
	"github.com/fairtrain/fairtrain/internal/memory"
)

// file is an open Parquet file whose description was read.
type file struct {
	in      io.ReaderAt
	path    string
	size    int64
	groups  []format.RowGroup
	columns []fileColumn
	decoder *parquet.File
}

// fileColumn is a column of a file.
type fileColumn struct {
	kind
	name string
	key  string // the name, unless that is of an earlier column
	typ  string // as people read it
	leaf int    // index among the columns of values, -1 for lists and records
}

// open opens a file and reads its description.
func open(path string) (*file, io.Closer, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	info, err := in.Stat()
	if err == nil {
		var f *file
		if f, err = describe(in, info.Size(), path); err == nil {
			return f, in, nil
		}
	}
	in.Close()
	return nil, nil, err
}

func describe(in io.ReaderAt, size int64, path string) (*file, error) {
	f := &file{in: in, path: path, size: size}
	if err := f.describe(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// describe reads the end of the file, which describes it.
func (f *file) describe() (err error) {
	defer recovered(&err)
	const ends = int64(len(Magic) + 4) // what the file ends with: the size of the description and Magic
	if f.size < ends {
		return errors.New("is too short for a Parquet file")
	}
	tail := make([]byte, ends)
	if _, err := f.in.ReadAt(tail, f.size-ends); err != nil && err != io.EOF {
		return err
	}
	length := int64(binary.LittleEndian.Uint32(tail))
	if string(tail[4:]) != Magic || length > f.size-ends {
		return errors.New("is no complete Parquet file: its end is missing")
	}
	const perByte = 16 // that the description takes in memory
	if err := memory.Check("its description", perByte*float64(length)); err != nil {
		return err
	}
	description := make([]byte, length)
	if _, err := f.in.ReadAt(description, f.size-ends-length); err != nil && err != io.EOF {
		return err
	}
	reader := new(thrift.CompactProtocol).NewReaderFromBytes(description)
	if err := checkLists(reader, thrift.STRUCT, len(description), 0); err != nil {
		return fmt.Errorf("is damaged: %w", err)
	}
	f.decoder, err = parquet.OpenFile(f.in, f.size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return err
	}
	d := f.decoder.Metadata()
	f.groups = slices.Clone(d.RowGroups)
	if rows := f.rows(); rows != d.NumRows {
		return fmt.Errorf("is damaged: it says that it has %d rows, and its row groups that they have %d", d.NumRows, rows)
	}
	return f.list(f.decoder.Root().Columns())
}

// list lists the columns.
func (f *file) list(columns []*parquet.Column) error {
	usable := false
	for _, c := range columns {
		column := fileColumn{name: c.Name(), leaf: -1, typ: "lists or records", kind: kind{unfit: "it holds lists or records"}}
		if column.name == "" {
			return fmt.Errorf("column %d has no name", len(f.columns)+1)
		}
		if c.Leaf() && c.MaxRepetitionLevel() == 0 {
			column.kind, column.leaf, column.typ = kindOf(c.Type()), c.Index(), strings.ToLower(c.Type().String())
		}
		usable = usable || column.unfit == ""
		f.columns = append(f.columns, column)
	}
	if !usable {
		return errors.New("has no columns of single values")
	}
	var names []string
	for _, c := range f.columns {
		names = append(names, c.name)
	}
	delimited.Distinguish(names, delimited.Repeats(names))
	for k, name := range names {
		f.columns[k].key = name
	}
	return nil
}

// index returns the index of the column of a key, -1 if there is none.
func (f *file) index(key string) int {
	return slices.IndexFunc(f.columns, func(c fileColumn) bool { return c.key == key })
}

// sameAs puts the columns into the order of those of the first file, which they must be.
func (f *file) sameAs(first *file) error {
	var columns []fileColumn
	for _, want := range first.columns {
		k := f.index(want.key)
		switch {
		case k < 0:
			return fmt.Errorf("%s: there is no column %s, which %s has", f.path, textfile.Quote(want.name), first.path)
		case f.columns[k].typ != want.typ:
			return fmt.Errorf("%s: column %s is %s, but %s in %s", f.path,
				textfile.Quote(want.name), f.columns[k].typ, want.typ, first.path)
		}
		columns = append(columns, f.columns[k])
	}
	for _, c := range f.columns {
		if first.index(c.key) < 0 {
			return fmt.Errorf("%s: there is a column %s, which %s has not", f.path, textfile.Quote(c.name), first.path)
		}
	}
	f.columns = columns
	return nil
}

// rows returns the number of rows of a file.
func (f *file) rows() (n int64) {
	for _, g := range f.groups {
		n += g.NumRows
	}
	return n
}

// fault adds to an error its place: a column of a row group.
func (f *file) fault(group, k int, err error) error {
	part := fmt.Sprintf("row group %d, column %s", group+1, f.columns[k].name)
	if _, ok := errors.AsType[*memory.Error](err); ok {
		return fmt.Errorf("%s: %s: %w", f.path, part, err)
	}
	fault := textfile.Errorf(f.path, 1, k+1, "%v", err)
	fault.Part = part
	return fault
}

// recovered makes an error of a panic. The library panics at some values of damaged files.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("it is damaged: %v", r)
	}
}

// checkLists checks that no list in a description, or in a part of it, has more elements than bytes
// are left.
func checkLists(r thrift.BytesReader, kind thrift.Type, length, depth int) (err error) {
	const deepest = 32
	if depth > deepest {
		return errors.New("its description is nested too deeply")
	}
	switch kind {
	case thrift.BOOL, thrift.I8:
		_, err = r.ReadInt8()
	case thrift.I16, thrift.I32, thrift.I64:
		_, err = r.ReadInt64()
	case thrift.DOUBLE:
		_, err = r.ReadFloat64()
	case thrift.BINARY:
		_, err = r.ReadBytes()
	case thrift.STRUCT:
		for {
			f, err := r.ReadField()
			if err != nil || f.Type == thrift.STOP {
				return err
			}
			if f.Type == thrift.TRUE || f.Type == thrift.FALSE {
				continue // the type is the value
			}
			if err := checkLists(r, f.Type, length, depth+1); err != nil {
				return err
			}
		}
	case thrift.LIST, thrift.SET:
		l, err := r.ReadList()
		if err == nil && (l.Size < 0 || int(l.Size) > length-r.BytesRead()) {
			err = errors.New("its description has a list that is longer than itself")
		}
		if l.Type == thrift.TRUE {
			l.Type = thrift.BOOL
		}
		for k := 0; err == nil && k < int(l.Size); k++ {
			err = checkLists(r, l.Type, length, depth+1)
		}
		return err
	default:
		err = fmt.Errorf("its description has a value of type %v", kind)
	}
	return err
}
