package train

import (
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/kkt"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
)

// certifier measures iterates exactly and ends the run at the tolerance. It compares the
// residual of the problem with every feature in its own unit (model.Fair.Units), so that a
// run converges at the same point whatever units the data are in. The paper's residual is
// proportional to the features' size, as gradients are: with small features it is small
// everywhere, and with large ones rounding keeps it large.
type certifier struct {
	standard  *problem.Standard
	residual  func(v *problem.Values, z []float64) float64 // given values of standard at z
	tolerance float64
	maxPasses float64
	progress  func(Progress)
	values    *problem.Values // where the method has none

	firstResidual  float64   // 0 before the first point
	last           []float64 // the last point
	objective      float64   // there
	leastResidual  float64   // of all points
	leastObjective float64   // at the point of the least residual
}

func newCertifier(q *problem.Standard, o *Options, residual func(v *problem.Values, z []float64) float64) *certifier {
	return &certifier{
		standard: q, residual: residual, tolerance: o.Tolerance, maxPasses: o.MaxPasses, progress: o.Progress,
		values: problem.NewValues(q.Dims()), leastResidual: math.Inf(1),
	}
}

// record takes the method's exact values if it has them. Otherwise it computes them at
// the driver's expense.
func (c *certifier) record(s *solver.Snapshot) (bool, error) {
	v := s.Iterate.Exact
	if v == nil {
		v = c.values
		c.standard.Evaluate(v, s.Iterate.X, nil)
	}
	s.Residual = c.residual(v, s.Iterate.X)
	c.last, c.objective = append(c.last[:0], s.Iterate.X...), v.Objective
	if c.firstResidual == 0 {
		c.firstResidual = s.Residual
	}
	if s.Residual < c.leastResidual {
		c.leastResidual, c.leastObjective = s.Residual, v.Objective
	}
	if c.progress != nil {
		c.progress(Progress{
			Share:     c.share(problem.Passes(c.standard, s.Counters.Samples())),
			Objective: v.Objective, Residual: s.Residual,
		})
	}
	return s.Residual <= c.tolerance, nil
}

// share returns about which share of the run is done after so many passes. The residual falls by about
// the same factor in each of them, and most runs end long before the last pass that they may take.
func (c *certifier) share(passes float64) float64 {
	byResidual := math.Log(c.firstResidual/c.leastResidual) / math.Log(c.firstResidual/c.tolerance)
	if !(byResidual > 0) { // no less than the first one, or that is the goal
		byResidual = 0
	}
	return min(max(passes/c.maxPasses, byResidual), 1)
}

// promising returns the point from which to go on after a run: the point of the least
// residual, which the result has, unless all scores may saturate there, so that gradients
// vanish.
func (c *certifier) promising(r *solver.Result) []float64 {
	const far = 1.1 // times the last objective
	if r.Status == solver.Exhausted && c.leastObjective > far*c.objective {
		return slices.Clone(c.last)
	}
	return r.X
}

// exact evaluates the problem anew at x, with features in their units. It returns the
// residual that the tolerance is for, and the paper's residual. It leaves the values in
// the data's own units in v.
func exact(inUnits *problem.Rescaled, v *problem.Values, x []float64) (scaled float64, paper kkt.Residual) {
	inUnits.Evaluate(v, x, nil)
	e := kkt.NewEvaluator(inUnits)
	scaled = e.Residual(v).Norm()
	inUnits.Original(v)
	return scaled, e.Residual(v)
}
