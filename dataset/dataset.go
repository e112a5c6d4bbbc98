// Package dataset is labelled data as everything else uses them: immutable sparse rows, groups
// of the people behind the rows, and rows dealt at random into training and test rows. The
// packages below it read data:
//
//	catalogue   data by name or path, whatever the format: start here
//	libsvm      rows that are features already
//	tabular     CSV and Parquet files by columns
//	encoding    features made of the columns of a table
//	packed      rows in a file that is mapped into memory
//	people      the invented applicants that ship with the program, a table
//	census      the invented census that ships with the program, rows of features
//	sparse      the matrix of the rows and its products
//	textfile    text and its faults
package dataset

import (
	"fmt"

	"github.com/fairtrain/fairtrain/dataset/sparse"
)

// Dataset is labelled rows, shared read-only by everything that uses them.
type Dataset struct {
	Name string         // what a person calls it: "a9a", "synthetic", a path
	X    *sparse.Matrix // rows × features
	Y    []int8         // labels, −1 or +1, one a row
	Rule string         // how the labels of the source were mapped to ±1, for the report
	Hash string         // SHA-256 of the content as read, hexadecimal; see HashOfFiles
	// Files are those of the files that have rows, if the rows are from several; nil otherwise.
	Files []string
	Cols  []string // feature names; nil means "1", "2", … as in LIBSVM

	// Mapped is the file that the rows lie in, which takes no memory of the program; nil if they
	// are in memory.
	Mapped int64

	Weights []float64 // weights ≥ 0 of the rows; nil means that all count alike
	// SampleOf is the number of rows without weights that these are a sample of; 0: of none. Then
	// the weights say how many of those a row stands for, in units that make their mean 1.
	SampleOf   int
	Attributes []Attribute // of the people, from CSV files; see FindGroups
	// Missing are the columns of a CSV file that lack values and that features are made of; nil if
	// nobody has counted.
	Missing []ColumnCount
	// Unknown are the columns with levels that no feature stands for: training did not see
	// them.
	Unknown []UnknownLevels

	known *knownStrata // see Strata
}

// UnknownLevels are the levels of a column that no feature stands for.
type UnknownLevels struct {
	Column  string `json:"column"`
	Example string `json:"example"` // one of them
	Rows    int    `json:"rows"`    // that have them
}

// ColumnCount is a column and a number of rows, for example the rows without a value.
type ColumnCount struct {
	Column string `json:"column"`
	Rows   int    `json:"rows"`
}

// Validate reports labels or weights that are not one a row. It does not look at their values, so
// that it takes no time.
func (d *Dataset) Validate() error {
	if d.X == nil {
		return fmt.Errorf("%s: no rows", d.Name)
	}
	rows, _ := d.X.Dims()
	if len(d.Y) != rows {
		return fmt.Errorf("%s: %d labels for %d rows", d.Name, len(d.Y), rows)
	}
	if d.Weights != nil && len(d.Weights) != rows {
		return fmt.Errorf("%s: %d weights for %d rows", d.Name, len(d.Weights), rows)
	}
	return nil
}

// Rows returns the number of rows.
func (d *Dataset) Rows() int { return len(d.Y) }

// All returns the number of rows that these rows are, or are a sample of.
func (d *Dataset) All() int { return max(d.Rows(), d.SampleOf) }

// Weighted reports whether the rows have weights. Those that a sample is of have none.
func (d *Dataset) Weighted() bool { return d.Weights != nil && d.SampleOf == 0 }

// Weight returns the weight of row i.
func (d *Dataset) Weight(i int) float64 {
	if d.Weights == nil {
		return 1
	}
	return d.Weights[i]
}

// Features returns the number of columns of X.
func (d *Dataset) Features() int {
	_, cols := d.X.Dims()
	return cols
}
