package dataset_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/tabular"
)

// crowd returns data of six people with two attributes and two features.
func crowd(t testing.TB) *dataset.Dataset {
	t.Helper()
	s := &tabular.Schema{
		MinCount: 1,
		Label:    tabular.LabelSpec{Column: "y", Positive: []string{"1"}},
		Groups:   []tabular.GroupSpec{{Column: "sex"}, {Name: "race", Column: "r", Merge: map[string][]string{"Other": {"B", "C"}}}},
		Columns:  []tabular.ColumnSpec{{Name: "x", As: tabular.OneHot}},
		Others:   tabular.Drop,
	}
	return encoded(t, "y,sex,r,x\n1,f,A,a\n0,f,B,a\n1,m,A,b\n0,m,A,b\n1,?,C,b\n0,f,A,b\n", s)
}

// encoded learns the encoding of a CSV file and returns its rows.
func encoded(t testing.TB, text string, s *tabular.Schema) *dataset.Dataset {
	t.Helper()
	read, err := tabular.Read(strings.NewReader(text), s, tabular.Options{Name: "f.csv"})
	if err != nil {
		t.Fatal(err)
	}
	e, err := encoding.Learn(read, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := e.Apply(read, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// rowsOf returns the rows of a group.
func rowsOf(g *dataset.Group) []int {
	var rows []int
	for i, in := range g.Member {
		if in {
			rows = append(rows, i)
		}
	}
	return rows
}

func TestFindGroups(t *testing.T) {
	d := crowd(t)
	for spec, want := range map[string]map[string][]int{
		"1":                {"1": {0, 1}},
		"sex=f":            {"sex=f": {0, 1, 5}},
		"sex":              {"sex=f": {0, 1, 5}, "sex=m": {2, 3}, "sex=(missing)": {4}},
		"race":             {"race=A": {0, 2, 3, 5}, "race=Other": {1, 4}},
		"sex*race":         {"sex=f*race=A": {0, 5}, "sex=f*race=Other": {1}, "sex=m*race=A": {2, 3}, "sex=(missing)*race=Other": {4}},
		"sex=f*race":       {"sex=f*race=A": {0, 5}, "sex=f*race=Other": {1}},
		"race=Other*sex=f": {"race=Other*sex=f": {1}},
		"sex=m|f":          {"sex=f": {0, 1, 5}, "sex=m": {2, 3}},
		"sex=f| m*race":    {"sex=f*race=A": {0, 5}, "sex=f*race=Other": {1}, "sex=m*race=A": {2, 3}},
		"sex=m|f|f":        {"sex=f": {0, 1, 5}, "sex=m": {2, 3}},
	} {
		groups, err := dataset.FindGroups(d, spec)
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		got := map[string][]int{}
		for _, g := range groups {
			got[g.Name] = rowsOf(g)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", spec, diff)
		}
	}
}

func TestFindGroupsErrors(t *testing.T) {
	d := crowd(t)
	for spec, want := range map[string]string{
		"3":                      "no such feature in f.csv, which has features 1 to 2",
		"":                       `f.csv has no attribute ""`,
		"seks":                   `group seks: f.csv has no attribute "seks", it has "sex", "race" (did you mean "sex"?)`,
		"race=other":             `group race=other: race has no value "other", it has "A", "Other" (did you mean "Other"?)`,
		"sex*":                   `group sex*: f.csv has no attribute "sex*"`,
		"sex=m*race=Oth":         `race has no value "Oth"`,
		"sex=f|w":                `group sex=f|w: sex has no value "w"`,
		"sex=f|f":                `f.csv: group sex=f|f: only sex=f has rows, so there is nothing to compare it with`,
		"sex=(missing)*race":     "group sex=(missing)*race: only sex=(missing)*race=Other has rows",
		"sex=(missing)|m*race=A": "group sex=(missing)|m*race=A: only sex=m*race=A has rows",
		"sex=f|":                 `group sex=f|: sex has no value ""`,
		"sex=m*sex=f":            "group sex=m*sex=f: none of the 6 rows belongs to it",
	} {
		if _, err := dataset.FindGroups(d, spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", spec, err, want)
		}
	}
}

func TestGroupsOfLIBSVMRows(t *testing.T) {
	train := census.Train()
	if _, err := dataset.FindGroups(train, "race=minority-a"); err == nil ||
		!strings.Contains(err.Error(), "synthetic has no attributes, its groups are numbers of features") {
		t.Errorf("error %v", err)
	}
}

// TestCuts: numbers, levels that are numbers, and ranges of the schema can be cut.
func TestCuts(t *testing.T) {
	s := &tabular.Schema{
		Label:   tabular.LabelSpec{Column: "y"},
		Groups:  []tabular.GroupSpec{{Column: "age", Number: true}, {Column: "grade"}, {Column: "pay", Cuts: []float64{2}, Levels: []string{"low", "high"}}},
		Columns: []tabular.ColumnSpec{{Name: "grade", As: tabular.OneHot}},
		Others:  tabular.Drop,
	}
	d := encoded(t, "y,age,grade,pay\n1,24.5,1,1\n0,25,2,2\n1,45,10,3\n0,,?,4\n1,46,1,5\n", s)
	for spec, want := range map[string]struct {
		name string
		rows []int
	}{
		"age<25":            {"age<25", []int{0}},
		"age <= 25.0":       {"age<=25", []int{0, 1}},
		"age>45":            {"age>45", []int{4}},
		"age>=4.5e1":        {"age>=45", []int{2, 4}},
		"age[25,45]":        {"age[25,45]", []int{1, 2}},
		"age [25, 45]":      {"age[25,45]", []int{1, 2}},
		"grade>=2":          {"grade>=2", []int{1, 2}},
		"grade=1*age[0,45]": {"grade=1*age[0,45]", []int{0}},
		"pay>2":             {"pay>2", []int{2, 3, 4}},
		"pay=low*age>24.5":  {"pay=low*age>24.5", []int{1}},
	} {
		groups, err := dataset.FindGroups(d, spec)
		if err != nil || len(groups) != 1 {
			t.Errorf("%s: %d groups, error %v", spec, len(groups), err)
			continue
		}
		if g := groups[0]; g.Name != want.name || !slices.Equal(rowsOf(g), want.rows) {
			t.Errorf("%s: group %s of rows %v, want %s of %v", spec, g.Name, rowsOf(g), want.name, want.rows)
		}
	}
	for spec, want := range map[string]string{
		"age":        "age is a number, expected a range such as age<25 or age[25,45]",
		"age<":       `has no attribute "age<"`,
		"age[45,25]": "none of the 5 rows",
		"age>0*pay":  "",
	} {
		if _, err := dataset.FindGroups(d, spec); want == "" && err != nil || want != "" &&
			(err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: error %v, want %q", spec, err, want)
		}
	}
	if _, err := dataset.FindGroups(crowd(t), "race<3"); err == nil ||
		!strings.Contains(err.Error(), `race is a category ("A", "Other"), only a number can be cut`) {
		t.Errorf("error %v", err)
	}
	half := d.Pick([]int{1, 2, 3}, "a part")
	if groups, err := dataset.FindGroups(half, "age<=25"); err != nil || !slices.Equal(rowsOf(groups[0]), []int{0}) {
		t.Errorf("of a part of the rows: %v, error %v", groups, err)
	}
}

func TestAttributesIn(t *testing.T) {
	for spec, want := range map[string][]string{
		"71": {"71"}, "sex": {"sex"}, "sex=f*race": {"sex", "race"}, "age<25*sex": {"age", "sex"},
		"age[25,45]": {"age"}, "income=<=50K": {"income"}, "band=[0, 10)": {"band"}, "height [m]": {"height [m]"},
	} {
		if diff := cmp.Diff(want, dataset.AttributesIn(spec)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", spec, diff)
		}
	}
}

// TestGroupsPartTheRows: every row is in exactly one group of a product of attributes, and the
// name of each group finds the group again.
func TestGroupsPartTheRows(t *testing.T) {
	d := crowd(t)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 20).Draw(t, "rows")
		codes := rapid.SliceOfN(rapid.IntRange(0, 2), n, n)
		d := &dataset.Dataset{Name: "drawn", X: d.X, Y: make([]int8, n), Attributes: []dataset.Attribute{
			{Name: "a", Levels: []string{"x", "y", "z"}, Codes: dataset.CodesOf(codes.Draw(t, "a")...)},
			{Name: "b", Levels: []string{"u", "v", "w"}, Codes: dataset.CodesOf(codes.Draw(t, "b")...)},
		}}
		groups, err := dataset.FindGroups(d, "a*b")
		if err != nil {
			t.Skip("all rows are of one group")
		}
		var rows []int
		for _, g := range groups {
			rows = append(rows, rowsOf(g)...)
			again, err := dataset.FindGroups(d, g.Name)
			if err != nil || len(again) != 1 {
				t.Fatalf("%s: %d groups, error %v", g.Name, len(again), err)
			}
			if diff := cmp.Diff(g, again[0]); diff != "" {
				t.Fatalf("%s (-first +again)\n%s", g.Name, diff)
			}
		}
		slices.Sort(rows)
		for i := range n {
			if len(rows) != n || rows[i] != i {
				t.Fatalf("rows of all groups are %v, want each of %d once", rows, n)
			}
		}
	})
}

// TestSplitKeepsAttributesAndWeights: attributes and weights stay with their rows.
func TestSplitKeepsAttributesAndWeights(t *testing.T) {
	d := crowd(t)
	d.Weights = []float64{0, 1, 2, 3, 4, 5} // the weight of a row is its number
	train, test, err := dataset.Split(d, 0.5, 1)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, part := range []*dataset.Dataset{train, test} {
		for i, w := range part.Weights {
			seen++
			for k, a := range d.Attributes {
				if got, want := part.Attributes[k].Codes.At(i), a.Codes.At(int(w)); got != want {
					t.Errorf("%s: row %v has %s %d, want %d", part.Name, w, a.Name, got, want)
				}
			}
		}
	}
	if seen != 6 || d.Attributes[0].Codes.Len() != 6 {
		t.Errorf("%d rows in the parts of 6", seen)
	}
}

// TestLacking: of several levels that a specification names some may have no rows, which
// CheckLevels refuses. What they stand for never depends on the levels of the data.
func TestLacking(t *testing.T) {
	d := crowd(t)
	d.Attributes[0].Levels = append(d.Attributes[0].Levels, "x", "x|y") // of no row
	for spec, want := range map[string]string{
		"sex=f|m":             "",
		"sex":                 "",
		"sex=f|m|x":           "f.csv: group sex=x: none of the 6 rows belongs to it",
		"sex=f|m|W":           `group sex=f|m|W: sex has no value "W"`,
		"sex=f|m*race=A|B":    `group sex=f|m*race=A|B: race has no value "B"`,
		"race=A|Other":        "",
		"sex=x|y":             `sex has no value "y"`,
		"sex=f*race=A|Other":  "",
		"race=A*sex=f|m|x|m ": "f.csv: group sex=x: none of the 6 rows belongs to it",
	} {
		err := d.CheckLevels(spec)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: error %v, want %q", spec, err, want)
		}
		if groups, err := dataset.FindGroups(d, spec); !strings.Contains(spec, "race=A|B") &&
			spec != "sex=x|y" && (err != nil || len(groups) < 2) {
			t.Errorf("%s: %d groups (%v)", spec, len(groups), err)
		}
	}
	if _, err := dataset.FindGroups(d, "sex=x|y"); err == nil ||
		!strings.Contains(err.Error(), `sex=x|y may be the value "x|y" of sex, or several`) {
		t.Errorf("a level with a bar: %v", err)
	}
	for spec, want := range map[string]string{
		"race=Black|White": "race", "race": "race", "race=Black": "race=Black", "sex=f*race": "sex*race", "age<25": "age<25",
		"age<25*race=A|B": "age<25*race", "sex=f*age<25": "sex=f*age<25", "71": "71", "Gender *=f|m*race=A": "Gender **race",
	} {
		if got := dataset.Whole(spec); got != want {
			t.Errorf("%s: %s, want %s", spec, got, want)
		}
	}
}
