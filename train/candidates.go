package train

import (
	"math"
	"slices"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/vmath"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
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

// values returns the values of tempered constraints for the decisions of c, and 0 for others. Of
// few rows it adds up the weights in their order, not decisions by stratum: solutions that stop
// where a residual is just below the tolerance may depend on the last bit.
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
func (s *search) visit(g *stage, a *attempt, before *candidate) *candidate {
	s.last = a
	c := s.judged(g, a.classifier(), a, AsSolved)
	with := *g
	s.beside(func() { s.explore(&with, a, c, before) })
	return c
}

// explore offers a solution and the candidates made from it.
func (s *search) explore(g *stage, a *attempt, c, before *candidate) {
	s.keep(g, c)
	s.polish(g, c)
	s.groupThresholds(g, c)
	if restored := s.restore(g, c); restored != c {
		s.polish(g, restored)
	}
	if before != nil {
		l := decide.Line{T: before.t, D: c.t.Minus(before.t), TS: before.ts, High: 1}
		if !s.same() {
			l.DS = c.ts.Minus(before.ts)
		}
		x := slices.Clone(before.x)
		floats.Scale(s.j.Best(l, g.centre).Theta, floats.SubTo(x, c.x, before.x))
		floats.Add(x, before.x)
		s.polish(g, s.offer(g, x, a, onTheWay))
	}
}

// constants offers the classifiers that give everybody the same decision.
func (s *search) constants(g *stage) {
	zero := make([]float64, len(s.last.classifier()))
	s.polish(g, s.offer(g, zero, s.last, byConstants))
}

// polish offers a candidate with a better threshold.
func (s *search) polish(g *stage, c *candidate) {
	if g.Model.Intercept {
		d := make([]float64, len(c.x))
		d[len(d)-1] = 1
		s.along(g, c, d, math.Inf(-1), math.Inf(1), byThreshold)
	}
}

// along offers the best candidate on the line through c with the direction d.
func (s *search) along(g *stage, c *candidate, d []float64, low, high float64, how string) *candidate {
	l := decide.Line{T: c.t, D: g.margins(d, g.Data), TS: c.ts, Low: low, High: high}
	if !s.same() {
		l.DS = g.margins(d, g.ConstraintData)
	}
	x := slices.Clone(c.x)
	floats.AddScaled(x, s.j.Best(l, g.centre).Theta, d)
	return s.offer(g, x, c.from, how)
}

// groupThresholds offers a candidate with the best threshold for each group.
func (s *search) groupThresholds(g *stage, c *candidate) {
	for _, p := range s.partitions {
		x := slices.Clone(c.x)
		if margins := s.j.Thresholds(p, c.t, g.centre); margins != nil && p.Shift(x, margins) {
			s.offer(g, x, c.from, byGroupFeatures)
		}
	}
}

// offer judges a classifier and keeps it if it may be chosen.
func (s *search) offer(g *stage, x []float64, a *attempt, how string) *candidate {
	c := s.judged(g, x, a, how)
	s.keep(g, c)
	return c
}

// judged returns a classifier as a candidate.
func (s *search) judged(g *stage, x []float64, a *attempt, how string) *candidate {
	c := s.measured(g, &candidate{x: x, loss: g.Loss, from: a, how: how})
	m := s.j.Measure(c.t, c.ts, g.centre, g.Tolerance)
	c.accuracy, c.excess, c.positive = m.Accuracy, m.Excess, m.Positive
	return c
}

// keep keeps a candidate if it may be chosen.
func (s *search) keep(g *stage, c *candidate) {
	kept := *c
	kept.t, kept.ts = decide.Margins{}, decide.Margins{} // as long as all rows
	switch {
	case c.excess > 0 && (s.least == nil || c.excess < s.least.excess):
		kept.objective = g.objective(c.x, c.t, s.weight)
		s.least = &kept
	case c.excess <= 0 && c.accuracy >= s.most()-tie:
		kept.objective = g.objective(c.x, c.t, s.weight)
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
func (s *search) measured(g *stage, c *candidate) *candidate {
	with := *c
	with.t = g.margins(c.x, g.Data)
	with.ts = with.t
	if !s.same() {
		with.ts = g.margins(c.x, g.ConstraintData)
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
	return slices.DeleteFunc(slices.Clone(s.feasible),
		func(c *candidate) bool { return c.loss != best.loss || c.accuracy < best.accuracy-tie })
}

// objective returns the objective of a classifier with margins t on the rows to train on, NaN if
// these are a sample.
func (g *stage) objective(x []float64, t decide.Margins, weight decide.Shares) float64 {
	if g.sampled() {
		return math.NaN()
	}
	sum := 0.0
	var loss, slope []float64
	for lo, margins := range t.All() {
		loss, slope = append(loss[:0], margins...), append(slope[:0], margins...)
		signed := slices.Clone(margins)
		for k, y := range g.Data.Y[lo : lo+len(margins)] {
			signed[k] *= float64(y)
		}
		vmath.RobustSlope(loss, slope, signed, g.Model.Alpha)
		vmath.Robust(loss, g.Model.Alpha)
		for k, l := range loss {
			sum += float64(weight.At(lo+k) * l)
		}
	}
	weights := x[:g.Data.Features()]
	return sum + g.Model.L2/2*floats.Dot(weights, weights)
}

// complete computes the objectives that candidates lack, on all rows and all at once, so that
// workers answer them together.
func (s *search) complete(candidates ...*candidate) {
	var asking errgroup.Group
	for _, c := range candidates {
		if math.IsNaN(c.objective) {
			asking.Go(func() (err error) {
				c.objective, err = s.stage(c.loss).everywhere(c.x)
				return err
			})
		}
	}
	if err := asking.Wait(); s.failed == nil {
		s.failed = err
	}
}

// everywhere returns the objective of a classifier on all rows.
func (g *stage) everywhere(classifier []float64) (float64, error) {
	fair, err := g.state(g.Model)
	if err != nil {
		return math.NaN(), err
	}
	n, _ := fair.Dims()
	x := make([]float64, n)
	copy(x, fair.Chosen(classifier))
	f := problem.Objective(fair, x, nil)
	return f, fair.Err()
}

// Coordinate search: the exact best value of one weight after another, all others held. It
// improves the accuracy of decisions itself, which no smooth problem states.

const (
	// manyEntries is the number of non-zeros from which the columns are not sorted.
	manyEntries = 10_000_000
	// sweeps is the largest number of times that all weights are moved. A sweep that gains
	// less than a tie is the last one.
	sweeps = 6
)

// coordinates improves the chosen candidate, weight by weight, as long as it is less
// accurate than the classifier without constraints: its aim is to win back what the
// constraints cost.
func (s *search) coordinates(free float64) {
	if d := s.task.Data; !s.same() || s.task.sampled() || d.Rows() >= decide.Many || d.X.NNZ() > manyEntries {
		return
	}
	c := s.chosen()
	g := s.stage(c.loss)
	fair := s.last.fair
	all := decide.Columns(g.Data, g.Model.Intercept, fair.AllFeatures(fair.Units(), 1))
	c = s.measured(g, c)
	for range sweeps {
		if c.excess <= 0 && c.accuracy >= free {
			return
		}
		next := s.offer(g, s.j.Sweep(all, c.x, c.t, g.centre), c.from, byCoordinates)
		if !next.better(c) {
			return
		}
		gain := next.accuracy - c.accuracy
		if c = next; gain < tie && c.excess <= 0 {
			return
		}
	}
}

// better reports whether c is the better choice.
func (c *candidate) better(than *candidate) bool {
	return decide.Point{Accuracy: c.accuracy, Excess: c.excess}.Better(decide.Point{Accuracy: than.accuracy, Excess: than.excess})
}
