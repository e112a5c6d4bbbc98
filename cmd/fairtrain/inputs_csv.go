package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/dataset/table"
	"github.com/fairtrain/fairtrain/model"
)

// csvFlags are the flags that say what a CSV file contains. A file for which one of them
// is given is a CSV file; others are looked at.
func csvFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "schema", Category: "CSV", Usage: "the columns are as the built-in or written schema `NAME|FILE` says"},
		&cli.StringFlag{Name: "label", Category: "CSV", Usage: "predict the column `COLUMN`", DefaultText: "label, target, … or the last"},
		&cli.StringSliceFlag{Name: "positive", Category: "CSV", Usage: "the label's `VALUE` that means a positive decision; repeatable", DefaultText: "1, yes, true, …"},
		skipLabelFlag(),
		&cli.StringSliceFlag{Name: "drop", Category: "CSV", Usage: "don't use the column `COLUMN` as a feature; repeatable"},
		&cli.StringSliceFlag{Name: "categorical", Category: "CSV", Usage: "the values of the column `COLUMN` are categories, numbers or not; repeatable"},
		&cli.StringSliceFlag{Name: "numeric", Category: "CSV", Usage: "the values of the column `COLUMN` are numbers; repeatable"},
		&cli.IntFlag{Name: "min-count", Category: "CSV", Usage: "the model names no level, group or bin of fewer than `N` training rows; 1 names all", DefaultText: "5, or the schema's"},
		&cli.StringFlag{Name: "weight-column", Category: "CSV", Usage: "the column `COLUMN` has the weights of the rows"},
		&cli.StringSliceFlag{Name: "group", Category: "CSV", Usage: "the columns that `G` names form groups and are no features; those of constraints are added; repeatable"},
		&cli.BoolFlag{Name: "use-group", Category: "CSV", Usage: "columns of groups are features all the same", DisableDefaultText: true},
	}
}

func skipLabelFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "skip-label", Category: "CSV", Usage: "leave rows out whose label is `VALUE`; missing: those without a label; repeatable"}
}

// csvOptions returns how to read a CSV file as csvFlags say. The columns of groups, those
// that constraints name included, are no features unless --use-group is given. The file
// must be a CSV file if a flag is given that makes sense for no other.
func csvOptions(c *cli.Context, constrained []string) (catalogue.InputOptions, error) {
	opts := catalogue.InputOptions{Table: table.Options{Numeric: c.StringSlice("numeric"), Categorical: c.StringSlice("categorical")}}
	for _, flag := range csvFlags() {
		name := flag.Names()[0]
		opts.CSV = opts.CSV || c.IsSet(name) && name != "group" && name != "use-group"
	}
	schema := new(table.Schema)
	if name := c.String("schema"); c.IsSet("schema") {
		var err error
		if schema, err = table.LoadSchema(name); err != nil {
			return opts, err
		}
	}
	if c.IsSet("label") {
		schema.Label.Column = c.String("label")
	}
	if c.IsSet("positive") {
		schema.Label.Positive, schema.Label.Negative = c.StringSlice("positive"), nil
	}
	for _, value := range c.StringSlice("skip-label") {
		skipLabel(schema, value)
	}
	if c.IsSet("min-count") {
		schema.MinCount = c.Int("min-count")
		if err := checkRange("min-count", float64(schema.MinCount), 1, math.MaxInt32); err != nil {
			return opts, err
		}
	}
	if c.IsSet("weight-column") {
		schema.Weight = c.String("weight-column")
	}
	for _, name := range c.StringSlice("drop") {
		drop(schema, name)
	}
	for _, name := range opts.Table.Numeric {
		if slices.Contains(opts.Table.Categorical, name) {
			return opts, usagef("--numeric and --categorical both name %s", name)
		}
	}
	schema.Columns = slices.DeleteFunc(schema.Columns, func(spec table.ColumnSpec) bool {
		return slices.Contains(opts.Table.Numeric, spec.Name) || slices.Contains(opts.Table.Categorical, spec.Name)
	})
	groups := slices.Concat(constrained, c.StringSlice("group"))
	if c.Bool("use-group") {
		opts.Schema = schema.Expose(groups)
	} else {
		opts.Schema = schema.Protect(groups)
	}
	return opts, nil
}

// missing, given to --skip-label, stands for all values that mean a missing one.
const missing = "missing"

func skipLabel(s *table.Schema, value string) {
	values := []string{value}
	if value == missing {
		values = append(values, s.Missing...)
		if s.Missing == nil {
			values = append(values, table.DefaultMissing()...)
		}
	}
	for _, v := range values {
		if !slices.Contains(s.Label.Skip, v) {
			s.Label.Skip = append(s.Label.Skip, v)
		}
	}
}

func drop(s *table.Schema, column string) {
	spec := table.ColumnSpec{Name: column, As: table.Drop, Reason: "--drop"}
	if k := slices.IndexFunc(s.Columns, func(c table.ColumnSpec) bool { return c.Name == column }); k >= 0 {
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
func (p *program) loadInput(ctx context.Context, name string, opts catalogue.InputOptions) (catalogue.Input, error) {
	return interruptible(ctx, func() (catalogue.Input, error) { return catalogue.LoadInput(name, p.stdin, opts) })
}

// remarkTable says what reading found out that a person may want to know: which columns
// are no features, which may have been misread, and what to do about it.
func (p *program) remarkTable(c *cli.Context, t *table.Table) {
	if t.Text != "" {
		p.remark(c, "%s was converted from %s", t.Name, t.Text)
	}
	var protected []string
	for _, column := range t.Schema.Columns {
		if column.Reason == table.Protected {
			protected = append(protected, column.Name)
		}
	}
	if len(protected) > 0 {
		p.remark(c, "no feature, as groups are made of it (--use-group makes it one): %s", strings.Join(protected, ", "))
	}
	byKind := map[table.NoteKind][]string{}
	for _, n := range t.Notes {
		text := n.Column
		if n.Kind == table.Dropped || n.Kind == table.Ambiguous {
			text += " (" + n.Text + ")"
		}
		byKind[n.Kind] = append(byKind[n.Kind], text)
	}
	for _, about := range []struct {
		kind   table.NoteKind
		format string
	}{
		{table.Dropped, "no features: %s"},
		{table.MaybeCode, "read as numbers, but maybe codes: %s (--categorical COLUMN makes them categories)"},
		{table.Code, "read as categories, as they begin with 0: %s (--numeric COLUMN makes them numbers)"},
		{table.DecimalComma, "read with a decimal comma: %s"},
		{table.Ambiguous, "numbers that could be others: %s; decimal in a schema's column decides"},
	} {
		if columns := byKind[about.kind]; columns != nil {
			p.remark(c, about.format, strings.Join(columns, ", "))
		}
	}
}

// remarkFolded says of what the model keeps no names, as few people have it.
func (p *program) remarkFolded(c *cli.Context, e *table.Encoding) {
	var list []string
	for _, of := range e.Folds() {
		list = append(list, fmt.Sprintf("%s (%d)", of, e.Folded[of]))
	}
	if len(list) > 0 {
		p.remark(c, "not named in the model, as few rows have them (--min-count %d): values of %s", e.Schema.LeastRows(), strings.Join(list, ", "))
	}
}

// adviseLabel adds to an error about a label the flags that end the search.
func adviseLabel(err error) error {
	fault, ok := errors.AsType[*table.LabelError](err)
	if !ok {
		return err
	}
	switch fault.Fault {
	case table.NoLabel:
		hint := "--label COLUMN says what to predict"
		if len(fault.Candidates) > 0 {
			hint += "; two values have: " + strings.Join(fault.Candidates, ", ")
		}
		return advise(err, hint, "fairtrain data describe shows what was found in the file")
	case table.MissingLabels:
		return advise(err, "--skip-label "+missing+" leaves these rows out, --skip-label VALUE those of any value")
	}
	if len(fault.Values) < 2 {
		return advise(err, "a label has at least two values; --label COLUMN names another one")
	}
	const most = 4
	var flags []string
	for _, v := range fault.Values[:min(most, len(fault.Values))] {
		flags = append(flags, "--positive "+shellQuoted(v.Level))
	}
	return advise(err, "one of these says which value is the positive decision: "+strings.Join(flags, ", "))
}

// shellQuoted returns a word as a shell takes it.
func shellQuoted(word string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-+.,:/%@", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// reader reads the data of a model.
type reader struct {
	p        *program
	features classifier.Features
	groups   []string                            // specifications whose columns CSV files are to have
	each     map[string]func(value string) error // see dataset.CSVOptions
}

// read returns rows with the features of the model, whether they have all that opts allow
// to lack or not.
func (r reader) read(ctx context.Context, name string, opts table.Options) (*dataset.Dataset, error) {
	if r.features.Kind == classifier.LIBSVM {
		return r.p.load(ctx, name, libsvm.Options{Features: r.features.Count, AnyLabels: opts.AnyLabels})
	}
	e := *r.features.Encoding
	e.Schema = e.Schema.WithGroups(r.groups)
	t, err := interruptible(ctx, func() (*table.Table, error) {
		opts.Each = r.each
		return catalogue.LoadTable(name, r.p.stdin, e.Schema, opts)
	})
	if err != nil {
		return nil, err
	}
	return e.Apply(t, nil)
}
