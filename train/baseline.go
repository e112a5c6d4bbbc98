package train

import (
	"cmp"
	"context"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/model/penalty"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train/crossval"
	"github.com/fairtrain/fairtrain/train/ridge"
)

// The losses of Options.
const (
	// Logistic is log(1 + exp(−margin)): its scores are probabilities.
	Logistic = "logistic"
	// Robust is φ_α of it (the paper's eq. fairness): misfits count for less, which may
	// decide better.
	Robust = "robust"
)

// fit is the unconstrained solution that a run starts from.
type fit struct {
	*attempt
	loss   string
	spread float64 // standard deviation of the margins of some of them
	centre float64 // the margin from which on decisions are positive
}

// paid returns the solution without its effort, which counts elsewhere already.
func (f fit) paid() fit {
	a := *f.attempt
	a.effort = effort{}
	f.attempt = &a
	return f
}

// unconstrained trains without constraints: with the loss of the options or, if they leave it open,
// with the logistic one, but with the robust one of the paper for rows that are features already
// and constraints on scores alone.
func unconstrained(ctx context.Context, t *task) (fit, error) {
	loss := cmp.Or(t.Loss, Logistic)
	if t.Loss == "" && t.Encoding == nil && len(t.requirements()) > 0 && !t.OnDecisions() {
		loss = Robust
	}
	if t.Score != "" {
		return t.stage(loss, t.logOdds()).given()
	}
	return t.stage(loss, t.logOdds()).free(ctx)
}

// free trains without constraints.
func (g *stage) free(ctx context.Context) (fit, error) {
	free := *g
	free.Constraints, free.fair = []model.Constraint{model.Unconstrained()}, nil
	// a baseline, whatever method is on trial, and a start, with passes left for what follows
	if len(g.requirements()) > 0 {
		free.Method, free.Output, free.MaxPasses = solver.DefaultFiniteSum(), solver.Best, g.MaxPasses/2
	}
	if _, ok := free.Method.(*solver.FiniteSum); ok && g.Choice != nil && g.Loss == Logistic && g.Model.Intercept {
		free.Model.Start = ridge.Fit(crossval.Problem(g.Data, g.Model.Weights, g.penalty()), 1)
	}
	a, err := try(ctx, &free)
	if err != nil {
		return fit{}, err
	}
	x := a.classifier()
	if a.stage.centre, err = g.calibratedCentre(x); err != nil {
		return fit{}, err
	}
	return fit{a, g.Loss, g.spread(x), a.stage.centre}, nil
}

// penalty is that of the problem, but for its blocks.
func (t *task) penalty() penalty.Penalty {
	return penalty.Penalty{L2: t.Model.L2, BlockL2: t.Model.BlockL2}
}

// calibratedCentre returns the margin from which on decisions of an unconstrained solution are
// positive: where the probability given the margin is the threshold. A penalty shrinks margins, and
// the robust loss stretches them, so that the margins themselves do not say. Rows count as in
// training: weights of classes are a wish for other decisions.
func (g *stage) calibratedCentre(x []float64) (float64, error) {
	if !g.calibrates(g.Loss) {
		return g.logOdds(), nil
	}
	p, err := g.points(newClassifier(&g.task, g.Loss, g.logOdds(), x))
	if err != nil {
		return 0, err
	}
	p.WeighClasses(g.ClassWeight)
	a, b, ok := p.Fit()
	if !ok {
		return g.logOdds(), nil
	}
	return (g.logOdds() - b) / a, nil
}

// Baselines are the classifiers to compare a fair classifier with, on the same rows.
type Baselines struct {
	Majority      Baseline `json:"majority"`      // the same answer for everybody
	Unconstrained Baseline `json:"unconstrained"` // the classifier trained without constraints
	// Unfinished is whether that one ended before the tolerance, for lack of passes.
	Unfinished bool `json:"unfinished,omitempty"`
}

// Baseline has the figures of one such classifier; nil for rows that are not there.
type Baseline struct {
	Train      *BaselineFigures `json:"train"`
	Validation *BaselineFigures `json:"validation,omitempty"`
	Test       *BaselineFigures `json:"test,omitempty"`
}

// BaselineFigures are the figures on one set of rows.
type BaselineFigures struct {
	Accuracy float64 `json:"accuracy"`
	// Requirements are the measures achieved, in the order of Report.Requirements; null
	// where one is undefined.
	Requirements []*float64 `json:"requirements"`
}

// baselines measures, on all rows, the unconstrained classifier and the constant answer
// that is right more often on the rows to train on.
func (t *task) baselines(free *classifier.Classifier, sets map[*dataset.Dataset]*scored) (*Baselines, error) {
	majority := *free
	majority.Weights = make([]float64, len(free.Weights))
	majority.Intercept = 1
	positives := 0.0
	for i, y := range t.Data.Y { // accuracy is of their weights, whatever mistakes cost
		positives += float64(t.Data.Weight(i) * float64(y))
	}
	if positives < 0 {
		majority.Intercept = -1
	}
	majority.Threshold = 0.5
	b := new(Baselines)
	for _, baseline := range []struct {
		c  *classifier.Classifier
		to *Baseline
	}{{&majority, &b.Majority}, {free, &b.Unconstrained}} {
		scores := map[*dataset.Dataset]*scored{}
		for d, s := range sets {
			var err error
			if scores[d], err = s.score(baseline.c); err != nil {
				return nil, err
			}
		}
		baseline.to.Train = figuresOf(scores[t.Data], scores[t.ConstraintData])
		baseline.to.Validation = figuresOf(scores[t.ValidationData], scores[t.ValidationData])
		baseline.to.Test = figuresOf(scores[t.TestData], scores[t.TestData])
	}
	return b, nil
}

// figuresOf returns the accuracy on some rows and the measures on others, nil without rows.
func figuresOf(s, constrained *scored) *BaselineFigures {
	if s == nil {
		return nil
	}
	f := &BaselineFigures{Accuracy: s.right, Requirements: []*float64{}}
	for k := range constrained.requirements {
		value, _, _ := constrained.achieved(k, nil)
		f.Requirements = append(f.Requirements, value)
	}
	return f
}

// solveOnScores solves the problem on scores, given the unconstrained solution.
//
// Its constraints are not convex, and where it starts decides which minimum it finds. From x = 0,
// where all scores are ½, the first steps have a long way to go if labels are rare. The scores of a
// small group that gets ahead of the others may end near 0, where it keeps every bound that it can
// keep, and does not come back. The unconstrained solution is as bad a start where it tells the
// labels apart: scores near 0 and 1 hardly depend on the weights. So the method starts on the way
// to it, where margins vary by startSpread at most. A method on trial starts where its paper does,
// at 0.
func solveOnScores(ctx context.Context, t *task, free fit) (*solution, error) {
	from := t.stage(free.loss, free.centre)
	var before effort
	if _, ok := t.Method.(*solver.FiniteSum); ok {
		from.Model.Start = free.onTheWay(t)
		// its last step may have gone beyond
		from.MaxPasses = max(t.MaxPasses-problem.Passes(free.fair, free.samples), t.MaxPasses/2)
		before = free.effort
	}
	a, err := try(ctx, from)
	if err != nil {
		return nil, err
	}
	before.add(a.effort)
	x := a.classifier()
	floats.Scale(1/a.temperature, x) // so that the classifier's scores are those that the constraints bound
	return &solution{x: x, loss: free.loss, centre: free.centre, how: AsSolved, from: a, status: a.status, effort: before}, nil
}

// startSpread is the largest standard deviation of the margins at the start, over the temperature.
const startSpread = 1

// onTheWay returns the classifier, scaled down to margins that vary by startSpread at most.
func (f fit) onTheWay(t *task) []float64 {
	x, most := f.classifier(), float64(startSpread)
	if t.Model.Temperature > 0 {
		most *= t.Model.Temperature
	}
	if f.spread > most {
		floats.Scale(most/f.spread, x)
	}
	return x
}

// spread returns the standard deviation of the margins, of many rows those of some blocks.
func (t *task) spread(x []float64) float64 {
	const blocks, block = 64, 1 << 10
	rows, by, some := t.Data.Rows(), t.linear(x), []float64{}
	for k := range blocks {
		lo, hi := k*rows/blocks, (k+1)*rows/blocks
		for _, margins := range by.Margins(t.Data, lo, min(lo+block, hi)) {
			some = append(some, margins...)
		}
	}
	return stat.PopStdDev(some, nil)
}

// Start is the unconstrained solution from which several runs may start.
type Start struct{ free fit }

// NewStart trains without the constraints of the options, which say what losses to try.
func NewStart(ctx context.Context, o Options) (*Start, error) {
	t, err := newTask(o)
	if err != nil {
		return nil, err
	}
	free, err := unconstrained(ctx, t)
	if err != nil {
		return nil, err
	}
	return &Start{free}, nil
}

// Run trains from the start, whose options may differ in the bounds of constraints only. Its effort
// includes that of the start.
func (s *Start) Run(ctx context.Context, o Options) (*Outcome, error) {
	t, err := newTask(o)
	if err != nil {
		return nil, err
	}
	if t, err = t.tuned(ctx, s.free); err != nil {
		return nil, err
	}
	return t.runFor(ctx, t.Constraints, s.free, new(effort))
}
