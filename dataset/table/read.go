package table

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset/textfile"
	"github.com/fairtrain/fairtrain/internal/memory"
)

// Options say what to expect of a CSV file.
type Options struct {
	Name string // of the file, for errors and the table

	// AnyLabels accepts files without the columns of the label, the groups and the
	// weights, and any label, for rows that are only to be scored or described. No row is
	// skipped because of its label, and weights play no part.
	AnyLabels bool

	// Groups names the attributes of the schema whose columns the file must have; nil
	// means all. Rows of a file without a column have no such attribute.
	Groups []string

	// Numeric and Categorical name columns that the schema leaves open: they are numbers,
	// whatever they look like, or categories.
	Numeric, Categorical []string
	// Identify asks for Table.Identities, which do not depend on the columns Apart: those
	// of scores, say.
	Identify bool
	Apart    []string
	// Each is called with every value of the columns that it names, which the file must
	// have, whatever else becomes of them. The value is part of a buffer: keep a clone. An
	// error is a fault at its place.
	Each map[string]func(value string) error
	// Keep says which rows count, numbered from 0 without those that are skipped because of
	// their label; nil means all. Nothing is found out from the others.
	Keep func(row int) bool
	// Alias gives columns another name, in files that have no column of that name.
	Alias map[string]string
}

// Read reads a CSV file (RFC 4180, more precisely what encoding/csv reads, with any of
// the delimiters of Format) in UTF-8, Latin-1 or UTF-16. A nil schema leaves everything open.
// Blanks around values do not count, inside quotes neither.
// Columns are found by name, so their order does not matter. A fault in the content is a
// *ParseError; so is a column that the schema declares and the file lacks.
//
// What the schema leaves open is found out from the file, see Format for how it is
// written. A column that is not declared is numeric if all its values are numbers, with
// one unit or none (13.5%, 36 months, $1,200), none of which is a code (00123), and becomes
// Standardise; other columns and those of two values become OneHot with the levels of fewer
// than 10 rows thrown together; and it is dropped if all its values are equal, if it counts
// the rows, or if it has too many distinct values for a category. Decimals follow a point
// or, where a value of the column can't be read so, a comma. Notes tell what may be doubted.
// The label, if not declared, is the column called label, target, class, outcome or y, or
// else the last one, if it has two values.
//
// The text is not kept: memory is 8 bytes for a number and 4 for a category.
func Read(r io.Reader, schema *Schema, opts Options) (*Table, error) {
	if schema == nil {
		schema = new(Schema)
	}
	if err := schema.validate(); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	hash := sha256.New()
	text, err := textfile.NewReader(io.TeeReader(r, hash), opts.Name)
	if err != nil {
		return nil, fileError(opts.Name, err)
	}
	in := bufio.NewReaderSize(text, textfile.BufferSize)
	sample, err := in.Peek(textfile.SampleSize)
	if err != nil && err != io.EOF {
		return nil, fileError(opts.Name, err)
	}
	t := &Table{Name: opts.Name, anyLabels: opts.AnyLabels}
	t.Format = schema.detect(string(sample), err == io.EOF)

	reading := &tableReader{Table: t, rows: newRecords(in, opts.Name, t.Format), schema: schema, opts: opts}
	if err := reading.read(); err != nil {
		return nil, fileError(opts.Name, err)
	}
	t.Text = text.From
	if opts.Identify {
		t.Identities = reading.identities.rows
	}
	t.Hash = hex.EncodeToString(hash.Sum(nil))
	return t, nil
}

// fileError makes sure that an error names the file.
func fileError(name string, err error) error {
	if _, ok := errors.AsType[*textfile.ParseError](err); ok || strings.HasPrefix(err.Error(), name) {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// tableReader is the reading of one file.
type tableReader struct {
	*Table
	rows    records
	schema  *Schema
	opts    Options
	columns []*collector // one for each column of the file
	label   int          // which of columns is the label, −1 for none
	missing missingLabels

	identities *identifier // nil if they are not asked for
	offered    int         // rows that are not skipped
	bytes      float64     // that the rows take
}

func (t *tableReader) read() error {
	fields, err := t.rows.next()
	if err == io.EOF {
		return t.fault(1, 1, "no rows")
	}
	if err != nil {
		return err
	}
	header := *t.Format.Header
	if err := t.open(fields, header); err != nil {
		return err
	}
	if header {
		fields, err = t.rows.next()
	}
	for ; err != io.EOF; fields, err = t.rows.next() {
		if err == nil {
			err = t.add(fields)
		}
		if err != nil {
			return err
		}
	}
	if t.missing.rows > 0 {
		return t.missing.error(t.Name, t.columns[t.label], t.Rows)
	}
	if t.Rows == 0 {
		return t.fault(1, 1, "no rows under the header")
	}
	t.complete()
	return nil
}

func (t *tableReader) fault(line, column int, format string, args ...any) *textfile.ParseError {
	return textfile.Errorf(t.Name, line, column, format, args...)
}

// open names the columns, from the first row or the schema, and prepares to collect them.
func (t *tableReader) open(first []string, header bool) error {
	names := slices.Clone(t.schema.Names)
	switch {
	case header:
		names = nil
		earlier := map[string]int{}
		for k, name := range first {
			line, column := t.rows.pos(k)
			if k < unnamedIndex(first) {
				name = columnName(k)
			}
			if name == "" {
				return t.fault(line, column, "column %d has no name", k+1)
			}
			if other, found := earlier[name]; found {
				return t.fault(line, column, "column %d is called %s, as column %d is", k+1, textfile.Quote(name), other+1)
			}
			names = append(names, strings.Clone(name))
			earlier[names[k]] = k
		}
	case names == nil:
		for k := range first {
			names = append(names, columnName(k))
		}
	}
	for k, name := range names {
		if alias, ok := t.opts.Alias[name]; ok && !slices.Contains(names, alias) {
			names[k] = alias
		}
	}
	if err := t.checkColumns(names); err != nil {
		return err
	}
	missing, specs := t.schema.missing(), t.schema.index()
	for _, name := range names {
		var spec ColumnSpec
		k, declared := specs[name]
		if declared {
			spec = t.schema.Columns[k]
		}
		c := newCollector(name, t.schema, spec, declared, missing)
		c.weight = c.weight && !t.anyLabels
		switch {
		case slices.Contains(t.opts.Numeric, name):
			c.declare(numbers)
		case slices.Contains(t.opts.Categorical, name):
			c.declare(categories)
		}
		c.each = t.opts.Each[name]
		t.columns = append(t.columns, c)
	}
	t.label = slices.Index(names, t.schema.Label.Column)
	if t.opts.Identify {
		t.identities = newIdentifier(names, t.opts.Apart)
	}
	return nil
}

// columnName is the name of a column, counted from 0, that has none.
func columnName(k int) string { return fmt.Sprintf("column%d", k+1) }

// checkColumns fails if a column that the schema needs is not among names.
func (t *tableReader) checkColumns(names []string) error {
	present := make(map[string]bool, len(names))
	for _, name := range names {
		present[name] = true
	}
	check := func(name, role string) error {
		if name == "" || present[name] {
			return nil
		}
		hint := textfile.DidYouMean(name, names)
		if len(names) == 1 {
			hint = fmt.Sprintf("; the file has a single column, is its delimiter %q?", t.Format.Delimiter)
		}
		return t.fault(1, 1, "there is no column %q, which is %s%s", name, role, hint)
	}
	for _, name := range slices.Concat(t.opts.Numeric, t.opts.Categorical) {
		if err := check(name, "to be a number or a category"); err != nil {
			return err
		}
		if msg := t.schema.contradicts(name, slices.Contains(t.opts.Numeric, name)); msg != "" {
			return t.fault(1, 1, "column %q can't be declared: %s", name, msg)
		}
	}
	type need struct{ name, role string }
	var needs []need
	for _, c := range t.schema.Columns {
		if c.As != Drop {
			needs = append(needs, need{c.Name, "a feature"})
		}
	}
	for _, name := range t.schema.groupColumns(t.schema.Crosses) {
		needs = append(needs, need{name, "part of a feature"})
	}
	for _, name := range slices.Sorted(maps.Keys(t.opts.Each)) {
		needs = append(needs, need{name, "asked for"})
	}
	if !t.anyLabels {
		for _, g := range t.schema.Groups {
			if t.opts.Groups == nil || slices.Contains(t.opts.Groups, g.name()) {
				needs = append(needs, need{g.Column, "group " + g.name()})
			}
		}
		needs = append(needs, need{t.schema.Weight, "the weight"}, need{t.schema.Label.Column, "the label"})
	}
	for _, n := range needs {
		if err := check(n.name, n.role); err != nil {
			return err
		}
	}
	return nil
}

// contradicts says why a column can't be taken for a number, or else for a category, "" if
// it can.
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

// add collects the values of a row.
func (t *tableReader) add(fields []string) error {
	if len(fields) != len(t.columns) {
		line, column := t.rows.pos(min(len(fields), len(t.columns)+1) - 1)
		return t.fault(line, column, "the row has %d values, expected %d", len(fields), len(t.columns))
	}
	if t.label >= 0 && !t.anyLabels && t.skips(fields[t.label]) {
		return nil
	}
	t.offered++
	if t.opts.Keep != nil && !t.opts.Keep(t.offered-1) {
		return nil
	}
	for k, c := range t.columns {
		if c.each != nil {
			if err := c.each(fields[k]); err != nil {
				line, column := t.rows.pos(k)
				return t.fault(line, column, "column %s: %v", c.name, err)
			}
		}
		if msg := c.add(fields[k]); msg != "" {
			line, column := t.rows.pos(k)
			return t.fault(line, column, "column %s: %s", c.name, msg)
		}
		if c.isNew {
			line, column := t.rows.pos(k)
			c.seen = append(c.seen, place{line, column})
			c.isNew = false
			t.bytes += float64(len(fields[k])) + perLevel
		}
	}
	t.bytes += 8 * float64(len(fields))
	const growing = 3 // old values, new ones, and what is made of them
	if !memory.Fits(growing * t.bytes) {
		line, _ := t.rows.pos(0)
		return memory.Check(fmt.Sprintf("%s: to read beyond line %d", t.Name, line), growing*t.bytes)
	}
	if t.identities != nil {
		t.identities.add(fields)
	}
	t.Rows++
	return nil
}

// perLevel is what a distinct value takes besides its text: a string, its place in the file
// and its entry in an index.
const perLevel = 100

// skips reports whether the label says to leave the row out, or is missing.
func (t *tableReader) skips(label string) bool {
	if len(t.schema.Label.Skip) > 0 && hasLabel(t.schema.Label.Skip, label) {
		return true
	}
	if !slices.Contains(t.columns[t.label].missing, label) {
		return false
	}
	if t.missing.rows == 0 {
		line, column := t.rows.pos(t.label)
		t.missing.first = place{line, column}
	}
	t.missing.rows++
	return true
}
