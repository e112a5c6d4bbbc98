package train

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/internal/linalg"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/model/orders"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train/decide"
)

// How a candidate was made from a solution.
const (
	AsSolved    = "solution"
	byRestoring = "restoration"
	byConstants = "constant decisions"
)

const (
	// roundPasses bounds the effort for one smooth problem. An intermediate problem only has to
	// lead to the next one.
	roundPasses = 120
	// lastRounds is the largest number of shifts of the bounds at the last temperature.
	lastRounds = 4
	// patient is how many rounds without a gain end the search.
	patient = 2
	// restoreAt is high enough for small groups to have someone near the threshold, and low enough
	// to tell them from all others.
	restoreAt = 0.25
	// tie is a difference of accuracies that does not count.
	tie = 5e-4
)

// rounds returns the temperatures of the rounds of the search.
func (t *task) rounds() []float64 {
	if t.schedule != nil {
		return t.schedule
	}
	temperatures := t.continuation()
	last := temperatures[len(temperatures)-1:]
	return append(temperatures, slices.Repeat(last, lastRounds-1)...)
}

// continuation returns the temperatures down to the last one, 0 standing for the default.
func (t *task) continuation() []float64 {
	temperatures, last := []float64{1, 0.5, 0.25, 0.12, 0.06, 0.03}, t.Model.Temperature
	if last == 0 {
		return temperatures
	}
	return append(slices.DeleteFunc(temperatures, func(t float64) bool { return t <= last }), last)
}

// candidate is a classifier judged by its decisions.
type candidate struct {
	decide.Measured
	x    []float64 // weights and intercept
	from *attempt  // the solution that it was made of
	how  string
}

// search looks for the most accurate classifier whose decisions satisfy the requirements.
type search struct {
	*stage       // of the smooth problems; temperature, shifts and start are those of the next one
	judge        *decide.Judge
	restoring    *model.Fair // at the temperature restoreAt
	metric       []float64   // squared scales of its variables
	best, solved *candidate  // of all, and of those whose smooth problem was solved to the tolerance
	spent        effort
	status       solver.Status // of the last run of the method
}

// solveOnDecisions searches for the most accurate classifier whose decisions satisfy the
// requirements (docs/decisions.md). Decisions have no derivatives. So it solves smooth problems, in
// which scores σ((margin − centre)/T) stand for decisions, at temperatures T from 1 to nearly 0,
// each from the solution before. Their bounds are shifted by what the decisions of the solution
// before added to its scores, both ways: bounds loosen where decisions are fairer than scores. At the
// first temperature there is a problem before, without a shift.
// Candidates are the solutions, and what consider makes of them. It adds to the effort spent before.
// If watch is not nil, it is told of the best candidate after each round, and the last problem need
// not be solved to the tolerance.
func solveOnDecisions(ctx context.Context, t *task, free fit, spent effort, watch func(best *candidate)) (*solution, error) {
	if t.Thresholds {
		return t.moveThresholds(ctx, free, spent, watch)
	}
	s, err := newSearch(t, free, spent)
	if err != nil {
		return nil, err
	}
	a, c := free.attempt, s.consider(free.attempt)
	schedule := t.rounds()
	rounds := len(schedule)
	idle := 0 // rounds without a gain
	// What comes before the rounds gives the first shifts. Further rounds at the last temperature follow
	// while no candidate satisfies the requirements.
	for k := -1; k < rounds || watch == nil && s.best.Excess > 0 && k < rounds+lastRounds; k++ {
		before := s.best.Measured
		s.Model.Temperature = schedule[min(max(k, 0), rounds-1)]
		s.Progress = part(t.Progress, min(k+1, rounds), rounds+2)
		if k >= 0 {
			s.Model.Shift = shifts(a, c)
		}
		next, err := s.try(ctx, s.stage, c.x, roundPasses)
		if err != nil {
			return nil, err
		}
		if next == nil || next.status == solver.Diverged {
			break
		}
		if a, c = next, s.consider(next); k < 0 {
			continue
		}
		if watch != nil {
			watch(s.best)
		}
		idle++
		if s.best.Accuracy > before.Accuracy+tie || before.Excess > 0 {
			idle = 0
		}
		if a.status == solver.Interrupted || idle == patient || idle > 0 && k+1 < rounds && schedule[k+1] == schedule[k] {
			break
		}
	}
	for _, intercept := range []float64{s.centre - 1, s.centre + 1} {
		x := make([]float64, len(c.x))
		if s.Model.Intercept {
			x[len(x)-1] = intercept
		}
		s.offer(x, a, byConstants)
	}
	s.Progress = part(t.Progress, rounds+1, rounds+2)
	if watch == nil {
		if err := s.certify(ctx); err != nil {
			return nil, err
		}
	}
	return s.solution()
}

func newSearch(t *task, free fit, spent effort) (*search, error) {
	stated := *t
	var err error
	if stated.fair, err = t.state(t.Model); err != nil {
		return nil, err
	}
	on, err := t.judgedOn()
	if err != nil {
		return nil, err
	}
	var tempered []*dataset.Strata
	for _, r := range stated.fair.Constraints() {
		if r.Tempered {
			tempered = append(tempered, r.Strata)
		}
	}
	s := &search{
		stage: stated.stage(free.loss, free.centre), judge: t.judge(on, tempered),
		status: free.status, spent: spent,
	}
	s.Model.Centre, s.Model.Temperature = s.centre, restoreAt
	if s.restoring, err = s.state(s.Model); err != nil {
		return nil, err
	}
	perUnit, steps := variableScales(s.restoring, s.isWide(s.restoring), nil)
	s.metric = floats.MulTo(make([]float64, len(steps)), perUnit, steps)
	floats.Mul(s.metric, s.metric)
	return s, nil
}

// judgedOn states the requirements on the rows of the constraints, and those that were asked for.
func (t *task) judgedOn() (*rows, error) {
	on, err := t.rows(t.ConstraintData)
	if err != nil {
		return nil, err
	}
	for _, c := range t.asked {
		r, err := model.NewRequirement(c, t.ConstraintData, t.on(c))
		if err != nil {
			return nil, err
		}
		on.requirements = append(on.requirements, r)
	}
	return on, nil
}

// try solves a smooth problem from a start, in at most so many passes; nil if no pass is left.
func (s *search) try(ctx context.Context, of *stage, start []float64, most float64) (*attempt, error) {
	g := *of
	g.Method = s.Method // the state of an unconstrained solution may serve other runs
	g.Model.Start, g.Progress = start, s.Progress
	g.MaxPasses = min(most, s.MaxPasses-problem.Passes(s.fair, s.spent.samples))
	if !(g.MaxPasses > 0) {
		s.status = solver.Exhausted
		return nil, nil
	}
	a, err := try(ctx, &g)
	if err == nil {
		s.spent.add(a.effort)
		s.status = a.status
	}
	return a, err
}

// consider offers a solution and, where its decisions violate a requirement, the results of Newton
// steps from it. The Jacobian of the rates of decisions vanishes, so that of scores takes its place,
// and the best point on the line in Newton's direction that of a step length. It returns the solution
// as a candidate.
func (s *search) consider(a *attempt) *candidate {
	const steps, furthest = 8, 4
	solved := s.offer(a.classifier(), a, AsSolved)
	for c, k := solved, 0; k < steps && c.Excess > 0; k++ {
		d := s.newton(c)
		theta := s.judge.Best(s.linear(c.x), s.linear(d), s.centre, orders.Furthest(c.x, d, s.Data.Orders, furthest))
		next := s.offer(floats.AddScaledTo(make([]float64, len(d)), c.x, theta, d), a, byRestoring)
		if next.Excess >= c.Excess {
			break
		}
		c = next
	}
	return solved
}

// newton returns the least change of the classifier, in the scales of the variables, that to first
// order removes the violations and does not change the constraints that are nearly active. What is
// tied moves together.
func (s *search) newton(c *candidate) []float64 {
	const (
		near    = 0.02 // of a bound
		damping = 1e-4 // of the mean diagonal entry
	)
	rows := s.restoring.Constraints()
	n, m := s.restoring.Dims()
	violation := make([]float64, m)
	for j, row := range rows {
		if row.Tempered {
			violation[j] = row.ValueOf(c.Positive)
		}
	}
	model.WithBases(rows, violation)
	x, v := make([]float64, n), &problem.Values{Jacobian: problem.NewJacobian(m, n)}
	copy(x, s.restoring.Chosen(c.x))
	s.restoring.Evaluate(v, x, nil)
	var violated []float64 // constraints that are violated or nearly so; their rows move up
	for j, by := range violation {
		if by > -near {
			copy(linalg.Row(v.Jacobian, len(violated)).Data, linalg.Row(v.Jacobian, j).Data)
			violated = append(violated, max(by, 0))
		}
	}
	count := len(violated)
	if count == 0 {
		return make([]float64, len(c.x))
	}
	jacobian, scaled := mat.NewDense(count, n, v.Jacobian.Data[:count*n]), mat.NewDense(count, n, nil)
	for j := range count {
		row := jacobian.RawRowView(j)
		floats.MulTo(scaled.RawRowView(j), row, s.metric)
		if len(s.Data.Orders) > 0 {
			s.tie(scaled.RawRowView(j), row, x)
		}
	}
	var gram mat.Dense
	gram.Mul(scaled, jacobian.T())
	for j, mean := 0, mat.Trace(&gram)/float64(m); j < count; j++ {
		gram.Set(j, j, gram.At(j, j)+damping*mean)
	}
	var weight, d mat.VecDense
	if gram.Trace() == 0 || weight.SolveVec(&gram, mat.NewVecDense(count, violated)) != nil {
		return make([]float64, len(c.x))
	}
	d.MulVec(scaled.T(), &weight)
	d.ScaleVec(-1, &d)
	return s.restoring.AllFeatures(d.RawVector().Data, 0)[:len(c.x)]
}

// tie stores the gradient g in the scales of the variables, of those that are tied at x as one.
func (s *search) tie(dst, g, x []float64) {
	ties := orders.TiesAt(x, s.Data.Orders)
	inverse := floats.DivTo(make([]float64, len(x)), slices.Repeat([]float64{1}, len(x)), s.metric)
	z := ties.Sum(g)
	floats.Div(z, ties.Sum(inverse))
	ties.Spread(dst, z)
}

// offer judges a classifier, and keeps it if it is the best one.
func (s *search) offer(x []float64, from *attempt, how string) *candidate {
	orders.Keep(x, s.Data.Orders) // rounding aside, it does
	c := &candidate{s.judge.Measure(s.linear(x), s.centre, s.Tolerance), x, from, how}
	if s.best == nil || c.Better(s.best.Measured) {
		s.best = c
	}
	if from.status == solver.Converged && (s.solved == nil || c.Better(s.solved.Measured)) {
		s.solved = c
	}
	return c
}

// certify goes on with the smooth problem of the best candidate if its round ended above the
// tolerance. If that goes no further, the best candidate is one that counts as equal and whose
// problem was solved, if there is one.
func (s *search) certify(ctx context.Context) error {
	c := s.best
	if c.from.status == solver.Converged || cut(s.status) {
		return nil
	}
	a, err := s.try(ctx, c.from.stage, c.from.classifier(), math.Inf(1))
	if err != nil {
		return err
	}
	if a != nil && a.status == solver.Converged {
		s.consider(a)
		c.from = a
	}
	if o := s.solved; o != nil && o.Excess <= 0 && o.Accuracy >= s.best.Accuracy-tie {
		s.best = o
	}
	return nil
}

// solution returns the best candidate.
func (s *search) solution() (*solution, error) {
	c := s.best
	found := &solution{
		x: c.x, loss: s.Loss, centre: s.centre, how: c.how, from: c.from, status: s.status,
		effort: s.spent,
	}
	fair, err := s.state(s.Model)
	if err != nil {
		return nil, err
	}
	n, _ := fair.Dims()
	x := make([]float64, n)
	copy(x, fair.Chosen(c.x))
	found.objective = problem.Objective(fair, x, nil)
	return found, errors.Join(fair.Err(), s.restoring.Err(), s.judge.Err())
}

// shifts returns, for every tempered constraint, its value for the decisions of c minus
// its value for the scores of a. c is the candidate that is the solution of a.
func shifts(a *attempt, c *candidate) []float64 {
	shift := make([]float64, len(a.fair.Constraints()))
	for j, row := range a.fair.Constraints() {
		if row.Tempered {
			scores := a.values.Constraint[j] - row.Slope*a.fair.Base(a.x, row)
			shift[j] = row.ValueOf(c.Positive) - scores
		}
	}
	return shift
}
