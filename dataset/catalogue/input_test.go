package catalogue

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/dataset/textfile"
)

func TestLoadTable(t *testing.T) {
	places := emptyWorld(t)
	schema := &tabular.Schema{
		Label:   tabular.LabelSpec{Column: "rich", Positive: []string{"yes"}},
		Columns: []tabular.ColumnSpec{{Name: "age", As: tabular.Raw}},
	}
	const text = "age,job,city,rich\n31,cook,Bern,yes\n42,x,Ulm,no\n"
	write(t, filepath.Join(places[2], "people.csv"), text)
	for _, name := range []string{"people.csv", "data/people.csv", "-"} {
		read, err := LoadTable(name, strings.NewReader(text), schema, tabular.Options{})
		if err != nil || read.Name != name || read.Rows != 2 {
			t.Errorf("%s: table %+v, error %v", name, read, err)
		}
	}
	write(t, "bad.csv", text+"1\n")
	_, err := LoadTable("bad.csv", nil, schema, tabular.Options{})
	if fault, ok := errors.AsType[*textfile.ParseError](err); !ok || fault.File != "bad.csv" || fault.Line != 4 {
		t.Errorf("bad file: error %v", err)
	}
	if _, err := LoadTable("absent.csv", nil, schema, tabular.Options{}); err == nil {
		t.Error("an absent name was loaded")
	}
}

// TestLoadTableWithoutASchema: everything about the file is found out.
func TestLoadTableWithoutASchema(t *testing.T) {
	read, err := LoadTable("-", strings.NewReader("age,y\n31,1\n42,0\n53,0\n"), nil, tabular.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if read.Rows != 3 || read.Schema.Label.Column != "y" || read.Column("age").Numbers == nil {
		t.Errorf("%d rows, label %q", read.Rows, read.Schema.Label.Column)
	}
}
