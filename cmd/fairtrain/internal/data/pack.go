package data

import (
	"context"
	"fmt"
	"math"
	"os"
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
	"github.com/fairtrain/fairtrain/dataset/packing"
	"github.com/fairtrain/fairtrain/internal/spool"
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
   fairtrain data pack --rows 1e8 --out census.fpk synthetic

Rows to train on, and others for train --certify that have no part in the encoding:

   fairtrain data pack --aside 0.2 --out rows.fpk people.csv
   fairtrain data pack --aside 0.2 --only-aside --like rows.fpk --out fresh.fpk people.csv

A packed file is data like any other: --data rows.fpk. It is mapped into memory: nothing
is parsed again, and the values of the rows take no memory of the program. Files of any
number of rows can be packed, and several files as one, in the order in which they are
named. From a CSV or Parquet file types and encoding are learned before rows are written.
Until then its columns, at most 8 bytes a value, wait in files beside the output that have
no names. The file is read once, so that standard input will do. (On Windows the columns
wait in memory.) The columns of --group form groups and are no features. The encoding of a
CSV file is learned from its rows, but not from those aside, or taken from another packed
file (--like). Files that are too large for --memory are packed by themselves, into the
cache folder, when a command reads them. docs/scale.md has sizes and times.`,
		Flags: slices.Concat(command.TalkFlags(), []cli.Flag{input.MaxFeaturesFlag()}, input.CSVFlags(), []cli.Flag{
			&cli.StringFlag{Name: "like", Category: "CSV", Usage: "encode the rows as those of the packed `FILE` are"},
			&cli.Float64Flag{Name: "rows", Category: "Data", Usage: "invent `N` people: for synthetic, whose first rows they begin with", DefaultText: "32561"},
			&cli.Float64Flag{Name: "aside", Category: "Data", Usage: "leave out the share `SHARE` of the rows, drawn at random by their numbers, to test on them", DefaultText: "none"},
			&cli.BoolFlag{Name: "only-aside", Category: "Data", Usage: "write the rows that --aside leaves out, and no others", DisableDefaultText: true},
			&cli.StringFlag{Name: "out", Category: "Output", Value: "rows.fpk", Usage: "write the rows to `FILE`"},
			&cli.BoolFlag{Name: "force", Category: "Output", Usage: "replace the file if it exists", DisableDefaultText: true},
		}),
		Action: p.dataPack,
	}
}

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
	name, err := catalogue.List(names)
	if err != nil {
		return err
	}
	out := c.String("out")
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
	if err := checkAside(c, name); err != nil {
		return err
	}
	done := packedFile{Path: out}
	done.Rows, done.Features, err = input.WritePacked(c.Context, out, command.IfForced(c), func(w *packed.Writer, columns *spool.Folder) (packed.Content, func(int8) int8, error) {
		return p.fill(c, w, name, columns)
	})
	if err != nil {
		return err
	}
	if info, err := os.Stat(out); err == nil { // else somebody has taken it away already
		done.Bytes = info.Size()
	}
	p.Remark("%d rows of %d features written to %s, %.1f bytes a row", done.Rows, done.Features, out, float64(done.Bytes)/float64(done.Rows))
	if p.JSON {
		return p.PrintJSON(map[string]any{"files": []packedFile{done}})
	}
	return nil
}

// fill is an input.Filling.
func (p program) fill(c *cli.Context, w *packed.Writer, name string, columns *spool.Folder) (packed.Content, func(int8) int8, error) {
	if name == input.SyntheticName {
		bar := p.NewProgress("pack " + name)
		defer bar.Finish()
		content, err := p.fillCensus(c, w, func(share float64) { bar.Update(share, fmt.Sprintf("%d rows", w.Rows())) })
		return content, nil, err
	}
	opts, like, err := p.packOptions(c, func(path string) (*packed.File, error) { return packed.Open(path, 0) })
	if err != nil {
		return packed.Content{}, nil, err
	}
	content, label, err := input.Packing{Program: p.Program, Flags: c, Name: name, Options: opts, Like: like}.Fill(w, columns)
	if c.Bool("only-aside") { // it is not what the other rows were trained on
		content.Hash, content.Files = packing.AsideHash(content.Hash), nil
	}
	return content, label, err
}

// checkAside refuses shares that leave nothing, or have no meaning.
func checkAside(c *cli.Context, name string) error {
	share := c.Float64("aside")
	switch {
	case !c.IsSet("aside"):
		return command.CheckAlone(c, "aside", "only-aside")
	case name == input.SyntheticName:
		return command.Usagef("--aside is for files, and %s is invented: %s has other rows", name, input.SyntheticTest)
	case !(share > 0 && share < 1):
		return command.Usagef("--aside is %v, must be a share between 0 and 1, such as 0.2", share)
	}
	return nil
}

// packOptions returns how to read the data, and the encoding of --like, nil without it.
func (p program) packOptions(c *cli.Context, open func(path string) (*packed.File, error)) (opts catalogue.InputOptions, like *encoding.Encoding, err error) {
	limit, err := input.MaxFeatures(c)
	if err != nil {
		return opts, nil, err
	}
	if opts, err = input.CSVOptions(c, nil); err != nil {
		return opts, nil, err
	}
	if c.IsSet("like") {
		if like, err = likeEncoding(c, open); err != nil {
			return opts, nil, err
		}
		opts.Schema, opts.CSV = like.Schema, true
	}
	opts.Rows = libsvm.Options{MaxFeatures: limit}
	opts.Table.Identify = true
	if c.IsSet("aside") {
		aside, only := dataset.Aside(c.Float64("aside")), c.Bool("only-aside")
		opts.Table.Keep = func(row int) bool { return aside(row) == only }
	}
	return opts, like, nil
}

// likeEncoding returns the encoding of --like, which leaves no other flag anything to say.
func likeEncoding(c *cli.Context, open func(path string) (*packed.File, error)) (*encoding.Encoding, error) {
	for _, flag := range input.CSVFlags() {
		if name := flag.Names()[0]; c.IsSet(name) {
			return nil, command.Usagef("--like says what becomes of every column, so that --%s can't", name)
		}
	}
	like, err := open(c.String("like"))
	if err != nil {
		return nil, err
	}
	if like.Encoding == nil {
		return nil, fmt.Errorf("%s: its rows were features already, so that there is no encoding to be like", c.String("like"))
	}
	return like.Encoding, nil
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
	hash, err := census.Blocks(int(rows), packing.Block, func(d *dataset.Dataset) error {
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
