package results

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/internal/datatest"
)

// sampleRun is a finished run with m constraints and a few points, different for every
// label and seed.
func sampleRun(t testing.TB, label string, seed uint64, m int) Run {
	t.Helper()
	spec := map[string]any{"tau": 2, "w": 0.9}
	cell, err := Cell(label, seed, 0, spec)
	if err != nil {
		t.Fatal(err)
	}
	r := Run{
		Cell: cell, Method: label, Label: label, Seed: seed, Status: Exhausted,
		Params: []Param{{"tau", "2"}, {"w", "0.9"}}, Iterations: 30, Seconds: 0.25,
		Counters: Counters{Gradient: Count{3, 300, 600}, Constraint: Count{3, 30, 30}, Jacobian: Count{3, 3, 3}},
	}
	for k := range 4 {
		x := float64(k) + float64(seed)/3 + float64(len(label))/7
		p := Point{
			Samples: int64(111 * k), Passes: x / 10, Seconds: x / 100,
			Objective: 1 / (1 + x), Stationarity: math.Exp(-x), Feasibility: 0.1 / (1 + x), Complementarity: 1e-17 * x,
			Step: 0.3, Rho: 8, SigmaMin: math.NaN(),
		}
		for i := range m {
			p.Constraint = append(p.Constraint, 0.1-x/float64(10*(i+1)))
			p.Multiplier = append(p.Multiplier, x/3)
		}
		r.Points = append(r.Points, p)
	}
	return r
}

func TestCell(t *testing.T) {
	cell := func(label string, seed uint64, index int, spec any) string {
		t.Helper()
		c, err := Cell(label, seed, index, spec)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	type ordered struct{ A, B int }
	type reversed struct{ B, A int }
	a := cell("FSFO (w = 0.9)/x", 3, 0, ordered{1, 2})
	if !strings.HasPrefix(a, "fsfo--w---0-9--x-seed3-run0-") {
		t.Errorf("cell %q has no readable name of file", a)
	}
	if b := cell("FSFO (w = 0.9)/x", 3, 0, reversed{2, 1}); a != b {
		t.Errorf("the order of keys changes the cell: %s, %s", a, b)
	}
	seen := map[string]bool{a: true}
	for _, other := range []string{
		cell("FSFO [w = 0.9]/x", 3, 0, ordered{1, 2}), // the same readable part
		cell("FSFO (w = 0.9)/x", 4, 0, ordered{1, 2}),
		cell("FSFO (w = 0.9)/x", 3, 1, ordered{1, 2}),
		cell("FSFO (w = 0.9)/x", 3, 0, ordered{1, 3}),
	} {
		if seen[other] {
			t.Errorf("two runs share the cell %s", other)
		}
		seen[other] = true
	}
	long := strings.Repeat("x", 300)
	if c := cell(long, 1, 0, nil); len(c) > 150 || c == cell(long+"x", 1, 0, nil) {
		t.Errorf("a long label has the cell %s", c)
	}
	if _, err := Cell("x", 1, 0, math.NaN()); err == nil {
		t.Error("a NaN in the spec is not an error")
	}
}

func TestFinalAndBest(t *testing.T) {
	nan := math.NaN()
	run := func(kkt ...float64) Run {
		var r Run
		for i, k := range kkt {
			p := unknownPoint()
			p.Samples, p.Stationarity, p.Feasibility, p.Complementarity = int64(i), k, 0, 0
			r.Points = append(r.Points, p)
		}
		return r
	}
	for _, test := range []struct {
		run         Run
		final, best float64 // residuals, NaN for none
		at          int64   // samples at the best
	}{
		{run(), nan, nan, 0},
		{run(nan, nan), nan, nan, 0},
		{run(3, 1, 1, 2), 2, 1, 1},
		{run(nan, 3, nan), nan, 3, 1},
		{run(math.Inf(1), 5), 5, 5, 1},
	} {
		got := []float64{test.run.Final().KKT(), test.run.Best().KKT()}
		if diff := cmp.Diff([]float64{test.final, test.best}, got, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("final and best residual: %s", diff)
		}
		if at := test.run.Best().Samples; at != test.at {
			t.Errorf("the best point is at %d samples, want %d", at, test.at)
		}
	}
}

// anyPoints draws valid points whose numbers may be anything, NaN and infinities too.
func anyPoints(t *rapid.T) []Point {
	number := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 5e-324}))
	m := rapid.IntRange(1, 3).Draw(t, "m")
	samples := int64(0)
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Point {
		samples += rapid.Int64Range(0, 1<<40).Draw(t, "samples")
		next := func() float64 { return number.Draw(t, "number") }
		return Point{
			Samples: samples, Passes: next(), Seconds: next(), Objective: next(),
			Constraint:   rapid.SliceOfN(number, m, m).Draw(t, "c"),
			Stationarity: next(), Feasibility: next(), Complementarity: next(),
			Step: next(), Rho: next(), SigmaMin: next(),
			Multiplier: rapid.SliceOfN(number, m, m).Draw(t, "y"),
		}
	}), 0, 5).Draw(t, "points")
}

// sameBits compares numbers by their bits, all NaNs being one.
var sameBits = cmp.Comparer(func(x, y float64) bool {
	return math.IsNaN(x) && math.IsNaN(y) || math.Float64bits(x) == math.Float64bits(y)
})

// TestTrajectoryRoundTrip writes points and reads them back, with NaN for what is not finite.
func TestTrajectoryRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		points := anyPoints(t)
		got, err := parseTrajectory(trajectory(points))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(points, got, sameFinite, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("written and read back: %s", diff)
		}
	})
}

// sameFinite compares finite numbers by their bits; what is read (y) is NaN for others.
var sameFinite = cmp.Comparer(func(x, y float64) bool {
	lost := func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
	return lost(x) && lost(y) || math.Float64bits(x) == math.Float64bits(y)
})

func TestTrajectoryText(t *testing.T) {
	p := Point{
		Samples: 1200, Passes: 0.1, Seconds: 0.0025, Objective: 1.0 / 3, Constraint: []float64{-1e-9, 0.25},
		Stationarity: 3, Feasibility: 4, Complementarity: 0, Step: 0.5, Rho: 8, SigmaMin: math.NaN(), Multiplier: []float64{2, math.Inf(1)},
	}
	want := `samples,passes,objective,c,c1,c2,kkt,stationarity,feasibility,complementarity,step,rho,sigma_min,y1,y2,seconds
1200,0.1,0.3333333333333333,0.25,-1e-09,0.25,5,3,4,0,0.5,8,,2,,0.0025
`
	if diff := cmp.Diff(want, string(trajectory([]Point{p}))); diff != "" {
		t.Error(diff)
	}
}

func TestTrajectoryErrors(t *testing.T) {
	good := string(trajectory(sampleRun(t, "fsfo", 1, 1).Points))
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", "does not end"},
		{"foreign", "a,b\n1,2\n", "not the header"},
		{"no constraint", strings.Join(header(0), ",") + "\n", "not the header"},
		{"torn line", good[:len(good)-1], "does not end with a line"},
		{"short line", good[:len(good)-30] + "\n", "wrong number of fields"},
		{"word", strings.Replace(good, "0.3,8", "0.3,x", 1), `point 1: rho is "x"`},
		{"infinity", strings.Replace(good, "0.3,8", "Inf,8", 1), `point 1: step is "Inf"`},
		{"samples", strings.Replace(good, "\n111,", "\n1.5,", 1), `point 2: samples are "1.5"`},
	} {
		if _, err := parseTrajectory([]byte(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.want)
		}
	}
}

func trajectorySeeds(t testing.TB) []string {
	return []string{string(trajectory(sampleRun(t, "fsfo", 1, 2).Points)), "samples,passes\n"}
}

func FuzzTrajectory(f *testing.F) { datatest.Fuzz(f, trajectorySeeds(f), checkTrajectory) }

// checkTrajectory expects that points that are read can be written and read again.
func checkTrajectory(t *testing.T, text string) {
	points, err := parseTrajectory([]byte(text))
	if err != nil {
		return
	}
	again, err := parseTrajectory(trajectory(points))
	if err != nil {
		t.Fatalf("cannot read what it has written: %v", err)
	}
	if diff := cmp.Diff(points, again, sameBits, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}
