package input

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/dataset/packed"
	"github.com/fairtrain/fairtrain/dataset/table"
	"github.com/fairtrain/fairtrain/internal/spool"
)

// PackBlock is the number of rows in memory at once.
const PackBlock = 1 << 15

// Filling writes rows, and returns what is said of them and what their labels mean; nil if
// that is what they are. Columns that must wait do so in the folder.
type Filling func(w *packed.Writer, columns *spool.Folder) (packed.Content, func(int8) int8, error)

// WritePacked writes a packed file, completely or not at all.
func WritePacked(ctx context.Context, path string, fill Filling) (rows, features int, err error) {
	w, err := packed.Create(path)
	if err != nil {
		return 0, 0, err
	}
	defer w.Discard()
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
	bar := k.Program.NewProgress(k.Flags, "pack "+k.Name)
	defer bar.Finish()
	progress := func(share float64) { bar.Update(share, fmt.Sprintf("%d rows", w.Rows())) }
	k.Options.Table.Spool = columns
	type loaded struct {
		whole *libsvm.Whole
		in    catalogue.Input
	}
	before := 0
	// A read that never ends may go on behind the back of an interrupted command, but writes
	// nothing more.
	got, err := command.Interruptible(ctx, func() (loaded, error) {
		whole, in, err := catalogue.LoadBlocks(k.Name, k.Program.Stdin, k.Options, PackBlock, func(d *dataset.Dataset, share float64) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			progress(share)
			rows := k.kept(d, before)
			before += d.Rows()
			return w.Append(rows, nil)
		})
		return loaded{whole, in}, err
	})
	switch {
	case err != nil:
		return packed.Content{}, nil, err
	case got.whole != nil && k.Like != nil:
		return packed.Content{}, nil, command.Usagef("--like is for CSV and Parquet files, %s is none", k.Name)
	case got.whole != nil:
		return packed.Content{Rule: got.whole.Rule, Hash: got.whole.Hash, Features: got.whole.Features}, got.whole.Label, nil
	case got.in.Packed:
		return packed.Content{}, nil, fmt.Errorf("%s is packed already", k.Name)
	}
	if got.in.Table == nil {
		d := k.kept(got.in.Rows, 0)
		return packed.Content{Rule: d.Rule, Hash: d.Hash, Features: d.Features(), Names: d.Cols}, nil, w.Append(d, got.in.Identities)
	}
	content, err := k.fillTable(w, got.in.Table, progress)
	return content, nil, err
}

// kept returns the rows that Options.Table.Keep keeps. It is asked when tables are read, but not about
// other rows. The first one of these has the given number.
func (k Packing) kept(d *dataset.Dataset, first int) *dataset.Dataset {
	keep := k.Options.Table.Keep
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
func (k Packing) fillTable(w *packed.Writer, t *table.Table, progress func(share float64)) (packed.Content, error) {
	RemarkTable(k.Program, k.Flags, t)
	e := k.Like
	if e == nil {
		var err error
		if e, err = encoding.Learn(t, nil); err != nil {
			return packed.Content{}, err
		}
		RemarkFolded(k.Program, k.Flags, e)
	}
	whole, err := e.Blocks(t, nil, PackBlock, func(d *dataset.Dataset, before int) error {
		if ctx := k.Flags.Context; ctx.Err() != nil {
			return context.Cause(ctx)
		}
		progress(float64(before) / float64(t.Rows))
		return w.Append(d, t.Identities[before:before+d.Rows()])
	})
	if err != nil {
		return packed.Content{}, err
	}
	return packed.Content{
		Rule: whole.Rule, Hash: whole.Hash, Features: len(whole.Cols), Names: whole.Cols, Encoding: e, Missing: whole.Missing, Unknown: whole.Unknown,
	}, nil
}
