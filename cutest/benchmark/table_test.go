package benchmark

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/results"
)

// testTable is the results of two methods on three problems.
func testTable() *Table {
	cell := func(method string, stationarity, feasibility float64) *Cell {
		p := Point{Number(stationarity), Number(feasibility), 7}
		return &Cell{
			Method: method, Best: p, Seconds: 1.5, Chosen: 1,
			Trials: []Trial{{Status: "diverged"}, {Batch: 2, Options: map[string]any{"w": 0.5, "eta": 2.0}, Best: p}},
		}
	}
	t := &Table{Noise: 1e-2, Budget: 3000, Problems: 3, Bounded: 1, Missing: 2, Rows: []Row{
		{&Instance{Name: "A", N: 3, M: 1, Bounded: 2}, []*Cell{cell("fsfo", 1e-3, 1e-4), cell("adam", 1e-4, 2e-3)}},
		{&Instance{Name: "B", N: 4, M: 2, Fixed: 1}, []*Cell{cell("fsfo", 0.5, 1e-5), cell("adam", 0.5*(1+1e-12), 1e-6)}}, // a tie
		{&Instance{Name: "C", N: 5, M: 2}, []*Cell{cell("fsfo", math.Inf(1), math.Inf(1)), cell("adam", 3, 4)}},
	}}
	t.Methods = []Summary{t.summarise("fsfo", 0), t.summarise("adam", 1)}
	return t
}

func TestSummary(t *testing.T) {
	want := []Summary{
		{"fsfo", 2, 0.5, 0.5, 1e-4},
		{"adam", 2, Number(0.5 * (1 + 1e-12)), Number(0.5 * (1 + 1e-12)), 2e-3},
	}
	if diff := cmp.Diff(want, testTable().Methods); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
}

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{3, 1, 2}, 2},
		{[]float64{4, 1, 2, 3}, 2.5},
		{[]float64{math.MaxFloat64, math.MaxFloat64}, math.MaxFloat64},
		{[]float64{math.Inf(1), 1, math.Inf(1)}, math.Inf(1)},
	} {
		if got := float64(median(test.values)); got != test.want {
			t.Errorf("median of %v is %v, want %v", test.values, got, test.want)
		}
	}
	if got := float64(median(nil)); !math.IsNaN(got) {
		t.Errorf("median of nothing is %v", got)
	}
}

func TestWrite(t *testing.T) {
	for name, test := range map[string]struct {
		write func(*Table, *strings.Builder) error
		want  string
	}{
		"text": {
			func(t *Table, b *strings.Builder) error { return t.ByMethod().Write(b, results.Text) },
			`problems: 3, noise 0.01, 3000 samples per run; bounds ignored on 1; 2 more lack results

method  wins  paper  median score      paper  median stationarity      paper  median feasibility      paper
FSFO       2    103     5.000e-01  1.997e-03            5.000e-01  3.331e-04           1.000e-04  1.404e-03
adam       2      –     5.000e-01          –            5.000e-01          –           2.000e-03          –
`,
		},
		"markdown": {
			func(t *Table, b *strings.Builder) error { return t.ByMethod().Write(b, results.Markdown) },
			`problems: 3, noise 0.01, 3000 samples per run; bounds ignored on 1; 2 more lack results

| method | wins | paper | median score | paper | median stationarity | paper | median feasibility | paper |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
| FSFO | 2 | 103 | 5.000e-01 | 1.997e-03 | 5.000e-01 | 3.331e-04 | 1.000e-04 | 1.404e-03 |
| adam | 2 | – | 5.000e-01 | – | 5.000e-01 | – | 2.000e-03 | – |
`,
		},
		"csv": {
			func(t *Table, b *strings.Builder) error { return t.ByProblem().Write(b, results.CSV) },
			`problem,n,m,fixed,bounded,method,score,stationarity,feasibility,wins,batch,options,iteration,candidates,diverged,seconds
A,3,1,0,2,fsfo,0.001,0.001,0.0001,1,2,eta=2 w=0.5,7,2,1,1.500
A,3,1,0,2,adam,0.002,0.0001,0.002,0,2,eta=2 w=0.5,7,2,1,1.500
B,4,2,1,0,fsfo,0.5,0.5,1e-05,1,2,eta=2 w=0.5,7,2,1,1.500
B,4,2,1,0,adam,0.5000000000005,0.5000000000005,1e-06,1,2,eta=2 w=0.5,7,2,1,1.500
C,5,2,0,0,fsfo,+Inf,+Inf,+Inf,0,2,eta=2 w=0.5,7,2,1,1.500
C,5,2,0,0,adam,4,3,4,1,2,eta=2 w=0.5,7,2,1,1.500
`,
		},
	} {
		var b strings.Builder
		if err := test.write(testTable(), &b); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, b.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestNumber writes numbers as JSON and reads them back.
func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{0.1: "0.1", math.Inf(1): `"+Inf"`, math.Inf(-1): `"-Inf"`, math.NaN(): `"NaN"`} {
		text, err := Number(x).MarshalJSON()
		if err != nil || string(text) != want {
			t.Errorf("%v is %s (%v), want %s", x, text, err, want)
		}
		var back Number
		if err := back.UnmarshalJSON(text); err != nil || math.Float64bits(float64(back)) != math.Float64bits(x) && !math.IsNaN(x) {
			t.Errorf("%s is read as %v (%v)", text, back, err)
		}
	}
}
