package encoding

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular"
)

const townspeople = "age,sex,race,pay,y\n20,f,A,$1,0\n30,f,B,$2,1\n40,m,A,$3,0\n50,m,B,$4,1\n60,m,B,$5,1\n,f,A,$6,0\n"

// encode learns the encoding of a table and applies it.
func encode(t testing.TB, people *tabular.Table) (*Encoding, *dataset.Dataset) {
	t.Helper()
	e, err := Learn(people, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := e.Apply(people, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e, d
}

// learnWith learns the encoding of the townspeople with a schema. It names every level,
// although the townspeople are few.
func learnWith(t testing.TB, s *tabular.Schema) (*Encoding, *dataset.Dataset) {
	t.Helper()
	s.MinCount = 1
	return encode(t, readTable(t, townspeople, s))
}

// TestProtect: the columns of the given groups are no features, whether the schema declares
// them as features, as something else, or not at all. The columns of the schema's other groups
// are features.
func TestProtect(t *testing.T) {
	declared := func() *tabular.Schema {
		return &tabular.Schema{
			Groups: []tabular.GroupSpec{
				{Name: "gender", Column: "sex"},
				{Name: "age", Column: "age", Cuts: []float64{35}, Levels: []string{"young", "old"}},
			},
			Columns: []tabular.ColumnSpec{
				{Name: "age", As: tabular.Standardise},
				{Name: "sex", As: tabular.OneHot},
				{Name: "pay", As: tabular.Raw, Unit: "$"},
			},
			Crosses: []string{"gender*age", "age"},
		}
	}
	for name, test := range map[string]struct {
		schema   *tabular.Schema
		specs    []string
		features []string
		groups   []string
	}{
		"by name":    {&tabular.Schema{}, []string{"sex*race=A"}, []string{"age", "age=(missing)", "pay"}, []string{"sex", "race"}},
		"ranges":     {&tabular.Schema{}, []string{"age<30", "pay[2,3]"}, []string{"sex=(rare)", "race=(rare)"}, []string{"age", "pay"}},
		"attributes": {declared(), []string{"gender=f"}, []string{"age", "age=(missing)", "pay", "race=(rare)", "age=old", "age=young", "age=(missing)"}, []string{"gender", "age"}},
		"a number":   {declared(), []string{"age"}, []string{"sex=f", "sex=m", "pay", "race=(rare)"}, []string{"gender", "age"}},
	} {
		e, d := learnWith(t, test.schema.Protect(test.specs))
		if diff := cmp.Diff(test.features, e.Names(), cmpopts.SortSlices(strings.Compare)); diff != "" {
			t.Errorf("%s: features (-want +got)\n%s", name, diff)
		}
		var groups []string
		for _, a := range d.Attributes {
			groups = append(groups, a.Name)
		}
		if diff := cmp.Diff(test.groups, groups); diff != "" {
			t.Errorf("%s: attributes (-want +got)\n%s", name, diff)
		}
		if used := e.UsesGroups(test.specs); len(used) > 0 {
			t.Errorf("%s: the features tell %q", name, used)
		}
	}
	e, _ := learnWith(t, declared().Protect([]string{"gender"}))
	if diff := cmp.Diff([]string{"age"}, e.UsesGroups([]string{"gender*age", "age<20", "3"})); diff != "" {
		t.Errorf("groups used (-want +got)\n%s", diff)
	}
	isProtected := func(c tabular.ColumnSpec) bool { return c.Name == "sex" && c.Reason == tabular.Protected }
	if !slices.ContainsFunc(e.Schema.Columns, isProtected) {
		t.Errorf("sex is not protected: %+v", e.Schema.Columns)
	}
}

// TestProtectedColumnsMayBeAbsent: rows that are only scored, or judged by other groups, need
// no protected columns.
func TestProtectedColumnsMayBeAbsent(t *testing.T) {
	e, want := learnWith(t, (&tabular.Schema{}).Protect([]string{"sex", "race"}))
	const rows = "age,pay,y\n20,$1,0\n30,$2,1\n40,$3,0\n50,$4,1\n60,$5,1\n,$6,0\n"
	for _, opts := range []tabular.Options{{AnyLabels: true}, {OnlyGroups: true}} {
		d, err := e.Read(strings.NewReader(rows), opts)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(dense(want), dense(d)); diff != "" {
			t.Errorf("%+v (-want +got)\n%s", opts, diff)
		}
	}
	_, err := e.Read(strings.NewReader(rows), tabular.Options{Name: "f.csv", Groups: []string{"race"}, OnlyGroups: true})
	if err == nil || !strings.HasPrefix(err.Error(), `f.csv:1:1: there is no column "race", which is group race`) {
		t.Errorf("error %v", err)
	}
}

// TestExpose: every group that no single feature tells gets a feature, in training rows and in
// other rows, also after the encoding was written and read.
func TestExpose(t *testing.T) {
	s := &tabular.Schema{Columns: []tabular.ColumnSpec{{Name: "sex", As: tabular.OneHot}, {Name: "race", As: tabular.OneHot}, {Name: "pay", As: tabular.Drop}}}
	learned, d := learnWith(t, s.Expose([]string{"sex", "sex*race", "sex=f*age<35", "pay<3"}))
	text, err := json.Marshal(learned)
	if err != nil {
		t.Fatal(err)
	}
	e := &Encoding{}
	if err := json.Unmarshal(text, e); err != nil {
		t.Fatal(err)
	}
	if err := e.Validate(); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"sex=f", "sex=m", "race=A", "race=B", "age", "age=(missing)",
		"sex=f*race=A", "sex=f*race=B", "sex=m*race=A", "sex=m*race=B", "sex=f*age<35",
	}
	if diff := cmp.Diff(want, e.Names()); diff != "" {
		t.Fatalf("names (-want +got)\n%s", diff)
	}
	crosses := func(d *dataset.Dataset) [][]float64 {
		rows := dense(d)
		for i := range rows {
			rows[i] = rows[i][6:]
		}
		return rows
	}
	trained := [][]float64{{1, 0, 0, 0, 1}, {0, 1, 0, 0, 1}, {0, 0, 1, 0, 0}, {0, 0, 0, 1, 0}, {0, 0, 0, 1, 0}, {1, 0, 0, 0, 0}}
	if diff := cmp.Diff(trained, crosses(d)); diff != "" {
		t.Errorf("training rows (-want +got)\n%s", diff)
	}
	others, err := e.Read(strings.NewReader("race,sex,age\nB,m,20\nC,f,30\nA,?,30\n"), tabular.Options{AnyLabels: true})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]float64{{0, 0, 0, 1, 0}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 0}}, crosses(others)); diff != "" {
		t.Errorf("other rows (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"sex", "race", "age"},
		e.UsesGroups([]string{"sex*race", "age<35", "pay<3"})); diff != "" {
		t.Errorf("groups used (-want +got)\n%s", diff)
	}
	_, err = e.Read(strings.NewReader("race,sex\nB,m\n"), tabular.Options{Name: "f.csv", AnyLabels: true})
	if err == nil || !strings.HasPrefix(err.Error(), `f.csv:1:1: there is no column "age", which is a feature`) {
		t.Errorf("error %v", err)
	}
}

// TestCrossesFromAFile: crosses that don't fit the schema are refused.
func TestCrossesFromAFile(t *testing.T) {
	e, _ := learnWith(t, (&tabular.Schema{}).Expose([]string{"sex*race"}))
	e.Schema.Crosses = []string{"sex*town"}
	err := e.Validate()
	for _, want := range []string{`crosses: "sex*town" names "town", which is no group`, `cross "sex*race": is not among the crosses of the schema`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %s", err, want)
		}
	}
}
