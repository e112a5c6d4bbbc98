package catalogue

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/table"
)

const (
	loanTrain  = "loan"
	loanTest   = "loan.t"
	loanFile   = "lendingclub.csv.gz"
	loanSchema = "lendingclub"
)

func isLoan(name string) bool { return name == loanTrain || name == loanTest }

// LoanFile returns the path of the LendingClub file that "loan" and "loan.t" are made
// from: lendingclub.csv.gz in one of the places where Resolve looks, or in a folder "loan"
// there.
func LoanFile() (string, error) {
	places := searchPath()
	for _, name := range []string{loanFile, filepath.Join("loan", loanFile)} {
		if path, ok := findFile(places, name); ok {
			return path, nil
		}
	}
	return "", fmt.Errorf("no %s, from which %s and %s are made, in %s or a folder loan there",
		loanFile, loanTrain, loanTest, strings.Join(places, ", "))
}

// readLoan returns "loan", the even rows of the LendingClub file counted from 0, or
// "loan.t", the odd ones, encoded by the built-in schema with the levels and bins of the
// whole file: 59 994 and 59 993 rows of 235 binary features, with the attribute "income".
func readLoan(name string, r io.Reader, path string) (*dataset.Dataset, error) {
	schema, err := table.LoadSchema(loanSchema)
	if err != nil {
		return nil, err
	}
	t, err := table.Read(r, schema, table.Options{Name: path})
	if err != nil {
		return nil, err
	}
	e, err := table.Learn(t, nil)
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
