// Package table reads CSV files by columns.
//
//	Schema     what the columns of a file are declared to be, schema.go
//	Read       a file, read.go; infer.go finds out what the schema leaves open, with a Note
//	           where that may be doubted
//	Protect    columns that form groups and are no features, schema_groups.go
//
// Package encoding turns the columns into features.
package table

import "github.com/fairtrain/fairtrain/dataset/delimited"

// Table is the content of a CSV file, by columns: those that the schema does not drop.
type Table struct {
	Name   string
	Hash   string           // SHA-256 of the text as read, hexadecimal
	Format delimited.Format // as found, with nothing left open
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

	seen []delimited.Place // where each level was first seen
}

// numbersAt returns the numbers of the given rows.
func (c *Column) numbersAt(rows []int) []float64 {
	values := make([]float64, len(rows))
	for k, i := range rows {
		values[k] = c.Numbers[i]
	}
	return values
}

// Count counts the given rows by their level, and those without one; nil means all rows.
func (c *Column) Count(rows []int) (byLevel []int, missing int) {
	count := make([]int, 1+len(c.Levels)) // of the missing ones, then of each level
	if rows == nil {
		for _, code := range c.Codes {
			count[1+code]++
		}
	}
	for _, i := range rows {
		count[1+c.Codes[i]]++
	}
	return count[1:], count[0]
}

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
