package data

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/input"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/dataset/packed"
	"github.com/fairtrain/fairtrain/dataset/table"
	"github.com/fairtrain/fairtrain/internal/spool"
)

// packCommand is fairtrain data pack.
func (p program) packCommand() *cli.Command {
	return &cli.Command{
		Name:      "pack",
		Usage:     "write rows as a file that training maps into memory",
		ArgsUsage: "FILE",
		Description: `   fairtrain data pack --out rows.fpk rows.libsvm
   fairtrain data pack --label hired --group sex --out people.fpk people.csv
   fairtrain data pack --like people.fpk --out test.fpk test.csv
   fairtrain data pack --rows 1e8 --out census.fpk synthetic

A packed file is data like any other: --data rows.fpk. It is mapped into memory: nothing
is parsed again, and the values of the rows take no memory of the program. Of more than a
million rows training keeps a byte a row at most. Files of any number of rows can be packed.
From a CSV or Parquet file types and encoding are learned before rows are written. Until
then its columns, 8 bytes a value, wait in files beside the output that have no names. The
file is read once, so that standard input will do. (On Windows the columns wait in memory.)
The columns of --group form groups and are no features. The encoding of a CSV or Parquet
file is learned from all of its rows, or taken from another packed file (--like).
docs/scale.md has sizes and times.`,
		Flags: slices.Concat(command.TalkFlags(), []cli.Flag{input.MaxFeaturesFlag()}, input.CSVFlags(), []cli.Flag{
			&cli.StringFlag{Name: "like", Category: "CSV", Usage: "encode the rows as those of the packed `FILE` are"},
			&cli.Float64Flag{Name: "rows", Category: "Data", Usage: "invent `N` people: for synthetic, whose first rows they begin with", DefaultText: "32561"},
			&cli.StringFlag{Name: "out", Category: "Output", Value: "rows.fpk", Usage: "write the rows to `FILE`"},
			&cli.BoolFlag{Name: "force", Category: "Output", Usage: "replace the file if it exists", DisableDefaultText: true},
		}),
		Action: p.dataPack,
	}
}

// packBlock is the number of rows in memory at once.
const packBlock = 1 << 15

// packedFile is the output of data pack.
type packedFile struct {
	Path     string `json:"path"`
	Rows     int    `json:"rows"`
	Features int    `json:"features"`
	Bytes    int64  `json:"bytes"`
}

func (p program) dataPack(c *cli.Context) error {
	names, err := fileArguments(c)
	if err != nil {
		return err
	}
	if len(names) > 1 {
		return command.Usagef("%s takes one file, found %d", c.Command.HelpName, len(names))
	}
	name, out := names[0], c.String("out")
	if out == "-" {
		return command.Usagef("--out is -, but a packed file is mapped into memory, which standard output can't be")
	}
	f := command.NewFiles(c)
	f.ReadsData("", name)
	if c.IsSet("like") {
		f.Reads("like", c.String("like"))
	}
	f.Writes("out", out, command.IfForced(c))
	if err := f.Check(); err != nil {
		return err
	}
	if c.IsSet("rows") && name != input.SyntheticName {
		return command.Usagef("--rows is for %s, which is invented; %s has the rows it has", input.SyntheticName, name)
	}
	w, err := packed.Create(out)
	if err != nil {
		return err
	}
	defer w.Discard()
	done := packedFile{Path: out}
	columns := spool.New(filepath.Dir(out))
	content, label, err := p.fill(c, w, name, columns)
	if c.Context.Err() == nil { // else somebody may still be reading
		columns.Close()
	}
	if err != nil {
		return input.AdviseLabel(err)
	}
	if err := w.Finish(content, label); err != nil {
		return err
	}
	done.Rows, done.Features = w.Rows(), content.Features
	if info, err := os.Stat(out); err == nil { // else somebody has taken it away already
		done.Bytes = info.Size()
	}
	p.Remark(c, "%d rows of %d features written to %s, %.1f bytes a row", done.Rows, done.Features, out, float64(done.Bytes)/float64(done.Rows))
	if command.IsOn(c, "json") {
		return p.PrintJSON(map[string]any{"files": []packedFile{done}})
	}
	return nil
}

// fill writes the rows, and returns what is said of them and what their labels mean; nil if
// that is what they are.
func (p program) fill(c *cli.Context, w *packed.Writer, name string, columns *spool.Folder) (packed.Content, func(int8) int8, error) {
	bar := p.NewProgress(c, "pack "+name)
	defer bar.Finish()
	if name == input.SyntheticName {
		content, err := p.fillCensus(c, w, func(share float64) { bar.Update(share, fmt.Sprintf("%d rows", w.Rows())) })
		return content, nil, err
	}
	opts, err := p.packOptions(c)
	if err != nil {
		return packed.Content{}, nil, err
	}
	opts.Table.Spool = columns
	type loaded struct {
		whole *libsvm.Whole
		in    catalogue.Input
	}
	// A read that never ends may go on behind the back of an interrupted command, but writes
	// nothing more.
	got, err := command.Interruptible(c.Context, func() (loaded, error) {
		whole, in, err := catalogue.LoadBlocks(name, p.Stdin, opts, packBlock, func(d *dataset.Dataset, share float64) error {
			if err := c.Context.Err(); err != nil {
				return err
			}
			bar.Update(share, fmt.Sprintf("%d rows", w.Rows()))
			return w.Append(d, nil)
		})
		return loaded{whole, in}, err
	})
	switch {
	case err != nil:
		return packed.Content{}, nil, err
	case got.whole != nil && c.IsSet("like"):
		return packed.Content{}, nil, command.Usagef("--like is for CSV and Parquet files, %s is none", name)
	case got.whole != nil:
		return packed.Content{Rule: got.whole.Rule, Hash: got.whole.Hash, Features: got.whole.Features}, got.whole.Label, nil
	case got.in.Packed:
		return packed.Content{}, nil, fmt.Errorf("%s is packed already", name)
	}
	if got.in.Table == nil {
		d := got.in.Rows
		return packed.Content{Rule: d.Rule, Hash: d.Hash, Features: d.Features(), Names: d.Cols}, nil, w.Append(d, got.in.Identities)
	}
	content, err := p.fillTable(c, w, got.in.Table, func(share float64) { bar.Update(share, fmt.Sprintf("%d rows", w.Rows())) })
	return content, nil, err
}

// packOptions returns how to read the data.
func (p program) packOptions(c *cli.Context) (catalogue.InputOptions, error) {
	limit, err := input.MaxFeatures(c)
	if err != nil {
		return catalogue.InputOptions{}, err
	}
	opts, err := input.CSVOptions(c, nil)
	if err != nil {
		return opts, err
	}
	if c.IsSet("like") {
		like, err := likeEncoding(c)
		if err != nil {
			return opts, err
		}
		opts.Schema, opts.CSV = like.Schema, true
	}
	opts.Rows = libsvm.Options{MaxFeatures: limit}
	opts.Table.Identify = true
	return opts, nil
}

// likeEncoding returns the encoding of --like, which leaves no other flag anything to say.
func likeEncoding(c *cli.Context) (*encoding.Encoding, error) {
	for _, flag := range input.CSVFlags() {
		if name := flag.Names()[0]; c.IsSet(name) {
			return nil, command.Usagef("--like says what becomes of every column, so that --%s can't", name)
		}
	}
	like, err := packed.Open(c.String("like"), 0)
	if err != nil {
		return nil, err
	}
	if like.Encoding == nil {
		return nil, fmt.Errorf("%s: its rows were features already, so that there is no encoding to be like", c.String("like"))
	}
	return like.Encoding, nil
}

// fillTable writes the rows of a table.
func (p program) fillTable(c *cli.Context, w *packed.Writer, t *table.Table, progress func(share float64)) (packed.Content, error) {
	input.RemarkTable(p.Program, c, t)
	var e *encoding.Encoding
	var err error
	if c.IsSet("like") {
		e, err = likeEncoding(c)
	} else if e, err = encoding.Learn(t, nil); err == nil {
		input.RemarkFolded(p.Program, c, e)
	}
	if err != nil {
		return packed.Content{}, err
	}
	whole, err := e.Blocks(t, packBlock, func(d *dataset.Dataset, before int) error {
		if c.Context.Err() != nil {
			return context.Cause(c.Context)
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

// fillCensus invents people.
func (p program) fillCensus(c *cli.Context, w *packed.Writer, progress func(share float64)) (packed.Content, error) {
	rows := float64(census.TrainRows)
	if c.IsSet("rows") {
		rows = c.Float64("rows")
		if err := command.CheckRange("rows", rows, 1, 1e12); err != nil {
			return packed.Content{}, err
		}
		if rows != math.Trunc(rows) {
			return packed.Content{}, command.Usagef("--rows is %v, must be a whole number", rows)
		}
	}
	var content packed.Content
	hash, err := census.Blocks(int(rows), packBlock, func(d *dataset.Dataset) error {
		if c.Context.Err() != nil {
			return context.Cause(c.Context)
		}
		content = packed.Content{Rule: d.Rule, Features: d.Features(), Names: d.Cols}
		progress(float64(w.Rows()) / rows)
		return w.Append(d, nil)
	})
	content.Hash = hash
	return content, err
}
