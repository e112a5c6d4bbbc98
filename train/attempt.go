package train

import (
	"context"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/kkt"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
)

// attempt is the outcome of training.
type attempt struct {
	fair     *model.Fair
	asked    int // constraints of fair; those after them are anchors
	anchors  []Anchor
	standard *problem.Standard
	status   solver.Status
	x        []float64       // the point returned
	values   *problem.Values // of fair, exact, at x
	residual kkt.Residual
	shift    []float64 // of the constraints of fair, m
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
	constraints := o.Constraints
	var held []Anchor
	if o.anchors != nil {
		constraints, held = append(slices.Clone(constraints), o.anchors), o.anchors.rates
	}
	fair, err := model.New(o.Data, o.ConstraintData, constraints, o.Model)
	if err != nil {
		return nil, err
	}
	rescaled, err := problem.NewRescaled(fair, variableScales(fair))
	if err != nil {
		return nil, err
	}
	standard, err := standardForm(rescaled, o.Scale)
	if err != nil {
		return nil, err
	}
	certifier := newCertifier(standard, rescaled, o)
	objective, constraint := fair.Populations()
	settings := solver.Settings{
		MaxSamples: int64(o.MaxPasses * float64(objective+2*constraint)),
		Records:    int(min(1000, math.Ceil(o.MaxPasses))),
		Output:     o.Output,
	}
	result, err := solver.Run(ctx, standard, o.Method, settings, solver.NewStreams(o.Seed, 0), certifier)
	if err != nil {
		return nil, err
	}
	x := make([]float64, len(standard.X(result.X)))
	rescaled.X(x, standard.X(result.X))
	shift := o.Model.Shift
	if shift == nil {
		shift = make([]float64, len(fair.Rows()))
	}
	return &attempt{
		fair: fair, asked: len(fair.Rows()) - len(held), anchors: held, standard: standard, status: result.Status,
		x: x, residual: certifier.exact(fair, x), values: certifier.inner, shift: shift,
		effort: effort{
			rounds: 1, samples: result.Counters.Samples(), evaluations: result.Counters.Evaluations(),
			iterations: result.Iterations, elapsed: result.Elapsed,
		},
	}, nil
}

// variableScales returns r_j^(−1/2) with r_j the root mean square of feature j: half way
// from the data's own units to features of equal size. The curvature of the loss along a
// feature goes with r_j², so that the rare levels of categories are slow; features of
// equal size, on the other hand, are blown up where a handful of rows have them.
func variableScales(p *model.Fair) []float64 {
	const least = 1e-3 // for features that no row has
	s := p.RootMeanSquares()
	for j, r := range s {
		s[j] = 1 / math.Sqrt(max(r, least))
	}
	return s
}

// standardForm gives every constraint a slack and, if scale is set, unit gradients at
// the start.
func standardForm(p problem.Problem, scale bool) (*problem.Standard, error) {
	n, m := p.Dims()
	inequalities := make([]int, m)
	for i := range inequalities {
		inequalities[i] = i
	}
	if !scale {
		return problem.NewStandard(p, inequalities, nil)
	}
	x := make([]float64, n)
	p.Start(x)
	j := problem.NewJacobian(m, n)
	p.Jacobian(j, x, nil)
	kappa := make([]float64, m)
	for i := range kappa {
		kappa[i] = 1
		// A gradient this small says nothing about the constraint's unit.
		const negligible = 1e-8
		if norm := floats.Norm(j.Data[i*n:(i+1)*n], 2); norm > negligible {
			kappa[i] = 1 / norm
		}
	}
	return problem.NewStandard(p, inequalities, kappa)
}

// certifier measures iterates exactly and ends the run at the tolerance.
type certifier struct {
	standard  *problem.Standard
	rescaled  *problem.Rescaled
	tolerance float64
	maxPasses float64
	progress  func(Progress)
	values    *problem.Values // of the standard form, where the method has none
	inner     *problem.Values // of the inner problem
	kkt       *kkt.Evaluator
}

func newCertifier(q *problem.Standard, r *problem.Rescaled, o *Options) *certifier {
	n, m := q.Inner().Dims()
	nz, _ := q.Dims()
	return &certifier{
		standard: q, rescaled: r, tolerance: o.Tolerance, maxPasses: o.MaxPasses, progress: o.Progress,
		values: problem.NewValues(nz, m), inner: problem.NewValues(n, m), kkt: kkt.NewEvaluator(n, m),
	}
}

// Record takes the method's own exact values where it has them, and otherwise computes
// them at the driver's expense.
func (c *certifier) Record(s *solver.Snapshot) (bool, error) {
	v := s.Iterate.Exact
	if v == nil {
		v = c.values
		problem.Exact(c.standard, v, s.Iterate.X)
	}
	c.standard.Original(c.inner, v, s.Iterate.X)
	c.rescaled.Original(c.inner)
	r := c.kkt.Inequality(c.inner)
	s.Residual = r.Norm()
	if c.progress != nil {
		c.progress(Progress{
			Passes:    problem.Passes(c.standard, s.Counters.Samples()),
			MaxPasses: c.maxPasses, Objective: c.inner.Objective, KKTResidual: s.Residual,
		})
	}
	return s.Residual <= c.tolerance, nil
}

// exact evaluates the inner problem at x afresh.
func (c *certifier) exact(p problem.Problem, x []float64) kkt.Residual {
	problem.Exact(p, c.inner, x)
	return c.kkt.Inequality(c.inner)
}
