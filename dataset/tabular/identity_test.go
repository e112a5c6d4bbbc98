package tabular

import (
	"slices"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/dataset/tabular/delimited"
)

func identities(t *testing.T, text string, schema *Schema) []uint64 {
	t.Helper()
	table, err := Read(strings.NewReader(text), schema,
		Options{Name: "x.csv", Identify: true, Apart: []string{"score"}})
	if err != nil {
		t.Fatal(err)
	}
	return table.Identities
}

// TestIdentities: the order of rows and columns, the schema, the scores and how a number is written
// do not change the identity of a row. Every other value does.
func TestIdentities(t *testing.T) {
	header := true
	free := func() *Schema { return &Schema{Format: delimited.Format{Header: &header}} }
	want := identities(t, "age,sex,score,y\n31,f,0.1,1\n47,m,0.2,0\n31,f,0.3,1\n", free())
	if want[0] != want[2] || want[0] == want[1] {
		t.Errorf("rows 1 and 3 are equal, 1 and 2 are not: %x", want)
	}
	dropping := free()
	dropping.Columns = []ColumnSpec{{Name: "age", As: Drop}}
	for name, got := range map[string][]uint64{
		"columns": identities(t, "y,score,sex, age\n1,9,f,31\n0,9,m,47\n1,9,f,31\n", free()),
		"numbers": identities(t, "age,sex,score,y\n31.0,f,0.1,1.00\n4.7e1,m,0.2,-0\n31.0000000000000000,f,0.3,1\n", free()),
		"schema":  identities(t, "age,sex,score,y\n31,f,0.1,1\n47,m,0.2,0\n31,f,0.3,1\n", dropping),
	} {
		if !slices.Equal(got, want) {
			t.Errorf("%s: %x, want %x", name, got, want)
		}
	}
	for name, text := range map[string]string{
		"value":    "age,sex,score,y\n32,f,0.1,1\n47,m,0.2,0\n",
		"label":    "age,sex,score,y\n31,f,0.1,0\n47,m,0.2,1\n",
		"boundary": "age,sex,score,y\n3,1f,0.1,1\n47,m,0.2,0\n",
		"swapped":  "sex,age,score,y\n31,f,0.1,1\n47,m,0.2,0\n",
	} {
		if got := identities(t, text, free()); got[0] == want[0] {
			t.Errorf("%s: another row has the same identity", name)
		}
	}
}
