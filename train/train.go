// Package train turns data and constraints into a fair classifier and a certificate:
// it states the problem, runs a method on it, and measures the result exactly.
//
//	Options → task      what a run has to do, valid and complete: options.go, task.go
//	task → fit          the unconstrained solution that everything starts from: baseline.go
//	stage → attempt     one smooth problem solved by the method: attempt.go
//	fit → solution      the search for fair decisions: search.go
//	solution → Outcome  the classifier, its figures and the verdict: train.go, outcome.go
//
// Every step returns a value that the next one takes. Run does them all; RunToPass trains for a
// test on other rows (topass.go), and a Start several times from the same solution. Package decide
// judges decisions and finds the best ones on a line, calibration makes probabilities of scores,
// scoring measures classifiers on rows, frontier trains at several bounds. docs/decisions.md says what
// is guaranteed and what is not.
package train

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train/calibration"
	"github.com/fairtrain/fairtrain/train/decide"
	"github.com/fairtrain/fairtrain/train/scorecard"
	"github.com/fairtrain/fairtrain/train/shifted"
)

// Run trains. It returns an error if the problem can't be stated. Report.Status says how
// far the run got; a run that was cancelled or diverged still returns the best point that
// it certified.
func Run(ctx context.Context, o Options) (*Report, *classifier.Classifier, error) {
	t, err := newTask(o)
	if err != nil {
		return nil, nil, err
	}
	first, then := t.parts()
	free, err := unconstrained(ctx, first)
	if err != nil {
		return nil, nil, err
	}
	if then, err = then.tuned(ctx, free); err != nil {
		return nil, nil, err
	}
	ended, err := then.runFor(ctx, then.Constraints, free, new(effort))
	if err != nil {
		return nil, nil, err
	}
	return ended.Report, ended.Classifier, nil
}

// runFor solves the problem with the constraints of aims and judges the result by those of the
// task. It adds its effort to what was spent before, and reports the sum.
func (t *task) runFor(ctx context.Context, aims []model.Constraint, free fit, spent *effort) (*Outcome, error) {
	g, start := t.aimingAt(aims), free
	if t.tuning != nil {
		g = g.with(t.tuning.chosen.setting)
		if g.Model.L2 != t.Model.L2 {
			var err error
			if start, err = unconstrained(ctx, g); err != nil {
				return nil, err
			}
		}
	}
	found, err := solve(ctx, g, start)
	if err != nil {
		return nil, err
	}
	spent.add(found.effort)
	found.effort = *spent
	return t.judged(found, free, g)
}

// judged judges what was found by a task that differs in what bounds to train for.
func (t *task) judged(found *solution, free fit, by *task) (*Outcome, error) {
	report := newReport(t, found)
	trained := newClassifier(t, found.loss, found.centre, found.x)
	features := trained.Features // calibration writes to trained
	var reference *classifier.Reference
	var measuring errgroup.Group
	measuring.Go(func() (err error) {
		reference, err = t.reference(&features)
		return err
	})
	if t.calibrates(found.loss) {
		p, err := t.pointsOfFair(trained, found.x, found.centre)
		if err == nil {
			err = calibration.Calibrate(trained, p, t.Threshold, found.centre, t.Data, t.shards())
		}
		if err != nil {
			return nil, errors.Join(err, measuring.Wait())
		}
	}
	if t.Points != nil {
		on, err := by.rows(by.ConstraintData)
		if err == nil {
			card := scorecard.Problem{Scale: *t.Points, Data: t.Data, Judge: by.judge(on, nil), OnDecisions: t.OnDecisions(), Tolerance: t.Tolerance}
			err = card.Make(trained)
		}
		if err != nil {
			return nil, errors.Join(err, measuring.Wait())
		}
	}
	baseline := newClassifier(t, free.loss, free.centre, free.classifier())
	sets, err := report.measure(t, trained, baseline)
	if err == nil {
		err = t.remember(free, baseline, trained)
	}
	if err == nil {
		err = report.compare(t, trained, sets)
	}
	if err := errors.Join(err, measuring.Wait()); err != nil {
		return nil, err
	}
	report.Baselines.Unfinished = free.status != solver.Converged
	trained.Reference = reference
	trained.Training.Opposed = trained.FindOpposed(t.Data)
	report.InformationValues = reference.InformationValues
	if trained.Points != nil {
		report.Points = trained.Scorecard()
	}
	report.Leaks, report.Proxies = reference.Leaks, classifier.StrongProxies(reference.Proxies, t.withheld())
	if d := t.Data; t.Encoding != nil && len(t.requirements()) > 0 && !t.sampled() && d.Rows() < decide.Many {
		now, before := t.decisions(found.x, found.centre), t.decisions(free.classifier(), free.centre)
		groups := dataset.AttributesIn(model.GroupsOf(t.requirements()...)...)
		report.Shifts = append(report.Shifts, shifted.Find(d, t.Encoding, groups, now, before)...)
	}
	report.Weighted, report.LeftOut = t.ConstraintData.Weighted(), t.leftOut()
	report.conclude(found.status)
	describe(trained, t, report)
	return &Outcome{report, trained, sets}, nil
}

// solution is the classifier of a run, and the solution of the smooth problem from which it
// was made.
type solution struct {
	x    []float64 // weights and intercept
	loss string
	// centre is the margin from which on decisions are positive.
	centre float64
	how    string // it was made of from
	// objective is that of x, where x is not the solution itself.
	objective float64
	// thresholds are those of a given score, and gap is by how much others may be more accurate
	thresholds []Threshold
	gap        fairness.Value
	impossible bool // it is proved that none satisfy the requirements
	from       *attempt
	status     solver.Status // of the method
	effort
}

// solve finds the classifier, given the unconstrained solution.
func solve(ctx context.Context, t *task, free fit) (*solution, error) {
	switch {
	case len(t.requirements()) == 0 || t.kept:
		a := free
		return &solution{x: a.classifier(), loss: a.loss, centre: a.centre, how: AsSolved, from: a.attempt, status: a.status, effort: a.effort}, nil
	case !t.OnDecisions():
		return solveOnScores(ctx, t, free)
	}
	return solveOnDecisions(ctx, t, free, free.effort, nil)
}

func newReport(t *task, s *solution) *Report {
	a := s.from
	report := &Report{
		Status: s.status, Method: t.Method.Name(), SolvedBy: a.solvedBy, ModelClass: cmp.Or(t.Class, Linear), Seed: t.Seed, Loss: s.loss,
		KKTResidual:    a.residual.Norm(),
		KKT:            KKT{a.residual.Stationarity, a.residual.Feasibility, a.residual.Complementarity},
		ScaledResidual: a.scaled,
		Tolerance:      t.Tolerance,
		Temperature:    a.temperature,
		MadeBy:         s.how,
		Passes:         problem.Passes(a.fair, s.samples),
		Samples:        s.samples,
		Evaluations:    s.evaluations,
		Iterations:     s.iterations,
		Rounds:         s.rounds,
		Seconds:        s.elapsed.Seconds(),
		Constants:      a.constants,
		UsesGroups:     []string{}, Warnings: []string{}, Shifts: []classifier.Shift{}, Requirements: []Requirement{}, Constraints: []Constraint{},
	}
	if t.ConstraintData != t.Data {
		report.ConstraintData = t.ConstraintData.Name
	}
	if report.CrossValidation = t.Choice; t.Choice != nil && len(t.requirements()) == 0 {
		report.Unseen = t.Choice.Unseen
	}
	if t.Choice != nil {
		report.Seconds += t.Choice.Took.Seconds()
	}
	report.InOneFold = t.apart
	if t.tuning != nil {
		report.Aim, report.Settings, report.Unseen = t.Aim, t.tuning.tried, t.tuning.unseen
		report.Seconds += t.tuning.took.Seconds()
	}
	report.Costs, report.Monotone = t.costs(), a.monotone()
	report.Objective = a.values.Objective
	if report.Given = t.Score; s.thresholds != nil {
		report.Thresholds, report.Gap, report.Impossible = s.thresholds, &s.gap, s.impossible
	}
	if s.how != AsSolved {
		report.Objective = s.objective
	}
	report.Problem.Variables, report.Problem.Constraints = len(a.x), len(a.fair.Constraints())
	report.Problem.Rows, report.Problem.ConstraintRows = t.Data.All(), t.ConstraintData.All()
	rows := float64(t.ConstraintData.All())
	if report.AlreadySatisfied = t.kept; t.kept || s.how == ByThresholds {
		return report // nothing was bounded
	}
	for i, row := range a.fair.Constraints() {
		c := Constraint{
			Name: row.Name, Spec: a.fair.Specs()[i],
			Value: a.values.Constraint[i], Shift: a.shift[i],
			Multiplier: a.residual.Multiplier[i], Scale: a.kappa[i],
		}
		c.Raw = c.Value * rows
		c.Satisfied = c.Value <= t.Tolerance
		report.Constraints = append(report.Constraints, c)
	}
	return report
}

// measure judges the classifier and the baselines on all rows. It returns the scores of
// the classifier.
func (r *Report) measure(t *task, trained, free *classifier.Classifier) (map[*dataset.Dataset]*scored, error) {
	sets := map[*dataset.Dataset]*scored{}
	for _, d := range []*dataset.Dataset{t.ConstraintData, t.Data, t.ValidationData, t.TestData} {
		if d == nil || sets[d] != nil {
			continue
		}
		stated, err := t.rows(d)
		if err != nil {
			return nil, err
		}
		if sets[d], err = stated.score(trained); err != nil {
			return nil, err
		}
	}
	var errs [3]error
	r.Train, errs[0] = sets[t.Data].figures()
	r.Validation, errs[1] = sets[t.ValidationData].figures()
	r.Test, errs[2] = sets[t.TestData].figures()
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	for k := range t.requirements() {
		r.Requirements = append(r.Requirements, t.requirement(k, sets))
	}
	var err error
	r.Baselines, err = t.baselines(free, sets)
	return sets, err
}

// requirement judges requirement k.
func (t *task) requirement(k int, sets map[*dataset.Dataset]*scored) Requirement {
	s := sets[t.ConstraintData]
	r, j := s.requirements[k], s.judge(k)
	q := Requirement{
		Spec: r.Spec, On: r.On, Measure: r.Measure, Bound: r.Bound, AtLeast: r.AtLeast,
		Train: defined(&j), TrainExtremes: j.Extremes, TrainWithout: r.Unjudged, TooSmall: r.Small, Satisfied: j.Excess <= 0, WithinOneDecision: append([]string{}, j.WithinOneDecision...),
	}
	if r.On == Scores {
		q.Satisfied = r.ExcessOfScores(j, t.Tolerance) <= 0
	}
	if len(q.WithinOneDecision) > 0 {
		q.Allowed = j.Allowed
	}
	if t.tuning != nil {
		of := t.tuning.chosen.Requirements[k]
		q.Unseen, q.UnseenSE, q.UnseenWithout = of.Value, of.SE, t.tuning.on.requirements[k].Unjudged
	}
	q.Validation, q.ValidationExtremes, q.ValidationWithout = sets[t.ValidationData].achieved(k, r)
	q.Test, q.TestExtremes, q.TestWithout = sets[t.TestData].achieved(k, r)
	return q
}

// Outcome is what a run leads to.
type Outcome struct {
	Report     *Report
	Classifier *classifier.Classifier

	sets map[*dataset.Dataset]*scored
}

// JudgeDecisions judges the decisions on a data set of the options by a constraint: as exactly as a
// requirement of training. It returns nil for a data set that was not judged, or lacks the groups.
func (f *Outcome) JudgeDecisions(c model.Constraint, d *dataset.Dataset) (*model.Judgement, error) {
	s := f.sets[d]
	if s == nil {
		return nil, nil
	}
	r, err := model.NewRequirement(c, d, Decisions)
	if err != nil {
		return nil, nil
	}
	for k, stated := range s.requirements { // decisions are counted already
		if stated != nil && stated.On == Decisions && slices.Equal(stated.Strata(), r.Strata()) {
			return new(r.JudgeTotals(s.totals[k])), nil
		}
	}
	j, err := s.Meets(r)
	return &j, err
}

// Judged returns the rows of a data set of the options by the groups that the constraints name,
// with the classifier's scores; nil for a data set that was not judged.
func (f *Outcome) Judged(d *dataset.Dataset) (*fairness.Judged, error) {
	if s := f.sets[d]; s != nil {
		return s.byGroup()
	}
	return nil, nil
}

// points returns those to calibrate an unconstrained classifier on: margins on rows held out, if
// cross-validation has some, and otherwise those of the rows to train on.
func (t *task) points(c *classifier.Classifier) (*calibration.Points, error) {
	if k := t.Choice; k != nil && t.ClassWeight == 1 {
		return calibration.With(k.Data, k.Margins), nil
	}
	return calibration.Of(c, t.Data, t.shards())
}

// pointsOfFair is points for what a search for fair decisions has found, with decisions at a centre.
// The candidates of folds have scales of their own, so that their margins are in units of their spread.
func (t *task) pointsOfFair(c *classifier.Classifier, x []float64, centre float64) (*calibration.Points, error) {
	if t.tuning == nil || t.kept {
		return t.points(c)
	}
	margins, spread := slices.Clone(t.tuning.chosen.margins), t.spreadOr1(x)
	for i, m := range margins {
		margins[i] = float64(m*spread) + centre
	}
	return calibration.With(t.Choice.Data, margins), nil
}
