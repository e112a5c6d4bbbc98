package fairness_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fairtrain/fairtrain/fairness"
)

// curve returns the points of the members, or of all rows if these are nil.
func curve(t *testing.T, p fairness.Predictions, member []bool, parts, least int) []fairness.ROCPoint {
	t.Helper()
	group, groups := fairness.All, []fairness.Group(nil)
	if member != nil {
		group, groups = 0, []fairness.Group{{Name: "g", Member: member}}
	}
	j, err := p.By(groups)
	if err != nil {
		t.Fatal(err)
	}
	return j.ROC(group, parts, least)
}

// TestROC checks every point against the rates that Evaluate finds at its threshold.
func TestROC(t *testing.T) {
	const rows = 200
	r := rand.New(rand.NewPCG(1, 2))
	p := fairness.Predictions{Scores: make([]float64, rows), Labels: make([]int8, rows), Weights: make([]float64, rows)}
	member := make([]bool, rows)
	for i := range rows {
		p.Scores[i] = float64(r.IntN(60)) / 60 // with ties
		p.Labels[i] = int8(2*r.IntN(2) - 1)
		p.Weights[i] = 0.5 + r.Float64()
		member[i] = r.IntN(3) > 0
	}
	points := curve(t, p, member, 20, 5)
	if len(points) < 15 {
		t.Fatalf("%d points, expected about 20", len(points))
	}
	last := len(points) - 1
	if points[0].TPR != 0 || points[0].FPR != 0 || points[last].TPR != 1 || points[last].FPR != 1 {
		t.Errorf("the curve goes from %v to %v", points[0], points[last])
	}
	for _, at := range points[1:] {
		p.Threshold = float64(at.Threshold)
		report, err := fairness.Evaluate(p, []fairness.Group{{Name: "g", Member: member}})
		if err != nil {
			t.Fatal(err)
		}
		g := report.Groups[0]
		if math.Abs(float64(at.TPR-g.TPR)) > 1e-12 || math.Abs(float64(at.FPR-g.FPR)) > 1e-12 {
			t.Errorf("at %v the curve has %v, %v; the decisions %v, %v", p.Threshold, at.FPR, at.TPR, g.FPR, g.TPR)
		}
	}
}

// TestROCHidesFewRows checks that no step of a curve tells of fewer rows than asked, and
// that rows which can't have a curve have none.
func TestROCHidesFewRows(t *testing.T) {
	p := fairness.Predictions{Scores: []float64{.1, .2, .3, .4, .5, .6, .7}, Labels: []int8{-1, 1, -1, 1, -1, 1, 1}}
	if points := curve(t, p, nil, 40, 3); len(points) != 3 {
		t.Errorf("%d points of 7 rows in steps of at least 3, expected 3: %v", len(points), points)
	}
	if points := curve(t, p, nil, 40, 8); points != nil {
		t.Errorf("a curve of fewer rows than asked: %v", points)
	}
	p.Labels = []int8{1, 1, 1, 1, 1, 1, 1}
	if points := curve(t, p, nil, 40, 1); points != nil {
		t.Errorf("a curve without a negative: %v", points)
	}
}
