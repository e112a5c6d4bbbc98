package frontier

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/model"
)

// outcomes are numbers of rows by label and decision.
type outcomes struct{ tp, fn, fp, tn int }

// decidedRows are rows of the groups a and b, by decisions.
func decidedRows(a, b outcomes) (rows fairness.Predictions, groups []fairness.Group) {
	rows.Threshold = 0.5
	groups = []fairness.Group{{Name: "side=a"}, {Name: fairness.Others}}
	for k, o := range []outcomes{a, b} {
		for _, c := range []struct {
			rows     int
			label    int8
			decision float64
		}{{o.tp, 1, 1}, {o.fn, 1, 0}, {o.fp, -1, 1}, {o.tn, -1, 0}} {
			for range c.rows {
				rows.Labels, rows.Scores = append(rows.Labels, c.label), append(rows.Scores, c.decision)
				for g := range groups {
					groups[g].Member = append(groups[g].Member, g == k)
				}
			}
		}
	}
	return rows, groups
}

// TestIntervals compares with the intervals of the rates that the constraints bound.
func TestIntervals(t *testing.T) {
	a, b := outcomes{tp: 20, fn: 5, fp: 3, tn: 12}, outcomes{tp: 6, fn: 14, fp: 1, tn: 39}
	rows, groups := decidedRows(a, b)
	s, err := rows.By(groups)
	if err != nil {
		t.Fatal(err)
	}
	difference := func(metric string, level float64) fairness.Estimate {
		e, err := fairness.LargestDifference(s, level, metric)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	accuracy := func(level float64) fairness.Comparison {
		c, err := fairness.Comparisons(s, level, "accuracy")
		if err != nil {
			t.Fatal(err)
		}
		return c[0]
	}
	near := cmp.Comparer(func(a, b fairness.Value) bool {
		return math.Abs(float64(a-b)) < 1e-12 || !a.Defined() && !b.Defined()
	})
	ratio, err := fairness.SmallestRatio(s, 0.95, "selection_rate")
	if err != nil {
		t.Fatal(err)
	}
	for spec, want := range map[string]fairness.Estimate{
		"demographic-parity:group=side=a,bound=0.1": difference("selection_rate", 0.95),
		"share:group=side=a,omega=0.3":              difference("selection_rate", 0.95),
		"rate-ratio:group=side=a,min=0.8":           ratio,
		"equal-opportunity:group=side=a,bound=0.1":  difference("tpr", 0.95),
		// The true positive rates are 0.5 apart, the false positive rates 0.175.
		"equalized-odds:group=side=a,bound=0.1": {
			Value: 0.5,
			Low:   max(difference("tpr", 0.975).Low, difference("fpr", 0.975).Low),
			High:  max(difference("tpr", 0.95).High, difference("fpr", 0.95).High),
		},
		// The errors of the group are 8 of 40; the errors of the others, 15 of 60, have no
		// bound.
		"bounded-group-loss:group=side=a,bound=0.5": {
			Value: 0.2, Low: 1 - accuracy(0.975).Groups[0].High, High: 1 - accuracy(0.95).Groups[0].Low,
		},
	} {
		c, err := model.ParseConstraint(spec)
		if err != nil {
			t.Fatal(err)
		}
		got, err := newMeasure(c.(model.GroupConstraint)).intervals(s)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(Intervals{Accuracy: accuracy(0.95).Overall, Disparity: want},
			got, near); diff != "" {
			t.Errorf("%s: %s", spec, diff)
		}
	}
	// On rows without the group the accuracy is still known.
	c := model.DemographicParity.For("race", 0.1)
	want := unknownIntervals()
	want.Accuracy = accuracy(0.95).Overall
	if s, err = rows.By(nil); err != nil {
		t.Fatal(err)
	}
	got, err := newMeasure(c).intervals(s)
	if diff := cmp.Diff(want, got, near); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

// TestOwnFamily: a family that nobody foresaw has the disparity of its rates, which its interval
// covers.
func TestOwnFamily(t *testing.T) {
	rows, groups := decidedRows(outcomes{tp: 20, fn: 5, fp: 3, tn: 12}, outcomes{tp: 6, fn: 14, fp: 1, tn: 39})
	s, err := rows.By(groups)
	if err != nil {
		t.Fatal(err)
	}
	f := &model.Family{Name: "false-positive-parity", Kind: model.Difference, Rates: []*model.Rate{model.FPR}}
	m := newMeasure(f.For("side=a", 0.1))
	const want = 3./15 - 1./40
	i, err := m.intervals(s)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(float64(i.Disparity.Value)-want) > 1e-12 {
		t.Errorf("disparity %v, want %v", i.Disparity, want)
	}
}
