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
	cell := func(method string, stationarity, feasibility float64) Cell {
		p := results.Judged{Stationarity: results.Number(stationarity), Feasibility: results.Number(feasibility), Iteration: 7}
		return Cell{
			Method: method, Best: p, Chosen: 1,
			Trials: []results.Trial{{Status: "diverged", Seconds: 0.5}, {Batch: 2, Options: map[string]any{"w": 0.5, "eta": 2.0}, Best: p, Seconds: 1}},
		}
	}
	t := &Table{Noise: 1e-2, Budget: 3000, Problems: 3, Bounded: 1, Missing: 2, Rows: []Row{
		{&Instance{Name: "A", N: 3, M: 1, Bounded: 2}, []Cell{cell("fsfo", 1e-3, 1e-4), cell("adam", 1e-4, 2e-3)}},
		// a tie
		{&Instance{Name: "B", N: 4, M: 2, Fixed: 1}, []Cell{cell("fsfo", 0.5, 1e-5), cell("adam", 0.5*(1+1e-12), 1e-6)}},
		{&Instance{Name: "C", N: 5, M: 2}, []Cell{cell("fsfo", math.Inf(1), math.Inf(1)), cell("adam", 3, 4)}},
	}}
	t.Methods = []Summary{t.summarise("fsfo", 0), t.summarise("adam", 1)}
	return t
}

func TestSummary(t *testing.T) {
	want := []Summary{
		{"fsfo", 2, 0.5, 0.5, 1e-4},
		{"adam", 2, results.Number(0.5 * (1 + 1e-12)), results.Number(0.5 * (1 + 1e-12)), 2e-3},
	}
	if diff := cmp.Diff(want, testTable().Methods); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
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

note: the paper's figures are of 138 problems, which it does not list, with 75 candidates per method
  and 3000 samples per run
`,
		},
		"markdown": {
			func(t *Table, b *strings.Builder) error { return t.ByMethod().Write(b, results.Markdown) },
			`problems: 3, noise 0.01, 3000 samples per run; bounds ignored on 1; 2 more lack results

| method | wins | paper | median score | paper | median stationarity | paper | median feasibility | paper |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
| FSFO | 2 | 103 | 5.000e-01 | 1.997e-03 | 5.000e-01 | 3.331e-04 | 1.000e-04 | 1.404e-03 |
| adam | 2 | – | 5.000e-01 | – | 5.000e-01 | – | 2.000e-03 | – |

- the paper's figures are of 138 problems, which it does not list, with 75 candidates per method and 3000 samples per run
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
