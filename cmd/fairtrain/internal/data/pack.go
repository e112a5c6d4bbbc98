package data

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/input"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/packed"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/train"
)

// packCommand is fairtrain data pack.
func (p program) packCommand() *cli.Command {
	return &cli.Command{
		Name:      "pack",
		Usage:     "write rows as a file that training maps into memory",
		ArgsUsage: "FILE...",
		Description: `   fairtrain data pack --out rows.fpk rows.libsvm
   fairtrain data pack --label hired --group sex --out people.fpk people.csv
   fairtrain data pack --like people.fpk --out test.fpk test.csv
   fairtrain data pack --label hired --out people.fpk people/part-*.csv

A packed file is data like any other: --data rows.fpk. It is mapped into memory: nothing
is parsed again, and the values of the rows take no memory of the program. Files of any
number of rows can be packed, and several files as one, in the order in which they are
named. From a CSV or Parquet file types and encoding are learned before rows are written.
Until then its columns are in memory, at most 8 bytes a value. The file is read once, so
that standard input will do. The columns of --group form groups and are no features. The
encoding of a CSV file is learned from its rows, or taken from another packed file (--like): that
of an additive model, unless --model-class is linear. docs/scale.md has sizes and times.`,
		Flags: slices.Concat(command.TalkFlags(), input.CSVFlags(), []cli.Flag{
			&cli.StringFlag{Name: "model-class", Category: "CSV", Value: train.Additive, Usage: "make the features of an `additive|linear` model"},
			&cli.StringFlag{Name: "like", Category: "CSV", Usage: "encode the rows as those of the packed `FILE` are"},
			&cli.StringFlag{Name: "out", Category: "Output", Value: "rows.fpk", Usage: "write the rows to `FILE`"},
			command.ForceFlag(),
		}),
		Action: command.Action(readPack, p.pack),
	}
}

// packedFile is the output of data pack.
type packedFile struct {
	Path     string `json:"path"`
	Rows     int    `json:"rows"`
	Features int    `json:"features"`
	Bytes    int64  `json:"bytes"`
}

// packOptions are the flags of data pack.
type packOptions struct {
	source
	like  *encoding.Encoding // of --like; nil learns one of the rows
	class string             // of the model
	out   string
}

func readPack(c *cli.Context) (packOptions, error) {
	files, err := readSources(c)
	if err != nil {
		return packOptions{}, err
	}
	o := packOptions{source: files[0], out: c.String("out"), class: c.String("model-class")}
	if o.class != train.Additive && o.class != train.Linear {
		return o, command.Usagef("--model-class is %q, must be additive or linear", o.class)
	}
	o.opts.Table.Identify = true
	if o.name, err = catalogue.List(c.Args().Slice()); err != nil {
		return o, err
	}
	if o.out == "-" {
		return o, command.Usagef("--out is -, but a packed file is mapped into memory, which standard output can't be")
	}
	f := command.NewFiles(c)
	f.ReadsData("", o.name)
	if c.IsSet("like") {
		f.Reads("like", c.String("like"))
	}
	f.Writes("out", o.out, command.Packed)
	if err := f.Check(); err != nil || !c.IsSet("like") {
		return o, err
	}
	o.like, err = likeEncoding(c)
	if err == nil {
		o.opts.Schema, o.opts.CSV = o.like.Schema, true
	}
	return o, err
}

// likeEncoding returns the encoding of --like, which excludes the other flags on columns.
func likeEncoding(c *cli.Context) (*encoding.Encoding, error) {
	set := []string{"model-class"}
	for _, flag := range input.CSVFlags() {
		set = append(set, flag.Names()[0])
	}
	for _, name := range set {
		if c.IsSet(name) {
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

// pack writes a packed file, completely or not at all.
func (p program) pack(ctx context.Context, o packOptions) error {
	w, err := packed.Create(o.out)
	if err != nil {
		return err
	}
	defer w.Discard()
	what := o.name
	if n := len(catalogue.Sources(o.name)); n > 1 {
		what = fmt.Sprintf("%d files", n)
	}
	bar := p.NewProgress("pack " + what)
	defer bar.Finish()
	k := packing{program: p, packOptions: o, w: w, progress: func(share float64) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		bar.Update(share, fmt.Sprintf("%d rows", w.Rows()))
		return nil
	}}
	// A read that never ends may go on behind the back of an interrupted command, but writes
	// nothing more.
	label, err := command.Interruptible(ctx, k.fill)
	if err != nil {
		return input.AdviseLabel(err)
	}
	if err := w.Finish(k.content, label); err != nil {
		return err
	}
	bar.Finish()
	done := packedFile{Path: o.out, Rows: w.Rows(), Features: k.content.Features}
	if info, err := os.Stat(o.out); err == nil { // else it is gone already
		done.Bytes = info.Size()
	}
	p.Remark("%d rows of %d features written to %s, %.1f bytes a row", done.Rows, done.Features,
		o.out, float64(done.Bytes)/float64(done.Rows))
	if p.JSON {
		return p.PrintJSON(map[string]any{"files": []packedFile{done}})
	}
	return nil
}

// packing is data that are being packed.
type packing struct {
	program
	packOptions
	w        *packed.Writer
	progress func(share float64) error // which share of the data was read, 0 if unknown
	content  packed.Content            // once all rows are written
}

// fill writes the rows. It returns what their labels mean; nil if that is what they are.
func (k *packing) fill() (label func(int8) int8, err error) {
	whole, in, err := catalogue.LoadBlocks(k.name, k.Stdin, k.opts,
		func(d *dataset.Dataset, share float64) error {
			if err := k.progress(share); err != nil {
				return err
			}
			return k.w.Append(d, nil)
		})
	switch {
	case err != nil:
		return nil, err
	case in.Packed:
		return nil, fmt.Errorf("%s is packed already", k.name)
	case in.Table != nil:
		return nil, k.fillTable(in.Table)
	case k.like != nil:
		return nil, command.Usagef("--like is for CSV and Parquet files, %s is none", k.name)
	case whole != nil:
		k.content = packed.Content{Rule: whole.Rule, Hash: whole.Hash, Files: whole.Files, Features: whole.Features}
		return whole.Label, nil
	}
	d := in.Rows
	k.content = packed.Content{Rule: d.Rule, Hash: d.Hash, Files: d.Files, Features: d.Features(), Names: d.Cols}
	return nil, k.w.Append(d, in.Identities)
}

// fillTable writes the rows of a tabular.
func (k *packing) fillTable(t *tabular.Table) (err error) {
	input.RemarkTable(k.Program, t)
	e := k.like
	var d *dataset.Dataset
	if e == nil {
		o := train.DefaultOptions()
		o.Class, o.ChooseL2 = k.class, true
		if err := o.Learn(t, 0); err != nil {
			return err
		}
		e, d = o.Encoding, o.Data
		input.RemarkFolded(k.Program, e)
	} else if d, err = e.Apply(t, nil); err != nil {
		return err
	}
	k.content = packed.Content{
		Rule: d.Rule, Hash: d.Hash, Files: d.Files, Features: len(d.Cols), Names: d.Cols,
		Encoding: e, Missing: d.Missing, Unknown: d.Unknown,
	}
	return k.w.Append(d, t.Identities)
}
