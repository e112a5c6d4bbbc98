package train

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// HoldoutTest is a test that a classifier is to pass, on rows that have no part in training.
type HoldoutTest struct {
	Rows       int     // the number of rows, which is all that is known of them
	Confidence float64 // of the test
	Power      float64 // the probability of passing to aim at, approximately
}

// Aims are constraints with the bounds that a classifier was trained for, and the probability,
// approximately, that it passes the test, see guarantee.Chance: less than that of the test where
// training reaches no bounds that have that.
type Aims struct {
	Constraints []model.Constraint
	Power       float64
}

// Guarantee is the outcome of a holdout test.
type Guarantee struct {
	guarantee.Certificate
	// TrainedFor are the constraints that the classifier was trained for, and Power is
	// approximately the probability that it passes such a test if people are like the training
	// rows.
	TrainedFor []string `json:"trained_for"`
	Power      float64  `json:"power"`
}

// RunToPass trains so that the classifier is likely to pass a holdout test (docs/guarantee.md). Where
// folds can judge decisions, cross-validation chooses the part of the bounds to train for, see tune. Elsewhere
// guarantee.Margin finds the bounds from the rates of the unconstrained classifier. RunToPass returns
// the constraints with these bounds; the report is about the constraints of the options.
func RunToPass(ctx context.Context, o Options, e HoldoutTest) (_ *Report, _ *classifier.Classifier, aims Aims, err error) {
	t, err := newTask(o)
	if err != nil {
		return nil, nil, aims, err
	}
	t.holdout, t.Aim = &e, AimUnseen // which a holdout test has
	first, then := t.parts()
	free, err := unconstrained(ctx, first)
	if err != nil {
		return nil, nil, aims, err
	}
	if then, err = then.tuned(ctx, free); err != nil {
		return nil, nil, aims, err
	}
	if then.tuning == nil {
		return then.runByMargin(ctx, free, e)
	}
	ended, err := then.runFor(ctx, then.Constraints, free, new(effort))
	if err != nil {
		return nil, nil, aims, err
	}
	chosen := then.tuning.chosen
	return ended.Report, ended.Classifier, Aims{then.with(chosen.setting).Constraints, chosen.Chance}, nil
}

// runByMargin is RunToPass without folds.
func (t *task) runByMargin(ctx context.Context, free fit, e HoldoutTest) (_ *Report, _ *classifier.Classifier, aims Aims, err error) {
	if aims.Constraints, err = t.toPass(newClassifier(t, free.loss, free.centre, free.classifier()), e); err != nil {
		return nil, nil, aims, err
	}
	var spent effort
	chosen, err := t.runFor(ctx, aims.Constraints, free, &spent)
	if err != nil {
		return nil, nil, aims, err
	}
	if chosen.Report.Status != solver.Interrupted && !chosen.Report.Satisfied() {
		// If the tighter bounds are out of reach, the bounds that were asked for may still be
		// reached.
		within, err := t.runFor(ctx, t.Constraints, free.paid(), &spent)
		if err != nil {
			return nil, nil, aims, err
		}
		if within.Report.Satisfied() {
			chosen, aims.Constraints = within, t.Constraints
		}
	}
	if !cut(chosen.Report.Status) { // then there is no test
		tested, evidence, err := t.seen(chosen.Classifier)
		if err != nil {
			return nil, nil, aims, err
		}
		if aims.Power, err = guarantee.Chance(tested, evidence, e.Rows, e.Confidence); err != nil {
			return nil, nil, aims, err
		}
	}
	// It may have ended while the run was going on of which nothing is returned.
	if ctx.Err() != nil && chosen.Report.Status != solver.Diverged {
		Interrupt(chosen.Report, chosen.Classifier)
	}
	return chosen.Report, chosen.Classifier, aims, nil
}

// toTry returns the settings that are tried for a holdout test, in this order: those with another penalty
// than the chosen one are for rows that tighter bounds do not help enough. Rates that are bounded by
// themselves need small steps: a difference of 0.1 is mostly chance, a rate of 0.7 is not.
func (t *task) toTry() (list []setting) {
	parts := []float64{1, 0.7, 0.5, 0.3, 0.2, 0.1}
	if slices.ContainsFunc(t.requirements(), func(c model.Constraint) bool {
		g, ok := c.(model.GroupConstraint)
		return ok && (g.Kind == model.AtMost || g.Kind == model.AtLeast)
	}) {
		parts = []float64{1, 0.97, 0.94, 0.9, 0.8, 0.7, 0.5, 0.3}
	}
	for _, part := range parts {
		list = append(list, setting{l2: 1, inner: part})
	}
	return append(list, setting{l2: 10, inner: 0.3}, setting{l2: 10, inner: 0.1})
}

// chances finds the chance of settings to pass the holdout test: that of their decisions on rows held out.
func (t *task) chances(on *dataset.Dataset, found []*Setting) error {
	tested, err := t.Tested()
	if err != nil {
		return err
	}
	decisions := make([]float64, on.Rows())
	evidence, err := scoring.Evidence(on, decisions, 0.5, tested)
	if err != nil {
		return err
	}
	for k, s := range found {
		if k > 0 && slices.Equal(s.margins, found[k-1].margins) {
			s.Chance = found[k-1].Chance
			continue
		}
		s.decide(decisions)
		if s.Chance, err = guarantee.Chance(tested, evidence, t.holdout.Rows, t.holdout.Confidence); err != nil {
			return err
		}
	}
	return nil
}

// Interrupt says of a run and its classifier that not all that was to be done was done.
func Interrupt(r *Report, c *classifier.Classifier) {
	r.Status = solver.Interrupted
	c.Training.Status = string(r.Status)
}

// toPass returns the constraints with the bounds to train for.
func (t *task) toPass(trained *classifier.Classifier, e HoldoutTest) (aims []model.Constraint, err error) {
	tested, evidence, err := t.seen(trained)
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

// seen returns the requirements of a test, and what all rows that constraints are on say about them.
func (t *task) seen(c *classifier.Classifier) ([]guarantee.Requirement, guarantee.Rows, error) {
	tested, err := t.Tested()
	if err != nil {
		return nil, nil, err
	}
	scored, err := scoring.New(c, t.ConstraintData)
	if err != nil {
		return nil, nil, err
	}
	evidence, err := scored.Evidence(tested)
	return tested, evidence, err
}

// tightest returns the tightest bound that is aimed at without folds: decisions of groups are hardly
// ever equal, and no weights make all losses small or give a group all scores.
func tightest(kind model.Kind, asked float64) float64 {
	switch kind {
	case model.Ratio:
		return 1 - 0.1*(1-asked)
	case model.HeldShare, model.AtLeast:
		return 1 - 0.5*(1-asked)
	case model.AtMost:
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
// for their scores, or for their decisions. Shares are always about scores. Of
// three or more groups any two are compared.
func ToGuarantee(c model.Constraint, on string) (guarantee.Requirement, error) {
	g, ok := c.(model.GroupConstraint)
	if !ok {
		return guarantee.Requirement{Spec: c.String()}, fmt.Errorf("constraint %s: nothing that could be guaranteed", c)
	}
	r := guarantee.Requirement{
		Spec: c.String(), Kind: kinds[g.Kind], Rate: rates[g.Rates()[0]], Scores: on == Scores,
		Group: g.Group, Within: g.Within, Cells: g.Cells(), Bound: g.Level, MinRows: g.MinRows,
	}
	if labels := g.Labels(); !slices.Contains(labels, 0) { // which stands for all rows
		r.Labels = labels
	}
	return r, nil
}

// kinds and rates are those of tests; a rate that is not there is of positive decisions.
var (
	kinds = map[model.Kind]guarantee.Kind{
		model.Difference: guarantee.MaxDifference, model.Ratio: guarantee.MinRatio, model.AtMost: guarantee.MaxRate,
		model.AtLeast: guarantee.MinRate, model.HeldShare: guarantee.MinShare,
	}
	rates = map[*model.Rate]guarantee.Rate{
		model.TNR: guarantee.Negative, model.ErrorRate: guarantee.Wrong, model.Accuracy: guarantee.Right,
	}
)

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
