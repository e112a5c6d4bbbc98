package train

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/memory"
	"github.com/fairtrain/fairtrain/kkt"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
)

// minimum is the outcome of a method.
type minimum struct {
	*solver.Result
	x        []float64       // with features in their units
	kappa    []float64       // scales of the constraints
	values   *problem.Values // of the problem, exact, at x
	scaled   float64         // residual that the tolerance is for, see certifier
	residual kkt.Residual    // the paper's
}

// minimum runs the method of the options on the problem with features in their units. Steps scale the
// variables for it. Whatever the method has computed, the outcome is evaluated anew.
func (o *Options) minimum(ctx context.Context, inUnits *problem.Rescaled, steps []float64) (*minimum, error) {
	rescaled, err := problem.NewRescaled(inUnits, steps)
	if err != nil {
		return nil, err
	}
	values := problem.NewValues(rescaled.Dims())
	standard, err := standardForm(rescaled, o.Scale, values)
	if err != nil {
		return nil, err
	}
	evaluator := kkt.NewEvaluator(inUnits)
	certifier := newCertifier(standard, o, func(v *problem.Values, z []float64) float64 {
		standard.Original(values, v, z)
		rescaled.Original(values)
		return evaluator.Residual(values).Norm()
	})
	result, err := o.minimise(ctx, standard, certifier)
	if err != nil {
		return nil, err
	}
	x := slices.Clone(standard.X(result.X))
	rescaled.X(x, x)
	found := &minimum{Result: result, x: x, kappa: standard.Kappa(), values: values}
	found.scaled, found.residual = exact(inUnits, values, x)
	return found, nil
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

// isWide reports whether variables are so many beside the rows that batches tell little of
// them: epochs of FiniteSum are soon single steps, and SQP is the faster one from the start.
func isWide(p problem.Problem) bool {
	const many = 1000 // with fewer variables nothing takes long
	n, _ := p.Dims()
	rows, _ := p.Populations()
	return n >= many && 2*n >= rows
}

// isBeyondMemory reports whether the rows lie in mapped files that memory does not hold. A full pass then
// reads as fast as the disk does, but every row that is drawn waits for it.
func (o *Options) isBeyondMemory() bool {
	bytes := o.Data.Mapped
	if o.ConstraintData != o.Data {
		bytes += o.ConstraintData.Mapped
	}
	return !memory.Fits(float64(bytes))
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
	if isWide(p) || o.isBeyondMemory() {
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

// variableScales returns two scales of every variable. The first, 1 over the unit of its
// feature (model.Fair.Units), makes the problem the same whatever units the data are in.
// There, the second is r_j^(−1/2) with r_j the root mean square of feature j: half way to features of equal size.
// The curvature of the mean loss along a feature is proportional to r_j², so that rare levels of categories converge
// slowly. Full scaling to equal size would make features too large for batches where only a handful of rows have them.
// SQP, which takes none, gets it where it begins. An L2 term, which no batch estimates, counts fully.
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
		size = math.Hypot(size, p.RootPenalty(j)/unit)
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
