package packing

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/dataset/packed"
	"github.com/fairtrain/fairtrain/dataset/table"
	"github.com/fairtrain/fairtrain/internal/spool"
)

// Order says how files become packed files that are alike: those of one data set. Whoever has a file
// counts its rows, and writes them once the counts of all files are known.
type Order struct {
	Schema      *table.Schema // complete; nil for rows in the format of LIBSVM
	MaxFeatures int           // of these

	// Aside leaves out a share of all rows, by their numbers; 0 leaves out none. Only keeps them, and
	// no others. File k comes after Before[k] rows.
	Aside  float64
	Only   bool
	Before []int

	Encoding *encoding.Encoding    // of the rows, to write them
	Groups   []encoding.GroupCount // of all rows
}

// MarshalBinary implements encoding.BinaryMarshaler.
func (o *Order) MarshalBinary() ([]byte, error) { return json.Marshal((*plainOrder)(o)) }

// UnmarshalBinary implements encoding.BinaryUnmarshaler.
func (o *Order) UnmarshalBinary(text []byte) error { return json.Unmarshal(text, (*plainOrder)(o)) }

type plainOrder Order

// Counted is what the rows of a file tell.
type Counted struct {
	Rows       int
	Statistics *encoding.Statistics // of a table, nil if no row is kept
	Unused     []string             // columns of the table that the schema has not
	Rule       string               // of the labels of rows in the format of LIBSVM
}

// Count counts the rows of file k, which is at path. Of a table these are the rows that are kept.
func (o *Order) Count(k int, path string) (*Counted, error) {
	source, free := o.source(k, path)
	defer free()
	if o.Schema != nil {
		in, err := catalogue.LoadInput(path, nil, source.Options)
		if isEmpty(err) {
			return new(Counted), nil
		}
		if err != nil {
			return nil, err
		}
		return &Counted{Rows: in.Table.Rows, Statistics: encoding.Count(in.Table, o.Schema), Unused: o.unused(in.Table)}, nil
	}
	c := new(Counted)
	whole, in, err := catalogue.LoadBlocks(path, nil, source.Options, Block, func(d *dataset.Dataset, _ float64) error {
		c.Rows += d.Rows()
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case in.Packed:
		return nil, fmt.Errorf("%s is packed already", path)
	case whole == nil:
		return nil, fmt.Errorf("%s is no text in the format of LIBSVM, as the first file is", path)
	}
	c.Rule = whole.Rule
	return c, nil
}

// isEmpty reports whether an error says that a table has no rows, or none that is kept. Programs that
// write a data set as many files leave some without rows.
func isEmpty(err error) bool {
	return errors.Is(err, table.ErrNoneKept) || errors.Is(err, table.ErrNoRows)
}

// unused returns the columns of a table that the schema has not.
func (o *Order) unused(t *table.Table) (names []string) {
	for _, column := range t.Schema.Columns {
		if !slices.ContainsFunc(o.Schema.Columns, func(c table.ColumnSpec) bool { return c.Name == column.Name }) {
			names = append(names, column.Name)
		}
	}
	return names
}

// source is file k.
func (o *Order) source(k int, path string) (s Source, free func()) {
	columns := spool.New(os.TempDir())
	s = Source{Name: path, Encoding: o.Encoding, Groups: o.Groups}
	s.Options = catalogue.InputOptions{
		CSV: o.Schema != nil, Schema: o.Schema,
		Rows: libsvm.Options{MaxFeatures: o.MaxFeatures}, Table: table.Options{Identify: true, Spool: columns},
	}
	if o.Aside > 0 {
		aside := dataset.Aside(o.Aside)
		s.Options.Table.Keep = func(row int) bool { return aside(o.Before[k]+row) == o.Only }
	}
	return s, columns.Close
}

// Written is what was written of a file.
type Written struct {
	Rows, Features int
	Bytes          int64
}

// Write writes the rows of file k, which is at path, as a packed file: completely or not at all. If
// none is kept, there is no file.
func (o *Order) Write(k int, path, out string) (done Written, err error) {
	source, free := o.source(k, path)
	defer free()
	w, err := packed.Create(out)
	if err != nil {
		return done, err
	}
	defer w.Discard()
	content, label, err := source.Fill(w, source.Options.Table.Spool)
	if isEmpty(err) || err == nil && w.Rows() == 0 {
		return done, nil
	}
	if err != nil {
		return done, err
	}
	if o.Only {
		content.Hash = AsideHash(content.Hash)
	}
	if err := w.Finish(content, label); err != nil {
		return done, err
	}
	info, err := os.Stat(out)
	if err != nil {
		return done, err
	}
	return Written{w.Rows(), content.Features, info.Size()}, nil
}

// AsideHash is the hash of rows that were set aside: they are not what the other rows of the content
// of that hash were trained on.
func AsideHash(content string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte("aside "+content)))
}
