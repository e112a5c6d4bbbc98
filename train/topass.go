package train

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// Exam is a test that a classifier is to pass, on rows that have no part in training.
type Exam struct {
	Rows       int     // the number of rows, which is all that is known of them
	Confidence float64 // of the test
	Power      float64 // the probability of passing to aim at, approximately
}

// Aims are constraints with the bounds that a classifier was trained for, and the probability,
// approximately, that it passes the exam, see guarantee.Chance: less than that of the exam where
// training reaches no bounds that have that.
type Aims struct {
	Constraints []model.Constraint
	Power       float64
}

// Guarantee is the outcome of an exam.
type Guarantee struct {
	guarantee.Certificate
	// TrainedFor are the constraints that the classifier was trained for, and Power is
	// approximately the probability that it passes such a test if people are like the training
	// rows.
	TrainedFor []string `json:"trained_for"`
	Power      float64  `json:"power"`
}

// pilotTemperature is the last temperature of the short search on decisions that finds the margin
// for a test. The margin depends on the rates of the groups, and these change little below this
// temperature.
const pilotTemperature = 0.25

// RunToPass trains so that the classifier is likely to pass an exam (docs/guarantee.md). A
// short search with the bounds that were asked for gives the rates of the groups, from
// which guarantee.Margin finds the bounds to train for. RunToPass returns the constraints
// with these bounds; the report is about the constraints of the options. The effort is the
// sum of both searches.
func RunToPass(ctx context.Context, o Options, e Exam) (_ *Report, _ *classifier.Classifier, aims Aims, err error) {
	t, err := newTask(o)
	if err != nil {
		return nil, nil, aims, err
	}
	pilot := *t
	pilot.Progress, t.Progress = part(t.Progress, 0, 2), part(t.Progress, 1, 2)
	first, then := pilot.parts()
	free, err := unconstrained(ctx, first)
	if err != nil {
		return nil, nil, aims, err
	}
	if t.OnDecisions() {
		then.Model.Temperature = max(t.Model.Temperature, pilotTemperature)
	}
	short, err := solve(ctx, then, free)
	if err != nil {
		return nil, nil, aims, err
	}
	if cut(short.status) {
		ended, err := t.judged(short, free, t)
		if err != nil {
			return nil, nil, aims, err
		}
		return ended.Report, ended.Classifier, Aims{Constraints: t.Constraints}, nil
	}
	if aims.Constraints, err = t.toPass(newClassifier(t, short.loss, short.centre, short.x), e); err != nil {
		return nil, nil, aims, err
	}
	of, err := t.aimingAt(aims.Constraints).tuned(ctx)
	if err != nil {
		return nil, nil, aims, err
	}
	if t.tuning = of.tuning; t.tuning != nil {
		t.tuning.unseen.Settings = 0 // they are compared by the tighter bounds
	}
	spent, free := short.effort, free.paid() // the pilot counts their effort already
	chosen, err := t.runFor(ctx, aims.Constraints, free, &spent)
	if err != nil {
		return nil, nil, aims, err
	}
	if chosen.Report.Status != solver.Interrupted && !chosen.Report.Satisfied() {
		// If the tighter bounds are out of reach, the bounds that were asked for may still be
		// reached.
		within, err := t.runFor(ctx, t.Constraints, free, &spent)
		if err != nil {
			return nil, nil, aims, err
		}
		if within.Report.Satisfied() {
			chosen, aims.Constraints = within, t.Constraints
		}
	}
	if !cut(chosen.Report.Status) { // then there is no exam
		if aims.Power, err = t.chance(chosen.Classifier, e); err != nil {
			return nil, nil, aims, err
		}
	}
	// It may have ended while the run was going on of which nothing is returned.
	if ctx.Err() != nil && chosen.Report.Status != solver.Diverged {
		Interrupt(chosen.Report, chosen.Classifier)
	}
	return chosen.Report, chosen.Classifier, aims, nil
}

// Interrupt says of a run and its classifier that not all that was to be done was done.
func Interrupt(r *Report, c *classifier.Classifier) {
	r.Status = solver.Interrupted
	c.Training.Status = string(r.Status)
}

// toPass returns the constraints with the bounds to train for.
func (t *task) toPass(trained *classifier.Classifier, e Exam) (aims []model.Constraint, err error) {
	tested, err := t.Tested()
	if err != nil {
		return nil, err
	}
	evidence, err := t.evidence(trained, tested)
	if err != nil {
		return nil, err
	}
	for k, c := range t.requirements() {
		r, g := tested[k], c.(model.GroupConstraint)
		if g.Kind == model.HeldShare && g.Level == 0 {
			by, err := t.ConstraintData.Strata(r.Group)
			if err != nil {
				return nil, err
			}
			by = by.Unweighted()
			r.Bound = (by.Total(0) + by.Total(1)) / float64(by.Rows())
		}
		bound, err := guarantee.Margin(r, evidence, e.Rows, e.Confidence, e.Power, tightest(g.Kind, r.Bound))
		if err != nil {
			return nil, err
		}
		aims = append(aims, g.WithLevel(brief(bound)))
	}
	return aims, nil
}

// chance returns the probability that a classifier passes an exam if people are like the training
// rows.
func (t *task) chance(trained *classifier.Classifier, e Exam) (float64, error) {
	tested, err := t.Tested()
	if err != nil {
		return 0, err
	}
	evidence, err := t.evidence(trained, tested)
	if err != nil {
		return 0, err
	}
	return guarantee.Chance(tested, evidence, e.Rows, e.Confidence)
}

// evidence returns what all rows that constraints are on say about requirements.
func (t *task) evidence(c *classifier.Classifier, requirements []guarantee.Requirement) (guarantee.Rows, error) {
	scored, err := scoring.New(c, t.ConstraintData)
	if err != nil {
		return nil, err
	}
	return scored.Evidence(requirements)
}

// tightest returns the tightest bound that is aimed at: decisions of groups are hardly ever equal,
// and no weights make all losses small or give a group all scores.
func tightest(kind model.Kind, asked float64) float64 {
	switch kind {
	case model.Ratio:
		return 1 - 0.1*(1-asked)
	case model.HeldShare:
		return 1 - 0.5*(1-asked)
	case model.Loss:
		return 0.5 * asked
	}
	return 0.1 * asked
}

// brief returns a bound as people write it: of four digits, of which the margin tells fewer.
func brief(bound float64) float64 {
	short, _ := strconv.ParseFloat(strconv.FormatFloat(bound, 'g', 4, 64), 64) // can't fail
	return short
}

// ToGuarantee returns what a constraint requires for the people that the rows stand for:
// for their scores, or for their decisions. Shares and losses are always about scores. Of
// three or more groups any two are compared.
func ToGuarantee(c model.Constraint, on string) (guarantee.Requirement, error) {
	g, ok := c.(model.GroupConstraint)
	if !ok {
		return guarantee.Requirement{Spec: c.String()}, fmt.Errorf("constraint %s: nothing that could be guaranteed", c)
	}
	r := guarantee.Requirement{Spec: c.String(), Scores: on == Scores, Group: g.Group, Bound: g.Level}
	switch g.Kind {
	case model.Difference:
		r.Kind = guarantee.MaxDifference
	case model.Ratio:
		r.Kind = guarantee.MinRatio
	case model.Loss:
		r.Kind = guarantee.MaxLoss
	case model.HeldShare:
		r.Kind = guarantee.MinShare
	}
	if !slices.Contains(g.Labels, 0) { // which stands for all rows
		r.Labels = g.Labels
	}
	return r, nil
}

// Tested returns what the constraints require for the people that the rows stand for. Each
// is on scores or on decisions, as in training. Errors: no constraint, and a constraint for
// which there is no test.
func (o *Options) Tested() ([]guarantee.Requirement, error) {
	var list []guarantee.Requirement
	for _, c := range o.requirements() {
		r, err := ToGuarantee(c, o.on(c))
		if err != nil {
			return nil, err
		}
		if r.On() != o.on(c) {
			return nil, fmt.Errorf("constraint %s is on %s, but tests of it are on %s only", c, o.on(c), r.On())
		}
		list = append(list, r)
	}
	if len(list) == 0 {
		return nil, errors.New("no constraint that could be guaranteed")
	}
	return list, nil
}
