package train

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/vmath"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train/decide"
)

// candidate is a classifier with its decisions.
type candidate struct {
	x         []float64      // weights and intercept
	t, ts     decide.Margins // on the rows to train on, and on the rows of the constraints
	positive  model.Totals   // decisions
	accuracy  float64
	excess    float64
	objective float64 // of a kept one; NaN on a sample, see complete
	loss      string
	from      *attempt // the solution that it was made of
	how       string
}

// values returns the values of tempered constraints for the decisions of c, and 0 for others. Of few
// rows it adds up the weights in their order, not decisions by stratum: solutions that stop where a
// residual is just below the tolerance may depend on the last bit.
func (c *candidate) values(constraints []model.Inequality, centre float64) []float64 {
	values, decisions := make([]float64, len(constraints)), c.ts.Decisions(centre)
	for j, r := range constraints {
		switch {
		case !r.Tempered:
		case decisions != nil:
			values[j] = r.Value(decisions)
		default:
			values[j] = r.ValueOf(c.positive)
		}
	}
	return values
}

// How a candidate was made from a solution.
const (
	AsSolved        = "solution"
	onTheWay        = "line search"
	byThreshold     = "threshold"
	byGroupFeatures = "group thresholds"
	byRestoring     = "restoration"
	byCoordinates   = "coordinate search"
	byConstants     = "constant decisions"
)

// visit makes candidates from a solution and from the points on the line from the
// solution before it. It returns the first candidate; the others are made beside the main
// work.
func (s *search) visit(o *Options, a *attempt, before *candidate) *candidate {
	s.last = a
	c := s.judged(o, a.classifier(o), a, AsSolved)
	with := *o
	s.beside(func() { s.explore(&with, a, c, before) })
	return c
}

// explore offers a solution and the candidates made from it.
func (s *search) explore(o *Options, a *attempt, c, before *candidate) {
	s.keep(o, c)
	s.polish(o, c)
	s.groupThresholds(o, c)
	if restored := s.restore(o, c); restored != c {
		s.polish(o, restored)
	}
	if before != nil {
		l := decide.Line{T: before.t, D: c.t.Minus(before.t), TS: before.ts, High: 1}
		if !s.same() {
			l.DS = c.ts.Minus(before.ts)
		}
		x := slices.Clone(before.x)
		floats.Scale(s.j.Best(l, o.centre()).Theta, floats.SubTo(x, c.x, before.x))
		floats.Add(x, before.x)
		s.polish(o, s.offer(o, x, a, onTheWay))
	}
}

// constants offers the classifiers that give everybody the same decision.
func (s *search) constants(o *Options) {
	zero := make([]float64, len(s.last.classifier(o)))
	s.polish(o, s.offer(o, zero, s.last, byConstants))
}

// polish offers a candidate with a better threshold.
func (s *search) polish(o *Options, c *candidate) {
	if o.Model.Intercept {
		d := make([]float64, len(c.x))
		d[len(d)-1] = 1
		s.along(o, c, d, math.Inf(-1), math.Inf(1), byThreshold)
	}
}

// along offers the best candidate on the line through c with the direction d.
func (s *search) along(o *Options, c *candidate, d []float64, low, high float64, how string) *candidate {
	l := decide.Line{T: c.t, D: o.margins(d, o.Data), TS: c.ts, Low: low, High: high}
	if !s.same() {
		l.DS = o.margins(d, o.ConstraintData)
	}
	x := slices.Clone(c.x)
	floats.AddScaled(x, s.j.Best(l, o.centre()).Theta, d)
	return s.offer(o, x, c.from, how)
}

// groupThresholds offers a candidate with the best threshold for each group.
func (s *search) groupThresholds(o *Options, c *candidate) {
	for _, p := range s.partitions {
		x := slices.Clone(c.x)
		if margins := s.j.Thresholds(p, c.t, o.centre()); margins != nil && p.Shift(x, margins) {
			s.offer(o, x, c.from, byGroupFeatures)
		}
	}
}

// offer judges a classifier and keeps it if it may be chosen.
func (s *search) offer(o *Options, x []float64, a *attempt, how string) *candidate {
	c := s.judged(o, x, a, how)
	s.keep(o, c)
	return c
}

// judged returns a classifier as a candidate.
func (s *search) judged(o *Options, x []float64, a *attempt, how string) *candidate {
	c := s.measured(o, &candidate{x: x, loss: o.Loss, from: a, how: how})
	m := s.j.Measure(c.t, c.ts, o.centre(), o.Tolerance)
	c.accuracy, c.excess, c.positive = m.Accuracy, m.Excess, m.Positive
	return c
}

// keep keeps a candidate if it may be chosen.
func (s *search) keep(o *Options, c *candidate) {
	kept := *c
	kept.t, kept.ts = decide.Margins{}, decide.Margins{} // as long as all rows
	switch {
	case c.excess > 0 && (s.least == nil || c.excess < s.least.excess):
		kept.objective = o.objective(c.x, c.t, s.weight)
		s.least = &kept
	case c.excess <= 0 && c.accuracy >= s.most()-tie:
		kept.objective = o.objective(c.x, c.t, s.weight)
		s.feasible = append(s.feasible, &kept)
	}
}

// most returns the largest accuracy of the candidates that satisfy the requirements.
func (s *search) most() float64 {
	most := math.Inf(-1)
	for _, c := range s.feasible {
		most = max(most, c.accuracy)
	}
	return most
}

// measured returns a candidate with its margins.
func (s *search) measured(o *Options, c *candidate) *candidate {
	with := *c
	with.t = o.margins(c.x, o.Data)
	with.ts = with.t
	if !s.same() {
		with.ts = o.margins(c.x, o.ConstraintData)
	}
	return &with
}

// chosen returns the most accurate of the candidates that satisfy the requirements.
// Candidates of the same loss that differ from it by less than a tie count as equal; then
// the lowest objective decides.
func (s *search) chosen() *candidate {
	if len(s.feasible) == 0 {
		s.complete(s.least)
		return s.least
	}
	best := s.accurate()
	ties := s.ties()
	s.complete(ties...)
	for _, c := range ties {
		if c.objective < best.objective {
			best = c
		}
	}
	return best
}

// accurate returns the most accurate of the candidates that satisfy the requirements.
func (s *search) accurate() *candidate {
	best := s.feasible[0]
	for _, c := range s.feasible {
		if c.accuracy > best.accuracy {
			best = c
		}
	}
	return best
}

// ties returns the candidates that count as equal to the most accurate one, which is one of them.
func (s *search) ties() []*candidate {
	best := s.accurate()
	return slices.DeleteFunc(slices.Clone(s.feasible), func(c *candidate) bool { return c.loss != best.loss || c.accuracy < best.accuracy-tie })
}

// objective returns the objective of a classifier with margins t on the rows to train on, NaN if these
// are a sample.
func (o *Options) objective(x []float64, t decide.Margins, weight decide.Shares) float64 {
	if o.sampled() {
		return math.NaN()
	}
	sum := 0.0
	var loss, slope []float64
	for lo, margins := range t.All() {
		loss, slope = append(loss[:0], margins...), append(slope[:0], margins...)
		signed := slices.Clone(margins)
		for k, y := range o.Data.Y[lo : lo+len(margins)] {
			signed[k] *= float64(y)
		}
		vmath.RobustSlope(loss, slope, signed, o.Model.Alpha)
		vmath.Robust(loss, o.Model.Alpha)
		for k, l := range loss {
			sum += float64(weight.At(lo+k) * l)
		}
	}
	weights := x[:o.Data.Features()]
	return sum + o.Model.L2/2*floats.Dot(weights, weights)
}
