// Package tabular reads CSV files, and other files of columns, by columns.
//
//	Schema     what the columns of a file are declared to be, schema.go
//	Read       a file, read.go; infer.go finds out what the schema leaves open, with a Note
//	           where that may be doubted
//	Collect    a file whose columns have types, by the same rules, rows.go
//	Protect    columns that form groups and are no features, schema_groups.go
//
// Package encoding turns the columns into features.
package tabular

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular/delimited"
	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
	"github.com/fairtrain/fairtrain/dataset/textfile"
)

// Table is the content of a CSV file, by columns. It has the columns that the schema does not drop.
type Table struct {
	Name   string
	Hash   string           // SHA-256 of the text as read, hexadecimal; see dataset.HashOfFiles
	Files  []string         // those of the files that have rows, if there are several; nil otherwise
	Format delimited.Format // as found, complete
	Above  int              // rows above the headers of all files, such as titles, that are left out
	// Schema is the schema that the table was read with, completed. Every column of the file
	// is the label, the weight or in Columns. If the meaning of the label's values is known,
	// all of them are in its lists.
	Schema  *Schema
	Rows    int
	Skipped int       // rows that are left out because their label says so
	Offered int       // the others, whether Options.Keep selects them or not
	Columns []*Column // in the order of the file
	Notes   []Note
	// Text is the encoding of the file, "" for UTF-8.
	Text string
	// Identities are hashes by which rows are recognised in another file; nil unless
	// Options.Identify.
	Identities []uint64

	// Units are equal for rows that may be of one person, by the values of UnitColumn, which may be
	// dropped; nil if no column numbers people with several rows each. UnitColumn is "" then.
	Units      []uint64
	UnitColumn string

	// Renamed are the names in the file of columns that the schema spells otherwise, by their names.
	Renamed map[string]string
	// Typed says that the columns of the file have types, see Collect. Then Format plays no
	// part.
	Typed bool

	anyLabels bool
	byName    map[string]*Column
	source    Source          // nil for text
	files     []textfile.Part // of text
}

// fault returns the fault at a place of the file.
func (t *Table) fault(at delimited.Place, format string, args ...any) *textfile.ParseError {
	e := textfile.Errorf(t.Name, at.Line, at.Column, format, args...)
	t.locate(e)
	return e
}

// Column is a column of a table. It has numbers or categories.
type Column struct {
	Name string

	// Levels are the distinct values of a category, sorted; nil in a numeric column. Codes say
	// which of them each row has: k stands for Levels[k−1], 0 for a missing value.
	Levels []string
	Codes  dataset.Codes

	// Numbers are those of the rows, NaN where a value is missing; nil in a category.
	Numbers []float64
	Unit    string // of the numbers, "" for none

	seen []delimited.Place // where each level first occurs
}

// NumbersOf stores the numbers of the given rows in dst, NaN where missing.
func (c *Column) NumbersOf(dst []float64, rows []int) {
	for k, i := range rows {
		dst[k] = c.Numbers[i]
	}
}

// numbersAt returns the numbers of the given rows, NaN where missing.
func (c *Column) numbersAt(rows []int) []float64 {
	numbers := make([]float64, len(rows))
	c.NumbersOf(numbers, rows)
	return numbers
}

// Present returns a copy of the numbers of the given rows that are not missing; nil means all rows.
func (c *Column) Present(rows []int) []float64 {
	numbers := slices.Clone(c.Numbers)
	if rows != nil {
		numbers = c.numbersAt(rows)
	}
	return slices.DeleteFunc(numbers, math.IsNaN)
}

// Text is the value of a row: a number with all of its digits, a level, or dataset.MissingLevel.
func (c *Column) Text(row int) string {
	switch {
	case c.Numbers == nil && c.Codes.At(row) > 0:
		return c.Levels[c.Codes.At(row)-1]
	case c.Numbers == nil || math.IsNaN(c.Numbers[row]):
		return dataset.MissingLevel
	}
	return numparse.Format(c.Numbers[row])
}

// Count counts the given rows of a category by their code; nil means all rows.
func (c *Column) Count(rows []int) []int {
	n := 1 + len(c.Levels)
	if rows == nil {
		return c.Codes.Count(n)
	}
	count := make([]int, n)
	for _, i := range rows {
		count[c.Codes.At(i)]++
	}
	return count
}

// Column returns the column of the given name, nil if there is none.
func (t *Table) Column(name string) *Column {
	return t.byName[name]
}

// FullSchema returns the schema with everything that was found out about the file, for a
// person to edit and to use again. A file without a header gets names of columns; a header in
// another file is recognised by them.
func (t *Table) FullSchema() *Schema {
	s := *t.Schema
	if t.Typed {
		return &s
	}
	s.Format = t.Format
	switch {
	case !*s.Header:
		s.Header = nil
	case len(t.files) == 1: // others may have others
		s.Titles = &t.Above
	}
	return &s
}

// Note is something about a column, or about the table, that reading has found out, and that a person
// may want to know or to correct.
type Note struct {
	Column string   `json:"column,omitempty"` // "" for the table
	Kind   NoteKind `json:"kind"`
	Text   string   `json:"text"`
	Flag   string   `json:"flag,omitempty"` // of the command line, that changes it
}

// NoteKind is what a note is about. Only columns that the schema leaves open get notes.
type NoteKind string

// The kinds of notes.
const (
	Dropped         NoteKind = "dropped"          // the column is no feature
	Repeated        NoteKind = "repeated"         // the header gives the column the name of another one
	Panel           NoteKind = "panel"            // values of the column have several rows
	Code            NoteKind = "code"             // digits were taken for a category
	HasUnit         NoteKind = "has unit"         // the numbers have a unit that is a word, or are multiplied
	MaybeCode       NoteKind = "maybe a code"     // integers were taken for numbers
	MaybeMissing    NoteKind = "maybe missing"    // a number may stand for a missing value
	MaybeMark       NoteKind = "maybe a mark"     // a level may stand for a missing value
	MaybeAlike      NoteKind = "maybe alike"      // levels that are told apart may be one
	NotNumbers      NoteKind = "not numbers"      // a few values of a column of numbers are none and count as missing
	MaybeNumbers    NoteKind = "maybe numbers"    // a column would be numbers but for some values or units
	GuessedLabel    NoteKind = "guessed label"    // which of two numbers is the positive label
	LastColumn      NoteKind = "last column"      // the label is the last of several columns that could be the label
	SeveralNegative NoteKind = "several negative" // several labels count as negative
	MaybeIdentifier NoteKind = "maybe identifier" // whole numbers that identify were taken for numbers
	DecimalComma    NoteKind = "decimal comma"    // 1,5 is one and a half
	Ambiguous       NoteKind = "ambiguous"        // 1,200 could be 1200 or 1.2
	Totals          NoteKind = "totals"           // the last row adds up the others
)

// Doubt reports whether a note is about what may well be otherwise, and no schema declares.
func (n Note) Doubt() bool {
	switch n.Kind {
	case Dropped, Code, DecimalComma, HasUnit:
		return false
	case NotNumbers:
		return n.Flag != ""
	}
	return true
}

func (t *Table) note(column string, kind NoteKind, text, flag string) {
	t.Notes = append(t.Notes, Note{column, kind, text, flag})
}

// Doubts returns an error that names every note that is in doubt, and what settles it; nil for none.
func (t *Table) Doubts() error {
	var list []string
	for _, n := range t.Notes {
		if n.Doubt() {
			list = append(list, strings.TrimPrefix(fmt.Sprintf("%s: %s", n.Column, n), ": "))
		}
	}
	if list == nil {
		return nil
	}
	return fmt.Errorf("%s: in doubt is\n  %s", t.Name, strings.Join(list, "\n  "))
}

// String is the text of a note, and the flag that changes it.
func (n Note) String() string {
	if n.Flag == "" {
		return n.Text
	}
	return n.Text + ": " + n.Flag
}
