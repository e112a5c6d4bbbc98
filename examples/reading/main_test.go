package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/dataset/table"
)

const rows = 1000

func random() *rand.Rand { return rand.New(rand.NewPCG(1, 1)) }

// TestTable reads the table that is written in three ways, which is the same.
func TestTable(t *testing.T) {
	var tables []*table.Table
	for name, write := range map[string]func(*bytes.Buffer) error{
		"t.csv":     func(w *bytes.Buffer) error { return csv(mixed())(w, rows, random()) },
		"t.csv.zst": func(w *bytes.Buffer) error { return compressed(mixed())(w, rows, random()) },
		"t.parquet": func(w *bytes.Buffer) error { return writeParquet(w, rows, random()) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		read, err := catalogue.LoadTable(path, nil, nil, table.Options{AnyLabels: true})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		tables = append(tables, read)
	}
	same := cmp.Options{
		cmpopts.IgnoreFields(table.Table{}, "Name", "Hash", "Format", "Typed"),
		cmpopts.IgnoreUnexported(table.Table{}, table.Column{}), cmp.AllowUnexported(dataset.Codes{}), cmpopts.EquateNaNs(),
		// Three decimals may be thousands, which only the types of Parquet tell apart.
		cmpopts.IgnoreSliceElements(func(n table.Note) bool { return n.Kind == table.Ambiguous }),
	}
	for _, other := range tables[1:] {
		if diff := cmp.Diff(tables[0], other, same); diff != "" {
			t.Error(diff)
		}
	}
	var levels, numbers int
	for _, c := range tables[0].Columns {
		if c.Numbers != nil {
			numbers++
		} else {
			levels++
		}
	}
	if tables[0].Rows != rows || levels < 10 || numbers < 14 || levels+numbers < 29 {
		t.Errorf("%d rows of %d columns of levels and %d of numbers", tables[0].Rows, levels, numbers)
	}
}

// TestLIBSVM reads the rows that are written.
func TestLIBSVM(t *testing.T) {
	for name, write := range map[string]func(*bytes.Buffer) error{
		"indicators": func(w *bytes.Buffer) error { return writeIndicators(w, rows, random()) },
		"numbers":    func(w *bytes.Buffer) error { return writeNumbers(w, rows, random()) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		d, err := libsvm.Read(&b, libsvm.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d.Rows() != rows || d.Features() != 123 || d.X.NNZ() != 14*rows {
			t.Errorf("%s: %d rows of %d features, %d entries", name, d.Rows(), d.Features(), d.X.NNZ())
		}
	}
}
