package train

import (
	"context"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/kkt"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train/decide"
)

// attempt is the outcome of training.
type attempt struct {
	options  *Options
	fair     *model.Fair
	standard *problem.Standard
	status   solver.Status
	x        []float64       // the point returned
	values   *problem.Values // of fair, exact, at x
	residual kkt.Residual    // the paper's
	scaled   float64         // residual that the tolerance is for, see certifier
	shift    []float64       // of the constraints of fair, m
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

// try runs the method once.
func try(ctx context.Context, o *Options) (*attempt, error) {
	fair, err := o.state(o.Model)
	if err != nil {
		return nil, err
	}
	perUnit, steps := variableScales(fair)
	inUnits, err := problem.NewRescaled(fair, perUnit)
	if err != nil {
		return nil, err
	}
	rescaled, err := problem.NewRescaled(inUnits, steps)
	if err != nil {
		return nil, err
	}
	values := problem.NewValues(fair.Dims())
	standard, err := standardForm(rescaled, o.Scale, values)
	if err != nil {
		return nil, err
	}
	certifier := newCertifier(standard, rescaled, inUnits, values, o)
	result, err := o.minimise(ctx, standard, certifier)
	if err != nil {
		return nil, err
	}
	x := slices.Clone(standard.X(result.X))
	rescaled.X(x, x)
	scaled, residual := certifier.exact(x)
	if err := fair.Err(); err != nil {
		return nil, err
	}
	inUnits.X(x, x)
	x = fair.AllFeatures(x, 0)
	shift := o.Model.Shift
	if shift == nil {
		shift = make([]float64, len(fair.Constraints()))
	}
	temperature := o.Model.Temperature
	if temperature == 0 || !slices.ContainsFunc(fair.Constraints(), func(r model.Inequality) bool { return r.Tempered }) {
		temperature = 1
	}
	options := *o
	return &attempt{
		options:     &options,
		temperature: temperature,
		fair:        fair, standard: standard, status: result.Status,
		x: x, residual: residual, scaled: scaled, values: certifier.inner, shift: shift,
		effort: effort{
			rounds: 1, samples: result.Counters.Samples(), evaluations: result.Counters.Evaluations(),
			iterations: result.Iterations, elapsed: result.Elapsed,
		},
	}, nil
}

// state returns the smooth problem of the options, with the model options m.
func (o *Options) state(m model.Options) (*model.Fair, error) {
	if o.stated != nil {
		return o.stated.With(m)
	}
	return model.New(o.Data, o.ConstraintData, o.surrogates(), m)
}

// patience is the number of passes that the method FiniteSum gets to reach the tolerance.
// They are plenty where its steps suit the problem. Where they don't, because constraints
// are many and alike or variables are badly scaled, SQP goes on.
const patience = 30

// warmPatience is the patience for a problem that starts near its solution. There SQP is
// faster, as it knows the curvature after a few passes.
const warmPatience = 8

// shortPatience is how many epochs of a single step FiniteSum gets in a row.
const shortPatience = 3

// isWide reports whether variables are so many beside the rows that batches tell little of
// them: epochs of FiniteSum are soon single steps, and SQP is the faster one from the start.
func isWide(p problem.Problem) bool {
	const many = 1000 // with fewer variables nothing takes long
	n, _ := p.Dims()
	rows, _ := p.Populations()
	return n >= many && 2*n >= rows
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
func (o *Options) minimise(ctx context.Context, p *problem.Standard, c *certifier) (*solver.Result, error) {
	method, ok := o.Method.(*solver.FiniteSum)
	passes := float64(patience)
	if o.Model.Start != nil {
		passes = warmPatience
	}
	passes = min(passes, o.MaxPasses)
	if !ok || o.Output != solver.Best {
		return solver.Run(ctx, p, o.Method, o.settings(p, o.MaxPasses), solver.NewStreams(o.Seed, 0), c.record)
	}
	var diverged *solver.Result
	if isWide(p) {
		r, err := solver.Run(ctx, p, wideSQP(p), o.settings(p, o.MaxPasses), solver.NewStreams(o.Seed, 1), c.record)
		if err != nil || r.Status != solver.Diverged {
			return r, err
		}
		diverged = r
	}
	impatient := *method
	impatient.Patience = shortPatience
	first, err := solver.Run(ctx, p, &impatient, o.settings(p, passes), solver.NewStreams(o.Seed, 0), c.record)
	if err == nil && diverged != nil {
		addEffort(first, diverged)
	}
	if err != nil || first.Status != solver.Exhausted && first.Status != solver.Diverged {
		return first, err
	}
	left := o.MaxPasses - problem.Passes(p, first.Counters.Samples())
	if left <= 0 { // the last step went beyond its share
		return first, nil
	}
	rest, err := solver.Run(ctx, resumed{p, c.promising(first)}, solver.DefaultSQP(), o.settings(p, left), solver.NewStreams(o.Seed, 1), c.record)
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
func (o *Options) settings(p problem.Problem, passes float64) solver.Settings {
	objective, constraint := p.Populations()
	return solver.Settings{
		MaxSamples: int64(math.Ceil(passes * float64(objective+2*constraint))), // 0 would be no limit
		Records:    int(min(1000, math.Ceil(passes))),
		Output:     o.Output,
	}
}

// resumed is a problem with its own starting point.
type resumed struct {
	*problem.Standard
	start []float64
}

// Start is that point.
func (r resumed) Start(z []float64) { copy(z, r.start) }

// classifier returns the part of the point that is weights and intercept.
func (a *attempt) classifier(o *Options) []float64 {
	n := o.Data.Features()
	if o.Model.Intercept {
		n++
	}
	return slices.Clone(a.x[:n])
}

// margins returns the margins of the rows of d, given weights and intercept.
func (o *Options) margins(x []float64, d *dataset.Dataset) decide.Margins {
	if !o.Model.Intercept {
		return decide.NewMargins(d, x, 0)
	}
	last := len(x) - 1
	return decide.NewMargins(d, x[:last], x[last])
}

// centre is the margin at the threshold: decisions are positive for margins of at least
// centre.
func (o *Options) centre() float64 { return math.Log(o.Threshold / (1 - o.Threshold)) }

// surrogates returns the constraints as the method sees them.
func (o *Options) surrogates() []model.Constraint {
	constraints := make([]model.Constraint, len(o.Constraints))
	for i, c := range o.Constraints {
		switch {
		case o.on(c) == Decisions:
			c = model.OnDecisions(c)
		case o.On == Scores && o.Model.Temperature != 0 && o.Model.Temperature != 1:
			c = model.Tempered(c)
		}
		constraints[i] = c
	}
	return constraints
}

// on returns what a constraint bounds.
func (o *Options) on(c model.Constraint) string {
	if o.On != "" {
		return o.On
	}
	if g, ok := c.(model.GroupConstraint); ok {
		return g.On
	}
	return Scores
}

// variableScales returns two scales of every variable. The first, 1 over the unit of its
// feature (model.Fair.Units), makes the problem the same whatever units the data are in.
// There, the second is r_j^(−1/2) with r_j the root mean square of feature j: half way to
// features of equal size. The curvature of the loss along a feature is proportional to
// r_j², so that rare levels of categories converge slowly. Full scaling to equal size would
// make features too large for batches where only a handful of rows have them. SQP, which takes
// none, gets it where it begins.
func variableScales(p *model.Fair) (perUnit, steps []float64) {
	const least = 1e-3 // for features that no row has
	roots := p.RootMeanSquares()
	perUnit, steps = make([]float64, len(roots)), make([]float64, len(roots))
	wide := isWide(p)
	for j, unit := range p.Units() {
		perUnit[j] = 1 / unit
		size := max(roots[j]/unit, least)
		if !wide {
			size = math.Sqrt(size)
		}
		steps[j] = 1 / size
	}
	return perUnit, steps
}

// standardForm gives every inequality a slack and, if scale is set, all constraints unit
// gradients at the start, of which it leaves values in v.
func standardForm(p problem.Problem, scale bool, v *problem.Values) (*problem.Standard, error) {
	if !scale {
		return problem.NewStandard(p, nil)
	}
	n, m := p.Dims()
	x := make([]float64, n)
	p.Start(x)
	j := v.Jacobian
	if isWide(p) { // all that is asked for at this point is known then
		problem.Exact(p, v, x)
	} else {
		p.Jacobian(j, x, nil)
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
	rescaled  *problem.Rescaled // the inner problem of standard
	inUnits   *problem.Rescaled // the certifier of rescaled: features in their units
	tolerance float64
	maxPasses float64
	progress  func(Progress)
	values    *problem.Values // of the standard form, where the method has none
	inner     *problem.Values // of inUnits
	kkt       *kkt.Evaluator

	last           []float64 // the last point
	objective      float64   // there
	leastResidual  float64   // of all points
	leastObjective float64   // at the point of the least residual
}

func newCertifier(q *problem.Standard, r, inUnits *problem.Rescaled, inner *problem.Values, o *Options) *certifier {
	return &certifier{
		standard: q, rescaled: r, inUnits: inUnits, tolerance: o.Tolerance, maxPasses: o.MaxPasses, progress: o.Progress,
		values: problem.NewValues(q.Dims()), inner: inner, kkt: kkt.NewEvaluator(inUnits), leastResidual: math.Inf(1),
	}
}

// record takes the method's exact values if it has them. Otherwise it computes them at
// the driver's expense.
func (c *certifier) record(s *solver.Snapshot) (bool, error) {
	v := s.Iterate.Exact
	if v == nil {
		v = c.values
		problem.Exact(c.standard, v, s.Iterate.X)
	}
	c.standard.Original(c.inner, v, s.Iterate.X, func(lo, hi int) { c.rescaled.Original(c.inner, lo, hi) })
	r := c.kkt.Residual(c.inner)
	s.Residual = r.Norm()
	c.last, c.objective = append(c.last[:0], s.Iterate.X...), c.inner.Objective
	if s.Residual < c.leastResidual {
		c.leastResidual, c.leastObjective = s.Residual, c.inner.Objective
	}
	if c.progress != nil {
		c.progress(Progress{
			Share:     problem.Passes(c.standard, s.Counters.Samples()) / c.maxPasses,
			Objective: c.inner.Objective, Residual: s.Residual,
		})
	}
	return s.Residual <= c.tolerance, nil
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

// exact evaluates the problem anew at x, in the variables of inUnits. It returns the
// residual that the tolerance is for, and the paper's residual. It leaves the values in
// the data's own units in inner.
func (c *certifier) exact(x []float64) (scaled float64, paper kkt.Residual) {
	problem.Exact(c.inUnits, c.inner, x)
	scaled = c.kkt.Residual(c.inner).Norm()
	c.inUnits.Original(c.inner, 0, len(c.inner.Gradient))
	return scaled, c.kkt.Residual(c.inner)
}
