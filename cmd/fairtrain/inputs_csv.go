package main

import (
	"context"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/model"
)

// csvFlags are the flags that say what a CSV file contains. A file for which one of them
// is given is a CSV file; others are looked at.
func csvFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "schema", Category: "CSV", Usage: "the columns are as the built-in or written schema `NAME|FILE` says"},
		&cli.StringFlag{Name: "label", Category: "CSV", Usage: "predict the column `COLUMN`", DefaultText: "label, target, … or the last"},
		&cli.StringSliceFlag{Name: "positive", Category: "CSV", Usage: "the label's `VALUE` that means a positive decision; repeatable", DefaultText: "1, yes, true, …"},
		&cli.StringSliceFlag{Name: "drop", Category: "CSV", Usage: "don't use the column `COLUMN` as a feature; repeatable"},
		&cli.StringFlag{Name: "weight-column", Category: "CSV", Usage: "the column `COLUMN` has the weights of the rows"},
		&cli.StringSliceFlag{Name: "group", Category: "CSV", Usage: "the columns that `G` names form groups and are no features; those of constraints are added; repeatable"},
		&cli.BoolFlag{Name: "use-group", Category: "CSV", Usage: "columns of groups are features all the same", DisableDefaultText: true},
	}
}

// schemaFlags returns the schema that csvFlags ask for, in which the columns of groups,
// those that constraints name included, are no features unless --use-group is given, and
// whether the file must be a CSV file. Only the flags on groups make sense for others too.
func schemaFlags(c *cli.Context, constrained []string) (schema *dataset.Schema, isCSV bool, err error) {
	schema = new(dataset.Schema)
	if name := c.String("schema"); c.IsSet("schema") {
		if schema, err = dataset.LoadSchema(name); err != nil {
			return nil, true, err
		}
	}
	if c.IsSet("label") {
		schema.Label.Column = c.String("label")
	}
	if c.IsSet("positive") {
		schema.Label.Positive, schema.Label.Negative = c.StringSlice("positive"), nil
	}
	if c.IsSet("weight-column") {
		schema.Weight = c.String("weight-column")
	}
	for _, name := range c.StringSlice("drop") {
		drop(schema, name)
	}
	for _, flag := range csvFlags() {
		name := flag.Names()[0]
		isCSV = isCSV || c.IsSet(name) && name != "group" && name != "use-group"
	}
	groups := slices.Concat(constrained, c.StringSlice("group"))
	if c.Bool("use-group") {
		return schema.Expose(groups), isCSV, nil
	}
	return schema.Protect(groups), isCSV, nil
}

func drop(s *dataset.Schema, column string) {
	spec := dataset.ColumnSpec{Name: column, As: dataset.Drop, Reason: "--drop"}
	if k := slices.IndexFunc(s.Columns, func(c dataset.ColumnSpec) bool { return c.Name == column }); k >= 0 {
		s.Columns[k] = spec
		return
	}
	s.Columns = append(s.Columns, spec)
}

// groupSpecs returns the specifications of groups that constraints name, each once.
func groupSpecs(constraints []model.Constraint) []string {
	var specs []string
	for _, c := range constraints {
		if grouped, ok := c.(model.Grouped); ok {
			specs = append(specs, grouped.Groups()...)
		}
	}
	slices.Sort(specs)
	return slices.Compact(specs)
}

// loadInput reads data of either format. It returns early if ctx is cancelled, as
// standard input may never come.
func (p *program) loadInput(ctx context.Context, name string, opts dataset.InputOptions) (dataset.Input, error) {
	return interruptible(ctx, func() (dataset.Input, error) { return dataset.LoadInput(name, p.stdin, opts) })
}

// remarkProtected says which columns are no features because groups are made of them.
func (p *program) remarkProtected(c *cli.Context, s *dataset.Schema) {
	var names []string
	for _, column := range s.Columns {
		if column.Reason == dataset.Protected {
			names = append(names, column.Name)
		}
	}
	if len(names) > 0 {
		p.remark(c, "groups are made of %s, which is no feature (--use-group makes it one)", strings.Join(names, ", "))
	}
}

// reader reads the data of a model.
type reader struct {
	p        *program
	features classifier.Features
	groups   []string // specifications whose columns CSV files are to have
}

// read returns rows with the features of the model, whether they have all that opts allow
// to lack or not.
func (r reader) read(ctx context.Context, name string, opts dataset.CSVOptions) (*dataset.Dataset, error) {
	if r.features.Kind == classifier.LIBSVM {
		return r.p.load(ctx, name, dataset.ReadOptions{Features: r.features.Count, AnyLabels: opts.AnyLabels})
	}
	e := *r.features.Encoding
	e.Schema = e.Schema.WithGroups(r.groups)
	t, err := interruptible(ctx, func() (*dataset.Table, error) {
		return dataset.LoadTable(name, r.p.stdin, e.Schema, opts)
	})
	if err != nil {
		return nil, err
	}
	return e.Apply(t, nil)
}
