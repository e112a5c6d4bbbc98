// Package table reads CSV files by columns and encodes them as rows of features:
//
//	Read       a file, read.go; what a Schema declares, schema.go, or infer.go finds out, with
//	           a Note where that may be doubted
//	Protect    columns that form groups and are no features, schema_groups.go
//	Encoding   what the columns become as features, encoding.go
package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset/textfile"
)

// Table is the content of a CSV file, by columns: those that the schema does not drop.
type Table struct {
	Name   string
	Hash   string // SHA-256 of the text as read, hexadecimal
	Format Format // as found, with nothing left open
	// Schema is the one the table was read with, completed: every column of the file is
	// the label, the weight or in Columns, and the values of the label are all in its
	// lists if their meaning is known.
	Schema  *Schema
	Rows    int
	Columns []*Column // in the order of the file
	Notes   []Note
	// Text is the encoding that the text was converted from, "" for UTF-8.
	Text string
	// Identities know each row again in another file; nil unless Options.Identify.
	Identities []uint64

	anyLabels bool
	byName    map[string]*Column
}

// Column is a column of a table: of numbers or of categories.
type Column struct {
	Name string

	// Numbers are the values of a numeric column, NaN where missing; nil otherwise.
	Numbers []float64
	Unit    string // of the numbers, "" for none

	// Codes are indices into Levels, the sorted distinct values of a category; −1 where
	// missing. They are nil in a numeric column.
	Codes  []int32
	Levels []string

	seen []place // where each level was first seen
}

// numbersAt returns the numbers of the given rows.
func (c *Column) numbersAt(rows []int) []float64 {
	values := make([]float64, len(rows))
	for k, i := range rows {
		values[k] = c.Numbers[i]
	}
	return values
}

// place is a position in a file.
type place struct{ line, column int }

// Column returns the column of the given name, nil if there is none.
func (t *Table) Column(name string) *Column {
	return t.byName[name]
}

// FullSchema returns the schema with everything that was found out about the file written
// down, to be edited and used again. A file without a header gets names, by which a header
// in another file is known.
func (t *Table) FullSchema() *Schema {
	s := *t.Schema
	s.Format = t.Format
	if !*s.Header {
		s.Header = nil
	}
	return &s
}

// labels maps the codes of the label column to −1 and +1, and says how in words. A level
// without a meaning is an error, or 0 if the labels of the table play no part.
func (t *Table) labels(l LabelSpec) (byCode []int8, rule string, err error) {
	if t.anyLabels && (t.Column(l.Column) == nil || len(l.Positive) == 0) {
		return nil, "labels not used", nil
	}
	if l.Column == "" {
		return nil, "", t.labelError(NoLabel)
	}
	column := t.Column(l.Column)
	if len(l.Positive) == 0 {
		return nil, "", t.labelError(NoPositive)
	}
	byCode = make([]int8, len(column.Levels))
	for code, level := range column.Levels {
		switch {
		case hasLabel(l.Positive, level):
			byCode[code] = 1
		case hasLabel(l.Negative, level) || len(l.Negative) == 0:
			byCode[code] = -1
		case !t.anyLabels:
			at := column.seen[code]
			return nil, "", textfile.Errorf(t.Name, at.line, at.column, "label %q, expected %s", level, textfile.QuoteAll(slices.Concat(l.Positive, l.Negative)))
		}
	}
	return byCode, l.Rule(), nil
}

// Rule says in words which values mean −1 and which +1.
func (l LabelSpec) Rule() string {
	negative := "others"
	if len(l.Negative) > 0 {
		negative = textfile.QuoteAll(l.Negative)
	}
	return fmt.Sprintf("%s: %s → −1, %s → +1", l.Column, negative, textfile.QuoteAll(l.Positive))
}

// labelKey is what of a label's value is compared.
func labelKey(value string) string { return strings.TrimSuffix(value, ".") }

func hasLabel(list []string, value string) bool {
	return slices.ContainsFunc(list, func(v string) bool { return labelKey(v) == labelKey(value) })
}
