package encoding

import (
	"encoding/json"
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular"
)

// TestAbsent: an encoding knows the groups that its training rows had, whether the groups are
// features or not. It still knows them after it was written and read.
func TestAbsent(t *testing.T) {
	const text = "sex,age,town,town2,y\nf,20,a,a,0\nm,30,b,b,1\nx,40,a,a,0\nf,70,,b,1\n"
	schema := &tabular.Schema{
		MinCount: 1,
		Label:    tabular.LabelSpec{Column: "y"},
		Groups: []tabular.GroupSpec{
			{Column: "sex"},
			{Name: "generation", Column: "age", Cuts: []float64{35, 60, 90}, Levels: []string{"young", "middle", "old", "older"}},
			{Column: "town", Merge: map[string][]string{"city": {"a"}}},
		},
		Columns: []tabular.ColumnSpec{{Name: "sex", As: tabular.Drop}, {Name: "town2", As: tabular.OneHot}},
	}
	people, err := tabular.Read(strings.NewReader(text), schema, tabular.Options{})
	if err != nil {
		t.Fatal(err)
	}
	learned, err := Learn(people, []int{0, 1, 3}) // without the sex x and the middle ages
	if err != nil {
		t.Fatal(err)
	}
	stored, err := json.Marshal(learned)
	if err != nil {
		t.Fatal(err)
	}
	e := &Encoding{}
	if err := json.Unmarshal(stored, e); err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"sex": {"f", "m"}, "generation": {"young", "old"}, "town": {"b", "city", dataset.MissingLevel}}
	if diff := cmp.Diff(want, e.Levels); diff != "" {
		t.Errorf("levels (-want +got)\n%s", diff)
	}

	all, err := e.Apply(people, nil)
	if err != nil {
		t.Fatal(err)
	}
	e.Schema = e.Schema.WithGroups([]string{"town2"})
	others, err := e.Read(strings.NewReader("sex,age,town,town2,y\nf,30,a,a,0\nf,40,a,a,1\n"), tabular.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for spec, want := range map[string][]string{
		"sex":            {"sex=m"},
		"sex=f":          nil, // one group against all other rows
		"age<50":         nil,
		"1":              nil,
		"generation":     {"generation=old"},
		"town":           {"town=b", "town=(missing)"},
		"town2":          {"town2=b"},
		"sex*generation": {"sex=m", "generation=old"},
	} {
		if diff := cmp.Diff(want, e.Absent(others, spec)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", spec, diff)
		}
	}
	for spec, want := range map[string]int{"1": 1, "sex": 3, "sex=f*town": 3, "sex*generation*town": 27, "age<30*sex": 3} {
		if got := dataset.Combinations(all, spec); got != want {
			t.Errorf("%s: %d combinations, want %d", spec, got, want)
		}
	}
	e.Levels = nil // as in an older file
	if absent := e.Absent(others, "sex"); absent != nil {
		t.Errorf("nothing is known, but %q is absent", absent)
	}
}

// TestTruths: true is True where training knew it so, as a level of a group as of a feature.
func TestTruths(t *testing.T) {
	schema := &tabular.Schema{MinCount: 1, Label: tabular.LabelSpec{Column: "y"}, Groups: []tabular.GroupSpec{{Column: "owner"}}}
	e, err := Learn(tableOf(t, "owner,y\nTrue,0\nFalse,1\nTrue,1\n", schema), nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := e.Apply(tableOf(t, "owner,y\ntrue,0\nfalse,1\nfalse,0\n", e.Schema), nil)
	if err != nil {
		t.Fatal(err)
	}
	if a := d.Attribute("owner"); !cmp.Equal(a.Levels, []string{"False", "True"}) || a.Codes.At(0) != 1 {
		t.Errorf("levels %q, the first row has %d", a.Levels, a.Codes.At(0))
	}
	if absent := e.Absent(d, "owner"); len(absent) > 0 {
		t.Errorf("%q are absent", absent)
	}
}

// tableOf reads CSV text.
func tableOf(t *testing.T, text string, schema *tabular.Schema) *tabular.Table {
	t.Helper()
	read, err := tabular.Read(strings.NewReader(text), schema, tabular.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// TestSpellings: whole numbers with and without a point are the same level and group, unless
// training had both.
func TestSpellings(t *testing.T) {
	schema := &tabular.Schema{
		MinCount: 1, Label: tabular.LabelSpec{Column: "y"}, Groups: []tabular.GroupSpec{{Column: "code"}},
		Columns: []tabular.ColumnSpec{{Name: "code", As: tabular.OneHot}, {Name: "kind", As: tabular.OneHot}},
	}
	for _, test := range []struct{ training, later, same string }{
		{"1.0,-2\n0.0,3\n,3\n", "1,-2.0\n0,3.0\n,3.0\n", "1.0,-2\n0.0,3\n,3\n"},
		{"1,a\n1.0,b\n0,b\n", "1,a\n1,a\n1,a\n", "1,a\n1,a\n1,a\n"},
		{"1,a\n1.0,b\n0,b\n", "1.0,a\n0.0,b\n0.0,b\n", "1.0,a\n0,b\n0,b\n"},
	} {
		labelled := func(text string) string {
			lines := strings.Split(strings.TrimSpace(text), "\n")
			for k := range lines {
				lines[k] += "," + strconv.Itoa(k%2)
			}
			return "code,kind,y\n" + strings.Join(lines, "\n") + "\n"
		}
		e, err := Learn(tableOf(t, labelled(test.training), schema), nil)
		if err != nil {
			t.Fatal(err)
		}
		var rows [2]*dataset.Dataset
		for k, text := range []string{test.same, test.later} {
			if rows[k], err = e.Apply(tableOf(t, labelled(text), e.Schema), nil); err != nil {
				t.Fatal(err)
			}
		}
		for i := range rows[0].Y {
			if diff := cmp.Diff(maps.Collect(rows[0].X.Row(i)), maps.Collect(rows[1].X.Row(i))); diff != "" {
				t.Errorf("%q as %q, row %d (-want +got)\n%s", test.same, test.later, i, diff)
			}
		}
		if len(rows[1].Unknown) > 0 || !cmp.Equal(rows[0].Attribute("code").Levels, rows[1].Attribute("code").Levels) {
			t.Errorf("%q as %q: levels %q, unknown %v", test.same, test.later,
				rows[1].Attribute("code").Levels, rows[1].Unknown)
		}
	}
}
