package encoding

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/dataset/tabular"
)

// TestDrift: numbers in another unit are named, those of other people are not.
func TestDrift(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	read := func(schema *tabular.Schema, rows int, unit, more float64) *tabular.Table {
		var b strings.Builder
		b.WriteString("age,salary,y\n")
		for i := range rows {
			fmt.Fprintf(&b, "%d,%.4f,%d\n", 18+r.IntN(50), unit*(15_000+more+5000*r.ExpFloat64()), i%2)
		}
		rowsOf, err := tabular.Read(strings.NewReader(b.String()), schema, tabular.Options{Name: "f.csv"})
		if err != nil {
			t.Fatal(err)
		}
		return rowsOf
	}
	training := read(nil, 1000, 1, 0)
	e, err := Learn(training, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		rows       int
		unit, more float64
		want       bool
	}{{200, 1, 0, false}, {200, 1, 5000, false}, {200, 0.001, 0, true}, {200, 1000, 0, true}, {200, 1, 20_000, true}, {10, 0.001, 0, false}} {
		d, err := e.Apply(read(e.Schema, c.rows, c.unit, c.more), nil)
		if err != nil {
			t.Fatal(err)
		}
		found := slices.DeleteFunc(e.Drifts(d, 0), func(d Drift) bool { return d.Kind == OutOfRange })
		if len(found) > 0 != c.want || c.want && (len(found) != 1 ||
			found[0].Kind != OtherScale || found[0].Column != "salary") {
			t.Errorf("%+v: %+v", c, found)
		}
	}
}

// readText reads a tabular.
func readText(t *testing.T, schema *tabular.Schema, text string) *tabular.Table {
	t.Helper()
	rows, err := tabular.Read(strings.NewReader(text), schema, tabular.Options{Name: "f.csv"})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestNewLevels: levels and missing values that training had not are counted.
func TestNewLevels(t *testing.T) {
	e, err := Learn(readText(t, nil, "job,age,y\n"+strings.Repeat("clerk,30,1\ndriver,41.5,0\nclerk,23,0\n", 10)), nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := e.Apply(readText(t, e.Schema, "job,age,y\nCLERK,30,1\n,,0\nclerk,23,0\nDRIVER,30,0\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	levels := Drift{Kind: NewLevels, Column: "job", Rows: 2, Of: 4, Example: "DRIVER"}
	all := []Drift{levels, {Kind: NewlyMissing, Column: "job", Rows: 1, Of: 4, IsCategory: true}, {Kind: NewlyMissing, Column: "age", Rows: 1, Of: 4}}
	for share, want := range map[float64][]Drift{0: all, 0.5: {levels}, 0.6: nil} {
		if diff := cmp.Diff(want, e.Drifts(d, share)); diff != "" {
			t.Errorf("of a share of %v (-want +got)\n%s", share, diff)
		}
	}
}

// TestRarer: levels that fall among the rare ones are told where these were few in training.
func TestRarer(t *testing.T) {
	const many = "clerk,1\ndriver,0\nclerk,0\ndriver,1\n"
	schema := &tabular.Schema{Columns: []tabular.ColumnSpec{{Name: "job", As: tabular.OneHot, MinCount: 20}}}
	e, err := Learn(readText(t, schema, "job,y\n"+strings.Repeat(many,
		50)+strings.Repeat("king,1\nqueen,0\n", 10)), nil)
	if err != nil {
		t.Fatal(err)
	}
	few := strings.Repeat("king,1\n", 10)
	for text, want := range map[string][]Drift{
		strings.Repeat(many, 25) + few: nil,
		strings.Repeat(strings.ToUpper(many), 25) +
			few: {{Kind: RareLevels, Column: "job", Rows: 110, Of: 110, TrainingShare: 20. / 220}},
		strings.ToUpper(many): nil, // too few to tell
	} {
		d, err := e.Apply(readText(t, e.Schema, "job,y\n"+text), nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, e.Drifts(d, 0)); diff != "" {
			t.Errorf("%.20q (-want +got)\n%s", text, diff)
		}
	}
}

// TestTruthInAnyCase: rows with True and FALSE are those with true and false, to the encoding and
// to who knows them again.
func TestTruthInAnyCase(t *testing.T) {
	const text = "member,place,y\ntrue,true,1\nfalse,hill,0\ntrue,hill,1\n,true,0\n"
	read := func(schema *tabular.Schema, text string) *tabular.Table {
		rows, err := tabular.Read(strings.NewReader(text), schema, tabular.Options{Name: "f.csv", Identify: true})
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	first := read(nil, text)
	e, err := Learn(first, nil)
	if err != nil {
		t.Fatal(err)
	}
	want, err := e.Apply(first, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []*strings.Replacer{strings.NewReplacer("true", "True", "false", "False"), strings.NewReplacer("true", "TRUE", "false", "fAlse")} {
		again := read(e.Schema, change.Replace(text))
		got, err := e.Apply(again, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(again.Identities, first.Identities) || len(got.Unknown) > 0 {
			t.Errorf("identities %v, want %v; unknown %v", again.Identities, first.Identities, got.Unknown)
		}
		for i := range want.Y {
			if diff := cmp.Diff(maps.Collect(want.X.Row(i)), maps.Collect(got.X.Row(i))); diff != "" {
				t.Errorf("row %d (-want +got)\n%s", i, diff)
			}
		}
	}
}

// TestRange: numbers outside the range of training are counted, of few rows each, of many rows those
// that chance does not explain; the range is that of values that enough rows exceed.
func TestRange(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,y\n")
	for i := range 1000 {
		fmt.Fprintf(&b, "%d.5,%d\n", i, i%2)
	}
	for _, bins := range []int{0, 16} {
		e, err := LearnShapes(readText(t, nil, b.String()), nil, bins)
		if err != nil {
			t.Fatal(err)
		}
		f := e.Features[0]
		if want := [2]float64{4.5, 995.5}; f.Range == nil || *f.Range != want || f.OutsideShare != 0.008 {
			t.Fatalf("range %v but for %v, want %v but for 0.008", f.Range, f.OutsideShare, want)
		}
		for _, c := range []struct{ inside, outside, want int }{
			{0, 1, 1}, {9, 2, 2}, {99, 1, 0}, {95, 5, 5}, {10, 0, 0}, {100, 3, 0}, {100, 4, 4},
		} {
			text := "x,y\n" + strings.Repeat("4.5,1\n", c.inside) + strings.Repeat("995.6,0\n", c.outside)
			d, err := e.Apply(readText(t, e.Schema, text), nil)
			if err != nil {
				t.Fatal(err)
			}
			got := 0
			for _, d := range e.Drifts(d, 0) {
				if d.Kind == OutOfRange {
					got = d.Rows
				}
			}
			if got != c.want {
				t.Errorf("%d bins, %+v: %d rows", bins, c, got)
			}
		}
	}
	e, err := Learn(readText(t, nil, b.String()), nil)
	if err != nil {
		t.Fatal(err)
	}
	// One row that is far outside is told, among however many. The range is 991 wide.
	for value, want := range map[string]DriftKind{"9900": "", "9920": FarOut, "-8920": FarOut, "-8900": "", "1e6": FarOut} {
		d, err := e.Apply(readText(t, e.Schema, "x,y\n"+strings.Repeat("4.5,1\n900.5,0\n", 500)+value+",0\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		got := DriftKind("")
		for _, d := range e.Drifts(d, 0) {
			if got = d.Kind; d.Rows != 1 && d.Kind == FarOut {
				t.Errorf("%s: %d rows", value, d.Rows)
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
	few, err := Learn(readText(t, nil, "x,y\n"+strings.Repeat("1.5,1\n2.5,0\n", 4)), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r := few.Features[0].Range; r != nil {
		t.Errorf("the range of 8 rows is %v", *r)
	}
}
