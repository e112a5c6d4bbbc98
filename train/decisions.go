package train

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/vmath"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
)

// Decisions have no derivatives. The search for the most accurate classifier whose
// decisions satisfy the requirements goes through smooth problems instead, whose solutions
// and what can be made of them by exact means are its candidates (docs/decisions.md):
//
//  1. In each smooth problem scores σ((margin − centre)/T) stand for decisions, at
//     temperatures T from 1 to nearly 0, each from the solution before.
//  2. Its bounds are shifted by what the decisions of the solution before added to the
//     rates beyond its scores, both ways: bounds loosen where decisions are fairer than
//     scores.
//  3. Of each solution, the best point on the way from the one before, the best threshold
//     and, where the groups are features, the best threshold for each group are found
//     exactly (line.go, thresholds.go).

// temperatures are those of the continuation.
var temperatures = []float64{1, 0.5, 0.25, 0.12, 0.06, 0.03}

// continuation returns the temperatures down to the last one, 0 standing for the default.
func continuation(last float64) []float64 {
	if last == 0 {
		return temperatures
	}
	above := slices.DeleteFunc(slices.Clone(temperatures), func(t float64) bool { return t <= last })
	return append(above, last)
}

// roundPasses bounds the effort for one smooth problem: what matters of those on the way is
// where they lead.
const roundPasses = 120

// lastRounds is how often the bounds are shifted at the last temperature at most.
const lastRounds = 4

// candidate is a classifier with what it decides.
type candidate struct {
	x         []float64 // weights and intercept
	t, ts     []float64 // margins on the rows to train on, and on those of the constraints
	accuracy  float64
	excess    float64
	objective float64
	loss      string
	from      *attempt // the solution that it was made of
	how       string
}

// How a candidate was made of a solution.
const (
	asSolved        = "solution"
	onTheWay        = "line search"
	byThreshold     = "threshold"
	byGroupFeatures = "group thresholds"
	byRestoring     = "restoration"
	byCoordinates   = "coordinate search"
	byConstants     = "constant decisions"
)

// search looks for the most accurate classifier whose decisions satisfy the requirements.
type search struct {
	o          *Options
	j          *judge
	restorers  []*restorer
	partitions []*partition // groups that features tell apart

	total    effort
	status   solver.Status
	last     *attempt     // that was made candidates of
	feasible []*candidate // those that may be chosen, without their margins
	least    *candidate   // of those that violate a requirement the one that does so least
}

func newSearch(o *Options, j *judge) (*search, error) {
	s := &search{o: o, j: j}
	if p := s.partition(); p != nil {
		s.partitions = append(s.partitions, p)
	}
	for _, t := range smooth {
		r, err := newRestorer(o, t)
		if err != nil {
			return nil, err
		}
		s.restorers = append(s.restorers, r)
	}
	return s, nil
}

// partition returns the groups of the requirements on decisions, if they are all about the
// same ones and features tell them apart.
func (s *search) partition() *partition {
	var specs []string
	for _, c := range s.o.Constraints {
		if g, ok := c.(model.Grouped); ok && s.o.on(c) == Decisions {
			specs = append(specs, g.Groups()...)
		}
	}
	slices.Sort(specs)
	specs = slices.Compact(specs)
	if len(specs) != 1 || !s.same() || len(s.j.linear) > 0 {
		return nil
	}
	return newPartition(s.o.Data, specs[0], s.o.Model.Intercept)
}

// same reports whether the constraints are on the rows to train on.
func (s *search) same() bool { return s.o.Data == s.o.ConstraintData }

// run is the continuation from an unconstrained solution.
func (s *search) run(ctx context.Context, start fit) error {
	o := s.o.with(start.loss)
	a := start.attempt
	s.total.add(a.effort)
	c := s.visit(o, a, nil)
	o.Model.Centre = o.centre()
	schedule := continuation(s.o.Model.Temperature)
	for k := 0; k < len(schedule)-1+lastRounds; k++ {
		last := k >= len(schedule)-1
		o.Model.Temperature = schedule[min(k, len(schedule)-1)]
		if k > 0 {
			o.Model.Shift = shifts(a, c, o.centre())
		}
		o.Progress = s.progress(k, len(schedule)-1+lastRounds)
		o.Model.Start = c.x
		o.MaxPasses = min(roundPasses, s.o.MaxPasses-problem.Passes(a.fair, s.total.samples))
		if !(o.MaxPasses > 0) {
			s.status = solver.Exhausted
			return nil
		}
		next, err := try(ctx, o)
		if err != nil {
			return err
		}
		s.total.add(next.effort)
		if s.status = next.status; s.status == solver.Diverged {
			return nil
		}
		a, c = next, s.visit(o, next, c)
		if s.status == solver.Interrupted {
			return nil
		}
		if last && c.excess <= 0 {
			break
		}
		if o.triesAll() && !last {
			if err := s.aside(ctx, o, a, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// aside visits solutions beside the path, at the bounds as they were asked for and half way
// to where the decisions of the present solution are. On few rows decisions jump, so that
// one of these may do better.
func (s *search) aside(ctx context.Context, o *Options, a *attempt, c *candidate) error {
	shift := shifts(a, c, o.centre())
	for _, part := range []float64{0, 0.5} {
		beside := *o
		beside.Progress = nil
		beside.Model.Shift = slices.Clone(shift)
		floats.Scale(part, beside.Model.Shift)
		beside.Model.Start = c.x
		beside.MaxPasses = min(roundPasses, s.o.MaxPasses-problem.Passes(a.fair, s.total.samples))
		if !(beside.MaxPasses > 0) {
			return nil
		}
		next, err := try(ctx, &beside)
		if err != nil {
			return err
		}
		s.total.add(next.effort)
		if next.status == solver.Diverged || next.status == solver.Interrupted {
			return nil
		}
		s.visit(&beside, next, nil)
	}
	return nil
}

// progress returns what to tell about a round of a run.
func (s *search) progress(round, rounds int) func(Progress) {
	if s.o.Progress == nil {
		return nil
	}
	return func(p Progress) {
		p.Share = (float64(round) + p.Share) / float64(rounds)
		s.o.Progress(p)
	}
}

// certify goes on with the smooth problem of the chosen candidate where the tolerance has
// not been reached in a round, so that its certificate is one.
func (s *search) certify(ctx context.Context) error {
	const attempts = 2
	for range attempts {
		c := s.chosen()
		if c.from.status == solver.Converged || s.status == solver.Interrupted || s.status == solver.Diverged {
			return nil
		}
		o := *c.from.options
		o.Method = s.o.Method // that of an unconstrained solution may serve other runs
		o.Model.Start = c.from.classifier(&o)
		o.MaxPasses = s.o.MaxPasses - problem.Passes(c.from.fair, s.total.samples)
		if !(o.MaxPasses > 0) {
			return nil
		}
		a, err := try(ctx, &o)
		if err != nil {
			return err
		}
		s.total.add(a.effort)
		s.status = a.status
		s.visit(&o, a, s.measured(&o, c))
		if a.status == solver.Converged {
			c.from = a
		}
	}
	return nil
}

// shifts returns what decisions, those of c, add to the tempered constraints beyond what
// the scores of a, the solution that c is, do.
func shifts(a *attempt, c *candidate, centre float64) []float64 {
	decisions := make([]float64, len(c.ts))
	for i, t := range c.ts {
		if t >= centre {
			decisions[i] = 1
		}
	}
	shift := make([]float64, len(a.fair.Rows()))
	for j, row := range a.fair.Rows() {
		if row.Tempered {
			scores := a.values.Constraint[j] - row.Slope*a.fair.Base(a.x, row)
			shift[j] = row.Value(decisions) - scores
		}
	}
	return shift
}

// visit makes candidates of a solution, and of those on the way from the one before, and
// returns the first.
func (s *search) visit(o *Options, a *attempt, before *candidate) *candidate {
	s.last = a
	c := s.offer(o, a.classifier(o), a, asSolved)
	s.polish(o, c)
	s.groupThresholds(o, c)
	if restored := s.restore(o, c); restored != c {
		s.polish(o, restored)
	}
	if before != nil {
		l := line{
			t: before.t, d: difference(c.t, before.t), ts: before.ts, ds: difference(c.ts, before.ts),
			high: 1, same: s.same(),
		}
		x := slices.Clone(before.x)
		floats.Scale(s.j.best(l, o.centre()).theta, floats.SubTo(x, c.x, before.x))
		floats.Add(x, before.x)
		s.polish(o, s.offer(o, x, a, onTheWay))
	}
	return c
}

func difference(a, b []float64) []float64 {
	return floats.SubTo(make([]float64, len(a)), a, b)
}

// constants offers the classifiers that decide alike for everybody.
func (s *search) constants(o *Options) {
	zero := make([]float64, len(s.last.classifier(o)))
	s.polish(o, s.offer(o, zero, s.last, byConstants))
}

// polish offers what another threshold makes of a candidate.
func (s *search) polish(o *Options, c *candidate) {
	if o.Model.Intercept {
		one := slices.Repeat([]float64{1}, max(len(c.t), len(c.ts)))
		l := line{
			t: c.t, d: one[:len(c.t)], ts: c.ts, ds: one[:len(c.ts)],
			low: math.Inf(-1), high: math.Inf(1), same: s.same(),
		}
		x := slices.Clone(c.x)
		x[len(x)-1] += s.j.best(l, o.centre()).theta
		s.offer(o, x, c.from, byThreshold)
	}
}

// groupThresholds offers what thresholds for each group make of a candidate.
func (s *search) groupThresholds(o *Options, c *candidate) {
	for _, p := range s.partitions {
		x := slices.Clone(c.x)
		if margins := s.j.thresholds(p, c.t, o.centre()); margins != nil && p.shift(x, margins) {
			s.offer(o, x, c.from, byGroupFeatures)
		}
	}
}

// offer judges a classifier and keeps it if it may be the one.
func (s *search) offer(o *Options, x []float64, a *attempt, how string) *candidate {
	c := s.measured(o, &candidate{x: x, loss: o.Loss, from: a, how: how})
	counted := s.j.count(positive(c.t, o.centre()), positive(c.ts, o.centre()))
	c.accuracy, c.excess = counted.accuracy, s.j.excess(&counted)
	c.excess = max(c.excess, s.j.excessOfScores(c.ts, o.Tolerance))
	kept := *c
	kept.t, kept.ts = nil, nil // as long as all rows
	switch {
	case c.excess > 0 && (s.least == nil || c.excess < s.least.excess):
		kept.objective = o.objective(x, c.t, s.j.weight)
		s.least = &kept
	case c.excess <= 0 && c.accuracy >= s.most()-tie:
		kept.objective = o.objective(x, c.t, s.j.weight)
		s.feasible = append(s.feasible, &kept)
	}
	return c
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

// positive returns the decisions.
func positive(t []float64, centre float64) []bool {
	decisions := make([]bool, len(t))
	for i, m := range t {
		decisions[i] = m >= centre
	}
	return decisions
}

// chosen returns, of the candidates that satisfy the requirements, the most accurate one
// or, among those that are as accurate but for a tie, that of the lowest objective of the
// first one's loss.
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

// objective returns that of a classifier with margins t on the rows to train on, which
// have weights of sum 1.
func (o *Options) objective(x, t, weight []float64) float64 {
	signed, loss, slope := make([]float64, len(t)), make([]float64, len(t)), make([]float64, len(t))
	for i, m := range t {
		signed[i] = m * float64(o.Data.Y[i])
	}
	vmath.RobustSlope(loss, slope, signed, o.Model.Alpha)
	vmath.Robust(loss, o.Model.Alpha)
	weights := x[:o.Data.Features()]
	return floats.Dot(weight, loss) + o.Model.L2/2*floats.Dot(weights, weights)
}

// BestThresholds returns the training accuracy of the unconstrained model with the best
// threshold for each group whose decisions satisfy the constraints of the options: what
// post-processing makes of it. It is 0 where the groups are no features, or where no
// thresholds satisfy them.
func BestThresholds(ctx context.Context, o Options) (float64, error) {
	if err := o.Validate(); err != nil {
		return 0, err
	}
	o.prepare()
	free, err := unconstrained(ctx, &o)
	if err != nil {
		return 0, err
	}
	j, err := newJudge(&o)
	if err != nil {
		return 0, err
	}
	s := &search{o: &o, j: j}
	if p := s.partition(); p != nil {
		s.partitions = append(s.partitions, p)
	}
	for _, f := range free {
		with := o.with(f.loss)
		c := s.offer(with, f.classifier(with), f.attempt, asSolved)
		s.feasible = nil // without its own threshold
		s.groupThresholds(with, c)
		if len(s.feasible) > 0 {
			return s.feasible[0].accuracy, nil
		}
	}
	return 0, nil
}
