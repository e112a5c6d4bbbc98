package encoding

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular"
)

func readTable(t testing.TB, text string, s *tabular.Schema) *tabular.Table {
	t.Helper()
	rows, err := tabular.Read(strings.NewReader(text), s, tabular.Options{Name: "f.csv"})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// dense returns the rows of d as they are, zeros included.
func dense(d *dataset.Dataset) [][]float64 {
	rows := make([][]float64, d.Rows())
	for i := range rows {
		rows[i] = make([]float64, d.Features())
		for j, v := range d.X.Row(i) {
			rows[i][j] = v
		}
	}
	return rows
}

// everyWay declares a column of each kind.
func everyWay() *tabular.Schema {
	return &tabular.Schema{
		MinCount: 1,
		Weight:   "w",
		Label:    tabular.LabelSpec{Column: "y", Positive: []string{"1"}},
		Groups:   []tabular.GroupSpec{{Column: "job"}, {Name: "generation", Column: "age", Cuts: []float64{30}, Levels: []string{"young", "old"}}},
		Columns: []tabular.ColumnSpec{
			{Name: "job", As: tabular.OneHot, MinCount: 2},
			{Name: "age", As: tabular.Bins, Bins: 2},
			{Name: "height", As: tabular.Raw},
			{Name: "pay", As: tabular.Standardise, Unit: "$"},
		},
	}
}

const training = `y,w,job,age,height,pay
1,1,cook,20,1.5,"$1,000"
0,2,cook,30,1.75,$3000
0,0,nurse,40,,$1000
1,1,?,50,2,3000
0,1,king,,1.75,?
0,1,nurse,60,1.75,$2000
`

// TestEncoding compares an encoding with one made by hand: the values of age are 20, 30,
// 40, 50, 60, so the edge is x_⌊5·1/2⌋ = 40; pay has mean 2000 and variance 800 000.
func TestEncoding(t *testing.T) {
	people := readTable(t, training, everyWay())
	e, err := Learn(people, nil)
	if err != nil {
		t.Fatal(err)
	}
	wantNames := []string{
		"job=cook", "job=nurse", "job=(rare)", "job=(missing)",
		"age < 40", "age >= 40", "age=(missing)",
		"height", "height=(missing)",
		"pay", "pay=(missing)",
	}
	if diff := cmp.Diff(wantNames, e.Names()); diff != "" {
		t.Errorf("names (-want +got)\n%s", diff)
	}
	if e.Width() != len(wantNames) {
		t.Errorf("width %d, want %d", e.Width(), len(wantNames))
	}
	d, err := e.Apply(people, nil)
	if err != nil {
		t.Fatal(err)
	}
	z := 1000 / math.Sqrt(800000)
	want := [][]float64{
		{1, 0, 0, 0, 1, 0, 0, 1.5, 0, -z, 0},
		{1, 0, 0, 0, 1, 0, 0, 1.75, 0, z, 0},
		{0, 1, 0, 0, 0, 1, 0, 1.75, 1, -z, 0},
		{0, 0, 0, 1, 0, 1, 0, 2, 0, z, 0},
		{0, 0, 1, 0, 0, 0, 1, 1.75, 0, 0, 1},
		{0, 1, 0, 0, 0, 1, 0, 1.75, 0, 0, 0},
	}
	approx := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-15 })
	if diff := cmp.Diff(want, dense(d), approx); diff != "" {
		t.Errorf("rows (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]int8{1, -1, -1, 1, -1, -1}, d.Y); diff != "" {
		t.Errorf("labels (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]float64{1, 2, 0, 1, 1, 1}, d.Weights); diff != "" {
		t.Errorf("weights (-want +got)\n%s", diff)
	}
	wantAttributes := []dataset.Attribute{
		{Name: "job", Levels: []string{"cook", "king", "nurse", dataset.MissingLevel}, Codes: dataset.CodesOf(0, 0, 2, 3, 1, 2)},
		{Name: "generation", Levels: []string{"young", "old", dataset.MissingLevel}, Codes: dataset.CodesOf(0, 0, 1, 1, 2, 1), Numbers: people.Column("age").Numbers},
	}
	if diff := cmp.Diff(wantAttributes, d.Attributes, cmpopts.EquateNaNs(),
		cmp.AllowUnexported(dataset.Codes{})); diff != "" {
		t.Errorf("attributes (-want +got)\n%s", diff)
	}
	if d.Name != "f.csv" || d.Rule != `y: "0" → −1, "1" → +1` || d.Hash != people.Hash || len(d.Hash) != 64 {
		t.Errorf("name %q, rule %q, hash %q", d.Name, d.Rule, d.Hash)
	}
}

// TestNewRows encodes what the training rows did not have, as documented.
func TestNewRows(t *testing.T) {
	const known = "y,job,age,height,pay\n1,cook,20,1.5,1\n0,nurse,30,1.5,2\n1,cook,40,1.5,3\n"
	s := everyWay()
	s.Weight = ""
	learn := func(minCount int) *Encoding {
		s := *s
		s.Columns = slices.Clone(s.Columns)
		s.Columns[0].MinCount = minCount
		e, err := Learn(readTable(t, known, &s), nil)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	const unknown = "pay,age,job,height,y,more\n2,,?,,1,a\n2,99,pope,1.5,0,b\n"
	for _, test := range []struct {
		minCount int
		names    string
		want     [][]float64
	}{
		// An unseen level has all features 0. A missing number becomes the mean, or falls in
		// the bin of the median.
		{1, "job=cook job=nurse age < 30 age >= 30 height pay", [][]float64{{0, 0, 0, 1, 1.5, 0}, {0, 0, 0, 1, 1.5, 0}}},
		// An unseen level counts as rare. A missing category does not.
		{2, "job=cook job=(rare) age < 30 age >= 30 height pay", [][]float64{{0, 0, 0, 1, 1.5, 0}, {0, 1, 0, 1, 1.5, 0}}},
	} {
		e := learn(test.minCount)
		if got := strings.Join(e.Names(), " "); got != test.names {
			t.Errorf("min count %d: features %s, want %s", test.minCount, got, test.names)
		}
		d, err := e.Read(strings.NewReader(unknown), tabular.Options{Name: "new.csv"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, dense(d)); diff != "" {
			t.Errorf("min count %d (-want +got)\n%s", test.minCount, diff)
		}
	}
	_, err := learn(1).Read(strings.NewReader("pay,age,job,y\n2,1,x,1\n"), tabular.Options{Name: "new.csv"})
	if want := `new.csv:1:1: there is no column "height", which is a feature; the file has "pay", "age", "job", "y"`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestRowsToScore: rows to be scored need no labels, groups or weights.
func TestRowsToScore(t *testing.T) {
	e, err := Learn(readTable(t, training, everyWay()), nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := e.Read(strings.NewReader("pay,age,job,height\n2000,20,cook,1.5\n"),
		tabular.Options{Name: "new.csv", AnyLabels: true})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]float64{{1, 0, 0, 0, 1, 0, 0, 1.5, 0, 0, 0}}, dense(d)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if d.Y[0] != 0 || d.Weights != nil || d.Rule != "labels not used" || len(d.Attributes) != 2 {
		t.Errorf("labels %v by %q, weights %v, attributes %v", d.Y, d.Rule, d.Weights, d.Attributes)
	}
	d, err = e.Read(strings.NewReader("y,w,pay,age,job,height\n1,,2000,20,cook,1.5\nperhaps,-1,2000,20,cook,1.5\n,1,1,1,x,1\n"), tabular.Options{Name: "new.csv", AnyLabels: true})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int8{1, 0, 0}, d.Y); diff != "" {
		t.Errorf("labels, known, unknown and missing (-want +got)\n%s", diff)
	}
	if d.Weights != nil {
		t.Errorf("rows to score have weights %v", d.Weights)
	}
}

// TestQuantileEdges compares with the definition, by counting.
func TestQuantileEdges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 9),
			func(k int) float64 { return float64(k) }), 1, 40).Draw(t, "values")
		k := rapid.IntRange(2, 12).Draw(t, "bins")
		sorted := slices.Sorted(slices.Values(values))
		want := map[float64]bool{}
		for q := 1; q < k; q++ {
			want[sorted[int(math.Floor(float64(len(values)*q)/float64(k)))]] = true
		}
		edges := quantileEdges(sorted, k, 1)
		if len(edges) != len(want) {
			t.Fatalf("edges %v, want %v", edges, want)
		}
		e := Column{As: tabular.Bins, Edges: edges}
		for v := -0.5; v < 10; v += 0.5 {
			bin := 0
			for edge := range want {
				if edge <= v {
					bin++
				}
			}
			if got := e.bin(v); got != bin {
				t.Fatalf("%v is in bin %d of %v, want %d", v, got, edges, bin)
			}
		}
	})
}

// TestOrders: bins keep an order, other numbers a sign, and missing values neither.
func TestOrders(t *testing.T) {
	schema := everyWay()
	for k, direction := range []string{"", "-", "+", "-"} {
		schema.Columns[k].Monotone = direction
	}
	people := readTable(t, training, schema)
	e, err := Learn(people, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := e.Apply(people, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []dataset.Order{
		{First: 4, End: 6, Falls: true, Column: "age"}, {First: 7, End: 8, Column: "height"}, {First: 9, End: 10, Falls: true, Column: "pay"},
	}
	if diff := cmp.Diff(want, e.Orders()); diff != "" {
		t.Errorf("orders (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(e.Orders(), d.Orders); diff != "" {
		t.Errorf("orders of the rows (-want +got)\n%s", diff)
	}
}

func TestLearnErrors(t *testing.T) {
	declared := func(change func(s *tabular.Schema)) *tabular.Schema {
		s := &tabular.Schema{
			Label:   tabular.LabelSpec{Column: "y", Positive: []string{"1"}},
			Columns: []tabular.ColumnSpec{{Name: "x", As: tabular.Standardise}},
		}
		change(s)
		return s
	}
	asIs := func(*tabular.Schema) {}
	for name, test := range map[string]struct {
		text   string
		change func(s *tabular.Schema)
		want   string
	}{
		"one class":         {"y,x\n1,1\n1,2\n", asIs, `f.csv: the 2 rows do not have labels of both classes (y: others → −1, "1" → +1)`},
		"no label":          {"y,x\na,1\nb,2\nc,2\n", func(s *tabular.Schema) { s.Label = tabular.LabelSpec{} }, "f.csv: which column is the label? (label.column of the schema)"},
		"no positive value": {"y,x\na,1\nb,2\n", func(s *tabular.Schema) { s.Label.Positive = nil }, `f.csv: which values of the label y mean +1? it has "a" (1), "b" (1) (label.positive of the schema)`},
		"unknown positive":  {"y,x\na,1\nb,2\n", asIs, `f.csv: no row has the positive label "1": y has "a" (1), "b" (1)`},
		"all missing":       {"y,x\n1,?\n0,?\n", asIs, "f.csv: column x: no training row has a value"},
		"no features":       {"y,x\n1,1\n0,2\n", func(s *tabular.Schema) { s.Columns[0].As = tabular.Drop }, "f.csv: no column is a feature"},
		"tiny numbers":      {"y,x\n1,1e-120\n0,3e-120\n", func(s *tabular.Schema) { s.MinCount = 1 }, "f.csv: column x: its values have the standard deviation 1e-120, expected at least 1e-100 (is its unit right?)"},
		"monotone groups": {"y,x\n1,1\n0,2\n1,3\n0,4\n", func(s *tabular.Schema) {
			s.Columns[0].Monotone = "+"
			*s = *s.Expose([]string{"x<3"})
			s.MinCount = 1
		}, "column x can't be monotone: the groups x<3 are features, too"},
		"no weight": {"y,x,w\n1,1,0\n0,2,0\n", func(s *tabular.Schema) { s.Weight = "w" }, "f.csv: the weights w are all 0"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Learn(readTable(t, test.text, declared(test.change)), nil)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

func TestValidateEncoding(t *testing.T) {
	valid := func() *Encoding {
		e, err := Learn(readTable(t, training, everyWay()), nil)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	if err := valid().Validate(); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(e *Encoding){
		"schema is missing":                              func(e *Encoding) { e.Schema = nil },
		"features is empty":                              func(e *Encoding) { e.Features = nil },
		`feature "job": as is "raw", but the schema`:     func(e *Encoding) { e.Features[0].As = tabular.Raw },
		`feature "x": as is "one-hot", but the`:          func(e *Encoding) { e.Features[0].Column = "x" },
		`feature "job": levels are not sorted and`:       func(e *Encoding) { e.Features[0].Levels = []string{"b", "b"} },
		`feature "age": edges are [2 1]`:                 func(e *Encoding) { e.Features[1].Edges = []float64{2, 1} },
		`feature "height": mean is +Inf`:                 func(e *Encoding) { e.Features[2].Mean = math.Inf(1) },
		`feature "pay": mean is 2000 and sd is 0`:        func(e *Encoding) { e.Features[3].SD = 0 },
		`feature "pay": mean is 2000 and sd is 1e-300`:   func(e *Encoding) { e.Features[3].SD = 1e-300 },
		`schema: other_columns is "keep", must be "dr`:   func(e *Encoding) { s := *e.Schema; s.Others = "keep"; e.Schema = &s },
		`levels of "town": the schema has no such group`: func(e *Encoding) { e.Levels["town"] = []string{"a"} },
		`levels of "job": level "a" is given twice`:      func(e *Encoding) { e.Levels["job"] = []string{"a", "a"} },
		`feature "age": edges are [NaN], must be finit`:  func(e *Encoding) { e.Features[1].Edges = []float64{math.NaN()} },
	} {
		e := valid()
		spoil(e)
		if err := e.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestApplyToAnotherTable(t *testing.T) {
	e, err := Learn(readTable(t, training, everyWay()), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := everyWay()
	s.Columns[2].As = tabular.Drop
	if _, err := e.Apply(readTable(t, training, s), nil); err == nil ||
		!strings.Contains(err.Error(), `no column "height" that can become raw`) {
		t.Errorf("error %v", err)
	}
}

// mixedCSV returns rows of 10 numbers, 10 categories and a label.
func mixedCSV(rows int) string {
	var text strings.Builder
	for j := range 20 {
		fmt.Fprintf(&text, "c%d,", j)
	}
	text.WriteString("y\n")
	for i := range rows {
		for j := range 10 {
			fmt.Fprintf(&text, "%.5f,", float64(i*(j+17)%9973)/7)
		}
		for j := range 10 {
			fmt.Fprintf(&text, "level-%d,", i*(j+3)%(j+2))
		}
		fmt.Fprintf(&text, "%d\n", i%2)
	}
	return text.String()
}

// BenchmarkLearnAndApply learns an encoding and encodes the rows.
func BenchmarkLearnAndApply(b *testing.B) {
	people := readTable(b, mixedCSV(20000), &tabular.Schema{})
	b.ReportAllocs()
	for b.Loop() {
		encode(b, people)
	}
}

// TestParallelEncoding: the encoding learned and the rows it encodes are the same, whatever
// the number of processors.
func TestParallelEncoding(t *testing.T) {
	people := readTable(t, mixedCSV(10000), &tabular.Schema{Crosses: []string{"c11*c12"}, Groups: []tabular.GroupSpec{{Column: "c11"}, {Column: "c12"}}})
	learn := func(processors int) (*Encoding, *dataset.Dataset) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		return encode(t, people)
	}
	want, rows := learn(1)
	for _, processors := range []int{2, 7} {
		e, d := learn(processors)
		if diff := cmp.Diff(want, e); diff != "" {
			t.Errorf("%d processors, encoding (-want +got)\n%s", processors, diff)
		}
		if diff := cmp.Diff(slices.Collect(dataset.Identities(rows)),
			slices.Collect(dataset.Identities(d))); diff != "" {
			t.Errorf("%d processors: other rows", processors)
		}
	}
}

// TestEqualInAnyOrder: it does not matter in which order groups were named.
func TestEqualInAnyOrder(t *testing.T) {
	learned := func(groups ...string) *Encoding {
		schema := &tabular.Schema{Label: tabular.LabelSpec{Column: "y"}}
		for _, g := range groups {
			schema.Groups = append(schema.Groups, tabular.GroupSpec{Column: g})
			schema.Columns = append(schema.Columns, tabular.ColumnSpec{Name: g, As: tabular.Drop})
		}
		read, err := tabular.Read(strings.NewReader("x,sex,race,y\n"+strings.Repeat("1.5,a,b,0\n2.5,c,d,1\n", 10)), schema, tabular.Options{Name: "rows"})
		if err != nil {
			t.Fatal(err)
		}
		e, err := Learn(read, nil)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	if e := learned("sex", "race"); !e.Equal(learned("race", "sex")) || e.Equal(learned("sex")) ||
		e.Equal(nil) || !(*Encoding)(nil).Equal(nil) {
		t.Error("groups in another order make another encoding, or other groups make none")
	}
}
