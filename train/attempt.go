package train

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/kkt"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train/decide"
)

// attempt is the outcome of training.
type attempt struct {
	options   *Options
	fair      *model.Fair
	kappa     []float64 // scales of the constraints that the method saw
	status    solver.Status
	x         []float64          // the point returned
	values    *problem.Values    // of fair, exact, at x
	residual  kkt.Residual       // the paper's
	scaled    float64            // residual that the tolerance is for, see certifier
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
	found, err := o.minimum(ctx, inUnits, steps)
	if err != nil {
		return nil, err
	}
	if err := fair.Err(); err != nil {
		return nil, err
	}
	inUnits.X(found.x, found.x)
	x := fair.AllFeatures(found.x, 0)
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
		constants:   solver.Known(o.Method),
		fair:        fair, kappa: found.kappa, status: found.Status,
		x: x, residual: found.residual, scaled: found.scaled, values: found.values, shift: shift,
		effort: effort{
			rounds: 1, samples: found.Counters.Samples(), evaluations: found.Counters.Evaluations(),
			iterations: found.Iterations, elapsed: found.Elapsed,
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
// centre. Where the unconstrained scores of the loss were calibrated, it is the margin at which
// their probability is the threshold.
func (o *Options) centre() float64 {
	if centre, ok := o.centres[o.Loss]; ok {
		return centre
	}
	return o.logOdds()
}

// logOdds are those of the threshold.
func (o *Options) logOdds() float64 { return math.Log(o.Threshold / (1 - o.Threshold)) }

// decidingAs returns the options with the centres of the unconstrained solutions.
func (o Options) decidingAs(free []fit) *Options {
	o.centres = map[string]float64{}
	for _, f := range free {
		o.centres[f.loss] = f.centre
	}
	return &o
}

// surrogates returns the constraints as the method sees them.
func (o *Options) surrogates() []model.Constraint {
	constraints := make([]model.Constraint, len(o.Constraints))
	for i, c := range o.Constraints {
		switch {
		case o.on(c) == Decisions:
			c = model.OnDecisions(c)
		case !model.IsNone(c) && !o.OnDecisions() && o.Model.Temperature != 0 && o.Model.Temperature != 1:
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
