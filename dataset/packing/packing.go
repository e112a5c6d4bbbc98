// Package packing writes data of any format as packed files.
//
//	Source    one file, this file
//	Order     several files, wherever they are, as packed files that are alike, order.go
package packing

import (
	"errors"
	"fmt"
	"io"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/packed"
	"github.com/fairtrain/fairtrain/dataset/table"
	"github.com/fairtrain/fairtrain/internal/spool"
)

// Block is the number of rows in memory at once.
const Block = 1 << 15

// Source is data that are packed.
type Source struct {
	Name    string
	Stdin   io.Reader
	Options catalogue.InputOptions
	// Encoding is that of a table, nil if it is to be learned from its rows. Groups are those of
	// more rows than these, nil if there are no others.
	Encoding *encoding.Encoding
	Groups   []encoding.GroupCount

	// Progress hears which share of the data was read, 0 if nobody knows, and how many rows were
	// written. If it returns an error, no more are.
	Progress func(share float64, rows int) error
	// Found and Learned hear of a table and its encoding before rows are written.
	Found   func(*table.Table)
	Learned func(*encoding.Encoding)
}

// ErrEncoded is the error if rows that are features already are to be encoded.
var ErrEncoded = errors.New("its rows are features already, that nothing can encode")

// Fill writes rows, and returns what is said of them and what their labels mean; nil if that is what
// they are. Columns that must wait do so in the folder.
func (s Source) Fill(w *packed.Writer, columns *spool.Folder) (packed.Content, func(int8) int8, error) {
	s.Options.Table.Spool = columns
	before := 0
	whole, in, err := catalogue.LoadBlocks(s.Name, s.Stdin, s.Options, Block, func(d *dataset.Dataset, share float64) error {
		if err := s.progress(share, w.Rows()); err != nil {
			return err
		}
		rows := s.kept(d, before)
		before += d.Rows()
		return w.Append(rows, nil)
	})
	switch {
	case err != nil:
		return packed.Content{}, nil, err
	case in.Packed:
		return packed.Content{}, nil, fmt.Errorf("%s is packed already", s.Name)
	case in.Table != nil:
		content, err := s.fillTable(w, in.Table)
		return content, nil, err
	case s.Encoding != nil:
		return packed.Content{}, nil, fmt.Errorf("%s: %w", s.Name, ErrEncoded)
	case whole != nil:
		return packed.Content{Rule: whole.Rule, Hash: whole.Hash, Files: whole.Files, Features: whole.Features}, whole.Label, nil
	}
	d := s.kept(in.Rows, 0)
	return packed.Content{Rule: d.Rule, Hash: d.Hash, Files: d.Files, Features: d.Features(), Names: d.Cols}, nil, w.Append(d, in.Identities)
}

func (s Source) progress(share float64, rows int) error {
	if s.Progress == nil {
		return nil
	}
	return s.Progress(share, rows)
}

// kept returns the rows that Options.Table.Keep keeps. It is asked when tables are read, but not about
// other rows. The first one of these has the given number.
func (s Source) kept(d *dataset.Dataset, first int) *dataset.Dataset {
	keep := s.Options.Table.Keep
	if keep == nil {
		return d
	}
	var rows []int
	for i := range d.Rows() {
		if keep(first + i) {
			rows = append(rows, i)
		}
	}
	return d.Pick(rows, d.Name)
}

// fillTable writes the rows of a table.
func (s Source) fillTable(w *packed.Writer, t *table.Table) (packed.Content, error) {
	if s.Found != nil {
		s.Found(t)
	}
	e := s.Encoding
	if e == nil {
		var err error
		if e, err = encoding.Learn(t, nil); err != nil {
			return packed.Content{}, err
		}
		if s.Learned != nil {
			s.Learned(e)
		}
	}
	whole, err := e.Blocks(t, s.Groups, Block, func(d *dataset.Dataset, before int) error {
		if err := s.progress(float64(before)/float64(t.Rows), before); err != nil {
			return err
		}
		return w.Append(d, t.Identities[before:before+d.Rows()])
	})
	if err != nil {
		return packed.Content{}, err
	}
	return packed.Content{
		Rule: whole.Rule, Hash: whole.Hash, Files: whole.Files, Features: len(whole.Cols), Names: whole.Cols, Encoding: e, Missing: whole.Missing, Unknown: whole.Unknown,
	}, nil
}
