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
	x         []float64 // weights and intercept
	t, ts     []float64 // margins on the rows to train on, and on the rows of the constraints
	accuracy  float64
	excess    float64
	objective float64
	loss      string
	from      *attempt // the solution that it was made of
	how       string
}

// totals returns the totals of the decisions for constraints.
func (c *candidate) totals(rows []model.Inequality, centre float64) model.Totals {
	t := model.TotalsFor(rows)
	var decisions [1 << 10]float64
	for lo := 0; lo < len(c.ts); lo += len(decisions) {
		part := c.ts[lo:min(lo+len(decisions), len(c.ts))]
		for i, margin := range part {
			decisions[i] = 0
			if margin >= centre {
				decisions[i] = 1
			}
		}
		t.Add(decisions[:len(part)], lo)
	}
	return t
}

// How a candidate was made from a solution.
const (
	asSolved        = "solution"
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
	c := s.judged(o, a.classifier(o), a, asSolved)
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
		l := decide.Line{
			T: before.t, D: difference(c.t, before.t), TS: before.ts, DS: difference(c.ts, before.ts),
			High: 1, Same: s.same(),
		}
		x := slices.Clone(before.x)
		floats.Scale(s.j.Best(l, o.centre()).Theta, floats.SubTo(x, c.x, before.x))
		floats.Add(x, before.x)
		s.polish(o, s.offer(o, x, a, onTheWay))
	}
}

func difference(a, b []float64) []float64 {
	return floats.SubTo(make([]float64, len(a)), a, b)
}

// constants offers the classifiers that give everybody the same decision.
func (s *search) constants(o *Options) {
	zero := make([]float64, len(s.last.classifier(o)))
	s.polish(o, s.offer(o, zero, s.last, byConstants))
}

// polish offers a candidate with a better threshold.
func (s *search) polish(o *Options, c *candidate) {
	if o.Model.Intercept {
		one := slices.Repeat([]float64{1}, max(len(c.t), len(c.ts)))
		l := decide.Line{
			T: c.t, D: one[:len(c.t)], TS: c.ts, DS: one[:len(c.ts)],
			Low: math.Inf(-1), High: math.Inf(1), Same: s.same(),
		}
		x := slices.Clone(c.x)
		x[len(x)-1] += s.j.Best(l, o.centre()).Theta
		s.offer(o, x, c.from, byThreshold)
	}
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
	counted := s.j.Count(decide.Positive(c.t, o.centre()), decide.Positive(c.ts, o.centre()))
	c.accuracy, c.excess = counted.Accuracy, s.j.Excess(&counted)
	c.excess = max(c.excess, s.j.ExcessOfScores(c.ts, o.Tolerance))
	return c
}

// keep keeps a candidate if it may be chosen.
func (s *search) keep(o *Options, c *candidate) {
	kept := *c
	kept.t, kept.ts = nil, nil // as long as all rows
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
		return s.least
	}
	best, most := s.feasible[0], s.most()
	for _, c := range s.feasible {
		if c.accuracy > best.accuracy {
			best = c
		}
	}
	for _, c := range s.feasible {
		if c.loss == best.loss && c.accuracy >= most-tie && c.objective < best.objective {
			best = c
		}
	}
	return best
}

// objective returns the objective of a classifier with margins t on the rows to train on,
// whose weights sum to 1.
func (o *Options) objective(x, t []float64, weight decide.Shares) float64 {
	signed, loss, slope := make([]float64, len(t)), make([]float64, len(t)), make([]float64, len(t))
	for i, m := range t {
		signed[i] = m * float64(o.Data.Y[i])
	}
	vmath.RobustSlope(loss, slope, signed, o.Model.Alpha)
	vmath.Robust(loss, o.Model.Alpha)
	weights := x[:o.Data.Features()]
	for i := range slope {
		slope[i] = weight.At(i)
	}
	return floats.Dot(slope, loss) + o.Model.L2/2*floats.Dot(weights, weights)
}
