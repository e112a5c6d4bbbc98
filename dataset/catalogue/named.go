// Package catalogue finds data by name: data that are built in, data that can be downloaded,
// and files of any format, plain or compressed.
package catalogue

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/people"
	"github.com/fairtrain/fairtrain/dataset/tabular"
)

// Entry is a data set known by name.
type Entry struct {
	Name    string `json:"name"`
	About   string `json:"about"`          // one line
	Page    string `json:"page,omitempty"` // the source's page, empty if built in
	Licence string `json:"licence"`
	Files   []File `json:"-"` // what Fetch gets, none if built in
}

// File is a file of a known data set. It says what the content must be.
type File struct {
	Name   string `json:"name"` // the file is stored and looked up under this name
	URL    string `json:"url"`
	SHA256 string `json:"sha256"` // hexadecimal
	Bytes  int64  `json:"bytes"`
}

// Entries returns the known data sets, the default first.
func Entries() []Entry {
	const page = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary/"
	return []Entry{
		{
			Name:    people.TrainName,
			About:   "invented applicants for jobs, a table with words: 4000 rows, and 2000 more as people.t",
			Licence: "as the program",
		},
		{
			Name:    "synthetic",
			About:   "an invented census: describes nobody; 32561 rows, and 16281 more as synthetic.t",
			Licence: "as the program",
		},
		{
			Name:    "a9a",
			About:   "UCI Adult, made binary: who earned over $50,000 in 1994; the test rows are a9a.t",
			Page:    "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary.html#a9a",
			Licence: "UCI Adult: CC BY 4.0",
			Files: []File{
				{
					Name:   "a9a",
					URL:    page + "a9a",
					SHA256: "f5d5ffd8d865ff41328e7ee043e4b020816914ff6843ff15b98905ddbedce906",
					Bytes:  2329875,
				},
				{
					Name:   "a9a.t",
					URL:    page + "a9a.t",
					SHA256: "1f7bae8e9729ad2bf9d18f66e5fa622e503e615114f92c37b274dfd24f2e5725",
					Bytes:  1164633,
				},
			},
		},
	}
}

// TestRows returns the name of the test rows that belong to data known by name, "" if there are
// none here.
func TestRows(name string) string {
	switch name {
	case census.TrainName:
		return census.TestName
	case people.TrainName:
		return people.TestName
	}
	for _, e := range Entries() {
		for _, f := range e.Files {
			if _, err := Resolve(f.Name); err == nil && e.Name == name && f.Name == name+".t" {
				return f.Name
			}
		}
	}
	return ""
}

// isMade reports whether a name stands for no file of rows.
func isMade(name string) bool {
	return slices.Contains([]string{census.TrainName, census.TestName, loanTrain, loanTest}, name)
}

// made returns the data of a name for which isMade holds, nil for any other name.
func made(name string) (*dataset.Dataset, error) {
	switch name {
	case census.TrainName:
		return census.Train(), nil
	case census.TestName:
		return census.Test(), nil
	case loanTrain, loanTest:
		return loan(name)
	}
	return nil, nil
}

const (
	loanTrain  = "loan"
	loanTest   = "loan.t"
	loanFile   = "lendingclub.csv.gz"
	loanSchema = "lendingclub"
)

// findLoan returns the path of the LendingClub file that "loan" and "loan.t" are made
// from: in one of the folders where Resolve looks, or in a folder "loan" there.
func findLoan() (string, error) {
	folders := searchPath()
	for _, name := range []string{loanFile, filepath.Join("loan", loanFile)} {
		if path, ok := findFile(folders, name); ok {
			return path, nil
		}
	}
	return "", fmt.Errorf("no %s, from which %s and %s are made, in %s or a folder loan there",
		loanFile, loanTrain, loanTest, strings.Join(folders, ", "))
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

// Resolve returns the path of the file that name stands for. A name with a separator is a path
// already, and "-" is stdin. Any other name is looked for in the working directory, in
// $FAIRTRAIN_DATA, in ./data and in CacheDir, in this order. If it is nowhere, the error lists
// these folders. The name of a built-in table stands for itself.
func Resolve(name string) (string, error) {
	if name == "-" || people.Is(name) || name != filepath.Base(name) {
		return name, nil
	}
	folders := searchPath()
	if path, ok := findFile(folders, name); ok {
		return path, nil
	}
	return "", fmt.Errorf("no data %q in %s (%s)", name, strings.Join(folders, ", "), remedy(name))
}

// findFile returns the path of the file of that name in the first directory that has one.
func findFile(dirs []string, name string) (path string, ok bool) {
	for _, dir := range dirs {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path, true
		}
	}
	return "", false
}

// searchPath lists the directories in which Resolve looks for a name.
func searchPath() []string {
	folders := []string{"."}
	if dir := os.Getenv("FAIRTRAIN_DATA"); dir != "" {
		folders = append(folders, dir)
	}
	folders = append(folders, "data")
	if dir, err := CacheDir(); err == nil { // without a home there is no cache to look in
		folders = append(folders, dir)
	}
	return folders
}

// CacheDir returns the directory for downloaded data, which need not exist yet.
func CacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("cache for data: %w", err)
	}
	return filepath.Join(dir, "fairtrain"), nil
}

// remedy says what to do about a name that was not found.
func remedy(name string) string {
	known := []string{people.TrainName, people.TestName, census.TrainName, census.TestName}
	for _, entry := range Entries() {
		for _, f := range entry.Files {
			if f.Name == name {
				return fmt.Sprintf("to download it: fairtrain data get %s", entry.Name)
			}
			known = append(known, f.Name)
		}
	}
	known = append(known, loanTrain, loanTest)
	return "known names: " + strings.Join(known, ", ")
}
