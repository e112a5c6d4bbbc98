package results

import (
	"encoding/json"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestSpread(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, test := range []struct {
		values []float64
		want   Spread
	}{
		// Quantiles of 1, 2, 4, 8 by R's quantile(c(1, 2, 4, 8)); deviations by its sd.
		{[]float64{8, 1, 4, 2}, Spread{N: 4, Mean: 3.75, SD: 3.0956959368344519, Q1: 1.75, Median: 3, Q3: 5}},
		{[]float64{7}, Spread{N: 1, Mean: 7, SD: 0, Q1: 7, Median: 7, Q3: 7}},
		{[]float64{1, inf, 3, 2, inf}, Spread{N: 3, Mean: 2, SD: 1, Q1: 2, Median: 3, Q3: inf}},
		{[]float64{1, 2, inf, inf}, Spread{N: 2, Mean: 1.5, SD: math.Sqrt(0.5), Q1: 1.75, Median: inf, Q3: inf}},
		{[]float64{inf, inf}, Spread{N: 0, Mean: nan, SD: nan, Q1: inf, Median: inf, Q3: inf}},
		{nil, Spread{Mean: nan, SD: nan, Q1: nan, Median: nan, Q3: nan}},
	} {
		if diff := cmp.Diff(test.want, NewSpread(test.values), cmpopts.EquateNaNs(),
			cmpopts.EquateApprox(1e-15, 0)); diff != "" {
			t.Errorf("%v: %s", test.values, diff)
		}
	}
}

func TestSpreadProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 1, 20).Draw(t, "values")
		shuffled := rapid.Permutation(values).Draw(t, "shuffled")
		s := NewSpread(values)
		if diff := cmp.Diff(s, NewSpread(shuffled)); diff != "" {
			t.Errorf("depends on the order: %s", diff)
		}
		if !(s.Q1 <= s.Median && s.Median <= s.Q3) {
			t.Errorf("quartiles %v, %v, %v are not in order", s.Q1, s.Median, s.Q3)
		}
	})
}

// runWith is a run of given residuals at samples 0, 10, 20, …, with objective kkt + 1 and
// constraint −kkt.
func runWith(label string, seed uint64, status Status, kkt ...float64) Run {
	r := Run{Label: label, Method: label, Seed: seed, Status: status, Seconds: float64(seed)}
	for i, k := range kkt {
		r.Points = append(r.Points, Point{Samples: int64(10 * i), Stationarity: k, Objective: k + 1, Constraint: []float64{-k}})
	}
	return r
}

func TestSummarise(t *testing.T) {
	runs := []Run{
		runWith("fsfo", 1, Exhausted, 8, 2, 4),
		runWith("sgd", 1, Exhausted, 8, 8, 8),
		runWith("fsfo", 2, Converged, 8, 1),
		runWith("fsfo", 3, Exhausted, 8, 4, 3),
		runWith("sgd", 3, Diverged, 8, 3),
		runWith("fsfo", 4, Failed),
	}
	runs[5].Error = "no memory"
	got := Summarise(runs, []float64{4, 2, 0.5})
	inf := math.Inf(1)
	fsfo, sgd := got[0], got[1]
	if len(got) != 2 || fsfo.Label != "fsfo" || sgd.Label != "sgd" || fsfo.Runs != 4 || sgd.Runs != 2 {
		t.Fatalf("summaries of %+v", got)
	}
	if diff := cmp.Diff(map[Status]int{Exhausted: 2, Converged: 1, Failed: 1}, fsfo.Statuses); diff != "" {
		t.Errorf("statuses: %s", diff)
	}
	// fsfo's final residuals are 4, 1, 3 and ∞, its best ones 2, 1, 3 and ∞.
	same := cmp.Options{cmpopts.EquateNaNs(), cmpopts.EquateApprox(1e-14, 0)}
	if diff := cmp.Diff(NewSpread([]float64{4, 1, 3, inf}), fsfo.KKT, same); diff != "" {
		t.Errorf("final residual: %s", diff)
	}
	if diff := cmp.Diff(NewSpread([]float64{5, 2, 4, inf}), fsfo.Objective, same); diff != "" {
		t.Errorf("final objective: %s", diff)
	}
	if diff := cmp.Diff(NewSpread([]float64{-2, -1, -3, inf}), fsfo.Best.Constraint, same); diff != "" {
		t.Errorf("best constraint: %s", diff)
	}
	if diff := cmp.Diff(NewSpread([]float64{8, inf}), sgd.KKT, same); diff != "" {
		t.Errorf("a diverged run does not count as ∞: %s", diff)
	}
	// Residual 4 is reached at samples 10, 10, 10 and never; 2 at 10, 10, never, never.
	want := []Reach{{4, 3, 10}, {2, 2, 10}, {0.5, 0, math.NaN()}}
	if diff := cmp.Diff(want, fsfo.Reached, same); diff != "" {
		t.Errorf("samples to tolerances: %s", diff)
	}
	// The run of sgd that passed 3 diverged.
	if diff := cmp.Diff(Reach{4, 0, math.NaN()}, sgd.Reached[0], same); diff != "" {
		t.Errorf("samples to 4 of a method that diverged: %s", diff)
	}
	// What is not finite is null.
	text, err := json.Marshal([]any{sgd.KKT, fsfo.Reached[1:], sgd.Feasible[:1]})
	if want := `[{"mean":8,"sd":0,"median":null,"q1":null,"q3":null,"n":1},` +
		`[{"kkt_residual":2,"runs":2,"samples":10},{"kkt_residual":0.5,"runs":0,"samples":null}],[{"violation":0,"runs":1}]]`; err != nil || string(text) != want {
		t.Errorf("as JSON (error %v)\n%s, want\n%s", err, text, want)
	}
	notes := append(fsfo.Notes, sgd.Notes...)
	if diff := cmp.Diff([]string{"FSFO: the run of seed 4 failed: no memory", "SGD: the run of seed 3 diverged", "SGD: no run of seed 2 4"}, notes); diff != "" {
		t.Errorf("notes: %s", diff)
	}
}

// A run that ends above the objective of its start is named, whatever its residual.
func TestAboveStart(t *testing.T) {
	out := runWith("sgd", 1, Exhausted, 8, 2, 1e-300)
	out.Points[2].Objective = 340
	diverged := out
	diverged.Status = Diverged
	runs := []Run{out, runWith("sgd", 2, Exhausted, 8, 2), diverged, runWith("fsfo", 1, Exhausted, 8, 1)}
	var notes []string
	for _, s := range Summarise(runs, nil) {
		notes = append(notes, s.Notes...)
	}
	want := "SGD: 1 of 3 runs ended above the objective of the start; if far out, where gradients vanish, a small KKT residual says nothing"
	if !slices.Contains(notes, want) || strings.Contains(strings.Join(notes, "\n"), "FSFO: 1 of") {
		t.Errorf("notes %q", notes)
	}
}

// tableFixture has an escaped label, a spread, a missing and an infinite value.
func tableFixture(statistic Statistic) Table {
	runs := []Run{
		runWith("a_b|c", 1, Exhausted, 8, 0.00002),
		runWith("a_b|c", 2, Exhausted, 8, 0.00006),
		runWith("sgd", 1, Diverged, 8),
	}
	return NewTable(Summarise(runs, []float64{1e-3}), statistic)
}

// TestTableFormats compares with testdata/table.*, rewritten by go test -update.
func TestTableFormats(t *testing.T) {
	for _, test := range []struct {
		statistic Statistic
		format    TableFormat
		golden    string
	}{
		{Mean, Text, "table.txt"},
		{Median, Markdown, "table.md"},
		{Median, CSV, "table.csv"},
	} {
		var b strings.Builder
		if err := tableFixture(test.statistic).Write(&b, test.format); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", test.golden)
		if *update {
			if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), b.String()); diff != "" {
			t.Errorf("%s: %s", test.golden, diff)
		}
	}
	if err := tableFixture(Mean).Write(io.Discard, "html"); err == nil ||
		!strings.Contains(err.Error(), `"html", must be`) {
		t.Errorf("error %v, want one that lists the formats", err)
	}
}

// TestNotation gives all numbers of a column equal decimals, or all an exponent.
func TestNotation(t *testing.T) {
	type parts = [][]float64 // a row's first number and its deviation
	for name, test := range map[string]struct {
		column parts
		want   []string
	}{
		"alike":          {parts{{0.2764, 0.0037}, {0.852, 0.01}}, []string{"0.2764 ± 0.0037", "0.8520 ± 0.0100"}},
		"small":          {parts{{4e-5, 2.8e-5}, {0, 1e-6}}, []string{"4.000e-05 ± 2.8e-05", "0 ± 1.0e-06"}},
		"finer":          {parts{{1.00004, 2.8e-5}, {1, 0}}, []string{"1.000040 ± 0.000028", "1.000000 ± 0.000000"}},
		"no finer":       {parts{{0.5, 1e-12}}, []string{"0.5000000 ± 0.0000000"}},
		"with a one":     {parts{{0.6667, 0.1}, {1, 0}}, []string{"0.6667 ± 0.1000", "1.0000 ± 0.0000"}},
		"by the largest": {parts{{12.3456, 1}, {-0.5, 0.001}}, []string{"12.35 ± 1.00", "-0.50 ± 0.00"}},
		"a small one":    {parts{{0.25, 0.1}, {4e-7, 0}}, []string{"2.500e-01 ± 1.0e-01", "4.000e-07 ± 0"}},
		"too far apart":  {parts{{0.25, 0.1}, {1.2e-8, 0}}, []string{"2.500e-01 ± 1.0e-01", "1.200e-08 ± 0"}},
		"large":          {parts{{2500000.5, 1.5}, {3e6, 1}}, []string{"2.500e+06 ± 1.5e+00", "3.000e+06 ± 1.0e+00"}},
		"counts":         {parts{{40000, 0}, {7, 0}}, []string{"40000 ± 0", "7 ± 0"}},
		"zeros":          {parts{{0, 0}}, []string{"0 ± 0"}},
		"without values": {parts{{math.Inf(1), 0.5}, {math.NaN(), math.NaN()}, {0.5, 0.25}}, []string{"∞ ± 0.5000", "–", "0.5000 ± 0.2500"}},
	} {
		table := Table{Columns: []string{"x"}, EqualDigits: true}
		for _, p := range test.column {
			table.Rows = append(table.Rows, []Entry{{Parts: []Part{{"", p[0], 4}, {" sd", p[1], 2}}, Layout: "%s ± %s"}})
		}
		var got []string
		for _, row := range table.texts() {
			got = append(got, row[0])
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

var errFullPipe = errors.New("pipe full")

type fullPipe struct{}

func (fullPipe) Write([]byte) (int, error) { return 0, errFullPipe }

func TestTableWriteErrors(t *testing.T) {
	for _, format := range []TableFormat{Text, Markdown, CSV} {
		if err := tableFixture(Mean).Write(fullPipe{}, format); !errors.Is(err, errFullPipe) {
			t.Errorf("%s: error %v, want that of the writer", format, err)
		}
	}
}

func TestEmptyTable(t *testing.T) {
	for _, format := range []TableFormat{Text, Markdown, CSV} {
		var b strings.Builder
		if err := NewTable(Summarise(nil, nil), Median).Write(&b, format); err != nil ||
			!strings.Contains(b.String(), "final objective") {
			t.Errorf("%s: %q, %v; want a header", format, b.String(), err)
		}
	}
}
