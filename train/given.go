package train

import (
	"context"
	"fmt"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/internal/vmath"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train/crossval"
	"github.com/fairtrain/fairtrain/train/thresholds"
)

const (
	// Given is the method of a score that nothing was trained for.
	Given = "given"
	// others are the rows of no group that the model names, and all where it names none.
	others, all = "(other)", "all"
	// ByThresholds is how a classifier is made of a given score alone.
	ByThresholds = "thresholds"
)

// given returns the given score in place of what training without constraints leads to.
func (g *stage) given() (fit, error) {
	g.Constraints, g.fair = []model.Constraint{model.Unconstrained()}, nil
	fair, err := g.state(g.Model)
	if err != nil {
		return fit{}, err
	}
	x := crossval.GivenScore(g.Data, g.Score)
	values := problem.NewValues(fair.Dims())
	fair.Evaluate(values, fair.Chosen(x), nil)
	a := &attempt{
		stage: g, solvedBy: Given, fair: fair, status: solver.Converged, x: x, values: values, temperature: 1,
		orders: make([][]float64, len(g.Data.Orders)),
	}
	m := len(fair.Constraints())
	a.shift, a.kappa, a.residual.Multiplier = make([]float64, m), make([]float64, m), make([]float64, m)
	return fit{a, g.Loss, g.spread(x), g.centre}, fair.Err()
}

// moveThresholds returns the given score with the best threshold for each cell of the groups: a weight
// of the cell's feature, and the intercept for rows of no cell.
func (t *task) moveThresholds(ctx context.Context, free fit, spent effort, watch func(best *candidate)) (*solution, error) {
	on, err := t.judgedOn()
	if err != nil {
		return nil, err
	}
	for _, r := range on.requirements {
		if r.Comparisons == nil || r.On != Decisions {
			return nil, fmt.Errorf("constraint %s: thresholds of groups are found for rates of decisions, this is a bound on %s", r.Spec, r.On)
		}
	}
	x := free.classifier()
	crosses := t.Encoding.Width()
	for k := range t.Encoding.Crosses {
		crosses -= t.Encoding.Crosses[k].Width()
	}
	p := &thresholds.Problem{
		Count: t.Data.Features() - crosses + 1,
		Cells: cellsOf(t.Data, crosses), Labels: t.Data.Y, Weight: t.Data.Weight, Worth: t.worth(),
		Requirements: on.requirements, Before: free.centre,
	}
	for _, m := range t.linear(x).Margins(t.Data, 0, t.Data.Rows()) {
		p.Scores = append(p.Scores, m...)
	}
	found, err := p.Solve(ctx)
	if err != nil {
		return nil, err
	}
	s := &solution{x: x, loss: free.loss, centre: free.centre, how: ByThresholds, from: free.attempt, status: free.status, effort: spent}
	none := len(found.Thresholds) - 1
	x[len(x)-1] = free.centre - found.Thresholds[none]
	for cell, at := range found.Thresholds {
		of := Threshold{Group: []string{all, others}[min(none, 1)], Score: vmath.SigmoidOf(at)}
		if cell < none {
			of.Group, x[crosses+cell] = t.Data.Cols[crosses+cell], free.centre-at-x[len(x)-1]
		}
		s.thresholds = append(s.thresholds, of)
	}
	for _, cell := range p.Cells {
		s.thresholds[cell].Rows++
	}
	if watch != nil {
		watch(&candidate{x: x})
	}
	if s.gap, s.impossible = fairness.Value(found.Gap/found.Total), found.Impossible; !found.Satisfied {
		s.gap = fairness.Undefined()
	}
	s.objective = problem.Objective(free.fair, free.fair.Chosen(x), nil)
	return s, free.fair.Err()
}

// cellsOf returns the cell of each row by the features from first on, the last one for rows of none.
func cellsOf(d *dataset.Dataset, first int) []int {
	cells := make([]int, d.Rows())
	for i := range cells {
		cells[i] = d.Features() - first
		for j := range d.X.Row(i) {
			if j >= first {
				cells[i] = j - first
			}
		}
	}
	return cells
}
