// Package words turns facts into sentences, once for the terminal, HTML, Markdown and JSON.
//
// A Finding is a constraint and its value on each set of rows; train.Report and report.Document
// both make findings, and Sentence says what one means. Guarantee, Cost, Optimality and the notes
// do the same for the other facts of a run. No program logic reads these texts.
package words

import (
	"slices"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/fairness/changes"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train"
)

// Role says what rows are to the model.
type Role string

// The roles.
const (
	Training    Role = changes.Training    // the model was fitted to them
	Constraints Role = changes.Constraints // the constraints were to be satisfied on them
	Unseen      Role = changes.Unseen      // those of training, judged by models without them: cross-validation
	Validation  Role = changes.Validation  // held out of the rows of training
	Held        Role = changes.Held        // others
	Certified   Role = "certified"         // the rows of the guarantee
	Predicted   Role = "predicted"         // predictions of any program, of which nothing more is known
)

// Rows names the rows: "test rows".
func (r Role) Rows() string {
	if r == Predicted {
		return "predictions"
	}
	return string(r) + " rows"
}

// Counted reports whether values on these rows are facts and not estimates: the model was fitted
// to have them there.
func (r Role) Counted() bool { return r == Training || r == Constraints }

// Finding is a constraint and its values.
type Finding struct {
	Spec      string  `json:"spec"`
	On        string  `json:"on"`
	Measure   string  `json:"measure"`
	Group     string  `json:"group"`
	Bound     float64 `json:"bound"`
	AtLeast   bool    `json:"at_least"`  // the measure must be at least the bound
	Satisfied bool    `json:"satisfied"` // on the rows of training, by the rules of training
	Values    []Value `json:"values"`
	// WithinOneDecision are groups held to the bound within one decision of each.
	WithinOneDecision []string `json:"within_one_decision"`
	// TooSmall are groups of too few rows to be compared.
	TooSmall []string `json:"too_small,omitempty"`
	// BoundFrom are the rows of which the bound is a group's share; empty for other bounds.
	BoundFrom Role `json:"bound_from,omitempty"`
}

// Value is the measure of a constraint on a set of rows.
type Value struct {
	Role Role `json:"role"`
	Rows int  `json:"rows"`
	// Estimate is undefined where the rows tell nothing; comparisons need rows of two groups,
	// shares and ratios a positive decision. On certified rows an end of the interval is the
	// confidence limit of the test.
	fairness.Estimate
	// SE is the standard error of a value on unseen rows.
	SE *float64 `json:"se,omitempty"`
	// Answer is what the interval says of the people that the rows were drawn from; "" without one.
	Answer guarantee.Answer `json:"verdict,omitempty"`
	// RowsNeeded is about the number of rows that would probably decide an undecided constraint.
	RowsNeeded *int           `json:"rows_needed,omitempty"`
	Bound      fairness.Value `json:"bound"` // that the value is judged by
	Met        bool           `json:"met"`   // on certified rows: guaranteed
	// Tolerance is that of training, if the value is beyond its bound and counts as met, as scores
	// do within the tolerance.
	Tolerance float64 `json:"tolerance,omitempty"`
	// Without are the groups of which no row counts; the value leaves them out.
	Without  []string        `json:"without,omitempty"`
	Extremes *model.Extremes `json:"extremes,omitempty"` // groups whose rates make the value
	Nobody   bool            `json:"-"`                  // the value is 0/0: no decision is positive
}

// Findings are those of a training run.
func Findings(r *train.Report) []Finding {
	var list []Finding
	fitted, rows := Training, r.Problem.ConstraintRows
	if r.ConstraintData != "" {
		fitted = Constraints
	}
	for k := range r.Requirements {
		q := &r.Requirements[k]
		f := Finding{
			Spec: q.Spec, On: q.On, Measure: q.Measure, Group: GroupOf(q.Spec), Bound: q.Bound, AtLeast: q.AtLeast,
			Satisfied: q.Satisfied, WithinOneDecision: q.WithinOneDecision, TooSmall: q.TooSmall,
		}
		add := func(role Role, rows int, v *float64, without []string, e *model.Extremes, interval *[2]float64) {
			value := Value{Role: role, Rows: rows, Estimate: fairness.NoEstimate(), Bound: fairness.Value(q.Bound), Without: without, Extremes: e}
			if v != nil {
				value.Value = fairness.Value(*v)
				value.Met = q.Keeps(*v, r.Tolerance)
				if value.Met && q.On == train.Scores && !q.Holds(*v) {
					value.Tolerance = r.Tolerance
				}
			}
			if interval != nil {
				value.Low, value.High = fairness.Value(interval[0]), fairness.Value(interval[1])
				value.Answer = value.answer(q.AtLeast)
			}
			if role == fitted {
				value.Met, value.Nobody = q.Satisfied, v == nil
			}
			f.Values = append(f.Values, value)
		}
		add(fitted, rows, q.Train, q.TrainWithout, q.TrainExtremes, nil)
		if q.Unseen != nil {
			f.AddUnseen(r.Unseen.Rows, classifier.Estimate{Value: q.Unseen, SE: q.UnseenSE})
			f.Values[len(f.Values)-1].Without = q.UnseenWithout
		}
		if r.Validation != nil {
			add(Validation, r.Validation.Rows, q.Validation, q.ValidationWithout,
				q.ValidationExtremes, q.ValidationInterval)
		}
		if r.Test != nil {
			add(Held, r.Test.Rows, q.Test, q.TestWithout, q.TestExtremes, q.TestInterval)
		}
		list = append(list, f)
	}
	return list
}

// AddUnseen adds the estimate for unseen rows.
func (f *Finding) AddUnseen(rows int, e classifier.Estimate) {
	v := Value{Role: Unseen, Rows: rows, Estimate: fairness.NoEstimate(), SE: e.SE, Bound: fairness.Value(f.Bound)}
	v.Value = Optional(e.Value)
	if v.Met = v.Value <= v.Bound; f.AtLeast {
		v.Met = v.Value >= v.Bound
	}
	if v.SE != nil && v.Value.Defined() {
		const quantile = 1.96 // of the normal distribution
		v.Low = max(v.Value-fairness.Value(quantile*(*v.SE)), 0)
		v.High = v.Value + fairness.Value(quantile*(*v.SE))
		v.Answer = v.answer(f.AtLeast)
	}
	f.Values = append(f.Values, v)
}

// Judge enters a verdict.
func (v *Value) Judge(j *guarantee.Judgment) {
	v.Answer, v.RowsNeeded = j.Verdict, j.RowsNeeded
	if j.Measure != Shortfall { // the limits are of another figure than the share
		v.Low, v.High = Optional(j.Lower), Optional(j.Upper)
	}
}

// answer is what an interval says of a bound.
func (v *Value) answer(atLeast bool) guarantee.Answer {
	switch {
	case v.Low >= v.Bound && atLeast, v.High <= v.Bound && !atLeast:
		return guarantee.Satisfied
	case v.High < v.Bound && atLeast, v.Low > v.Bound && !atLeast:
		return guarantee.Violated
	}
	return guarantee.Undecided
}

// GroupOf are the groups that a constraint names, "sex within race" say; empty for all rows.
func GroupOf(spec string) string {
	c, err := model.ParseConstraint(spec)
	if err != nil {
		return ""
	}
	if g, ok := c.(model.GroupConstraint); ok && g.Cells() != dataset.Everyone {
		return g.Cells()
	}
	return And(model.GroupsOf(c))
}

// Outcome is a verdict in a word.
type Outcome string

// The outcomes.
const (
	Guaranteed      Outcome = "guaranteed" // by a test on rows that had no part in training
	GuaranteedIf    Outcome = "guaranteed-on-condition"
	Satisfied       Outcome = "satisfied"                  // on all rows, others than those of training among them
	SatisfiedThere  Outcome = "satisfied-on-training-rows" // and nothing is known of others
	SatisfiedWithin Outcome = "satisfied-within-one-decision"
	SatisfiedNearly Outcome = "satisfied-within-tolerance" // of training, which constraints on scores have
	NotGuaranteed   Outcome = "not-guaranteed"             // satisfied, but the test was not passed
	NotOnNewRows    Outcome = "violated-on-new-rows"       // met on the rows of training, and not on others
	Violated        Outcome = "violated"                   // on the rows of training; or, of new rows alone, for the people that they are drawn from
	Undecided       Outcome = "undecided"                  // new rows alone do not say whether it is satisfied for these people
	NotJudged       Outcome = "not-judged"                 // the rows say nothing about a constraint
	NoConstraint    Outcome = "no-constraint"
)

// headings are the outcomes in words, with a sign and the tone in which HTML shows them.
var headings = map[Outcome][3]string{
	Guaranteed:      {"Guaranteed", "✓", "good"},
	GuaranteedIf:    {"Guaranteed on a condition", "!", "unsure"},
	Satisfied:       {"Satisfied", "✓", "good"},
	SatisfiedThere:  {"Satisfied on training data", "!", "unsure"},
	SatisfiedWithin: {"Satisfied within one decision of each group", "!", "unsure"},
	SatisfiedNearly: {"Satisfied within the tolerance", "!", "unsure"},
	NotGuaranteed:   {"Satisfied, but not guaranteed", "!", "unsure"},
	NotOnNewRows:    {"NOT met on new rows", "!", "unsure"},
	Violated:        {"Violated", "✗", "bad"},
	Undecided:       {"Undecided", "?", "unsure"},
	NotJudged:       {"Not judged", "–", "unsure"},
	NoConstraint:    {"No constraint", "–", "unsure"},
}

// Heading is the outcome in a few words.
func (o Outcome) Heading() string { return headings[o][0] }

// Word is the outcome for programs. That nothing is known of other rows is a fact of its own there.
func (o Outcome) Word() string {
	if o == SatisfiedThere {
		return string(Satisfied)
	}
	return string(o)
}

// MarshalText implements encoding.TextMarshaler by Word.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.Word()), nil }

// Sign stands before the heading.
func (o Outcome) Sign() string { return headings[o][1] }

// Class is "good", "unsure" or "bad".
func (o Outcome) Class() string { return headings[o][2] }

// Outcome is the verdict on the constraint, without a test.
func (f *Finding) Outcome() Outcome {
	judged := slices.ContainsFunc(f.Values, func(v Value) bool { return v.judged() || v.Nobody && v.Role.Counted() })
	switch {
	case !judged:
		return NotJudged
	case f.OnNewRows():
		return f.worst()
	case !f.Satisfied:
		return Violated
	case f.violatedOn() != nil:
		return NotOnNewRows
	case len(f.WithinOneDecision) > 0:
		return SatisfiedWithin
	case slices.ContainsFunc(f.Values, func(v Value) bool { return v.Tolerance > 0 }):
		return SatisfiedNearly
	case !slices.ContainsFunc(f.Values, func(v Value) bool { return v.heldOut() }):
		return SatisfiedThere
	}
	return Satisfied
}

// OnNewRows reports whether there are no rows of training: the verdict is about the people that others
// are drawn from.
func (f *Finding) OnNewRows() bool {
	return !slices.ContainsFunc(f.Values, func(v Value) bool { return v.Role.Counted() })
}

// worst is the worst of the answers of new rows; where they have no interval, their value counts.
func (f *Finding) worst() Outcome {
	outcome := Satisfied
	for _, v := range f.Values {
		switch {
		case v.Role == Certified:
		case v.Answer == guarantee.Violated || v.Answer == "" && !v.Met:
			return Violated
		case v.Answer == guarantee.Undecided:
			outcome = Undecided
		}
	}
	return outcome
}

// judged reports whether a value says something about the constraint.
func (v *Value) judged() bool { return v.Value.Defined() && v.Role != Certified }

// violatedOn are the held-out rows on which the constraint is not met: unseen rows only where there
// are no others, which say more.
func (f *Finding) violatedOn() (list []string) {
	others := f.hasOthers()
	for _, v := range f.Values {
		if v.heldOut() && !v.Met && (v.Role != Unseen || !others) {
			list = append(list, string(v.Role))
		}
	}
	return list
}

// hasOthers reports whether rows other than those of training say something about the constraint.
func (f *Finding) hasOthers() bool {
	return slices.ContainsFunc(f.Values, func(v Value) bool { return v.heldOut() && v.Role != Unseen })
}

// heldOut reports whether a value says something about the constraint on other people.
func (v *Value) heldOut() bool { return v.judged() && !v.Role.Counted() }

// Overall is the verdict on all constraints and the test of them, nil for none.
func Overall(list []Finding, g *Certificate) Outcome {
	outcomes := map[Outcome]bool{}
	for k := range list {
		outcomes[list[k].Outcome()] = true
	}
	switch {
	case len(list) == 0:
		return NoConstraint
	case outcomes[Violated]:
		return Violated
	case outcomes[NotJudged]:
		return NotJudged
	case g != nil && g.Holds && len(Conditions(g)) > 0:
		return GuaranteedIf
	case g != nil && g.Holds:
		return Guaranteed
	case outcomes[NotOnNewRows] || g != nil && slices.ContainsFunc(g.Requirements, guarantee.Verdict.Beyond):
		return NotOnNewRows
	case g != nil:
		return NotGuaranteed
	case outcomes[Undecided]:
		return Undecided
	case outcomes[SatisfiedWithin]:
		return SatisfiedWithin
	case outcomes[SatisfiedNearly]:
		return SatisfiedNearly
	case outcomes[SatisfiedThere]:
		return SatisfiedThere
	}
	return Satisfied
}

// Value is the value on the rows of a role, nil if there is none.
func (f *Finding) Value(role Role) *Value {
	k := slices.IndexFunc(f.Values, func(v Value) bool { return v.Role == role })
	if k < 0 {
		return nil
	}
	return &f.Values[k]
}
