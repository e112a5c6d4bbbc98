package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/fairtrain/fairtrain/dataset/textfile"
	"github.com/fairtrain/fairtrain/internal/memory"
)

// file is an open Parquet file whose description was read.
type file struct {
	io.ReaderAt
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
	leaf int // number of its values among the columns of the format
	typ  parquet.Type

	nullable bool // values may be missing
}

// open reads the description of a file.
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

func describe(in io.ReaderAt, size int64, path string) (f *file, err error) {
	f = &file{ReaderAt: in, path: path, size: size}
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
	if _, err := f.ReadAt(tail, f.size-ends); err != nil && err != io.EOF {
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
	if _, err := f.ReadAt(description, f.size-ends-length); err != nil && err != io.EOF {
		return err
	}
	reader := new(thrift.CompactProtocol).NewReaderFromBytes(description)
	if err := checkLists(reader, thrift.STRUCT, len(description), 0); err != nil {
		return fmt.Errorf("is damaged: %w", err)
	}
	opened, err := parquet.OpenFile(f.ReaderAt, f.size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return err
	}
	d := opened.Metadata()
	if f.decoder, err = uncompressed(d); err != nil {
		return err
	}
	f.groups = slices.Clone(d.RowGroups)
	if rows := f.rows(); rows != d.NumRows {
		return fmt.Errorf("is damaged: it says that it has %d rows, and its row groups that they have %d", d.NumRows, rows)
	}
	leaves := slices.DeleteFunc(slices.Clone(d.Schema), func(e format.SchemaElement) bool { return !e.Type.Valid })
	return f.list(f.decoder.Root().Columns(), leaves)
}

// uncompressed returns a file without pages, of a description that says that they are not
// compressed and begin at offset 0, where readers of their own give them, see pageCheck.
func uncompressed(d *format.FileMetaData) (*parquet.File, error) {
	plain := *d
	plain.RowGroups = slices.Clone(d.RowGroups)
	for k := range plain.RowGroups {
		columns := slices.Clone(plain.RowGroups[k].Columns)
		for j := range columns {
			c := &columns[j].MetaData
			c.Codec, c.DataPageOffset, c.DictionaryPageOffset = format.Uncompressed, 0, 0
			c.TotalCompressedSize = math.MaxInt64 // nobody knows yet
		}
		plain.RowGroups[k].Columns = columns
	}
	description, err := thrift.Marshal(new(thrift.CompactProtocol), &plain)
	if err != nil {
		return nil, err
	}
	text := append([]byte(Magic), description...)
	text = binary.LittleEndian.AppendUint32(text, uint32(len(description)))
	text = append(text, Magic...)
	return parquet.OpenFile(bytes.NewReader(text), int64(len(text)), parquet.SkipPageIndex(true),
		parquet.SkipBloomFilters(true))
}

// list lists the columns. leaves are what the file says about those with values.
func (f *file) list(columns []*parquet.Column, leaves []format.SchemaElement) error {
	for _, c := range columns {
		column := fileColumn{name: c.Name(), kind: kind{unfit: "it holds lists or records"}}
		if column.name == "" {
			return fmt.Errorf("column %d has no name", len(f.columns)+1)
		}
		if slices.ContainsFunc(f.columns, func(other fileColumn) bool { return other.name == column.name }) {
			return fmt.Errorf("two columns are called %s", textfile.Quote(column.name))
		}
		if c.Leaf() && c.MaxRepetitionLevel() == 0 {
			column.kind, column.leaf, column.typ = kindOf(c.Type(), leaves[c.Index()].LogicalType), c.Index(), c.Type()
			column.nullable = c.Optional()
		}
		f.columns = append(f.columns, column)
	}
	if !slices.ContainsFunc(f.columns, func(c fileColumn) bool { return c.unfit == "" }) {
		return errors.New("has no columns of single values")
	}
	return nil
}

// sameAs puts the columns into the order of those of the first file, which they must be.
func (f *file) sameAs(first *file) error {
	var columns []fileColumn
	for _, want := range first.columns {
		k := slices.IndexFunc(f.columns, func(c fileColumn) bool { return c.name == want.name })
		switch {
		case k < 0:
			return fmt.Errorf("%s: there is no column %s, which %s has", f.path, textfile.Quote(want.name), first.path)
		case typeName(f.columns[k]) != typeName(want):
			return fmt.Errorf("%s: column %s is %s, but %s in %s", f.path,
				textfile.Quote(want.name), typeName(f.columns[k]), typeName(want), first.path)
		}
		columns = append(columns, f.columns[k])
	}
	for _, c := range f.columns {
		if !slices.ContainsFunc(columns, func(other fileColumn) bool { return other.name == c.name }) {
			return fmt.Errorf("%s: there is a column %s, which %s has not", f.path, textfile.Quote(c.name), first.path)
		}
	}
	f.columns = columns
	return nil
}

// typeName names the type of a column.
func typeName(c fileColumn) string {
	switch {
	case c.typ == nil:
		return "lists or records"
	case c.half:
		return "float16"
	case c.unfit != "":
		return "of no use: " + c.unfit
	}
	return strings.ToLower(c.typ.String())
}

// fault names the place of an error in a column of a row group.
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
