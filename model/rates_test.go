package model_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/model"
)

// people draws labelled rows with an attribute of some levels, each of which occurs with
// both labels, and possibly weights.
func people(t *rapid.T) *dataset.Dataset {
	levels := rapid.IntRange(2, 6).Draw(t, "levels")
	var b sparse.Builder
	a := dataset.Attribute{Name: "g"}
	var codes []int
	add := func(level, label int) {
		b.Add(int8(label), []int{0}, nil)
		codes = append(codes, level)
	}
	for level := range levels {
		a.Levels = append(a.Levels, fmt.Sprintf("level %d", level))
		add(level, +1)
		add(level, -1)
	}
	for range rapid.IntRange(0, 30).Draw(t, "further") {
		add(rapid.IntRange(0, levels-1).Draw(t, "level"), 2*rapid.IntRange(0, 1).Draw(t, "label")-1)
	}
	a.Codes = dataset.CodesOf(codes...)
	d := &dataset.Dataset{Name: "people", Attributes: []dataset.Attribute{a}}
	d.X, d.Y = b.Finish(1)
	if rapid.Bool().Draw(t, "weighted") {
		for range d.Y {
			d.Weights = append(d.Weights, rapid.Float64Range(0.1, 3).Draw(t, "weight"))
		}
	}
	return d
}

// meanOver is the mean of values over the rows that keep selects.
func meanOver(d *dataset.Dataset, values []float64, keep func(i int) bool) float64 {
	sum, total := 0.0, 0.0
	for i, v := range values {
		if w := 1.0; keep(i) {
			if d.Weights != nil {
				w = d.Weights[i]
			}
			sum += w * v
			total += w
		}
	}
	return sum / total
}

// extremes returns the least and the largest of the groups' means, among the rows with a
// label (0: any).
func extremes(d *dataset.Dataset, values []float64, label int8) (least, largest float64) {
	a := d.Attributes[0]
	least, largest = math.Inf(1), math.Inf(-1)
	for code := range a.Levels {
		m := meanOver(d, values, func(i int) bool { return a.Codes.At(i) == code && (label == 0 || d.Y[i] == label) })
		least, largest = min(least, m), max(largest, m)
	}
	return least, largest
}

// rowsAt returns a constraint's rows and their values, with the bases of WithBases.
func rowsAt(t *rapid.T, c model.Constraint, d *dataset.Dataset, values []float64) ([]model.Inequality, []float64) {
	rows, err := c.Inequalities(d)
	if err != nil {
		t.Fatal(err)
	}
	at := make([]float64, len(rows))
	for i, r := range rows {
		at[i] = r.Value(values)
	}
	model.WithBases(rows, at)
	return rows, at
}

// TestRatesAreTheirDefinitions compares every constraint of rates with the means that it
// is about: there are bases at which all rows are ≤ 0 just where no two groups are further
// apart than the bound.
func TestRatesAreTheirDefinitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := people(t)
		values := make([]float64, d.Rows())
		for i := range values {
			values[i] = rapid.Float64Range(0.01, 1).Draw(t, "score")
		}
		bound := rapid.Float64Range(0.01, 0.99).Draw(t, "bound")
		low, high := extremes(d, values, 0)
		lowTPR, highTPR := extremes(d, values, +1)
		lowFPR, highFPR := extremes(d, values, -1)
		errs := make([]float64, len(values))
		for i, v := range values {
			errs[i] = v
			if d.Y[i] > 0 {
				errs[i] = 1 - v
			}
		}
		_, worstLoss := extremes(d, errs, 0)
		groups := len(d.Attributes[0].Levels)
		for _, test := range []struct {
			constraint model.Constraint
			rows       int
			excess     float64 // ≤ 0 where the constraint should hold
		}{
			{model.DemographicParity.For("g", bound), pairsOrBases(groups), high - low - bound},
			{model.EqualOpportunity.For("g", bound), pairsOrBases(groups), highTPR - lowTPR - bound},
			{model.EqualizedOdds.For("g", bound), 2 * pairsOrBases(groups), max(highTPR-lowTPR, highFPR-lowFPR) - bound},
			{model.RateRatio.For("g", bound), pairsOrBases(groups), bound*high - low},
			{model.BoundedGroupLoss.For("g", bound), groups, worstLoss - bound},
		} {
			const rounding = 1e-12
			rows, at := rowsAt(t, test.constraint, d, values)
			if len(rows) != test.rows {
				t.Fatalf("%s: %d rows for %d groups, want %d", test.constraint, len(rows), groups, test.rows)
			}
			got := floats.Max(at)
			if got <= -rounding && test.excess > rounding {
				t.Fatalf("%s: holds (%v), but is exceeded by %v", test.constraint, got, test.excess)
			}
			if got > rounding && test.excess < -rounding {
				t.Fatalf("%s: violated by %v, but is kept by %v", test.constraint, got, -test.excess)
			}
			// No other base does better.
			base := rapid.Float64Range(-0.5, 1.5).Draw(t, "base")
			other := map[string]float64{}
			for _, r := range rows {
				other[r.Base] = max(other[r.Base], r.Value(values)+r.Slope*base)
			}
			for i, r := range rows {
				if r.Base != "" && at[i] > max(other[r.Base], 0)+rounding {
					t.Fatalf("%s: %s is %v, but at a base of %v no row exceeds %v", test.constraint,
						r.Name, at[i], base, other[r.Base])
				}
			}
		}
	})
}

// pairsOrBases is the number of rows that compare groups: two for a pair, else two for
// each group.
func pairsOrBases(groups int) int {
	if groups == 2 {
		return 2
	}
	return 2 * groups
}

// TestValuesOfRates pins names, units and order, which the property above leaves open.
func TestValuesOfRates(t *testing.T) {
	var b sparse.Builder
	for _, label := range []int8{1, -1, 1, -1} {
		b.Add(label, []int{0}, nil)
	}
	d := &dataset.Dataset{Name: "four", Attributes: []dataset.Attribute{{
		Name: "sex", Levels: []string{"f", "m"}, Codes: dataset.CodesOf(0, 0, 1, 1),
	}}}
	d.X, d.Y = b.Finish(1)
	scores := []float64{0.5, 0.1, 0.9, 0.3} // means: f 0.3, m 0.6
	type value struct {
		name string
		c    float64
	}
	for _, test := range []struct {
		spec string
		want []value
	}{
		{"demographic-parity:group=sex,bound=0.1", []value{{"demographic-parity(sex=f) above", -0.4}, {"demographic-parity(sex=f) below", 0.2}}},
		{"equal-opportunity:group=sex=m,bound=0.1", []value{{"equal-opportunity(sex=m) above", 0.3}, {"equal-opportunity(sex=m) below", -0.5}}},
		{"equalized-odds:group=sex,bound=0.1", []value{
			{"equalized-odds TPR(sex=f) above", -0.5},
			{"equalized-odds TPR(sex=f) below", 0.3},
			{"equalized-odds FPR(sex=f) above", -0.3},
			{"equalized-odds FPR(sex=f) below", 0.1},
		}},
		{"rate-ratio:group=sex,min=0.8", []value{{"rate-ratio(sex=f) below", 0.18}, {"rate-ratio(sex=f) above", -0.36}}},
		{"bounded-group-loss:group=sex,bound=0.25", []value{{"bounded-group-loss(sex=f)", 0.05}, {"bounded-group-loss(sex=m)", -0.05}}},
	} {
		c, err := model.ParseConstraint(test.spec)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := c.Inequalities(d)
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) != len(test.want) {
			t.Fatalf("%s: %d rows, want %d", c, len(rows), len(test.want))
		}
		for i, r := range rows {
			if w := test.want[i]; r.Name != w.name || math.Abs(r.Value(scores)-w.c) > 1e-15 {
				t.Errorf("%s: %s is %v, want %s %v", c, r.Name, r.Value(scores), w.name, w.c)
			}
		}
	}
}

func TestRatesSayWhatIsWrong(t *testing.T) {
	var b sparse.Builder
	for _, label := range []int8{1, -1, -1} {
		b.Add(label, []int{0}, nil)
	}
	d := &dataset.Dataset{Name: "three", Attributes: []dataset.Attribute{{
		Name: "sex", Levels: []string{"f", "m"}, Codes: dataset.CodesOf(0, 0, 1),
	}}}
	d.X, d.Y = b.Finish(1)
	for _, test := range []struct {
		constraint model.Constraint
		want       string
	}{
		{model.EqualOpportunity.For("sex", 0.1), "sex=m: no row has the label +1, so its rate among them is undefined (a schema's [[group]] merges it with another group)"},
		{model.EqualizedOdds.For("sex", 0.1), "sex=m: no row has the label +1"},
		{model.DemographicParity.For("sex", 1), "bound is 1, must be in [0, 1)"},
		{model.RateRatio.For("sex", 0), "min is 0, must be in (0, 1]"},
		{model.BoundedGroupLoss.For("sex", 0), "bound is 0, must be in (0, 1)"},
		{model.RateRatio.For("age", 1), `three has no attribute "age", it has "sex"`},
	} {
		if _, err := test.constraint.Inequalities(d); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.constraint, err, test.want)
		}
	}
}
