package encoding

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset/tabular"
)

// TestFewPeopleAreNotNamed: the encoding's JSON has no level, group or number that too few
// rows have, and no feature has too few rows.
func TestFewPeopleAreNotNamed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		least := rapid.IntRange(2, 6).Draw(t, "least")
		rows := rapid.IntRange(10, 60).Draw(t, "rows")
		count := map[string]int{}
		var text strings.Builder
		text.WriteString("name,town,sex,pay,y\n")
		for i := range rows {
			draw := func(prefix string, most int) string {
				value := fmt.Sprintf("%s%dx", prefix, rapid.IntRange(1, most).Draw(t, prefix))
				count[value]++
				return value
			}
			name, town, sex := draw("name", 20), draw("town", 4), draw("sex", 3)
			count["sex="+sex+"*town="+town]++
			fmt.Fprintf(&text, "%s,%s,%s,%d,%d\n", name, town, sex, 1000+i, i%2)
		}
		s := &tabular.Schema{
			MinCount: least, Label: tabular.LabelSpec{Column: "y"},
			Groups:  []tabular.GroupSpec{{Column: "sex"}, {Column: "town"}},
			Columns: []tabular.ColumnSpec{{Name: "name", As: tabular.OneHot}, {Name: "town", As: tabular.OneHot, MinCount: 1}, {Name: "sex", As: tabular.Drop}, {Name: "pay", As: tabular.Bins, Bins: 10}},
			Crosses: []string{"sex*town"},
		}
		people, err := tabular.Read(strings.NewReader(text.String()), s, tabular.Options{})
		if err != nil {
			t.Fatal(err)
		}
		e, err := Learn(people, nil)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		for value, n := range count {
			named := strings.Contains(string(stored), `"`+value+`"`)
			isGroup := !strings.HasPrefix(value, "name")
			if named && n < least || !named && isGroup && n >= least {
				t.Fatalf("%s: %d rows of at least %d, named: %v in %s", value, n, least, named, stored)
			}
		}
		d, err := e.Apply(people, nil)
		if err != nil {
			t.Fatal(err)
		}
		members := make([]int, d.Features())
		for i := range d.Rows() {
			for j := range d.X.Row(i) {
				members[j]++
			}
		}
		for j, n := range members {
			if n < least {
				t.Fatalf("the feature %s is of %d rows, fewer than %d", d.Cols[j], n, least)
			}
		}
	})
}

// TestFolded: what is left out is counted. A number or a label that few rows have leaves no
// trace. Ada, Bob and Cy are too few together, so Dan becomes rare, too.
func TestFolded(t *testing.T) {
	text := "name,sex,bonus,pay,y\nAda,f,77,1,yes\nBob,m,,2,no\nCy,m,,3,maybe\n" +
		strings.Repeat("Dan,f,,4,yes\n", 5) + strings.Repeat("Eve,m,,5,no\n", 5)
	s := &tabular.Schema{
		Label:   tabular.LabelSpec{Column: "y", Positive: []string{"yes"}},
		Groups:  []tabular.GroupSpec{{Column: "sex"}, {Column: "name"}},
		Columns: []tabular.ColumnSpec{{Name: "name", As: tabular.OneHot}, {Name: "bonus", As: tabular.Standardise}, {Name: "pay", As: tabular.Standardise}},
	}
	e, err := Learn(readTable(t, text, s), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"name": 4, "bonus": 1}, e.Folded); diff != "" {
		t.Errorf("folded (-want +got)\n%s", diff)
	}
	stored, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	for _, trace := range []string{"Ada", "Bob", "Cy", "77", "maybe"} {
		if strings.Contains(string(stored), trace) {
			t.Errorf("%s is in %s", trace, stored)
		}
	}
	if got, want := strings.Join(e.Names(), " "), "name=Eve name=(rare) pay sex=(rare)"; got != want {
		t.Errorf("features %s, want %s", got, want)
	}
	d, err := e.Read(strings.NewReader("name,sex,pay,y\nAda,f,1,yes\nDan,m,2,other\n"), tabular.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int8{1, -1}, d.Y); diff != "" {
		t.Errorf("labels (-want +got)\n%s", diff)
	}
}

// TestRareNegativeLabels: a model does not name a negative label of few rows. If a blank is a
// negative label it says so, as otherwise later rows without a label would have none.
func TestRareNegativeLabels(t *testing.T) {
	for text, want := range map[string][]string{
		"no,never":  nil,
		",never":    {""},
		"no,,never": {"", "no"},
		"no,":       {"", "no"},
	} {
		rows := "x,y\n"
		for k, label := range strings.Split(text, ",") {
			rows += strings.Repeat(fmt.Sprintf("%d,yes\n%d,%s\n", k, k+2, label), 10-9*strings.Count(label, "never"))
		}
		e, err := Learn(readTable(t, rows, &tabular.Schema{Label: tabular.LabelSpec{Column: "y", Positive: []string{"yes"}, Negative: strings.Split(text, ",")}}), nil)
		if err != nil {
			t.Fatal(err)
		}
		got := e.Schema.Label.Negative
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q: negative labels %q, want %q", text, got, want)
		}
	}
}
