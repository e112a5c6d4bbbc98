package plots

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestBoxQuartiles compares boxes with the quartiles of tables, and whiskers with what is within
// 1.5 box lengths on a log axis: a box from 0.01 to 1 reaches to 1000.
func TestBoxQuartiles(t *testing.T) {
	for _, test := range []struct {
		values              []float64
		low, q1, median, q3 float64
		high                float64
		outside             []int
	}{
		{values: []float64{1, 2, 4}, low: 1, q1: 1.5, median: 2, q3: 3, high: 4},
		{values: []float64{1, 2, 4, 8}, low: 1, q1: 1.75, median: 3, q3: 5, high: 8},
		{values: []float64{5}, low: 5, q1: 5, median: 5, q3: 5, high: 5},
		{values: []float64{1e-9, 0.01, 0.1, 1, 999}, low: 0.01, q1: 0.01, median: 0.1, q3: 1, high: 999, outside: []int{0}},
	} {
		p := boxPanel{limits: limits{1e-12, 1e4}, reach: limits{1e-12, 1e4}}
		box, err := p.box(test.values, 0, style{})
		if err != nil {
			t.Fatal(err)
		}
		got := []float64{box.AdjLow, box.Quartile1, box.Median, box.Quartile3, box.AdjHigh}
		want := []float64{test.low, test.q1, test.median, test.q3, test.high}
		if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
			t.Errorf("box of %v: %s", test.values, diff)
		}
		if diff := cmp.Diff(test.outside, box.Outside, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("values of %v beyond the whiskers: %s", test.values, diff)
		}
	}
}

// TestErrorPanel takes the values of the right solvers, and moves those without a place
// to the ends of the axis, where they leave the median as it is.
func TestErrorPanel(t *testing.T) {
	e := sampleErrors()[0]
	styles := stylesOf(e.Solvers)
	p, err := e.panel()
	if err != nil {
		t.Fatal(err)
	}
	for k := range e.Solvers {
		var column []float64
		for _, row := range e.Value {
			column = append(column, row[k])
		}
		slices.Sort(column)
		box, err := p.box(p.values[k], 0, styles[p.labels[k]])
		if err != nil {
			t.Fatal(err)
		}
		if want := (column[49] + column[50]) / 2; math.Abs(box.Median/want-1) > 1e-12 {
			t.Errorf("median of %s is %v, want %v as in a table", e.Solvers[k], box.Median, want)
		}
	}
	if p.limits.lo < 1e-9 || p.limits.hi > 1e9 {
		t.Errorf("the axis %v leaves no room for most values", p.limits)
	}
	for k, isHigh := range []bool{false, true, false, true} { // 0, ∞, 10⁻⁴⁰, 10⁴⁰
		box, err := p.box(p.values[k], 0, styles[p.labels[k]])
		if err != nil {
			t.Fatal(err)
		}
		low, high := p.beyond(p.values[k])
		if isHigh != (high > 0) || isHigh == (low > 0) || slices.Contains(box.Outside, 7) ||
			box.AdjLow < p.limits.lo || box.AdjHigh > p.limits.hi {
			t.Errorf("%s: %d values below and %d above the axis, points %v, whiskers from %v to %v; want the eighth value beyond and the whiskers within", p.labels[k], low, high, box.Outside, box.AdjLow, box.AdjHigh)
		}
	}
}

// TestOpenBox has a box with an infinite end, which is drawn up to the end of the axis.
func TestOpenBox(t *testing.T) {
	e := Errors{Measure: "error", Solvers: []string{"fsfo"}}
	for i := range 30 {
		e.Value = append(e.Value, []float64{float64(i + 1)})
		if i >= 15 {
			e.Value[i][0] = math.Inf(1)
		}
	}
	p, err := e.panel()
	if err != nil {
		t.Fatal(err)
	}
	box, err := p.box(p.values[0], 0, style{})
	if err != nil {
		t.Fatal(err)
	}
	if low, high := p.beyond(p.values[0]); box.Quartile3 != p.limits.hi || low != 2 || high != 15 {
		t.Errorf("the box ends at %v on the axis %v, which %d and %d values are beyond; want its end, 2 and 15", box.Quartile3, p.limits, low, high)
	}
}
