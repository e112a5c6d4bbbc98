package input

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/packed"
	"github.com/fairtrain/fairtrain/dataset/packing"
	"github.com/fairtrain/fairtrain/dataset/table"
	"github.com/fairtrain/fairtrain/internal/spool"
)

// Filling writes rows, and returns what is said of them and what their labels mean; nil if
// that is what they are. Columns that must wait do so in the folder.
type Filling func(w *packed.Writer, columns *spool.Folder) (packed.Content, func(int8) int8, error)

// WritePacked writes a packed file, completely or not at all. It replaces a file if replaceable
// says so of it; nil: always.
func WritePacked(ctx context.Context, path string, replaceable func(path string) bool, fill Filling) (rows, features int, err error) {
	w, err := packed.Create(path)
	if err != nil {
		return 0, 0, err
	}
	defer w.Discard()
	w.Replaceable = replaceable
	columns := spool.New(filepath.Dir(path))
	content, label, err := fill(w, columns)
	if ctx.Err() == nil { // else somebody may still be reading
		columns.Close()
	}
	if err != nil {
		return 0, 0, AdviseLabel(err)
	}
	return w.Rows(), content.Features, w.Finish(content, label)
}

// Packing is data that are packed.
type Packing struct {
	Program *command.Program
	Flags   *cli.Context
	Name    string
	Options catalogue.InputOptions
	Like    *encoding.Encoding // of a table; nil if it is to be learned from its rows
}

// Fill is a Filling.
func (k Packing) Fill(w *packed.Writer, columns *spool.Folder) (packed.Content, func(int8) int8, error) {
	ctx := k.Flags.Context
	what := k.Name
	if n := len(catalogue.Sources(k.Name)); n > 1 {
		what = fmt.Sprintf("%d files", n)
	}
	bar := k.Program.NewProgress("pack " + what)
	defer bar.Finish()
	source := packing.Source{
		Name: k.Name, Stdin: k.Program.Stdin, Options: k.Options, Encoding: k.Like,
		Progress: func(share float64, rows int) error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			bar.Update(share, fmt.Sprintf("%d rows", rows))
			return nil
		},
		Found:   func(t *table.Table) { RemarkTable(k.Program, k.Flags, t) },
		Learned: func(e *encoding.Encoding) { RemarkFolded(k.Program, k.Flags, e) },
	}
	type filled struct {
		content packed.Content
		label   func(int8) int8
	}
	// A read that never ends may go on behind the back of an interrupted command, but writes
	// nothing more.
	f, err := command.Interruptible(ctx, func() (f filled, err error) {
		f.content, f.label, err = source.Fill(w, columns)
		return f, err
	})
	if errors.Is(err, packing.ErrEncoded) {
		err = command.Usagef("--like is for CSV and Parquet files, %s is none", k.Name)
	}
	return f.content, f.label, err
}
