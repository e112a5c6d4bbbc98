package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/internal/names"
	"github.com/fairtrain/fairtrain/report/words"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
)

// conclude says what all of it means.
func (b *builder) conclude() {
	d := b.doc
	var test *words.Certificate // unless it is about something else
	if d.testsAll() {
		test = &d.Guarantee.Certificate
	}
	v := Verdict{Outcome: words.Overall(d.Requirements, test), Remarks: []string{}}
	var sentences []string
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
	if v.Outcome == words.NoConstraint {
		main := &d.Rows[d.main()]
		sentences = append(sentences, fmt.Sprintf("No fairness constraint: %s of the decisions on the %s are correct.", words.Percent.Text(main.Accuracy.Value), peopleOf(main)))
	}
	v.Sentence = strings.Join(sentences, " ")
	b.remark(&v)
	d.Verdict = v
}

// testsAll reports whether a test was about every constraint.
func (d *Document) testsAll() bool {
	for _, f := range d.Requirements {
		if len(f.Values) == 0 || f.Values[len(f.Values)-1].Role != Certified {
			return false
		}
	}
	return d.Guarantee != nil
}

// remark adds what a reader of the verdict must know.
func (b *builder) remark(v *Verdict) {
	d := b.doc
	say := func(format string, args ...any) { v.Remarks = append(v.Remarks, fmt.Sprintf(format, args...)) }
	if ending := words.Ending(solver.Status(d.Model.Status)); ending != "" &&
		d.Model.Status != string(train.NotReached) {
		say("%s", ending)
	}
	v.Remarks = append(v.Remarks, b.Remarks...)
	for k := range b.Model.Training.Shifts {
		if s := &b.Model.Training.Shifts[k]; min(s.Lowest.Rows, s.Highest.Rows) >= b.MinGroup {
			say("%s", names.Line(words.Shift(s, "about ")))
		}
	}
	b.remarkConstant(say)
	if warning := words.Leaks(d.Model.Uses.Leaks); warning != "" {
		if note := sampleNote(d.Model.Uses); note != "" {
			warning += " Such columns" + note
		}
		say("%s", warning)
	}
	b.remarkLeftOut(say)
	if e := b.Model.Features.Encoding; e != nil {
		for _, set := range b.sets {
			const much = 0.1 // of the rows
			for _, drift := range e.Unlike(set.Data, much, false) {
				say("Of the %s rows: %s.", set.Role, drift)
			}
		}
	}
	for _, column := range d.SeveralRows {
		say("Column %s: %s. If these are people, rows are not independent: intervals and tests are surer than they should be.", column.Name, column.Said)
	}
	for k := range d.Requirements {
		v.Remarks = append(v.Remarks, d.Requirements[k].Notes()...)
	}
	if d.Guarantee != nil && !d.testsAll() {
		say("A test was about other constraints than the model was trained for. %s", d.Guarantee.Statement)
	}
	if len(d.Requirements) > 0 && len(d.Rows) == 1 && d.Rows[0].Role.Counted() && d.Guarantee == nil {
		say("Nothing is known about other people: there are no held-out rows in this report.")
	}
	for _, r := range d.Rows {
		if r.Role == Training && !r.Known {
			say("The rows given as training rows are not the rows that the model file names.")
		}
	}
}

// remarkLeftOut says how many people the comparisons of constraints are not about.
func (b *builder) remarkLeftOut(say func(string, ...any)) {
	main := b.doc.main()
	r := &b.doc.Rows[main]
	for _, c := range b.doc.Comparison {
		bounded := slices.ContainsFunc(b.doc.Requirements, func(f words.Finding) bool { return f.Group == c.Group })
		if !bounded || c.Hidden != "" {
			continue
		}
		if left := c.Tables[main].leaveOut(r); left > 0 {
			say("Of the %s, %s are in none of the groups of %s: the constraint is not about them.",
				peopleOf(r), words.Thousands(left), c.Group)
		}
	}
}

// remarkConstant says on which rows decisions are constant, or nearly so. For the first rows,
// the training rows if there are some, it also says whether they are no better than constant ones.
func (b *builder) remarkConstant(say func(string, ...any)) {
	for k := range b.doc.Rows {
		r := &b.doc.Rows[k]
		if text := words.Constant(peopleOf(r), float64(r.SelectionRate.Value), r.Rows); text != "" {
			say("%s", text)
		}
	}
	r, c := &b.doc.Rows[0], &b.doc.Cost[0]
	if paid := c.Costs; paid != nil {
		if least := min(paid.AllPositive, paid.AllNegative); paid.Classifier >= least {
			say("On the %s wrong decisions cost %s on average, no less than the %s of constant decisions.", peopleOf(r), paid.Classifier.Text(4), least.Text(4))
		}
		return
	}
	if fairness.NoBetterThanConstant(float64(c.Accuracy-c.Majority), float64(r.SelectionRate.Value),
		float64(r.BaseRate.Value), r.Rows) {
		say("%s", words.NoBetter(peopleOf(r), c.Accuracy, c.Majority))
	}
}

// main is the set of rows that says most about other people: held-out rows if there are any.
func (d *Document) main() int {
	best := 0
	for k, r := range d.Rows {
		if r.Role == Held || r.Role == Validation && d.Rows[best].Role != Held {
			best = k
		}
	}
	return best
}

// rows returns the rows of a role, nil if there are none.
func (d *Document) rows(role Role) *Rows {
	k := slices.IndexFunc(d.Rows, func(r Rows) bool { return r.Role == role })
	if k < 0 {
		return nil
	}
	return &d.Rows[k]
}

// peopleIn is "16,281 test rows".
func (d *Document) peopleIn(role Role) string {
	if r := d.rows(role); r != nil {
		return peopleOf(r)
	}
	return string(role) + " rows"
}

func peopleOf(r *Rows) string { return words.People(r.Role, r.Rows) }
