package solver

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/problem"
)

// finiteSum controls FSFO on finite data. A refresh is a full pass, a step of its own
// that leaves x in place: its exact values certify x and judge the epoch that led there.
//
//   - Step size: the epoch is accepted if Fletcher's augmented Lagrangian
//     f + λᵀc + (ρ/2)‖c‖² decreased and η then grows a little; otherwise the method
//     returns to the last accepted point with half the step.
//   - Epoch length: the estimators' error against the exact values, measured at the
//     refresh, tells how far x may drift, Σ‖x_p − x_{p−1}‖² ≤ θ²‖s̃‖² b/L², before the
//     error is no longer small against the direction.
type finiteSum struct {
	values   *problem.Values
	sizes    batchSizes
	tau      int
	eta      float64
	position int     // steps taken since the refresh
	drift    float64 // Σ‖x_p − x_{p−1}‖² since the refresh
	variance float64 // estimator variance per unit of drift, the paper's L²/b
	accepted []float64
	merit    float64 // at the accepted point
	rejected int     // rejections in a row
}

const (
	errorShare    = 0.5 // θ: estimator error tolerated, relative to the direction
	growth        = 1.1 // of η after an accepted epoch
	maxRejections = 60  // η has then shrunk by 2⁶⁰
)

func (s *FSFO) initFiniteSum(it *Iterate) error {
	n, m := s.p.Dims()
	objective, constraint := s.p.Populations()
	f := &finiteSum{
		values:   problem.NewValues(n, m),
		eta:      s.Eta,
		tau:      s.Tau,
		accepted: make([]float64, n),
		merit:    math.Inf(1),
	}
	root := func(population int) int { return ceil(math.Sqrt(float64(population))) }
	f.sizes = batchSizes{root(objective), root(constraint), root(constraint)}
	if s.RecurseF > 0 {
		f.sizes.f = s.RecurseF
	}
	if s.RecurseC > 0 {
		f.sizes.c = s.RecurseC
	}
	if s.RecurseJ > 0 {
		f.sizes.j = s.RecurseJ
	}
	if f.tau == 0 {
		f.tau = root(objective)
	}
	if f.eta == 0 {
		f.eta = 1
	}
	copy(f.accepted, it.X)
	s.finite = f
	return nil
}

func (s *FSFO) stepFiniteSum(it *Iterate) error {
	f, e, d := s.finite, s.estimate, s.direction
	if f.position < 0 || it.K == 0 {
		return s.certify(it)
	}
	if f.position > 0 {
		e.update(it.X, s.previous, f.sizes)
	}
	d.start(it.X, e.gradient, e.constraint, e.jacobian, s.W)
	d.block(it.X, e.gradient, e.constraint, e.jacobian, s.W, f.eta)
	s.move(it, f.eta)
	f.position++
	f.drift += s.moved * s.moved
	length := s.moved / f.eta
	if f.position >= f.tau || f.variance*f.drift > errorShare*errorShare*length*length {
		f.position = -1 // refresh next
	}
	return nil
}

// certify does the full pass.
func (s *FSFO) certify(it *Iterate) error {
	f, e, d := s.finite, s.estimate, s.direction
	problem.Exact(s.p, f.values, it.X)
	if f.drift > 0 {
		// The last estimates belong to the previous point; bring them here.
		e.update(it.X, s.previous, f.sizes)
		miss := floats.Distance(e.gradient, f.values.Gradient, 2)
		f.variance = miss * miss / f.drift
	}
	e.refreshExact(f.values)
	d.start(it.X, e.gradient, e.constraint, e.jacobian, s.W)
	merit := f.values.Objective + floats.Dot(d.lambda, f.values.Constraint)
	norm := floats.Norm(f.values.Constraint, 2)
	merit += 5 * norm * norm
	it.Exact = f.values
	f.position, f.drift = 0, 0
	if merit <= f.merit {
		f.merit, f.rejected = merit, 0
		copy(f.accepted, it.X)
		if it.K > 0 {
			f.eta *= growth
		}
		return nil
	}
	f.rejected++
	if f.rejected > maxRejections {
		return ErrDiverged
	}
	f.eta /= 2
	copy(it.X, f.accepted)
	it.Exact = nil
	f.position = -1
	return nil
}
