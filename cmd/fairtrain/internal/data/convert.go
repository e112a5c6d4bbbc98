package data

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/input"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/dataset/tabular"
)

// conversion says what to convert.
type conversion struct {
	from     source
	out      string
	also     [][2]string // files that are encoded alike, and where they are written
	features string      // where names of features are written; "" nowhere
}

func (p program) readConvert(c *cli.Context) (conversion, error) {
	files, err := readSources(c)
	if err != nil {
		return conversion{}, err
	}
	if len(files) > 1 {
		return conversion{}, command.Usage(fmt.Errorf("%s takes one file, found %d", c.Command.HelpName, len(files)),
			"--also FILE=OUT encodes further files like the first")
	}
	o := conversion{from: files[0], out: c.String("out"), features: c.String("features-out")}
	o.from.opts.Table.HasLabel = c.IsSet("label")
	if o.out == "-" && p.JSON {
		return o, command.Usagef("--json and --out - both want standard output")
	}
	for _, text := range c.StringSlice("also") {
		from, to, ok := strings.Cut(text, "=")
		if !ok || from == "" || to == "" {
			return o, command.Usagef("--also is %q, must be FILE=OUT", text)
		}
		o.also = append(o.also, [2]string{from, to})
	}
	f := command.NewFiles(c)
	f.ReadsData("", o.from.name)
	f.Writes("out", o.out, nil)
	for _, pair := range o.also {
		f.ReadsData("also", pair[0])
		f.Writes("also", pair[1], nil)
	}
	if o.features != "" {
		f.Writes("features-out", o.features, nil)
	}
	return o, f.Check()
}

// converted is a file in the output of data convert.
type converted struct {
	Path     string `json:"path"`
	Rows     int    `json:"rows"`
	Features int    `json:"features"`
}

func (p program) convert(ctx context.Context, o conversion) error {
	in, err := p.load(ctx, o.from)
	if err != nil {
		return err
	}
	if in.Table == nil && len(o.also) > 0 {
		return command.Usagef("--also encodes CSV and Parquet files, %s is none", o.from.name)
	}
	first := in.Rows
	var e *encoding.Encoding
	if in.Table != nil {
		input.RemarkTable(p.Program, in.Table)
		if e, err = encoding.Learn(in.Table, nil); err != nil {
			return input.AdviseLabel(err)
		}
		if first, err = e.Apply(in.Table, nil); err != nil {
			return err
		}
	}
	var files []converted
	var contents []command.Content
	add := func(path string, write func(w io.Writer) error) error {
		content, err := command.Rendered(path, write)
		contents = append(contents, content)
		return err
	}
	addRows := func(path string, d *dataset.Dataset) error {
		files = append(files, converted{path, d.Rows(), d.Features()})
		return add(path, func(w io.Writer) error { return libsvm.Write(w, d) })
	}
	if err := addRows(o.out, first); err != nil {
		return err
	}
	for _, pair := range o.also {
		t, err := catalogue.LoadTable(pair[0], p.Stdin, e.Schema, tabular.Options{})
		if err != nil {
			return err
		}
		rows, err := e.Apply(t, nil)
		if err != nil {
			return err
		}
		if err := addRows(pair[1], rows); err != nil {
			return err
		}
	}
	if o.features != "" {
		if err := add(o.features, func(w io.Writer) error { return writeFeatures(w, first) }); err != nil {
			return err
		}
	}
	if err := p.WriteOutputs(contents...); err != nil {
		return err
	}
	for _, f := range files {
		if f.Path != "-" {
			p.Remark("%d rows of %d features written to %s", f.Rows, f.Features, f.Path)
		}
	}
	if p.JSON {
		return p.PrintJSON(map[string]any{"files": files})
	}
	return nil
}

// writeFeatures writes a line "index<tab>name" for every feature.
func writeFeatures(w io.Writer, d *dataset.Dataset) error {
	if d.Cols == nil {
		return errors.New("the features have no names")
	}
	for j, name := range d.Cols {
		if _, err := fmt.Fprintf(w, "%d\t%s\n", j+1, name); err != nil {
			return err
		}
	}
	return nil
}
