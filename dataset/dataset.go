// Package dataset reads labelled data into immutable sparse rows: LIBSVM files, named
// data sets, and a synthetic census that ships with the program.
package dataset

// Dataset is labelled rows, shared read-only by everything that uses them.
type Dataset struct {
	Name string   // what a person calls it: "a9a", "synthetic", a path
	X    *Matrix  // rows × features
	Y    []int8   // labels, −1 or +1, one a row
	Rule string   // how the labels of the source were mapped to ±1, for the report
	Hash string   // SHA-256 of the content as read, hexadecimal
	Cols []string // feature names; nil means "1", "2", … as in LIBSVM
}

// Rows returns the number of rows.
func (d *Dataset) Rows() int { return len(d.Y) }

// Features returns the number of columns of X.
func (d *Dataset) Features() int {
	_, cols := d.X.Dims()
	return cols
}
