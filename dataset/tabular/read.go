package tabular

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular/delimited"
	"github.com/fairtrain/fairtrain/dataset/tabular/identity"
	"github.com/fairtrain/fairtrain/dataset/textfile"
	"github.com/fairtrain/fairtrain/internal/memory"
)

// Options say what to expect of a CSV file.
type Options struct {
	Name string // of the file, or of all files, for errors and the table

	// AnyLabels is for rows that are only to be scored or described. It accepts any label, and
	// files without the columns of the label and the weights, and of groups that Groups does not
	// name. No row is skipped because of its label, and weights play no part.
	AnyLabels bool

	// Groups names attributes of the schema whose columns the file must have. It must have those of
	// all attributes unless OnlyGroups or AnyLabels is set. If it lacks the column of another
	// attribute, its rows have no such attribute.
	Groups     []string
	OnlyGroups bool

	// Numeric and Categorical name columns that the schema leaves open. They become numbers or
	// categories, whatever they look like.
	Numeric, Categorical []string
	// Units asks for Table.Units also by columns that the schema drops.
	Units bool
	// Strict makes doubts about columns that the schema leaves open an error, see Table.Doubts.
	Strict bool
	// Monotone says in which direction the score depends on columns that are numbers (ColumnSpec).
	Monotone map[string]string
	// Needed names other columns that the file must have.
	Needed []string
	// Identify asks for Table.Identities. They do not depend on the columns Apart, such as a
	// column of scores.
	Identify bool
	Apart    []string
	// Each has a function for every column that it names. The function is called with every value
	// of the column, row by row, also if the schema drops the column; perhaps also with values
	// behind a fault. The file must have the column. The value is part of a larger text: keep a
	// clone. An error is a fault at the value's place.
	Each map[string]func(value string) error
	// Keep says which rows count; nil means all. Rows are numbered from 0; rows that are
	// skipped because of their label have no number. Nothing is found out from rows that do
	// not count.
	Keep func(row int) bool
}

// Read reads a CSV file (RFC 4180, more precisely what encoding/csv reads, with any delimiter
// of Format) in UTF-8, Latin-1 or UTF-16. A nil schema leaves everything open. Blanks around
// values do not count, even inside quotes. Columns are found by name, so their order does not
// matter. A fault in the content is a *ParseError. If the file lacks a column that the schema
// declares, that is a *ParseError, too.
//
// Read finds out from the file what the schema leaves open; for how the file is written, see
// delimited.Format. A column that is not declared is numeric, and becomes Standardise, if all its
// values but for a few odd ones, which count as missing, are numbers, with one unit or none (13.5%,
// 36 months, $1,200), and no value is a code (00123). All other columns, and columns of two values, become OneHot; levels of fewer than 10
// rows are merged. A column is dropped if all its values are equal, if it counts the rows, has dates
// or seems to be an identifier, or if it has too many distinct values for a category. Decimals follow
// a point, or a comma if a value of the column can't be read with a point. Notes name what may be
// doubted. The label, if not declared, is the column
// called label, target, class, outcome or y, or else the last column. It must have two values.
//
// The text is not stored: memory is 8 bytes for a number, and 1, 2 or 4 for a category, or for one of
// few distinct numbers in a column that is not declared. All processors read. The table is the
// same for any number of processors.
func Read(r io.Reader, schema *Schema, opts Options) (*Table, error) {
	return ReadFiles(textfile.One(r, opts.Name), schema, opts)
}

// ReadFiles reads several files as Read reads one file with the rows of all of them. If the first
// one has a header, each one must have it. Files without rows don't matter.
func ReadFiles(next Files, schema *Schema, opts Options) (*Table, error) {
	return read(next, schema, opts, parts{textfile.BufferSize, runtime.GOMAXPROCS(0)})
}

// parts says in which parts a file is read.
type parts struct {
	chunk   int // bytes that are parsed at a time
	workers int
}

func read(next Files, schema *Schema, opts Options, p parts) (*Table, error) {
	schema, err := checked(schema)
	if err != nil {
		return nil, err
	}
	t := &Table{Name: opts.Name, anyLabels: opts.AnyLabels}
	reading := &tableReader{Table: t, schema: schema, opts: opts, parts: p, workers: p.workers}
	if err := reading.readFiles(next); err != nil {
		return nil, err
	}
	if err := reading.finish(); err != nil {
		return nil, err
	}
	if t.Hash = dataset.HashOfFiles(reading.hashes); len(reading.hashes) == 1 {
		t.Files = nil
	}
	return t, nil
}

// checked returns a schema without faults; nil leaves everything open.
func checked(schema *Schema) (*Schema, error) {
	if schema == nil {
		return new(Schema), nil
	}
	if err := schema.Validate(); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return schema, nil
}

// tableReader reads files. Several chunks at a time are cut into rows. Then the rows of one
// chunk after the other go to the columns; several columns at a time collect their values.
// Every column sees its values in the order of the file. So the table does not depend on the
// number of processors.
type tableReader struct {
	*Table
	schema  *Schema
	opts    Options
	parts   parts
	workers int // of the file that is being read

	lines int      // of the files so far
	first []string // the first row of the first file that has rows
	// opener is the name of that file, and start the place of its first row.
	opener string
	start  delimited.Place
	// order says where the columns are in the file that is being read; nil if they are where they are
	// in the opener.
	order   []int
	hashes  []string     // of the files
	begins  int          // first line of the first chunk of the file that has rows
	skip    int          // rows of this chunk above the data: titles and the header
	columns []*collector // of each column of the file
	label   int          // index of the label in columns, −1 for none

	totals     int      // rows of totals that are left out for want of a label
	firstTotal error    // what is wrong with the first of them, if it is none
	identities []uint64 // see identity.Columns; nil without Options.Identify
	// what the first column is called if its name is empty, as that of an index is; "" if it is not
	unnamed string
}

// finish makes the table once all rows are read.
func (t *tableReader) finish() error {
	if t.columns == nil {
		return t.fault(t.place(), "no rows")
	}
	switch {
	case t.Rows > 0:
		if t.totals > 0 && t.hasTotalLevels() {
			return t.firstTotal
		}
		t.complete()
		if err := t.makeMonotone(); err != nil || !t.opts.Strict {
			return err
		}
		return t.Doubts()
	case t.Offered > 0:
		return fmt.Errorf("%s: none of its rows is selected", t.Name)
	case t.Typed:
		return t.fault(t.place(), "no rows")
	}
	return t.fault(t.place(), "no rows under the header")
}

// makeMonotone enters the directions of the options.
func (t *tableReader) makeMonotone() error {
	for _, name := range slices.Sorted(maps.Keys(t.opts.Monotone)) {
		k := slices.IndexFunc(t.Schema.Columns, func(c ColumnSpec) bool { return c.Name == name })
		switch {
		case k < 0:
			return fmt.Errorf("%s: column %q can't be monotone: it is the label or the weight", t.Name, name)
		case t.Schema.Columns[k].As == Drop:
			return fmt.Errorf("%s: column %q can't be monotone: it is no feature (%s)", t.Name, name, cmp.Or(t.Schema.Columns[k].Reason, "the schema drops it"))
		case !t.Schema.Columns[k].numeric():
			return fmt.Errorf("%s: column %q can't be monotone: it is a category (--numeric makes numbers of digits)", t.Name, name)
		}
		t.Schema.Columns[k].Monotone = t.opts.Monotone[name]
	}
	return nil
}

// place is that of a fault that is not at one value: the first row of the first file that has rows.
func (t *tableReader) place() delimited.Place {
	return delimited.Place{Line: max(t.start.Line, 1), Column: max(t.start.Column, 1)}
}

// open names the columns, from the first row or the schema.
func (t *tableReader) open(first []string) error {
	names := slices.Clone(t.schema.Names)
	if *t.Format.Header || names == nil {
		names = nil
		for k, name := range first {
			if name == "" || !*t.Format.Header {
				name = columnName(k)
				if k == 0 && *t.Format.Header {
					t.unnamed = name
				}
			}
			names = append(names, strings.Clone(name))
		}
	}
	return t.openColumns(names)
}

// openColumns prepares to collect the values of the columns of the given names.
func (t *tableReader) openColumns(names []string) error {
	first := delimited.Repeats(names)
	for k, at := range first {
		if at < k {
			names[k] = ""
		}
	}
	written := slices.Clone(names)
	t.Renamed = t.schema.adopt(names)
	delimited.Distinguish(names, first)
	t.opts = t.opts.resolve(names, t.Renamed)
	if err := t.checkColumns(names, written); err != nil {
		return err
	}
	what := fmt.Sprintf("%s: to read %d columns", t.Name, len(names))
	if err := memory.Check(what, growing*perColumn*float64(len(names))); err != nil {
		return err
	}
	specs, mentioned := t.schema.index(), t.schema.mentions()
	for k, name := range names {
		var spec ColumnSpec
		at, declared := specs[name]
		if declared {
			spec = t.schema.Columns[at]
		}
		c := newCollector(name, t.schema, spec, declared, t.schema.missingIn(name))
		c.weight = c.weight && !t.anyLabels
		if t.opts.Units && declared && c.state == nothing {
			c.state, c.decided, c.anyUnit, c.dropped = anything, false, true, true
		}
		switch {
		case slices.Contains(t.opts.Numeric, name):
			c.declare(numbers)
		case slices.Contains(t.opts.Categorical, name):
			c.declare(categories)
		}
		c.each = t.opts.Each[name]
		t.columns = append(t.columns, c)
		if first[k] < k {
			c.repeats, c.repeatsAt = t.columns[first[k]], first[k]
			_, known := slices.BinarySearch(mentioned, name)
			c.repeatFault = !known && (c.repeats.decided && c.repeats.state != nothing || c.repeats.each != nil)
		}
	}
	t.label = slices.Index(names, t.schema.Label.Column)
	if t.opts.Identify {
		t.identities = identity.Columns(names, t.opts.Apart)
	}
	return nil
}

// columnName is the name of column k, counted from 0, if the file gives it none.
func columnName(k int) string { return fmt.Sprintf("column%d", k+1) }

// NoColumnError reports a column that a file lacks.
type NoColumnError struct {
	Column string
	Label  bool // it is that of the label
	*textfile.ParseError
}

func (e *NoColumnError) Unwrap() error { return e.ParseError }

// checkColumns fails if a column that the schema or the options need is not among names, which the file
// has as they are written.
func (t *tableReader) checkColumns(names, written []string) error {
	present := make(map[string]bool, len(names))
	for _, name := range names {
		present[name] = true
	}
	check := func(role string, columns ...string) error {
		for _, name := range columns {
			if name == "" || present[name] {
				continue
			}
			hint := cmp.Or(textfile.DidYouMean(name, names), "; the file has "+textfile.QuoteAll(written))
			if len(names) == 1 {
				hint = fmt.Sprintf("; the file has a single column, is its delimiter %q?", t.Format.Delimiter)
			}
			fault := t.fault(t.place(), "there is no column %q, which is %s%s", name, role, hint)
			return &NoColumnError{name, name == t.schema.Label.Column, fault}
		}
		return nil
	}
	errs := []error{
		check("to be a number or a category", slices.Concat(t.opts.Numeric, t.opts.Categorical)...),
		check("to be monotone", slices.Sorted(maps.Keys(t.opts.Monotone))...),
		check("needed", slices.Concat(t.opts.Needed, slices.Sorted(maps.Keys(t.opts.Each)))...),
	}
	for _, name := range slices.Concat(t.opts.Numeric, t.opts.Categorical) {
		if msg := t.schema.contradicts(name, slices.Contains(t.opts.Numeric, name)); msg != "" {
			errs = append(errs, t.fault(t.place(), "column %q can't be declared: %s", name, msg))
		}
	}
	for _, c := range t.schema.Columns {
		if c.As != Drop {
			errs = append(errs, check("a feature", c.Name))
		}
	}
	errs = append(errs, check("part of a feature", t.schema.GroupColumns(t.schema.Crosses...)...))
	for _, g := range t.schema.Groups {
		if slices.Contains(t.opts.Groups, g.name()) || !t.opts.OnlyGroups && !t.anyLabels {
			errs = append(errs, check("group "+g.name(), g.Column))
		}
	}
	if !t.anyLabels {
		errs = append(errs, check("the weight", t.schema.Weight), check("the label", t.schema.Label.Column))
	}
	if k := slices.IndexFunc(errs, func(err error) bool { return err != nil }); k >= 0 {
		return errs[k]
	}
	return nil
}

// contradicts returns why a column can't be a number, or, unless number, can't be a category. It
// is "" if the column can.
func (s *Schema) contradicts(column string, number bool) string {
	if column == s.Label.Column || column == s.Weight {
		return "it is the label or the weight"
	}
	for _, g := range s.Groups {
		switch {
		case g.Column != column:
		case number && !g.numeric():
			return fmt.Sprintf("group %s is made of its values as categories", g.name())
		case !number && len(g.Cuts) > 0:
			return fmt.Sprintf("group %s cuts it as a number", g.name())
		}
	}
	return ""
}
