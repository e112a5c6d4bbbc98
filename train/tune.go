package train

import (
	"context"
	"math"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train/crossval"
)

// What the bounds are about while training.
const (
	// AimUnseen is to keep the bounds on new rows: how is chosen by cross-validation.
	AimUnseen = "unseen"
	// AimTraining is to use the bounds up on the rows to train on.
	AimTraining = "training"
)

// setting is how to search for fair decisions. What suits new rows differs between tables, so that
// cross-validation judges several.
type setting struct {
	l2    float64 // times the penalty
	inner float64 // the part of the bounds that is trained for
	// schedule has the temperatures of the rounds of the search; nil for all.
	schedule []float64
}

// Setting is a setting of the search for fair decisions, and how it did in cross-validation.
type Setting struct {
	Temperature float64 `json:"temperature"` // at which the search ends
	L2          float64 `json:"l2"`
	Inner       float64 `json:"inner"`    // the part of each bound that is trained for
	Accuracy    float64 `json:"accuracy"` // on rows held out, by what right decisions are worth
	// Requirements are the measures on rows held out, in the order of the requirements.
	Requirements []classifier.Estimate `json:"requirements"`
	// Met is whether these satisfy the requirements, but for chance.
	Met bool `json:"met"`
	// Chance is that of passing the holdout test, if there is one.
	Chance float64 `json:"chance,omitempty"`
	Chosen bool    `json:"chosen,omitempty"`

	setting
	within  bool      // the measures satisfy the requirements, chance or not
	excess  float64   // of the worst requirement, beyond chance
	margins []float64 // of rows held out, from where decisions change, over their spread
}

// tuning is what cross-validation says of settings.
type tuning struct {
	on     *rows // by which settings are judged
	tried  []*Setting
	chosen *Setting
	unseen *classifier.Unseen // figures of the chosen one
	took   time.Duration
}

// tunes reports whether folds can judge fair decisions: all constraints are on the decisions of the
// rows to train on, and the method is the one that runs without a fold.
func (t *task) tunes() bool {
	_, usual := t.Method.(*solver.FiniteSum)
	for _, c := range t.requirements() {
		if _, ok := c.(model.GroupConstraint); !ok || t.on(c) != Decisions {
			return false
		}
	}
	return usual && t.Choice != nil && len(t.requirements()) > 0 && t.ConstraintData == t.Data
}

// onFolds states the requirements on the rows of the folds, but for the groups of a single fold: a fit
// without it does not know them. It is nil, with the names of these, where nothing is left to compare.
func (t *task) onFolds() (on *rows, apart []string, err error) {
	stated := *t
	stated.Data, stated.ConstraintData = t.Choice.Data, t.Choice.Data
	if on, err = stated.rows(t.Choice.Data); err != nil {
		return nil, nil, err
	}
	compared := true
	for k, c := range t.requirements() {
		if g, ok := c.(model.GroupConstraint); ok {
			names := t.Choice.InOneFold(g.Cells(), g.Labels())
			compared, apart = on.requirements[k].LeaveOut(names) && compared, append(apart, names...)
		}
	}
	if compared {
		return on, nil, nil
	}
	slices.Sort(apart)
	return nil, slices.Compact(apart), nil
}

// tune runs the search for fair decisions without each fold in turn, with several settings, and
// chooses the most accurate one on rows held out that satisfies the requirements there.
func (t *task) tune(ctx context.Context, on *rows) (o *tuning, err error) {
	began, rows, next := time.Now(), t.Choice.Data, setting{l2: 1, inner: 1}
	o = &tuning{on: on}
	most, forTest := 4, []setting(nil)
	if t.holdout != nil {
		forTest = t.toTry()
		most = len(forTest)
	}
	for k := range most {
		if t.holdout != nil {
			next = forTest[k]
		}
		if next.l2 != 1 && !t.ChooseL2 {
			break
		}
		g := *t
		g.Progress = part(t.Progress, k, most)
		found, err := g.outOfFold(ctx, on, next)
		if err != nil || ctx.Err() != nil { // an interrupted run judges nothing
			return nil, err
		}
		o.tried = append(o.tried, found...)
		if t.holdout != nil {
			if err := t.chances(rows, found); err != nil {
				return nil, err
			}
			if o.choose(t.Aim, t.holdout.Power); o.chosen.Chance >= t.holdout.Power {
				break
			}
			continue
		}
		if o.choose(t.Aim, 0); o.chosen.within || t.Aim == AimTraining {
			break
		}
		// Bounds are tightened by as much as they are violated, and then the penalty.
		if next.inner < 1 {
			next = setting{l2: 10 * next.l2, inner: 1}
		} else {
			next.inner = found[len(found)-1].tighter(on.requirements)
		}
	}
	o.chosen.Chosen = true
	o.took = time.Since(began)
	return o, o.measure(t)
}

// byChance is by how many standard errors rates of few rows may violate a bound, see
// model.Requirement.ExcessBeyond: about as much as they do on average if they meet it exactly.
const byChance = 0.5

// tuned returns the task with its tuning, if it tunes, and whether the unconstrained solution is kept.
func (t *task) tuned(ctx context.Context, free fit) (*task, error) {
	first, then := *t, *t
	satisfied, err := t.satisfiedBy(free)
	if err != nil {
		return nil, err
	}
	then.kept = satisfied && t.holdout == nil
	if !t.tunes() {
		return &then, nil
	}
	on, apart, err := t.onFolds()
	if then.apart = apart; on == nil {
		return &then, err
	}
	first.Progress, then.Progress = part(t.Progress, 0, 2), part(t.Progress, 1, 2)
	if satisfied && (len(t.Data.Orders) == 0 || t.Score != "") { // which folds know nothing of
		then.tuning, err = t.keep(on)
	}
	if then.kept = then.tuning != nil; !then.kept && err == nil {
		then.tuning, err = first.tune(ctx, on)
	}
	return &then, err
}

// satisfiedBy reports whether the unconstrained solution satisfies the requirements on the rows that
// these are about, so that there is nothing to search for. A method on trial is to run.
func (t *task) satisfiedBy(free fit) (bool, error) {
	_, usual := t.Method.(*solver.FiniteSum)
	tempered := !t.OnDecisions() && t.Model.Temperature != 0 && t.Model.Temperature != 1
	if !usual || tempered || t.Thresholds || free.status != solver.Converged || len(t.requirements()) == 0 {
		return false, nil
	}
	on, err := t.rows(t.ConstraintData)
	if err != nil {
		return false, err
	}
	s, err := on.score(newClassifier(t, free.loss, free.centre, free.classifier()))
	satisfied := err == nil
	for k := 0; satisfied && k < len(on.requirements); k++ {
		r, j := on.requirements[k], s.judge(k)
		satisfied = j.Excess <= 0 && (r.On != Scores || r.ExcessOfScores(j, 0) <= 0)
	}
	return satisfied, err
}

// keep returns the tuning that keeps the unconstrained classifier: nil if its decisions on rows held out
// violate a requirement or, if there is a holdout test, are not likely enough to pass it.
func (t *task) keep(on *rows) (*tuning, error) {
	w := &Setting{setting: setting{l2: 1, inner: 1}, L2: t.Model.L2, Inner: 1, Chosen: true, margins: t.Choice.Decided(t.logOdds(), t.ClassWeight)}
	if t.judgeUnseen(w, on); !w.within && t.Aim != AimTraining {
		return nil, nil
	}
	if t.holdout != nil {
		if err := t.chances(t.Choice.Data, []*Setting{w}); err != nil || w.Chance < t.holdout.Power {
			return nil, err
		}
	}
	o := &tuning{on: on, tried: []*Setting{w}, chosen: w}
	return o, o.measure(t)
}

// measure judges the chosen setting on rows held out.
func (o *tuning) measure(t *task) (err error) {
	if o.unseen, err = crossval.Unseen(t.Choice.Data, o.chosen.margins, new(float64), t.Threshold); err != nil {
		return err
	}
	free := &Setting{margins: t.Choice.Decided(t.logOdds(), t.ClassWeight)}
	t.judgeUnseen(free, o.on)
	o.unseen.Unconstrained, o.unseen.UnconstrainedRequirements = t.Choice.Unseen.Accuracy, free.Requirements
	o.unseen.Requirements = o.chosen.Requirements
	if t.Aim == AimUnseen && t.holdout == nil { // for which settings are compared by other bounds
		o.unseen.Settings, o.unseen.Met = len(o.tried), o.chosen.Met
	}
	return nil
}

// tighter returns the part of the bounds to train for so that they would have held on rows held out,
// if these had exceeded them by the same factor.
func (c *Setting) tighter(requirements []*model.Requirement) float64 {
	const least, most = 0.5, 0.95
	part := most
	for k, r := range requirements {
		switch value := c.Requirements[k].Value; {
		case value == nil || meets(*value, r.Bound, r.AtLeast):
		case r.AtLeast:
			part = min(part, (1-r.Bound)/(1-*value))
		default:
			part = min(part, r.Bound / *value)
		}
	}
	return max(part, least)
}

// choose chooses the best setting so far: first of all, one with the given chance of passing a holdout test.
func (o *tuning) choose(aim string, enough float64) {
	if aim == AimTraining {
		o.chosen = o.tried[len(o.tried)-1]
		return
	}
	better := func(c, than *Setting) bool {
		switch {
		case min(c.Chance, enough) != min(than.Chance, enough):
			return c.Chance > than.Chance
		case c.within != than.within:
			return c.within
		case c.Met != than.Met:
			return c.Met
		case c.Met:
			return c.Accuracy > than.Accuracy+tie
		}
		return c.excess < than.excess
	}
	o.chosen = o.tried[0]
	for _, c := range o.tried[1:] {
		if better(c, o.chosen) {
			o.chosen = c
		}
	}
	if o.chosen.Met || enough > 0 {
		return
	}
	// Where none meets the bounds, those as near as rows can tell are as good.
	nearest := o.chosen.excess + o.chosen.error()
	for _, c := range o.tried {
		if c.excess <= nearest && c.Accuracy > o.chosen.Accuracy+tie {
			o.chosen = c
		}
	}
}

// error is the largest standard error of the measures.
func (s *Setting) error() float64 {
	largest := 0.0
	for _, e := range s.Requirements {
		if e.SE != nil {
			largest = max(largest, *e.SE)
		}
	}
	return largest
}

// outOfFold returns a setting with every number of rounds, judged on rows held out.
func (t *task) outOfFold(ctx context.Context, on *rows, c setting) ([]*Setting, error) {
	k, schedule := t.Choice, t.rounds()
	found := make([][]foldStep, k.Folds)
	var runs errgroup.Group
	runs.SetLimit(runtime.GOMAXPROCS(0))
	for fold := range found {
		runs.Go(func() (err error) {
			found[fold], err = t.without(ctx, fold, c)
			return err
		})
	}
	if err := runs.Wait(); err != nil {
		return nil, err
	}
	steps := 0
	for _, f := range found {
		steps = max(steps, len(f))
	}
	list := make([]*Setting, steps)
	for n := range list {
		w := &Setting{setting: c, Temperature: schedule[n], L2: c.l2 * t.Model.L2, Inner: c.inner, margins: make([]float64, on.Rows())}
		w.schedule = schedule[:n+1]
		for fold, f := range found {
			at := f[min(n, len(f)-1)]
			by := t.linear(at.x)
			for lo, margins := range by.Margins(k.Data, 0, on.Rows()) {
				for i, m := range margins {
					if int(k.Split.Of[lo+i]) == fold {
						w.margins[lo+i] = (m - at.centre) / at.spread
					}
				}
			}
		}
		t.judgeUnseen(w, on)
		list[n] = w
	}
	if last := t.Model.Temperature; last != 0 { // which was asked for
		w := list[len(list)-1]
		w.Temperature, w.schedule = last, schedule
		list = []*Setting{w}
	}
	return list, nil
}

// judgeUnseen judges the decisions of margins.
func (t *task) judgeUnseen(w *Setting, on *rows) {
	decisions, worth := make([]float64, len(w.margins)), t.worth()
	w.decide(decisions)
	right, total := 0.0, 0.0
	for i, m := range w.margins {
		weight := on.Weight(i)
		total += weight
		if (m >= 0) == (on.Y[i] > 0) {
			right += weight * worth[(on.Y[i]+1)/2]
		}
	}
	w.Accuracy, w.excess, w.within = right/total, math.Inf(-1), true
	for _, r := range on.requirements {
		j := r.Judge(decisions)
		e := classifier.Estimate{Value: defined(&j)}
		if j.SE > 0 {
			e.SE = &j.SE
		}
		w.Requirements, w.excess = append(w.Requirements, e), max(w.excess, r.ExcessBeyond(decisions, byChance))
		w.within = w.within && meets(j.Achieved, r.Bound, r.AtLeast)
	}
	w.Met = w.excess <= 0
}

// decide stores the decisions on rows held out.
func (c *Setting) decide(dst []float64) {
	for i, m := range c.margins {
		dst[i] = 0
		if m >= 0 {
			dst[i] = 1
		}
	}
}

// foldStep is the best classifier after a round of the search.
type foldStep struct {
	x      []float64
	centre float64
	spread float64 // of the margins of the rows that it was found on
}

// without searches without the rows of a fold, and returns what it has found after each round.
func (t *task) without(ctx context.Context, fold int, c setting) (steps []foldStep, err error) {
	const tolerance = 1e-3 // what decides about settings is coarser
	var rest []int
	for i, f := range t.Choice.Split.Of {
		if int(f) != fold {
			rest = append(rest, i)
		}
	}
	d := t.Choice.Data.Pick(rest, t.Data.Name)
	g := *t
	g.schedule = t.rounds() // not those that suit fewer rows
	g.fair, g.Method = nil, solver.DefaultFiniteSum()
	g.Data, g.ConstraintData, g.ValidationData, g.TestData = d, d, nil, nil
	g.Tolerance = max(t.Tolerance, tolerance)
	g.Model.Shards, g.Model.Weights = nil, d.Weights
	if g.ClassWeight != 1 {
		g.Model.Weights = d.ClassWeights(g.ClassWeight)
	}
	if fold > 0 {
		g.Progress = nil // they run concurrently
	}
	free, err := unconstrained(ctx, g.with(c))
	if err != nil {
		return nil, err
	}
	add := func(x []float64) { steps = append(steps, foldStep{x, free.centre, g.spreadOr1(x)}) }
	if _, err = solveOnDecisions(ctx, g.with(c), free, effort{}, func(best *candidate) { add(best.x) }); len(steps) == 0 {
		add(free.classifier()) // no pass was left, or the first problem diverged
	}
	return steps, err
}

// spreadOr1 returns the spread of the margins, 1 where they are all the same.
func (t *task) spreadOr1(x []float64) float64 {
	if s := t.spread(x); s > 0 {
		return s
	}
	return 1
}

// with returns the task with a setting.
func (t task) with(c setting) *task {
	p := t.penalty().Times(c.l2)
	t.Model.L2, t.Model.BlockL2 = p.L2, p.BlockL2
	if c.schedule != nil {
		t.schedule = c.schedule
	}
	if c.inner != 1 {
		tighter := slices.Clone(t.Constraints)
		for k, given := range tighter {
			if g, ok := given.(model.GroupConstraint); ok {
				tighter[k] = g.WithLevel(inner(g.Kind, g.Level, c.inner))
			}
		}
		return t.aimingAt(tighter)
	}
	return &t
}

// inner returns a part of a bound: of the distance to what is equal.
func inner(kind model.Kind, bound, part float64) float64 {
	if kind.FromBelow() && bound > 0 { // 0 stands for a share of the rows
		return brief(1 - part*(1-bound))
	}
	return brief(part * bound)
}
