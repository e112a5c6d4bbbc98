package train

import (
	"context"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/linalg"
	"github.com/fairtrain/fairtrain/kkt"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/model/orders"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
)

// attempt is the outcome of a stage.
type attempt struct {
	stage     *stage
	solvedBy  string // the method that found the point
	fair      *model.Fair
	kappa     []float64 // scales of the constraints that the method saw
	status    solver.Status
	x         []float64          // the point returned
	values    *problem.Values    // of fair, exact, at x; derivatives are those of features in their units
	residual  kkt.Residual       // the paper's
	scaled    float64            // residual that the tolerance is for, see certifier
	orders    [][]float64        // multipliers of the orders of weights
	shift     []float64          // of the constraints of fair, m
	constants []problem.Constant // that the method used
	// temperature of the constraints, 1 if none is tempered
	temperature float64
	effort
}

// effort is what it took, all runs of the method together.
type effort struct {
	rounds               int
	samples, evaluations int64
	iterations           int
	elapsed              time.Duration
}

func (e *effort) add(f effort) {
	e.rounds += f.rounds
	e.samples += f.samples
	e.evaluations += f.evaluations
	e.iterations += f.iterations
	e.elapsed += f.elapsed
}

// try runs the method: where weights are to keep orders, several times (monotone.go).
func try(ctx context.Context, g *stage) (*attempt, error) {
	fair, err := g.state(g.Model)
	if err != nil {
		return nil, err
	}
	if len(g.Data.Orders) > 0 {
		return g.tryMonotone(ctx, fair)
	}
	return g.try(ctx, fair, nil)
}

// try runs the method once: on the problem in variables of other scales (variableScales), one for
// all weights that are tied; nil means that none are. Whatever the method has computed, the outcome
// is evaluated anew.
func (g *stage) try(ctx context.Context, fair *model.Fair, ties *problem.Ties) (*attempt, error) {
	var p problem.Problem = fair
	if ties != nil {
		var err error
		if p, err = problem.NewTied(fair, ties); err != nil {
			return nil, err
		}
	}
	wide := g.isWide(p)
	perUnit, steps := variableScales(fair, wide, ties)
	scale := slices.Clone(perUnit)
	floats.Mul(scale, steps)
	rescaled, err := problem.NewRescaled(p, scale)
	if err != nil {
		return nil, err
	}
	values := problem.NewValues(p.Dims())
	standard, err := standardForm(rescaled, g.Scale, wide, values)
	if err != nil {
		return nil, err
	}
	inUnits := kkt.NewEvaluator(p)
	certifier := newCertifier(standard, g, func(v *problem.Values, z []float64) float64 {
		standard.Original(values, v, z)
		eachDerivative(values, floats.Div, steps)
		return inUnits.Residual(values).Norm()
	})
	found, err := g.minimise(ctx, standard, certifier, wide)
	if err != nil {
		return nil, err
	}
	x := slices.Clone(standard.X(found.X))
	rescaled.X(x, x)
	if ties != nil {
		z := x
		x, values = make([]float64, len(ties.Of)), problem.NewValues(fair.Dims())
		ties.Spread(x, z)
		orders.Keep(x, g.Data.Orders)
	}
	fair.Evaluate(values, x, nil)
	solved := *g
	a := &attempt{
		stage: &solved, solvedBy: found.Method, fair: fair, kappa: standard.Kappa(), status: found.Status,
		x: fair.AllFeatures(x, 0), values: values,
		shift: g.Model.Shift, constants: solver.Known(g.Method), temperature: g.Model.Temperature,
		effort: effort{
			rounds: 1, samples: found.Counters.Samples(), evaluations: found.Counters.Evaluations(),
			iterations: found.Iterations, elapsed: found.Elapsed,
		},
	}
	a.residual, a.orders = g.residual(fair, values, x)
	units := fair.Units()
	eachDerivative(values, floats.Div, units)
	scaled, _ := g.residual(fair, values, x)
	a.scaled = scaled.Norm()
	constraints := fair.Constraints()
	if a.shift == nil {
		a.shift = make([]float64, len(constraints))
	}
	if a.temperature == 0 || !slices.ContainsFunc(constraints, func(r model.Inequality) bool { return r.Tempered }) {
		a.temperature = 1
	}
	return a, fair.Err()
}

// classifier returns the part of the point that is weights and intercept.
func (a *attempt) classifier() []float64 {
	n := a.stage.Data.Features()
	if a.stage.Model.Intercept {
		n++
	}
	return slices.Clone(a.x[:n])
}

// eachDerivative changes the gradient and the rows of the Jacobian by the scales of the variables.
func eachDerivative(v *problem.Values, change func(dst, scale []float64), scale []float64) {
	change(v.Gradient, scale)
	for i := range v.Jacobian.Rows {
		change(linalg.Row(v.Jacobian, i).Data, scale)
	}
}

// patience is the number of passes that the method FiniteSum gets to reach the tolerance.
// They are plenty where its steps suit the problem. Where they don't, because constraints
// are many and alike or variables are badly scaled, SQP goes on.
const patience = 30

// warmPatience is the patience for a problem that starts from another solution. There SQP is
// faster, as it knows the curvature after a few passes.
const warmPatience = 8

// shortPatience is how many epochs of a single step FiniteSum gets in a row.
const shortPatience = 3

// manyConstraints are those of 40 groups.
const manyConstraints = 80

// isWide reports whether SQP is the faster one from the start: because variables are so many beside
// the rows that batches tell little of them, and epochs of FiniteSum are soon single steps, because
// a step, in all variables, costs much more than its batches, or because every step decomposes the
// Jacobian of many constraints.
func (t *task) isWide(p problem.Problem) bool {
	const (
		many = 1000 // with fewer variables nothing takes long
		much = 4
	)
	n, m := p.Dims()
	rows, _ := p.Populations()
	steps := math.Sqrt(float64(rows)) // in which batches take as many rows as a pass
	return m > manyConstraints || n >= many && (2*n >= rows || steps*float64(n) > much*float64(t.Data.X.NNZ()))
}

// wideSQP is SQP for problems with so many variables. It remembers more steps unless vectors take
// longer than rows.
func wideSQP(p problem.Problem) *solver.SQP {
	s := solver.DefaultSQP()
	s.Probe = true
	if n, _ := p.Dims(); n < 1<<16 {
		s.Memory *= 2
	}
	return s
}

// minimise runs the method of the options.
func (g *stage) minimise(ctx context.Context, p *problem.Standard, c *certifier, wide bool) (*solver.Result, error) {
	method, ok := g.Method.(*solver.FiniteSum)
	passes := float64(patience)
	if g.Model.Start != nil {
		passes = warmPatience
	}
	passes = min(passes, g.MaxPasses)
	if !ok || g.Output != solver.Best {
		return solver.Run(ctx, p, g.Method, g.settings(p, g.MaxPasses), solver.NewStreams(g.Seed, 0), c.record)
	}
	var diverged *solver.Result
	if wide || g.isBeyondMemory() {
		r, err := solver.Run(ctx, p, wideSQP(p), g.settings(p, g.MaxPasses), solver.NewStreams(g.Seed, 1), c.record)
		if err != nil || r.Status != solver.Diverged {
			return r, err
		}
		diverged = r
	}
	impatient := *method
	impatient.Patience = shortPatience
	first, err := solver.Run(ctx, p, &impatient, g.settings(p, passes), solver.NewStreams(g.Seed, 0), c.record)
	if err == nil && diverged != nil {
		addEffort(first, diverged)
	}
	if err != nil || first.Status != solver.Exhausted && first.Status != solver.Diverged {
		return first, err
	}
	left := g.MaxPasses - problem.Passes(p, first.Counters.Samples())
	if left <= 0 { // the last step went beyond its share
		return first, nil
	}
	rest, err := solver.Run(ctx, resumed{p, c.promising(first)}, solver.DefaultSQP(),
		g.settings(p, left), solver.NewStreams(g.Seed, 1), c.record)
	if err != nil {
		return nil, err
	}
	if rest.Status == solver.Diverged { // it began at a point that is fine
		rest.Status = solver.Exhausted
	}
	addEffort(rest, first)
	return rest, nil
}

// addEffort adds the effort of an earlier run.
func addEffort(r, earlier *solver.Result) {
	r.Counters.Add(earlier.Counters)
	r.Iterations += earlier.Iterations
	r.Elapsed += earlier.Elapsed
}

// settings returns the driver's settings for so many passes.
func (g *stage) settings(p problem.Problem, passes float64) solver.Settings {
	objective, constraint := p.Populations()
	return solver.Settings{
		MaxSamples: int64(math.Ceil(passes * float64(objective+2*constraint))), // 0 would be no limit
		Records:    int(min(1000, math.Ceil(passes))),
		Output:     g.Output,
	}
}

// resumed is a problem with its own starting point.
type resumed struct {
	*problem.Standard
	start []float64
}

// Start is that point.
func (r resumed) Start(z []float64) { copy(z, r.start) }

// variableScales returns two scales of every variable. The first, 1 over the unit of its feature
// (model.Fair.Units), makes the problem the same whatever units the data are in. There, the second
// is r_j^(−1/2) with r_j the root mean square of feature j: half way to features of equal size. The
// curvature of the mean loss along a feature is proportional to r_j², so that rare levels of
// categories converge slowly. Full scaling to equal size would make features too large for batches
// where only a handful of rows have them. SQP, which takes none, gets it where it begins. An L2
// term, which no batch estimates, counts fully. They are those of the ties, if there are some.
func variableScales(p *model.Fair, wide bool, ties *problem.Ties) (perUnit, steps []float64) {
	const least = 1e-3 // for features that no row has
	perUnit, sizes, penalties := slices.Clone(p.Units()), slices.Clone(p.RootMeanSquares()), p.RootPenalties()
	for j, unit := range perUnit {
		perUnit[j] = 1 / unit
		sizes[j] /= unit
		penalties[j] /= unit
	}
	if ties != nil { // a sum of features has the sum of their squares, as no row has two of them
		floats.Mul(sizes, sizes)
		perUnit, sizes, penalties = ties.Last(perUnit), ties.Sum(sizes), ties.Last(penalties)
		for k, square := range sizes {
			sizes[k] = math.Sqrt(square)
		}
	}
	steps = make([]float64, len(sizes))
	for k, size := range sizes {
		size = max(size, least)
		if !wide {
			size = math.Sqrt(size)
		}
		steps[k] = 1 / math.Hypot(size, penalties[k])
	}
	return perUnit, steps
}

// standardForm gives every inequality a slack and, if scale is set, all constraints unit
// gradients at the start, of which it leaves values in v.
func standardForm(p problem.Problem, scale, wide bool, v *problem.Values) (*problem.Standard, error) {
	if !scale {
		return problem.NewStandard(p, nil)
	}
	n, m := p.Dims()
	x := make([]float64, n)
	p.Start(x)
	j := v.Jacobian
	if wide { // all that is asked for at this point is known then
		p.Evaluate(v, x, nil)
	} else {
		p.Evaluate(&problem.Values{Jacobian: j}, x, nil)
	}
	kappa := make([]float64, m)
	for i := range kappa {
		kappa[i] = 1
		// A gradient this small says nothing about the constraint's unit.
		const negligible = 1e-8
		if norm := floats.Norm(j.Data[i*n:(i+1)*n], 2); norm > negligible {
			kappa[i] = 1 / norm
		}
	}
	return problem.NewStandard(p, kappa)
}

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
	points    int

	firstResidual  float64   // 0 before the first point
	last           []float64 // the last point
	objective      float64   // there
	leastResidual  float64   // of all points
	leastObjective float64   // at the point of the least residual
}

func newCertifier(q *problem.Standard, g *stage, residual func(v *problem.Values, z []float64) float64) *certifier {
	return &certifier{
		standard: q, residual: residual, tolerance: g.Tolerance, maxPasses: g.MaxPasses, progress: g.Progress,
		values: problem.NewValues(q.Dims()), leastResidual: math.Inf(1),
	}
}

// record takes the method's exact values if it has them. Otherwise it computes them, which is not
// counted and stops the clock. The residual of many constraints costs more than a pass: it is that of every
// fourth point.
func (c *certifier) record(s *solver.Snapshot) (bool, error) {
	const apart = 4
	v := s.Iterate.Exact
	if v == nil {
		v = c.values
		c.standard.Evaluate(v, s.Iterate.X, nil)
	}
	c.last, c.objective = append(c.last[:0], s.Iterate.X...), v.Objective
	c.points++
	if len(v.Constraint) > manyConstraints && c.points%apart != 1 {
		return false, nil
	}
	s.Residual = c.residual(v, s.Iterate.X)
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

// share returns about which share of the run is done after so many passes. The residual falls by
// about the same factor in each of them, and most runs end long before the last pass that they may
// take.
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
