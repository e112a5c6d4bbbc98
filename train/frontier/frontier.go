// Package frontier trains at several bounds of a constraint: what fairness costs.
package frontier

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/internal/jobs"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
)

// Settings say how to trace a frontier. Only the method changes the result.
type Settings struct {
	// Method returns the method of one run. A method has state and runs go side by side,
	// so that each needs its own.
	Method func() (solver.Method, error)
	// Executor does the runs; nil stands for all processors of this machine.
	Executor jobs.Executor
	// Encodable makes a job that other processes can do of the one that New returns; nil if none
	// does it.
	Encodable func(jobs.Job) jobs.Job
	// Progress, if not nil, is told the number of runs that have ended and their total.
	Progress func(ended, total int)
}

// Report says what a constraint costs at different bounds, in exact values. Its
// JSON form is the output of frontier --json.
type Report struct {
	Constraint string `json:"constraint"` // specification, with the bound that was chosen
	On         string `json:"on"`         // Scores or Decisions
	Disparity  string `json:"disparity"`  // name of the points' disparity

	Unconstrained *Point   `json:"unconstrained"`
	Points        []*Point `json:"points"` // by increasing bound

	// IntervalLevel is the probability of the points' intervals.
	IntervalLevel float64 `json:"interval_level"`
}

// Measured names what the points' disparity of decisions is, also where the bounds are on scores.
func (r *Report) Measured() string {
	if r.On == train.Scores {
		return r.Disparity + " of the decisions"
	}
	return r.Disparity
}

// Point is a classifier for one bound.
type Point struct {
	Bound  fairness.Value `json:"bound"`  // undefined without a constraint
	Chosen bool           `json:"chosen"` // the constraint's own bound
	// TrainedFor is the bound that the classifier was trained for, and that its report is about,
	// where it is another one than Bound; see best. Otherwise it is nil.
	TrainedFor *fairness.Value `json:"trained_for,omitempty"`
	// Picked marks the point that validation would choose: of the points that keep the
	// constraint's own bound on the validation rows, the best there: the most accurate, or the
	// one of the least costs if Report.Costs says what wrong decisions cost. At most one
	// point is marked, none without validation rows.
	Picked bool `json:"picked"`
	// Train, Validation and Test are the disparities of the data sets; undefined for rows
	// that are not there.
	Train      Disparity `json:"train_disparity"`
	Validation Disparity `json:"validation_disparity"`
	Test       Disparity `json:"test_disparity"`
	// TrainIntervals and so on say how sure accuracy and disparity are.
	TrainIntervals      Intervals     `json:"train_intervals"`
	ValidationIntervals Intervals     `json:"validation_intervals"`
	TestIntervals       Intervals     `json:"test_intervals"`
	Report              *train.Report `json:"report"`
}

// Disparity is the measure that a constraint bounds, for one classifier. It is undefined
// for rows that lack the groups.
type Disparity struct {
	Decisions fairness.Value `json:"decisions"`
	// Scores is the largest difference of the groups' mean scores, which demographic
	// parity bounds; undefined for other constraints.
	Scores fairness.Value `json:"scores"`
}

// Trace trains without a constraint and then, from that solution, with the one
// constraint of the options at each of the bounds and at its own. For constraints on decisions each
// bound has the best of these classifiers that keep it.
//
// o.Method and o.Progress play no part. A run that ends before the tolerance, or without a
// feasible point, is a point like the others, with its status. Errors: the errors of
// Varied and Run, a bound that is not a number; if ctx is cancelled, its error.
func Trace(ctx context.Context, o train.Options, bounds []float64, s Settings) (*Report, error) {
	f, err := newFrontier(o, bounds, s)
	if err != nil {
		return nil, err
	}
	if s.Executor == nil {
		s.Executor = jobs.Local(runtime.GOMAXPROCS(0))
	}
	var job jobs.Job = f
	if s.Encodable != nil {
		job = s.Encodable(f)
	}
	r := &Report{
		Constraint: f.constraint.String(), Disparity: f.measure.Disparity, IntervalLevel: IntervalLevel,
	}
	points := []any{unbounded}
	for k := range f.bounds {
		points = append(points, k)
	}
	ended, found := 0, make([]*run, len(points))
	err = s.Executor.Do(ctx, job, points, func(k int, outcome any) error {
		found[k] = outcome.(*run)
		ended++
		if s.Progress != nil {
			s.Progress(ended, len(points))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.Unconstrained = found[0].Point
	r.Points = best(found[1:])
	r.On = r.Points[0].Report.Requirements[0].On
	r.pick(f.constraint.Level)
	return r, nil
}

// New returns the job that Trace does. Its parts have the unconstrained solutions in common, which
// the first of them finds.
func New(o train.Options, bounds []float64, s Settings) (jobs.Job, error) {
	return newFrontier(o, bounds, s)
}

// Varied returns the one constraint whose bound a frontier varies, and an error if there
// are several, or if it has no bound that is a number.
func Varied(constraints []model.Constraint) (model.GroupConstraint, error) {
	if len(constraints) != 1 {
		return model.GroupConstraint{}, fmt.Errorf("a frontier varies the bound of one constraint, found %d", len(constraints))
	}
	c, ok := constraints[0].(model.GroupConstraint)
	if !ok {
		return c, fmt.Errorf("constraint %s has no bound to vary", constraints[0])
	}
	if c.Kind == model.HeldShare && c.Level == 0 {
		return c, fmt.Errorf("constraint %s depends on the rows, a frontier needs a number", c)
	}
	return c, nil
}

// frontier is the work of Trace.
type frontier struct {
	options    train.Options
	settings   Settings
	constraint model.GroupConstraint
	bounds     []float64 // increasing
	measure    measure

	mu    sync.Mutex
	start *train.Start // once it is known
}

func newFrontier(o train.Options, bounds []float64, s Settings) (*frontier, error) {
	constraint, err := Varied(o.Constraints)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(bounds, math.IsNaN) {
		return nil, errors.New("frontier: a bound is not a number")
	}
	bounds = append(slices.Clone(bounds), constraint.Level)
	slices.Sort(bounds)
	o.Progress = nil
	if o.Method, err = s.Method(); err != nil { // of the kind that every cell makes for itself
		return nil, err
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return &frontier{options: o, settings: s, constraint: constraint, bounds: slices.Compact(bounds), measure: newMeasure(constraint)}, nil
}

// unbounded is the part without a constraint. The others are the indices of bounds.
const unbounded = -1

// Do implements jobs.Job: it trains with one constraint. The outcome is a *run.
func (f *frontier) Do(ctx context.Context, part any) (any, error) {
	start, err := f.unconstrained(ctx)
	if err != nil {
		return nil, err
	}
	var c model.Constraint = model.Without(f.constraint)
	bound := fairness.Undefined()
	if k := part.(int); k != unbounded {
		c, bound = f.constraint.WithLevel(f.bounds[k]), fairness.Value(f.bounds[k])
	}
	of, err := f.run(ctx, c, start)
	if err != nil && bound.Defined() {
		err = fmt.Errorf("bound %v: %w", float64(bound), err)
	}
	if err != nil {
		return nil, err
	}
	of.Bound, of.Chosen = bound, float64(bound) == f.constraint.Level
	return of, nil
}

// unconstrained returns the unconstrained solutions. The losses that are tried depend on the
// constraint, but their solutions don't depend on its bound.
func (f *frontier) unconstrained(ctx context.Context) (start *train.Start, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.start == nil {
		o := f.options
		if o.Method, err = f.settings.Method(); err != nil {
			return nil, err
		}
		f.start, err = train.NewStart(ctx, o)
	}
	return f.start, err
}

// pick marks the point that validation would choose at a bound, the tightest one at a tie.
func (r *Report) pick(bound float64) {
	var best *Point
	for _, p := range r.Points {
		q := p.Report.Requirements[0]
		q.Bound = bound
		if q.Validation == nil || !q.Holds(*q.Validation) {
			continue
		}
		if best == nil || p.merit(p.Report.Validation) > best.merit(best.Report.Validation) {
			best = p
		}
	}
	if best != nil {
		best.Picked = true
	}
}

// merit says how good the decisions on rows with these figures are: their accuracy, or their costs
// if these are not alike.
func (p *Point) merit(on *train.Figures) float64 {
	costs := p.Report.Costs
	if costs == nil {
		return float64(on.Accuracy)
	}
	return -costs.WrongPositive*float64(on.FalsePositives) - costs.Missed*float64(on.FalseNegatives)
}

// run trains with one constraint. A run that was cancelled is an error.
func (f *frontier) run(ctx context.Context, c model.Constraint, start *train.Start) (*run, error) {
	o := f.options
	o.Constraints = []model.Constraint{c}
	var err error
	if o.Method, err = f.settings.Method(); err != nil {
		return nil, err
	}
	found, err := start.Run(ctx, o)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	r := found.Report
	withoutFolders(r)
	p := &Point{Report: r}
	for _, set := range []struct {
		data      *dataset.Dataset
		figures   *train.Figures
		disparity *Disparity
		to        *Intervals
	}{
		{o.Data, r.Train, &p.Train, &p.TrainIntervals},
		{o.ValidationData, r.Validation, &p.Validation, &p.ValidationIntervals},
		{o.TestData, r.Test, &p.Test, &p.TestIntervals},
	} {
		*set.to = unknownIntervals()
		if *set.disparity, err = f.measure.on(set.data, found, set.figures); err != nil {
			return nil, err
		}
		judged, err := found.Judged(set.data)
		if err != nil {
			return nil, err
		}
		if judged != nil {
			if *set.to, err = f.measure.intervals(judged); err != nil {
				return nil, err
			}
		}
	}
	kept, err := f.kept(found)
	return &run{p, kept}, err
}

// withoutFolders cuts names of data as a model file does: a frontier is written to files that may
// be given to others.
func withoutFolders(r *train.Report) {
	for _, figures := range []*train.Figures{r.Train, r.Validation, r.Test} {
		if figures != nil {
			figures.Name = classifier.DataName(figures.Name)
		}
	}
	r.ConstraintData = classifier.DataName(r.ConstraintData)
}

// measure is the disparity of decisions that the constraint is about, that of demographic parity for a
// share of scores.
type measure struct{ model.GroupConstraint }

func newMeasure(c model.GroupConstraint) measure {
	if c.Family == model.Share {
		c = model.DemographicParity.For(c.Group, c.Level)
	}
	return measure{c}
}

// on returns the disparity on rows that were judged.
func (m measure) on(d *dataset.Dataset, found *train.Outcome, f *train.Figures) (Disparity, error) {
	v := Disparity{fairness.Undefined(), fairness.Undefined()}
	j, err := found.JudgeDecisions(m.GroupConstraint, d)
	if err != nil || j == nil {
		return v, err
	}
	if !j.Undefined {
		v.Decisions = fairness.Value(j.Achieved)
	}
	if m.Family == model.DemographicParity && m.Within == "" {
		v.Scores = f.Difference(func(g *fairness.Metrics) fairness.Value { return g.MeanScore })
	}
	return v, nil
}
