package frontier

import (
	"slices"
	"testing"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/train"
)

// TestBest gives each bound the best classifier that keeps it.
func TestBest(t *testing.T) {
	found := func(bound, accuracy float64, kept ...float64) *run {
		return &run{&Point{Bound: fairness.Value(bound), Report: &train.Report{
			Train: &train.Figures{Report: &fairness.Report{Metrics: fairness.Metrics{Accuracy: fairness.Value(accuracy)}}},
		}}, kept}
	}
	costly := func(bound, accuracy, missed float64, kept ...float64) *run {
		r := found(bound, accuracy, kept...)
		r.Report.Costs = &classifier.Costs{WrongPositive: 0.1, Missed: 0.9}
		r.Report.Train.FalseNegatives = fairness.Value(missed)
		return r
	}
	for name, test := range map[string]struct {
		runs []*run
		want []int // of runs, for each bound
	}{
		"each its own":       {[]*run{found(1, 0.6, 1, 2), found(2, 0.7, 2)}, []int{0, 1}},
		"of a tighter bound": {[]*run{found(1, 0.8, 1, 2, 3), found(2, 0.7, 2, 3), found(3, 0.9, 3)}, []int{0, 0, 2}},
		"of a looser bound":  {[]*run{found(1, 0.6, 1, 2), found(2, 0.7, 1, 2)}, []int{1, 1}},
		"its own at a tie":   {[]*run{found(1, 0.7, 1, 2), found(2, 0.7, 1, 2)}, []int{0, 1}},
		"more than its own":  {[]*run{found(1, 0.8, 1), found(2, 0.7, 2)}, []int{0, 1}},
		"own does not keep":  {[]*run{found(1, 0.6, 1, 2), found(2, 0.7)}, []int{0, 0}},
		"none keeps":         {[]*run{found(1, 0.8), found(2, 0.7)}, []int{0, 1}},
		"by costs":           {[]*run{costly(1, 0.6, 3, 1, 2), costly(2, 0.7, 5, 2)}, []int{0, 0}},
	} {
		points := best(test.runs)
		for k, p := range points {
			own, from := test.runs[k], test.runs[test.want[k]]
			trained := p.Bound
			if p.TrainedFor != nil {
				trained = *p.TrainedFor
			}
			if p.Bound != own.Bound || p.Report != from.Report || trained != from.Bound ||
				(p.TrainedFor == nil) != (own == from) {
				t.Errorf("%s: bound %v has the classifier of %v, want that of %v", name, p.Bound, trained, from.Bound)
			}
		}
		if !slices.IsSortedFunc(points, func(a, b *Point) int { return int(a.Bound - b.Bound) }) {
			t.Errorf("%s: bounds are out of order", name)
		}
	}
}
