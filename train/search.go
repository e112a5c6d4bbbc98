package train

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train/decide"
)

// Decisions have no derivatives. The search for the most accurate classifier whose
// decisions satisfy the requirements solves smooth problems instead. Its candidates are
// their solutions, and what exact searches make from these (docs/decisions.md):
//
//  1. In each smooth problem scores σ((margin − centre)/T) stand for decisions, at
//     temperatures T from 1 to nearly 0, each from the solution before.
//  2. Its bounds are shifted by what the decisions of the solution before added to the
//     rates beyond its scores, both ways: bounds loosen where decisions are fairer than
//     scores.
//  3. Of each solution, the best point on the way from the one before, the best threshold
//     and, where the groups are features, the best threshold for each group are found
//     exactly (package decide).

// temperatures are the temperatures of the continuation.
var temperatures = []float64{1, 0.5, 0.25, 0.12, 0.06, 0.03}

// continuation returns the temperatures down to the last one, 0 standing for the default.
func continuation(last float64) []float64 {
	if last == 0 {
		return temperatures
	}
	above := slices.DeleteFunc(slices.Clone(temperatures), func(t float64) bool { return t <= last })
	return append(above, last)
}

// roundPasses bounds the effort for one smooth problem. A problem on the way only has to
// lead to the next one.
const roundPasses = 120

// lastRounds is the largest number of shifts of the bounds at the last temperature.
const lastRounds = 4

// closings is how often certify goes on with the chosen solution.
const closings = 2

// search looks for the most accurate classifier whose decisions satisfy the requirements.
type search struct {
	task       *task
	free       fits
	j          *decide.Judge
	weight     decide.Shares           // of the rows to train on
	restorers  map[float64][]*restorer // by the centre
	partitions []*decide.Partition     // groups that features tell apart

	total    effort
	status   solver.Status
	last     *attempt      // that was made candidates of
	pending  chan struct{} // closed when the work beside is done
	feasible []*candidate  // candidates that may be chosen, without their margins
	least    *candidate    // of the candidates that violate a requirement, the one with the least violation
	failed   error         // to complete them, the first time
}

func newSearch(t *task, free fits) (*search, error) {
	stated := *t
	var err error
	if stated.fair, err = t.state(t.Model); err != nil {
		return nil, err
	}
	on, err := t.rows(t.ConstraintData)
	if err != nil {
		return nil, err
	}
	s := &search{
		task: &stated, free: free, weight: decide.NewShares(t.Model.Weights, t.Data.Rows()), j: t.judge(on),
		restorers: map[float64][]*restorer{},
	}
	if p := s.partition(); p != nil {
		s.partitions = append(s.partitions, p)
	}
	for _, r := range stated.fair.Constraints() {
		if r.Tempered {
			s.j.Touch(r.Strata)
		}
	}
	return s, nil
}

// stage returns the stage of a loss.
func (s *search) stage(loss string) *stage { return s.task.stage(loss, s.free.centre(loss)) }

// partition returns the groups of the requirements on decisions, if all of these are about
// the same groups and features tell the groups apart.
func (s *search) partition() *decide.Partition {
	var specs []string
	for _, c := range s.task.Constraints {
		if s.task.on(c) == Decisions {
			specs = append(specs, model.GroupsOf(c)...)
		}
	}
	slices.Sort(specs)
	specs = slices.Compact(specs)
	if len(specs) != 1 || !s.same() || !s.j.ComparesOnly() {
		return nil
	}
	return s.j.NewPartition(specs[0], s.task.Model.Intercept)
}

// err returns the first error of shards whose rows are counted or evaluated.
func (s *search) err() error {
	errs := []error{s.j.Err(), s.failed}
	for _, restorers := range s.restorers {
		for _, r := range restorers {
			errs = append(errs, r.fair.Err())
		}
	}
	return errors.Join(errs...)
}

// same reports whether the constraints are on the rows to train on.
func (s *search) same() bool { return s.task.Data == s.task.ConstraintData }

// beside does pieces of work, one after another, while the method goes on with the next
// smooth problem.
func (s *search) beside(work func()) {
	s.settle()
	done := make(chan struct{})
	s.pending = done
	go func() {
		defer close(done)
		work()
	}()
}

// settle waits for the work beside.
func (s *search) settle() {
	if s.pending != nil {
		<-s.pending
	}
}

// rounds is the largest number of smooth problems of a continuation.
func (s *search) rounds() int { return len(continuation(s.task.Model.Temperature)) - 1 + lastRounds }

// run is the continuation from an unconstrained solution.
func (s *search) run(ctx context.Context, start fit) error {
	defer s.settle()
	g := s.stage(start.loss)
	if err := s.restoresAt(g.centre); err != nil {
		return err
	}
	a := start.attempt
	s.total.add(a.effort)
	c := s.visit(g, a, nil)
	g.Model.Centre = g.centre
	schedule := continuation(s.task.Model.Temperature)
	for k := range s.rounds() {
		last := k >= len(schedule)-1
		g.Model.Temperature = schedule[min(k, len(schedule)-1)]
		if k > 0 {
			g.Model.Shift = shifts(a, c, g.centre)
		}
		g.Progress = part(s.task.Progress, k, s.rounds()+closings)
		next, err := s.try(ctx, g, c.x, roundPasses)
		if err != nil {
			return err
		}
		if next == nil {
			s.status = solver.Exhausted
			return nil
		}
		if s.status = next.status; s.status == solver.Diverged {
			return nil
		}
		a, c = next, s.visit(g, next, c)
		if s.status == solver.Interrupted {
			return nil
		}
		if last && (c.excess <= 0 || !g.triesAll() && !s.gains(a)) {
			break
		}
		if g.triesAll() && !last {
			if err := s.aside(ctx, g, a, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// try solves a smooth problem from a start, in at most so many passes; nil if no pass is left.
func (s *search) try(ctx context.Context, g *stage, start []float64, most float64) (*attempt, error) {
	g.Model.Start = start
	g.MaxPasses = min(most, s.task.MaxPasses-problem.Passes(s.task.fair, s.total.samples))
	if !(g.MaxPasses > 0) {
		return nil, nil
	}
	a, err := try(ctx, g)
	if err == nil {
		s.total.add(a.effort)
	}
	return a, err
}

// restoresAt makes the restorers for a centre.
func (s *search) restoresAt(centre float64) error {
	if s.restorers[centre] != nil {
		return nil
	}
	for _, t := range smooth {
		r, err := newRestorer(s.task, centre, t)
		if err != nil {
			return err
		}
		s.restorers[centre] = append(s.restorers[centre], r)
	}
	return nil
}

// gains reports whether a solution led to a classifier that is more accurate, by more than a
// tie, than all others, or to the first one.
func (s *search) gains(a *attempt) bool {
	s.settle()
	most, others := s.most(), math.Inf(-1)
	for _, c := range s.feasible {
		if c.from != a {
			others = max(others, c.accuracy)
		}
	}
	return math.IsInf(most, -1) || most > others+tie
}

// aside visits solutions beside the path: at the bounds that were asked for, and with half
// of the shift. On few rows decisions jump, so one of these may be better.
func (s *search) aside(ctx context.Context, g *stage, a *attempt, c *candidate) error {
	shift := shifts(a, c, g.centre)
	for _, part := range []float64{0, 0.5} {
		beside := *g
		beside.Progress = nil
		beside.Model.Shift = slices.Clone(shift)
		floats.Scale(part, beside.Model.Shift)
		next, err := s.try(ctx, &beside, c.x, roundPasses)
		if err != nil || next == nil || cut(next.status) {
			return err
		}
		s.visit(&beside, next, nil)
	}
	return nil
}

// certify goes on with the smooth problem of the chosen candidate if its round ended above the
// tolerance, so that its certificate meets the tolerance. If that goes no further, it chooses a
// candidate that counts as equal and has such a certificate.
func (s *search) certify(ctx context.Context) error {
	if err := s.proceed(ctx); err != nil {
		return err
	}
	if c := s.chosen(); c.excess <= 0 && c.from.status != solver.Converged {
		certified := slices.DeleteFunc(s.ties(), func(c *candidate) bool { return c.from.status != solver.Converged })
		if len(certified) > 0 {
			s.feasible = certified
		}
	}
	return nil
}

// proceed goes on with the smooth problem of the chosen candidate.
func (s *search) proceed(ctx context.Context) error {
	for k := range closings {
		c := s.chosen()
		if c.from.status == solver.Converged || cut(s.status) {
			return nil
		}
		g := *c.from.stage
		g.Method = s.task.Method // the state of an unconstrained solution may serve other runs
		g.Progress = part(s.task.Progress, s.rounds()+k, s.rounds()+closings)
		a, err := s.try(ctx, &g, c.from.classifier(), math.Inf(1))
		if err != nil || a == nil {
			return err
		}
		s.status = a.status
		s.visit(&g, a, s.measured(&g, c))
		s.settle()
		if a.status == solver.Converged {
			c.from = a
		}
	}
	return nil
}

// shifts returns, for every tempered constraint, its value for the decisions of c minus
// its value for the scores of a. c is the candidate that is the solution of a.
func shifts(a *attempt, c *candidate, centre float64) []float64 {
	decided := c.values(a.fair.Constraints(), centre)
	shift := make([]float64, len(a.fair.Constraints()))
	for j, row := range a.fair.Constraints() {
		if row.Tempered {
			scores := a.values.Constraint[j] - row.Slope*a.fair.Base(a.x, row)
			shift[j] = decided[j] - scores
		}
	}
	return shift
}
