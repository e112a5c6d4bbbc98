package train

import (
	"cmp"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/shards"
	"github.com/fairtrain/fairtrain/internal/memory"
	"github.com/fairtrain/fairtrain/internal/vmath"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train/decide"
)

// task is what a run has to do: options that are valid and complete.
type task struct {
	Options
	fair *model.Fair // the problem of the rows and constraints, if it is stated already
	// schedule has the temperatures of the rounds of the search for decisions; nil for the usual ones.
	schedule []float64
	tuning   *tuning  // of that search; nil where nothing was tuned
	apart    []string // groups of a single fold, where nothing else can be compared without it
	// asked are the constraints that were asked for, where Constraints are tighter: groups are soon so
	// small beside a tighter bound that one decision is forgiven, and these are to hold as well.
	asked   []model.Constraint
	kept    bool         // the unconstrained solution, which satisfies the requirements
	holdout *HoldoutTest // that it is tuned for; nil for none
}

// newTask completes what options leave open.
func newTask(o Options) (*task, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if o.ConstraintData == nil {
		o.ConstraintData = o.Data
	}
	o.ClassWeight = cmp.Or(o.ClassWeight, 1)
	o.Aim = cmp.Or(o.Aim, AimUnseen)
	if o.Model.Weights == nil {
		o.Model.Weights = o.Data.Weights
		if o.ClassWeight != 1 {
			o.Model.Weights = o.Data.ClassWeights(o.ClassWeight)
		}
	}
	o.Model.Intercept = o.HasIntercept()
	o.Progress = neverBack(o.Progress)
	return &task{Options: o}, nil
}

// neverBack tells of shares that never fall. A share is an estimate, and a part of a run that
// begins may make it smaller.
func neverBack(tell func(Progress)) func(Progress) {
	if tell == nil {
		return nil
	}
	most := 0.0
	return func(p Progress) {
		most = max(most, p.Share)
		p.Share = most
		tell(p)
	}
}

// aimingAt returns the task with other constraints, which differ in their bounds.
func (t task) aimingAt(constraints []model.Constraint) *task {
	if t.asked == nil {
		t.asked = t.requirements()
	}
	t.Constraints = constraints
	return &t
}

// stage is a part of a task: one smooth problem, and how far to solve it. Its options are those of
// the task but for the loss, the options of the model, the method, the passes and the progress.
type stage struct {
	task
	// centre is the margin from which on decisions are positive.
	centre float64
}

// stage returns the stage of a loss, with decisions at a centre.
func (t task) stage(loss string, centre float64) *stage {
	g := &stage{t, centre}
	g.Loss = loss
	if loss == Logistic {
		g.Model.Alpha = math.Inf(1)
	}
	return g
}

// state returns the smooth problem of the options, with the model options m.
func (t *task) state(m model.Options) (*model.Fair, error) {
	if t.fair != nil {
		return t.fair.With(m)
	}
	return model.New(t.Data, t.ConstraintData, t.surrogates(), m)
}

// linear returns weights and intercept as a function of a row.
func (t *task) linear(x []float64) decide.Linear {
	l := decide.Linear{Weights: x[:t.Data.Features()]}
	if t.Model.Intercept {
		l.Intercept = x[len(x)-1]
	}
	if floats.Norm(l.Weights, math.Inf(1)) == 0 {
		l.Weights = nil
	}
	return l
}

// worth returns what right decisions are worth on rows of the labels −1 and +1. Whoever decides
// positively for probabilities of at least T finds a wrong positive decision as bad as T/(1−T)
// missed ones. These are multiples of a millionth or so, because sums of counts must be exact.
func (t *task) worth() [2]float64 {
	const unit = 1 << 20
	negative := min(max(math.Round(2*unit*t.Threshold), 1), 2*unit-1) / unit
	return [2]float64{negative, (2 - negative) * t.ClassWeight}
}

// surrogates returns the constraints as the method sees them.
func (t *task) surrogates() []model.Constraint {
	constraints := make([]model.Constraint, len(t.Constraints))
	for i, c := range t.Constraints {
		switch {
		case t.on(c) == Decisions:
			c = model.OnDecisions(c)
		case !model.IsNone(c) && !t.OnDecisions() && t.Model.Temperature != 0 && t.Model.Temperature != 1:
			c = model.Tempered(c)
		}
		constraints[i] = c
	}
	return constraints
}

// logOdds are those of the threshold.
func (t *task) logOdds() float64 { return math.Log(t.Threshold / (1 - t.Threshold)) }

// part returns what to tell about part k of n; the first is 0.
func part(tell func(Progress), k, n int) func(Progress) {
	if tell == nil {
		return nil
	}
	return func(p Progress) {
		p.Share = (float64(k) + p.Share) / float64(n)
		tell(p)
	}
}

// parts returns the task without the requirements, and with them, where there are some: two parts
// of its progress.
func (t *task) parts() (without, with *task) {
	if len(t.requirements()) == 0 {
		return t, t
	}
	first, then := *t, *t
	first.Progress, then.Progress = part(t.Progress, 0, 2), part(t.Progress, 1, 2)
	return &first, &then
}

// isBeyondMemory reports whether the rows lie in mapped files that memory does not hold. A full
// pass then reads as fast as the disk does, but every row that is drawn waits for it.
func (t *task) isBeyondMemory() bool {
	bytes := t.Data.Mapped
	if t.ConstraintData != t.Data {
		bytes += t.ConstraintData.Mapped
	}
	return !memory.Fits(float64(bytes))
}

// calibrates reports whether scores are to be made probabilities. They are not if
// constraints bound scores, or would but for a comparison, or if the logistic loss has made
// them probabilities already, which a penalty or weights of classes prevent.
func (t *task) calibrates(loss string) bool {
	for _, c := range t.Constraints {
		left, ok := model.LeftOut(c)
		if ok {
			c = left
		}
		if (ok || !model.IsNone(c)) && t.on(c) == Scores {
			return false
		}
	}
	return !t.Thresholds && (loss != Logistic || t.OnDecisions() || !t.Model.Intercept || t.Model.L2 > 0 || t.ClassWeight != 1)
}

// costs returns what wrong decisions cost where decisions are chosen by that: those of the
// threshold, those of positive rows times the weight of their class. nil stands for equal costs.
func (t *task) costs() *classifier.Costs {
	wrongPositive, missed := t.Threshold, (1-t.Threshold)*t.ClassWeight
	if !t.OnDecisions() || wrongPositive == missed {
		return nil
	}
	const digits = 1e12
	share := math.Round(wrongPositive/(wrongPositive+missed)*digits) / digits
	return &classifier.Costs{WrongPositive: share, Missed: math.Round((1-share)*digits) / digits}
}

// sampled reports whether the rows are a sample.
func (t *task) sampled() bool { return t.Data.SampleOf > 0 }

// shards are all rows, nil if those that are here are no sample.
func (t *task) shards() *shards.Rows {
	if !t.sampled() {
		return nil
	}
	return t.Model.Shards // Validate has looked
}

// judge returns the judge of the requirements on rows, which counts decisions by more strata of
// these, too.
func (t *task) judge(on *rows, more []*dataset.Strata) *decide.Judge {
	return decide.NewJudge(t.Data, on.Dataset, t.worth(), on.requirements, more, t.shards())
}

// thresholdAt returns the score from which on decisions are positive, given the margin.
func (t *task) thresholdAt(centre float64) float64 {
	if centre == t.logOdds() {
		return t.Threshold
	}
	return vmath.SigmoidOf(centre)
}
