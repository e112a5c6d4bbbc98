package plots

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/results"
)

// runAt is a run with given objectives at given samples.
func runAt(label string, status results.Status, samples []int64, objectives ...float64) results.Run {
	r := results.Run{Label: label, Method: label, Status: status}
	for i, n := range samples {
		r.Points = append(r.Points, results.Point{
			Samples: n, Seconds: float64(n) / 100, Objective: objectives[i], Constraint: []float64{-1, 0.5}, Stationarity: 3, Feasibility: 4,
		})
	}
	return r
}

func TestCurve(t *testing.T) {
	nan := math.NaN()
	runs := []results.Run{
		runAt("fsfo", results.Exhausted, []int64{0, 120, 240}, 8, 4, 2),
		runAt("fsfo", results.Exhausted, []int64{0, 60, 200}, 6, nan, 4),
		runAt("fsfo", results.Exhausted, []int64{0, 60, 200}, 7, 9, 1e300),
	}
	// The grid is 0, 1, …, 240.
	c := newCurve("fsfo", runs, Samples, Quartiles, objective)
	for _, test := range []struct{ x, q1, median, q3 float64 }{
		{0, 6.5, 7, 7.5},
		{59, 6.5, 7, 7.5},
		{60, 8.25, 8.5, 8.75}, // the second run's value is missing
		{120, 5.25, 6.5, 7.75},
		{200, 4, 4, 5e299}, // of 4, 4 and 1e300
		{240, 3, 4, 5e299}, // the others' last values
	} {
		i := int(test.x)
		got := []float64{c.x[i], c.lower[i], c.middle[i], c.upper[i]}
		want := []float64{test.x, test.q1, test.median, test.q3}
		if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-14, 0)); diff != "" {
			t.Errorf("x, lower, median, upper at %v: %s", test.x, diff)
		}
	}
	if len(c.x) != gridSize {
		t.Errorf("%d points, want %d", len(c.x), gridSize)
	}
	if seconds := newCurve("fsfo", runs, Seconds, Quartiles, residual); seconds.x[240] != 2.4 ||
		seconds.middle[0] != 5 {
		t.Errorf("in seconds the curve ends at %v, with residual %v at the start; want 2.4 and 5",
			seconds.x[240], seconds.middle[0])
	}
	if largest := newCurve("fsfo", runs, Samples, Quartiles, constraint); largest.middle[7] != 0.5 {
		t.Errorf("constraint %v, want the largest", largest.middle[7])
	}
	if start := newCurve("fsfo", []results.Run{runAt("fsfo", results.Exhausted, []int64{0}, 1)},
		Samples, Quartiles, objective); len(start.x) != 1 {
		t.Errorf("a run that recorded its start only gives %d points", len(start.x))
	}
	two := newCurve("fsfo", runs[:2], Samples, SD, objective) // 8 and 6 at the start
	if s := math.Sqrt2; two.middle[0] != 7 || math.Abs(two.lower[0]-7+s) > 1e-12 || math.Abs(two.upper[0]-7-s) > 1e-12 {
		t.Errorf("mean %v, deviation from %v to %v, want 7 ± √2", two.middle[0], two.lower[0], two.upper[0])
	}
	tail := c.from(239.5)
	if diff := cmp.Diff([]float64{240}, tail.x); diff != "" {
		t.Errorf("end of the curve: %s", diff)
	}
}

func TestShowable(t *testing.T) {
	at := []int64{0, 10}
	timeless := runAt("sgd", results.Exhausted, at, 1, 2)
	timeless.Points[1].Seconds = math.NaN()
	groups, notes, _ := showable([]results.Run{
		runAt("mine", results.Exhausted, at, 1, 2),
		timeless,
		runAt("ssqp", results.Exhausted, at, 1, 2),
		runAt("fsfo", results.Converged, at, 1, 2),
		runAt("ssqp", results.Diverged, at, 1, 2),
		runAt("alm", results.Failed, nil),
		runAt("ssqp", results.Exhausted, at, 1, 2),
	}, Seconds)
	var got []string
	for _, g := range groups {
		got = append(got, strings.Repeat(g.label, len(g.runs)))
	}
	if diff := cmp.Diff([]string{"mine", "ssqpssqp", "fsfo"}, got); diff != "" {
		t.Errorf("groups: %s", diff)
	}
	want := []string{leftOut("sgd", 1, 1), leftOut("ssqp", 1, 3), leftOut("alm", 1, 1)}
	if diff := cmp.Diff(want, notes); diff != "" {
		t.Errorf("notes: %s", diff)
	}
}

// TestStyles expects a method to look the same in whatever company, and no two labels to
// look alike.
func TestStyles(t *testing.T) {
	few := stylesOf([]string{"mine", "stoc-ialm"})
	labels := strings.Fields("b alm stoc-ialm a fsfo ssqp slqpm pstorm sgd c d e f")
	many := stylesOf(labels)
	same := cmp.AllowUnexported(style{})
	if diff := cmp.Diff(few["stoc-ialm"], many["stoc-ialm"], same); diff != "" {
		t.Errorf("stoc-ialm looks different in company: %s", diff)
	}
	for i, a := range labels {
		for _, b := range labels[i+1:] {
			if many[a].color == many[b].color {
				t.Errorf("%s and %s have one colour", a, b)
			}
		}
	}
}

func TestLinearLimits(t *testing.T) {
	var ramp []float64 // 0, 0.01, …, 1, its central part from 0.02 to 0.98
	for i := range 101 {
		ramp = append(ramp, float64(i)/100)
	}
	for _, test := range []struct {
		values, early, always []float64
		want                  limits // without the margin
	}{
		{ramp, nil, nil, limits{0, 1}},
		{ramp, []float64{0.5}, nil, limits{0, 1}},
		{ramp, []float64{-0.1, 1.1}, nil, limits{-0.1, 1.1}},
		{ramp, []float64{1e9}, nil, limits{0, 0.98 + 0.96/2}},
		{slices.Concat(ramp, []float64{1e9}), nil, nil, limits{0, 0.99 + 0.97}},
		{slices.Concat(ramp, []float64{1.5}), nil, nil, limits{0, 1.5}},
		{ramp, nil, []float64{-1, 0.5}, limits{-1, 1}},
	} {
		got := linearLimits(test.values, test.early, test.always...)
		margin := 0.04 * (test.want.hi - test.want.lo)
		want := limits{test.want.lo - margin, test.want.hi + margin}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(limits{}), cmpopts.EquateApprox(1e-12, 0)); diff != "" {
			t.Errorf("early %v, always %v: %s", test.early, test.always, diff)
		}
	}
	if l := linearLimits([]float64{5, 5}, nil); l != (limits{4.5, 5.5}) {
		t.Errorf("flat values give %v", l)
	}
	if l := linearLimits([]float64{0.3479, math.Nextafter(0.3479, 1)}, nil); l.hi-l.lo < 0.06 {
		t.Errorf("values that differ by rounding give %v", l)
	}
	if l := linearLimits([]float64{0}, nil); l != (limits{-1e-9, 1e-9}) {
		t.Errorf("a zero gives %v", l)
	}
}

func TestLimitsProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 1, 40).Draw(t, "values")
		early := rapid.SliceOfN(rapid.Float64Range(-1e12, 1e12), 0, 5).Draw(t, "early")
		l := linearLimits(values, early)
		if !(l.lo < l.hi) {
			t.Fatalf("linear range %v", l)
		}
		g := logLimits(values, early)
		if !(0 < g.lo && g.lo < g.hi) {
			t.Fatalf("log range %v", g)
		}
		labels := 0
		for _, tick := range (logTicks{}).Ticks(g.lo, g.hi) {
			if tick.Label != "" {
				labels++
			}
		}
		if labels == 0 || labels > 12 {
			t.Errorf("%d labels on the log axis %v", labels, g)
		}
	})
}

// TestTicksFarApart: the ends of a logarithmic axis may be so far apart that their ratio is no
// number.
func TestTicksFarApart(t *testing.T) {
	if n := len((logTicks{}).Ticks(1.4e-309, 0.49)); n < 2 {
		t.Errorf("%d ticks", n)
	}
	if !slices.ContainsFunc((logTicks{}).Ticks(1.4e-309, 0.49), func(tick plot.Tick) bool { return tick.Label != "" }) {
		t.Error("no tick has a label")
	}
}

func TestTicks(t *testing.T) {
	labels := func(ticks []plot.Tick) string {
		var s []string
		for _, tick := range ticks {
			if tick.Label != "" {
				s = append(s, tick.Label)
			}
		}
		return strings.Join(s, " ")
	}
	for _, test := range []struct {
		lo, hi float64
		want   string
	}{
		{0.002, 3, "0.01 0.1 1"},
		{0.008, 0.06, "0.01 0.02 0.05"},
		{0.013, 0.5, "0.02 0.05 0.1 0.2 0.5"},
		{0.25, 0.5, "0.3 0.4 0.5"},
		{0.048, 0.13, "0.05 0.07 0.1"},
		{1e-12, 1, "1e-12 1e-10 1e-8 1e-6 0.0001 0.01 1"},
	} {
		if got := labels((logTicks{}).Ticks(test.lo, test.hi)); got != test.want {
			t.Errorf("log ticks of %v to %v: %s, want %s", test.lo, test.hi, got, test.want)
		}
	}
}

// TestLogPanel expects everything of a log panel to be positive, and what is cut off to be
// marked.
func TestLogPanel(t *testing.T) {
	p := panel{log: true, y: limits{0.1, 10}, curves: []curve{{
		label: "fsfo", x: []float64{0, 1, 2, 3}, middle: []float64{30, 1, 0, 1}, lower: []float64{9, 1, 0, 0.05}, upper: []float64{40, 50, 0.2, 1},
	}}}
	c := p.curves[0]
	for _, xy := range p.outline(c) {
		if xy.Y < p.y.lo {
			t.Errorf("the band has the point %v below the axis at %v", xy, p.y.lo)
		}
	}
	if at := p.points(c.x, c.middle)[2].Y; at != p.y.lo {
		t.Errorf("a median of 0 is drawn at %v, want the lower end %v", at, p.y.lo)
	}
	want := []beyond{{at: plotter.XY{X: 1, Y: 10}, tip: upward}, {at: plotter.XY{X: 2, Y: 0.1}, tip: down}}
	if diff := cmp.Diff(want, p.cut(c), cmp.AllowUnexported(beyond{}, tip{})); diff != "" {
		t.Errorf("marks: %s", diff)
	}
	p.y = limits{0, 50}
	if marks := p.cut(c); len(marks) != 0 {
		t.Errorf("marks %v of a curve that the axis contains", marks)
	}
}

func TestConvergencePanels(t *testing.T) {
	groups, _, _ := showable(sampleRuns("fsfo", "ssqp"), Samples)
	panels, err := convergencePanels(groups, sampleReference, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range panels {
		if p.xLabel != "samples (thousands)" || p.x != (limits{0, 40}) || len(p.curves) != 2 ||
			p.curves[1].x[240] != 40 {
			t.Errorf("panel %q has the x axis %q %v and %d curves", p.title, p.xLabel, p.x, len(p.curves))
		}
		if p.log != (i == 2) || p.zero != (i == 1) || (p.reference != nil) != (i == 0) {
			t.Errorf("panel %q has the wrong scale or lines", p.title)
		}
	}
	// Near the optimum the axis of the objective contains it.
	if f := panels[0]; f.y.lo > sampleReference.Objective {
		t.Errorf("the objective's axis begins at %v, above the reference", f.y.lo)
	}
	// The enlargement stretches no axis of the panels above it.
	in := panels[0].enlarge(0.25)
	if in.x != (limits{30, 40}) || in.curves[0].x[0] != 30 || in.y.hi-in.y.lo > 0.1 || !panels[2].enlarge(0.25).log {
		t.Errorf("the enlargement shows %v × %v, from %v on", in.x, in.y, in.curves[0].x[0])
	}
	if panels[0].x != (limits{0, 40}) {
		t.Errorf("the panel itself shows %v", panels[0].x)
	}
}

func TestUnits(t *testing.T) {
	for _, test := range []struct {
		axis    XAxis
		largest float64
		scale   float64
		label   string
	}{
		{Samples, 1500, 1, "samples"},
		{Samples, 40000, 1e3, "samples (thousands)"},
		{Samples, 3e6, 1e6, "samples (millions)"},
		{Passes, 3e6, 1, "passes over the data"},
		{Seconds, 7, 1, "seconds"},
	} {
		if scale, label := unit(test.axis, test.largest); scale != test.scale || label != test.label {
			t.Errorf("%s up to %v: %v, %q", test.axis, test.largest, scale, label)
		}
	}
}

func TestProfiles(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	c := Costs{Solvers: []string{"a", "b", "c"}, Cost: [][]float64{
		{1, 2, inf},
		{6, 3, nan},
		{5, 5, inf},
		{inf, nan, inf}, // solved by none
	}}
	exact := cmp.AllowUnexported(steps{})
	want := []steps{{x: []float64{1, 2}, y: []float64{0.5, 0.75}}, {x: []float64{1, 2}, y: []float64{0.5, 0.75}}, {}}
	if diff := cmp.Diff(want, c.performance(), exact); diff != "" {
		t.Errorf("performance profile: %s", diff)
	}
	profile := steps{x: []float64{1, 1.5}, y: []float64{0.5, 0.75}}
	var path []float64
	for _, xy := range profile.path(0, 9) {
		path = append(path, xy.X, xy.Y)
	}
	if diff := cmp.Diff([]float64{0, 0, 1, 0, 1, 0.5, 1.5, 0.5, 1.5, 0.75, 9, 0.75}, path); diff != "" {
		t.Errorf("staircase: %s", diff)
	}
	path = nil
	for _, xy := range profile.path(0, 1.2) {
		path = append(path, xy.X, xy.Y)
	}
	if diff := cmp.Diff([]float64{0, 0, 1, 0, 1, 0.5, 1.2, 0.5}, path); diff != "" {
		t.Errorf("staircase that ends early: %s", diff)
	}
}
