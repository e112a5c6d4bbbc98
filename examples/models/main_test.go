package main

import (
	"encoding/csv"
	"os"
	"strings"
	"testing"
)

// TestRun compares on the built-in table, without what others would use.
func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), &out, []string{"people"}, 1, false, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| people | additive |", "| people | linear |", "Equalized odds within 0.03",
		"of a constant: in 0 of 3 trainings", "Noise of the test rows alone explains 0.0",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}

// TestWriteRows: what the peers read has the features of a model of ours, and no group among them.
func TestWriteRows(t *testing.T) {
	s := sources[0]
	table, err := s.table()
	if err != nil {
		t.Fatal(err)
	}
	path := t.TempDir() + "/rows.csv"
	if err := s.writeRows(table, []int{0, 1, 2}, path); err != nil {
		t.Fatal(err)
	}
	head, rows := readCSV(t, path)
	if head[0] != "y" || head[1] != "g" || len(rows) != 3 {
		t.Fatalf("header %q and %d rows", head, len(rows))
	}
	for k, name := range head[2:] {
		column := table.Column(name[2:])
		if column == nil || column.Name == s.group || (name[:2] == "n_") != (column.Numbers != nil) {
			t.Errorf("column %d is called %q", k+2, name)
		}
	}
}

func readCSV(t *testing.T, path string) (head []string, rows [][]string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all[0], all[1:]
}
