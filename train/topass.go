package train

import (
	"context"
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

// Aims are constraints with the bounds that a classifier was trained for, and the probability, approximately, that it
// passes the exam, see guarantee.Chance: less than that of the exam where training reaches no bounds that have that.
type Aims struct {
	Constraints []model.Constraint
	Power       float64
}

// Guarantee is the outcome of an exam.
type Guarantee struct {
	guarantee.Certificate
	// TrainedFor are the constraints that the classifier was trained for, and Power is approximately the
	// probability that it passes such a test if people are like the training rows.
	TrainedFor []string `json:"trained_for"`
	Power      float64  `json:"power"`
}

// pilotTemperature is the last temperature of the short search on decisions that finds the margin for a
// test. The margin depends on the rates of the groups, and these change little below this
// temperature.
const pilotTemperature = 0.25

// RunToPass trains so that the classifier is likely to pass an exam (docs/guarantee.md). A
// short search with the bounds that were asked for gives the rates of the groups, from
// which guarantee.Margin finds the bounds to train for. RunToPass returns the constraints
// with these bounds; the report is about the constraints of the options. The effort is the
// sum of both searches.
func RunToPass(ctx context.Context, o Options, e Exam) (_ *Report, _ *classifier.Classifier, aims Aims, err error) {
	if err := o.Validate(); err != nil {
		return nil, nil, aims, err
	}
	o.prepare()
	pilot := o
	pilot.Progress, o.Progress = o.part(0, 2), o.part(1, 2)
	without, with := pilot.stages()
	free, err := unconstrained(ctx, without)
	if err != nil {
		return nil, nil, aims, err
	}
	o.centres = o.decidingAs(free).centres
	pilot = *with.decidingAs(free)
	if o.OnDecisions() {
		pilot.Model.Temperature = max(o.Model.Temperature, pilotTemperature)
	}
	first, err := solve(ctx, &pilot, free)
	if err != nil {
		return nil, nil, aims, err
	}
	if first.status == solver.Interrupted || first.status == solver.Diverged {
		ended, err := o.judged(first, free)
		if err != nil {
			return nil, nil, aims, err
		}
		return ended.Report, ended.Classifier, Aims{Constraints: o.Constraints}, nil
	}
	for i := range free { // the pilot counts their effort already
		a := *free[i].attempt
		a.effort = effort{}
		free[i].attempt = &a
	}
	pilots := newClassifier(&o, first.loss, first.x)
	if aims.Constraints, err = o.toPass(pilots, e); err != nil {
		return nil, nil, aims, err
	}
	o.aims = aims.Constraints
	spent := first.effort
	tight, err := o.run(ctx, free, &spent)
	if err != nil {
		return nil, nil, aims, err
	}
	chosen := tight
	if tight.Report.Status != solver.Interrupted && !tight.Report.Satisfied() {
		// If the tighter bounds are out of reach, the bounds that were asked for may still be
		// reached.
		plain := o
		plain.aims = nil
		within, err := plain.run(ctx, free, &spent)
		if err != nil {
			return nil, nil, aims, err
		}
		if within.Report.Satisfied() {
			chosen = within
			aims.Constraints = o.Constraints
		}
	}
	if status := chosen.Report.Status; status != solver.Interrupted && status != solver.Diverged { // then there is no exam
		if aims.Power, err = o.chance(chosen.Classifier, e); err != nil {
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
func (o *Options) toPass(trained *classifier.Classifier, e Exam) (aims []model.Constraint, err error) {
	tested, err := o.Tested()
	if err != nil {
		return nil, err
	}
	evidence, err := o.evidence(trained, tested)
	if err != nil {
		return nil, err
	}
	for k, c := range o.requirements() {
		r, g := tested[k], c.(model.GroupConstraint)
		if g.Kind == model.HeldShare && g.Level == 0 {
			by, err := o.ConstraintData.Strata(r.Group)
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

// chance returns the probability that a classifier passes an exam if people are like the training rows.
func (o *Options) chance(trained *classifier.Classifier, e Exam) (float64, error) {
	tested, err := o.Tested()
	if err != nil {
		return 0, err
	}
	evidence, err := o.evidence(trained, tested)
	if err != nil {
		return 0, err
	}
	return guarantee.Chance(tested, evidence, e.Rows, e.Confidence)
}

// evidence returns what all rows that constraints are on say about requirements.
func (o *Options) evidence(c *classifier.Classifier, requirements []guarantee.Requirement) (guarantee.Rows, error) {
	scored, err := scoring.New(c, o.ConstraintData)
	if err != nil {
		return nil, err
	}
	return scored.Evidence(requirements)
}

// tightest returns the tightest bound that is aimed at: decisions of groups are hardly ever equal, and no weights make
// all losses small or give a group all scores.
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
