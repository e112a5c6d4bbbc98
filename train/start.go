package train

import (
	"context"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/model"
)

// Start is the unconstrained solutions from which several runs may start.
type Start struct{ free []fit }

// NewStart trains without the constraints of the options, which say what losses to try.
func NewStart(ctx context.Context, o Options) (*Start, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o.prepare()
	free, err := unconstrained(ctx, &o)
	if err != nil {
		return nil, err
	}
	return &Start{free}, nil
}

// Run trains from the start, whose options may differ in the bounds of constraints only. Its effort
// includes that of the start.
func (s *Start) Run(ctx context.Context, o Options) (*Outcome, error) {
	o.prepare()
	return o.run(ctx, s.free, new(effort))
}

// Outcome is what a run leads to.
type Outcome struct {
	Report     *Report
	Classifier *classifier.Classifier

	sets        map[*dataset.Dataset]*scored
	constrained *scored // the rows of the constraints
}

// KeepsOnDecisions reports whether the decisions keep a constraint that differs from the one of the options,
// on decisions, in its bound only: as exactly as a requirement of training, on the same rows.
func (f *Outcome) KeepsOnDecisions(c model.Constraint) (bool, error) {
	r, err := model.NewRequirement(c, f.constrained.Dataset, Decisions)
	if err != nil {
		return false, err
	}
	return r.JudgeTotals(f.constrained.totals[0]).Excess <= 0, nil
}

// Judged returns the rows of a data set of the options by the groups that the constraints name, with
// the classifier's scores; nil for a data set that was not judged.
func (f *Outcome) Judged(d *dataset.Dataset) (*fairness.Judged, error) {
	if s := f.sets[d]; s != nil {
		return s.byGroup()
	}
	return nil, nil
}
