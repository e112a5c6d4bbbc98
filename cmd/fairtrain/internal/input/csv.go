package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/people"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/dataset/tabular/delimited"
	"github.com/fairtrain/fairtrain/internal/names"
	"github.com/fairtrain/fairtrain/model"
)

// CSVFlags are the flags that say what a CSV or Parquet file contains. A text file for which one
// of them is given is a CSV file; for other files the content decides.
func CSVFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "schema", Category: "CSV", Usage: "read the columns by the schema `NAME|FILE`, built in or your own"},
		&cli.StringFlag{Name: "label", Category: "CSV", Usage: "predict the column `COLUMN`", DefaultText: "label, target, … or the last"},
		&cli.StringSliceFlag{Name: "positive", Category: "CSV", Usage: "the label's `VALUE` that means a positive decision, or all numbers such as '>0'; several with commas or repeated", DefaultText: "1, yes, true, …"},
		SkipLabelFlag(),
		&cli.StringSliceFlag{Name: "drop", Category: "CSV", Usage: "don't use the column `COLUMN` as a feature; several with commas or repeated"},
		&cli.StringSliceFlag{Name: "categorical", Category: "CSV", Usage: "the values of the column `COLUMN` are categories, numbers or not; several with commas or repeated"},
		&cli.StringSliceFlag{Name: "numeric", Category: "CSV", Usage: "the values of the column `COLUMN` are numbers; several with commas or repeated"},
		&cli.StringSliceFlag{Name: "monotone", Category: "CSV", Usage: "by `COLUMN=+|-,…` the score never falls (+), or never rises (-), as that number grows; several with commas or repeated"},
		&cli.StringSliceFlag{Name: "missing", Category: "CSV", Usage: "`[COLUMN=]VALUE` stands for a missing value, in that column or in all, besides the usual ones; several with commas or repeated"},
		&cli.BoolFlag{Name: "strict", Category: "CSV", Usage: "fail if it is in doubt what a column is", DisableDefaultText: true},
		&cli.IntFlag{Name: "min-count", Category: "CSV", Usage: "the model names no level, group or bin of fewer than `N` training rows; 1 names all", DefaultText: "5, or the schema's"},
		&cli.StringFlag{Name: "weight-column", Category: "CSV", Usage: "the column `COLUMN` has the weights of the rows"},
		&cli.StringSliceFlag{Name: "group", Category: "CSV", Usage: "the columns that `G` names form groups and are no features, like the columns of constraints; several with commas or repeated"},
		&cli.BoolFlag{Name: "use-group", Category: "CSV", Usage: "columns of groups are features too", DisableDefaultText: true},
	}
}

// SkipLabelFlag is the flag that leaves rows out by their label.
func SkipLabelFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "skip-label", Category: "CSV", Usage: "leave out rows whose label is `VALUE`; missing: rows without a label; several with commas or repeated"}
}

// CSVOptions returns how to read the named CSV file as CSVFlags say. The columns of groups, those
// that constraints name included, are no features unless --use-group is given. The file
// must be a CSV file if a flag is given that makes sense for CSV files only.
func CSVOptions(c *cli.Context, name string, constraints []model.Constraint) (catalogue.InputOptions, error) {
	opts := catalogue.InputOptions{Table: tabular.Options{
		Numeric: command.List(c, "numeric"), Categorical: command.List(c, "categorical"), Strict: c.Bool("strict"),
		Units: true,
	}}
	for _, flag := range CSVFlags() {
		name := flag.Names()[0]
		opts.CSV = opts.CSV || c.IsSet(name) && name != "group" && name != "use-group" && name != "strict"
	}
	schema, withheld := new(tabular.Schema), []string(nil)
	schemaName := c.String("schema")
	if people.Is(name) && schemaName == "" {
		schemaName, withheld = people.Schema, people.Sensitive()
	}
	if schemaName != "" {
		var err error
		if schema, err = tabular.LoadSchema(schemaName); err != nil {
			return opts, err
		}
	}
	if c.IsSet("label") {
		schema.Label.Column = c.String("label")
		undeclare(schema, schema.Label.Column)
	}
	if c.IsSet("positive") {
		schema.Label.Positive, schema.Label.Negative = command.List(c, "positive"), nil
	}
	if more := command.List(c, "missing"); len(more) > 0 {
		if schema.Missing == nil {
			schema.Missing = tabular.DefaultMissing()
		}
		schema.Missing = append(schema.Missing, more...)
	}
	for _, value := range command.List(c, "skip-label") {
		skipLabel(schema, value)
	}
	if c.IsSet("min-count") {
		schema.MinCount = c.Int("min-count")
		if err := command.CheckRange("min-count", float64(schema.MinCount), 1, math.MaxInt32); err != nil {
			return opts, err
		}
	}
	if c.IsSet("weight-column") {
		schema.Weight = c.String("weight-column")
		undeclare(schema, schema.Weight)
	}
	for _, name := range command.List(c, "drop") {
		if drop(schema, name) {
			opts.Table.Needed = append(opts.Table.Needed, name)
		}
	}
	var err error
	if opts.Table.Monotone, err = directions(c.StringSlice("monotone")); err != nil {
		return opts, err
	}
	for _, name := range opts.Table.Numeric {
		if slices.Contains(opts.Table.Categorical, name) {
			return opts, command.Usagef("--numeric and --categorical both name %s", name)
		}
	}
	undeclare(schema, slices.Concat(opts.Table.Numeric, opts.Table.Categorical)...)
	groups := slices.Concat(GroupSpecs(constraints), command.List(c, "group"))
	for _, group := range groups {
		if err := CheckGroup(group); err != nil {
			return opts, err
		}
	}
	if c.Bool("use-group") {
		opts.Schema = schema.Expose(groups)
	} else {
		opts.Schema = schema.Protect(append(groups, withheld...))
	}
	opts.Schema = opts.Schema.WithGroups(model.WithinOf(constraints...))
	return opts, nil
}

// directions reads --monotone: lists of COLUMN=+ and COLUMN=-, with commas in between.
func directions(lists []string) (map[string]string, error) {
	found := map[string]string{}
	ends := strings.NewReplacer("=+,", "=+\n", "=-,", "=-\n") // names may have commas
	for _, list := range lists {
		for pair := range strings.SplitSeq(ends.Replace(list), "\n") {
			at := max(len(pair)-len("=+"), 0)
			name, direction := pair[:at], strings.TrimPrefix(pair[at:], "=")
			if name == "" || direction != tabular.Rising && direction != tabular.Falling {
				return nil, command.Usagef("--monotone is %q, must be COLUMN=+ or COLUMN=-", pair)
			}
			if before := found[name]; before != "" && before != direction {
				return nil, command.Usagef("--monotone names %s twice, as + and as -", name)
			}
			found[name] = direction
		}
	}
	return found, nil
}

// CheckGroup fails unless what --group is given names columns, or a feature.
func CheckGroup(spec string) error {
	if slices.Contains(dataset.AttributesIn(spec), "") {
		return command.Usagef("--group %q names no column", spec)
	}
	return nil
}

// missing, given to --skip-label, stands for all values that mean a missing one.
const missing = "missing"

// skipLabel makes a schema leave out rows with a label.
func skipLabel(s *tabular.Schema, value string) {
	values := []string{value}
	if value == missing {
		values = append(values, s.Missing...)
		if s.Missing == nil {
			values = append(values, tabular.DefaultMissing()...)
		}
	}
	for _, v := range values {
		if !slices.Contains(s.Label.Skip, v) {
			s.Label.Skip = append(s.Label.Skip, v)
		}
	}
}

// undeclare makes a schema leave open what columns are, as a flag says it.
func undeclare(s *tabular.Schema, columns ...string) {
	s.Columns = slices.DeleteFunc(s.Columns, func(spec tabular.ColumnSpec) bool {
		return slices.ContainsFunc(columns, func(column string) bool { return delimited.SameName(column, spec.Name) })
	})
}

// drop makes a schema drop a column. It reports whether that is new.
func drop(s *tabular.Schema, column string) bool {
	spec := tabular.ColumnSpec{Name: column, As: tabular.Drop, Reason: "--drop"}
	if k := slices.IndexFunc(s.Columns, func(c tabular.ColumnSpec) bool { return delimited.SameName(c.Name, column) }); k >= 0 {
		spec.Name = s.Columns[k].Name
		isNew := s.Columns[k].As != tabular.Drop
		s.Columns[k] = spec
		return isNew
	}
	s.Columns = append(s.Columns, spec)
	return true
}

// GroupSpecs returns the specifications of groups that constraints name, each once.
func GroupSpecs(constraints []model.Constraint) []string {
	specs := model.GroupsOf(constraints...)
	slices.Sort(specs)
	return slices.Compact(specs)
}

// LoadInput reads data of either format. It returns early if ctx is cancelled, as
// standard input may never come.
func LoadInput(ctx context.Context, stdin io.Reader, name string, opts catalogue.InputOptions) (catalogue.Input, error) {
	return command.Interruptible(ctx, func() (catalogue.Input, error) { return catalogue.LoadInput(name, stdin, opts) })
}

// remarkLeftOut says what of a file is left out.
func remarkLeftOut(p *command.Program, t *tabular.Table) {
	if t.Skipped > 0 {
		p.Remark("%s: %d of %d rows are left out for their label", t.Name, t.Skipped, t.Skipped+t.Offered)
	}
	if t.Above > 0 {
		p.Remark("%s: left out above the names of the columns: %s", t.Name, command.Count(t.Above, "row"))
	}
	if odd := notesOf(t, tabular.NotNumbers, true); odd != nil {
		p.Remark("%s: read as numbers, but for a few values: %s; --missing VALUE says so, --categorical COLUMN makes categories", t.Name, strings.Join(odd, ", "))
	}
}

// notesOf lists the columns with notes of a kind, perhaps with their texts.
func notesOf(t *tabular.Table, kind tabular.NoteKind, why bool) (columns []string) {
	for _, n := range t.Notes {
		switch {
		case n.Kind != kind:
		case n.Column == "":
			columns = append(columns, n.Text)
		case why:
			columns = append(columns, n.Column+" ("+n.Text+")")
		default:
			columns = append(columns, n.Column)
		}
	}
	return columns
}

// RemarkTable says what a person may want to know after reading: which columns are no
// features, which may have been misread, and what to do about it.
func RemarkTable(p *command.Program, t *tabular.Table) {
	if t.Text != "" {
		p.Remark("%s was converted from %s", t.Name, t.Text)
	}
	remarkLeftOut(p, t)
	if protected := t.Schema.Withheld(); len(protected) > 0 {
		p.Remark("excluded from the features as a sensitive attribute (--use-group includes it): %s", strings.Join(protected, ", "))
	}
	for _, about := range []struct {
		kind   tabular.NoteKind
		why    bool // the text of the note belongs to it
		format string
	}{
		{tabular.Totals, true, "%s"},
		{tabular.Dropped, true, "no features: %s"},
		{tabular.Repeated, true, "columns that the header calls alike: %s; --drop leaves one out"},
		{tabular.Panel, false, "several rows of each value: %s; if these are the same people, the rows are not independent, and intervals and tests are too sure"},
		{tabular.MaybeIdentifier, true, "features that may be identifiers: %s (--drop COLUMN makes them none); rows of equal value are kept together"},
		{tabular.HasUnit, true, "read as numbers with a unit: %s; --categorical COLUMN makes categories"},
		{tabular.MaybeCode, false, "read as numbers, but maybe codes: %s (--categorical COLUMN makes them categories)"},
		{tabular.MaybeMissing, true, "numbers that may stand for missing values: %s (--missing COLUMN=VALUE says so)"},
		{tabular.MaybeMark, true, "values of categories: %s (--missing VALUE says so)"},
		{tabular.MaybeAlike, true, "told apart, but maybe one: %s (merge in a group of a schema makes one of them: data describe --write-schema)"},
		{tabular.MaybeNumbers, true, "no numbers, but would be: %s (--missing VALUE makes a value missing)"},
		{tabular.LastColumn, true, "taken for the label: %s; --label COLUMN says which one it is"},
		{tabular.GuessedLabel, true, "taken for the positive label: %s; --positive says which one it is"},
		{tabular.SeveralNegative, true, "label %s; --skip-label VALUE leaves such rows out"},
		{tabular.Code, false, "read as categories, as numbers would lose digits: %s (--numeric COLUMN makes them numbers)"},
		{tabular.DecimalComma, false, "read with a decimal comma: %s"},
		{tabular.Ambiguous, true, "numbers that can be read in two ways: %s; decimal in a schema's column decides"},
	} {
		if columns := notesOf(t, about.kind, about.why); columns != nil {
			p.Remark(about.format, strings.Join(columns, ", "))
		}
	}
}

// RemarkFolded names the columns with values that the model does not name, as few rows
// have them.
func RemarkFolded(p *command.Program, e *encoding.Encoding) {
	var list []string
	for _, of := range e.Folds() {
		list = append(list, fmt.Sprintf("%s (%d)", of, e.Folded[of]))
	}
	if len(list) > 0 {
		p.Remark("not named in the model, as few rows have them (--min-count %d): values of %s",
			e.Schema.LeastRows(), strings.Join(list, ", "))
	}
}

// AdviseLabel adds to an error about a label the flags that correct it.
func AdviseLabel(err error) error {
	fault, ok := errors.AsType[*tabular.LabelError](err)
	if !ok {
		return err
	}
	switch fault.Fault {
	case tabular.NoLabel:
		hint := "--label COLUMN says what to predict"
		if len(fault.Candidates) > 0 {
			hint += "; two values have: " + strings.Join(fault.Candidates, ", ")
		}
		return command.Advise(err, hint, "fairtrain data describe shows what was found in the file")
	case tabular.MissingLabels:
		hints := []string{"--skip-label " + missing + " leaves these rows out, --skip-label VALUE rows with another label"}
		if len(fault.Values) == 2 {
			hints = append(hints, `where a blank is the negative decision, a schema says so: negative = [""] with positive`)
		}
		return command.Advise(err, hints...)
	}
	if len(fault.Values) < 2 {
		return command.Advise(err, "a label has at least two values, in whatever case; --label COLUMN names another one, --positive another value")
	}
	const most = 4
	var flags []string
	for k, v := range fault.Values[:min(most, len(fault.Values))] {
		if k >= 2 && v.Rows == 1 {
			break // perhaps a row of totals
		}
		flags = append(flags, "--positive "+names.ShellItem(v.Level))
	}
	hints := []string{"one of these says which value is the positive decision: " + strings.Join(flags, ", ")}
	if _, err := strconv.ParseFloat(fault.Values[0].Level, 64); err == nil && len(fault.Values) > 2 {
		hints = append(hints, "--positive '>0' means all numbers above 0; >=, < and <= do, too")
	}
	return command.Advise(err, hints...)
}
