package catalogue

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/tabular"
)

const (
	loanTrain  = "loan"
	loanTest   = "loan.t"
	loanFile   = "lendingclub.csv.gz"
	loanSchema = "lendingclub"
)

// findLoan returns the path of the LendingClub file that "loan" and "loan.t" are made
// from: lendingclub.csv.gz in one of the places where Resolve looks, or in a folder "loan"
// there.
func findLoan() (string, error) {
	places := searchPath()
	for _, name := range []string{loanFile, filepath.Join("loan", loanFile)} {
		if path, ok := findFile(places, name); ok {
			return path, nil
		}
	}
	return "", fmt.Errorf("no %s, from which %s and %s are made, in %s or a folder loan there",
		loanFile, loanTrain, loanTest, strings.Join(places, ", "))
}

// loan returns "loan" or "loan.t": the even or the odd rows of the LendingClub file, counted
// from 0. The built-in schema encodes them, with the levels and bins of the whole file: 59 994
// and 59 993 rows of 235 binary features, with the attribute "income".
func loan(name string) (*dataset.Dataset, error) {
	path, err := findLoan()
	if err != nil {
		return nil, err
	}
	schema, err := tabular.LoadSchema(loanSchema)
	if err != nil {
		return nil, err
	}
	t, err := LoadTable(path, nil, schema, tabular.Options{})
	if err != nil {
		return nil, err
	}
	e, err := encoding.Learn(t, nil)
	if err != nil {
		return nil, err
	}
	first := 0
	if name == loanTest {
		first = 1
	}
	var rows []int
	for i := first; i < t.Rows; i += 2 {
		rows = append(rows, i)
	}
	d, err := e.Apply(t, rows)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	d.Name = name
	return d, nil
}
