package main

import (
	"context"
	"slices"

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
	}
}

// schemaFlags returns the schema that csvFlags ask for, nil for none, with the columns
// that specifications of groups name, and whether the file must be a CSV file.
func schemaFlags(c *cli.Context, groups []string) (schema *dataset.Schema, isCSV bool, err error) {
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
		isCSV = isCSV || c.IsSet(flag.Names()[0])
	}
	return withGroups(schema, groups), isCSV, nil
}

func drop(s *dataset.Schema, column string) {
	spec := dataset.ColumnSpec{Name: column, As: dataset.Drop, Reason: "--drop"}
	if k := slices.IndexFunc(s.Columns, func(c dataset.ColumnSpec) bool { return c.Name == column }); k >= 0 {
		s.Columns[k] = spec
		return
	}
	s.Columns = append(s.Columns, spec)
}

// withGroups returns the schema with an attribute for every column that a specification
// of groups names.
func withGroups(s *dataset.Schema, specs []string) *dataset.Schema {
	extended := *s
	extended.Groups = slices.Clone(s.Groups)
	for _, spec := range specs {
		for _, name := range dataset.AttributesIn(spec) {
			if !slices.ContainsFunc(extended.Groups, func(g dataset.GroupSpec) bool { return g.Name == name || g.Name == "" && g.Column == name }) {
				extended.Groups = append(extended.Groups, dataset.GroupSpec{Column: name})
			}
		}
	}
	return &extended
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

// reader reads the data of a model.
type reader struct {
	p        *program
	features classifier.Features
	groups   []string // specifications that must be found in CSV files
}

// read returns rows with the features of the model, in the case of anyLabels whether they
// have labels or not.
func (r reader) read(ctx context.Context, name string, anyLabels bool) (*dataset.Dataset, error) {
	if r.features.Kind == classifier.LIBSVM {
		return r.p.load(ctx, name, dataset.ReadOptions{Features: r.features.Count, AnyLabels: anyLabels})
	}
	e := *r.features.Encoding
	e.Schema = withGroups(e.Schema, r.groups)
	t, err := interruptible(ctx, func() (*dataset.Table, error) {
		return dataset.LoadTable(name, r.p.stdin, e.Schema, dataset.CSVOptions{AnyLabels: anyLabels})
	})
	if err != nil {
		return nil, err
	}
	return e.Apply(t, nil)
}
