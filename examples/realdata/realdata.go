// Package realdata has the data sets about people of $FAIRTRAIN_DATA, for the examples that
// make a table of them.
package realdata

import (
	"path/filepath"

	"github.com/fairtrain/fairtrain/dataset/table"
)

// Set is a data set.
type Set struct {
	Name    string
	File    string
	BuiltIn string // schema; empty if columns are inferred
	Label   string // column of the label, unless the schema names it
}

// The data sets.
var (
	Adult         = Set{Name: "Adult", File: "adult/adult.data", BuiltIn: "adult"}
	COMPAS        = Set{Name: "COMPAS", File: "compas/compas-two-years.csv", BuiltIn: "compas"}
	German        = Set{Name: "German credit", File: "german/german.data", BuiltIn: "german"}
	CreditDefault = Set{Name: "Credit default", File: "credit-default/credit-card-clients.csv", BuiltIn: "credit-default"}
	LendingClub   = Set{Name: "LendingClub", File: "loan/lendingclub.csv.gz", BuiltIn: "lendingclub"}
	Dutch         = Set{Name: "Dutch census", File: "dutch/dutch.csv", Label: "occupation"}
)

// Path returns the file of s below the folder of the data.
func (s Set) Path(dir string) string { return filepath.Join(dir, filepath.FromSlash(s.File)) }

// Schema returns the schema that s is read with.
func (s Set) Schema() (*table.Schema, error) {
	if s.BuiltIn == "" {
		return &table.Schema{Label: table.LabelSpec{Column: s.Label}}, nil
	}
	return table.LoadSchema(s.BuiltIn)
}
