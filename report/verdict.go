package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/internal/names"
	"github.com/fairtrain/fairtrain/report/words"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
)

// conclude enters the verdict and what its reader must know.
func (b *builder) conclude() {
	d := b.doc
	var test *words.Certificate // unless it is about something else
	if d.testsAll() {
		test = &d.Guarantee.Certificate
	}
	v := Verdict{Outcome: words.Overall(d.Requirements, test)}
	v.TrainingOnly = v.Outcome == words.SatisfiedThere
	var sentences []string
	if text := d.constant(&d.Rows[0]); text != "" {
		sentences = append(sentences, text)
	}
	if test != nil {
		sentences = append(sentences, test.Statement)
	}
	for k := range d.Requirements {
		f := &d.Requirements[k]
		if len(d.Requirements) == 1 && v.Outcome == f.Outcome() {
			sentences = append(sentences, f.Below())
		} else {
			sentences = append(sentences, f.Sentence())
		}
	}
	if u := d.unseen(); u != nil && d.Rows[0].Role == Training {
		if nearest := words.OutOfReach(u, d.Requirements, d.Cost[0].Majority); nearest != "" {
			sentences = append(sentences, nearest)
		}
	}
	if v.Outcome == words.NoConstraint {
		main := &d.Rows[d.main()]
		sentence := fmt.Sprintf("No fairness constraint: %s of the decisions on the %s are positive.", words.Percent.Text(main.SelectionRate.Value), peopleOf(main))
		if main.Labelled {
			sentence = fmt.Sprintf("No fairness constraint: %s of the decisions on the %s are correct.", words.Percent.Text(main.Accuracy.Value), peopleOf(main))
		}
		sentences = append(sentences, sentence)
	}
	v.Sentence, v.Remarks = names.Line(strings.Join(sentences, " ")), b.remarks()
	v.SideEffects = names.Line(words.SideEffects(&d.Changes))
	d.Verdict = v
}

// constant says that decisions on rows are constant or nearly so; "" if they are not.
func (d *Document) constant(r *Rows) string {
	return words.Constant(peopleOf(r), float64(r.SelectionRate.Value), r.Rows, d.Requirements)
}

// costOn returns the cost on the rows of a role, nil if there is none.
func (d *Document) costOn(role Role) *Cost {
	k := slices.IndexFunc(d.Cost, func(c Cost) bool { return c.Role == role })
	if k < 0 {
		return nil
	}
	return &d.Cost[k]
}

// testsAll reports whether a test was about every constraint.
func (d *Document) testsAll() bool {
	return d.Guarantee != nil && !slices.ContainsFunc(d.Requirements, func(f words.Finding) bool {
		return !slices.ContainsFunc(d.Guarantee.Requirements, func(v guarantee.Verdict) bool { return v.Spec == f.Spec && v.On == f.On })
	})
}

// remarks are what a reader of the verdict must know.
func (b *builder) remarks() []string {
	d, list := b.doc, []string{}
	say := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); text != "" {
			list = append(list, text)
		}
	}
	if status := b.Model.Training.Status; status != string(train.NotReached) {
		say("%s", words.Ending(solver.Status(status), false))
	}
	for k := range d.Rows[1:] { // the verdict begins with that of the first
		say("%s", d.constant(&d.Rows[k+1]))
	}
	if c := d.costOn(d.Rows[0].Role); c != nil {
		r := &d.Rows[0]
		if paid := c.Costs; paid == nil {
			say("%s", words.NoBetter(peopleOf(r), r.Rows, c.Accuracy, c.Majority, r.SelectionRate.Value, r.BaseRate.Value))
		} else if least := min(paid.AllPositive, paid.AllNegative); paid.Classifier >= least {
			say("On the %s wrong decisions cost %s on average, no less than the %s of constant decisions.", peopleOf(r), paid.Classifier.Text(4), least.Text(4))
		}
	}
	if b.Model.Training.AlreadySatisfied {
		say("%s", words.AlreadySatisfied(len(d.Requirements), b.Model.Training.GivenScore))
	}
	say("%s", words.GivenBaseline(b.Model.Training.GivenScore))
	list = append(list, b.Remarks...)
	say("%s", words.Monotone(b.Model.Training.Monotone))
	for k := range b.Model.Training.Shifts {
		if s := &b.Model.Training.Shifts[k]; min(s.Lowest.Rows, s.Highest.Rows) >= b.MinGroup {
			say("%s", words.Shift(s, "about "))
		}
	}
	if d.Model != nil {
		say("%s", words.Leaks(d.Model.Uses.Leaks))
	}
	for _, f := range d.Requirements {
		if dataset.Whole(f.Group) != f.Group {
			say("%s does not name all groups: the constraint is not about other people.", f.Group)
		}
	}
	if e := b.Model.Features.Encoding; e != nil {
		for _, set := range b.sets {
			const much = 0.1 // of the rows
			for _, drift := range e.Drifts(set.Data, much) {
				say("Of the %s rows: %s.", set.Role, words.Drift(&drift, false))
			}
		}
		for _, column := range e.Schema.Columns {
			if several := column.SeveralRows; several != nil {
				say("Column %s: %s. If these are people, rows are not independent: intervals and tests are surer than they should be.", column.Name, several)
			}
		}
	}
	for k := range d.Requirements {
		list = append(list, d.Requirements[k].Notes()...)
	}
	if d.Guarantee != nil && !d.testsAll() {
		say("A test was about other constraints than the model was trained for. %s", d.Guarantee.Statement)
	}
	if len(d.Requirements) > 0 && len(d.Rows) == 1 && d.Rows[0].Role.Counted() && d.Guarantee == nil && d.unseen() == nil {
		say("Nothing is known about other people: there are no held-out rows in this report.")
	}
	return list
}
