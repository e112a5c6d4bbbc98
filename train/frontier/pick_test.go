package frontier

import (
	"testing"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/train"
)

// TestPick chooses by the validation rows, at the bound of the constraint and not at the
// bound of each point.
func TestPick(t *testing.T) {
	point := func(bound, achieved, accuracy float64) *Point {
		return &Point{Bound: fairness.Value(bound), Report: &train.Report{
			Requirements: []train.Requirement{{Bound: bound, Validation: &achieved}},
			Validation:   &train.Figures{Report: &fairness.Report{Metrics: fairness.Metrics{Accuracy: fairness.Value(accuracy)}}},
		}}
	}
	costly := func(wrongPositive, missed, accuracy float64) *Point {
		p := point(0.02, 0.01, accuracy)
		p.Report.Costs = &classifier.Costs{WrongPositive: 0.1, Missed: 0.9}
		p.Report.Validation.FalsePositives, p.Report.Validation.FalseNegatives = fairness.Value(wrongPositive), fairness.Value(missed)
		return p
	}
	for name, test := range map[string]struct {
		points []*Point
		want   int // −1 for none
	}{
		"looser than the bound, yet within it": {[]*Point{point(0.01, 0.005, 0.7), point(0.02, 0.03, 0.9), point(0.05, 0.02, 0.8)}, 2},
		"the tightest at a tie":                {[]*Point{point(0.01, 0.01, 0.8), point(0.02, 0.01, 0.8)}, 0},
		"by costs, not by accuracy":            {[]*Point{costly(5, 5, 0.9), costly(30, 1, 0.69), costly(0, 9, 0.91)}, 1},
		"none keeps the bound":                 {[]*Point{point(0.02, 0.03, 0.9)}, -1},
	} {
		r := &Report{Points: test.points}
		r.pick(0.02)
		for k, p := range r.Points {
			if p.Picked != (k == test.want) {
				t.Errorf("%s: picked is %v for point %d, want point %d", name, p.Picked, k, test.want)
			}
		}
	}
	without := &Report{Points: []*Point{{Report: &train.Report{Requirements: []train.Requirement{{Bound: 0.02}}}}}}
	if without.pick(0.02); without.Points[0].Picked {
		t.Error("a point is picked without validation rows")
	}
}
