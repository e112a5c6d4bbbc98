package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/internal/inert"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
)

// conclude says what all of it means.
func (b *builder) conclude() {
	d := b.doc
	var unmet, broken []*Requirement
	var where Role
	for k := range d.Requirements {
		q := &d.Requirements[k]
		if !q.Met {
			unmet = append(unmet, q)
		}
		for _, a := range q.Results {
			if a.Role != Certified && !a.Role.Counted() && a.Value.Defined() && !a.Holds && (where == "" || where == a.Role) {
				where = a.Role
				broken = append(broken, q)
			}
		}
	}
	asked := d.askedInWords()
	kept := asked + d.within() // tests make no such allowances
	v := Verdict{Remarks: []string{}}
	rows := b.rowsInWords()
	g := d.Guarantee
	if !d.testsAll() {
		g = nil // it is about something else
	}
	switch {
	case len(d.Requirements) == 0:
		v.Outcome = NothingAsked
		main := &d.Rows[b.main()]
		v.Sentence = fmt.Sprintf("No fairness requirement was asked for: the classifier decides %s of the %s rightly, and how it treats groups is below.",
			percent(main.Accuracy.Value), peopleOf(main))
	case d.unjudged() != nil:
		v.Outcome = NotJudged
		v.Sentence = fmt.Sprintf("The rows of this report say nothing about %s: %s.", d.unjudged().Spec, d.unjudged().lacking(&d.unjudged().Results[0]))
	case len(unmet) > 0:
		v.Outcome = NotMet
		v.Sentence = fmt.Sprintf("Training found no classifier that keeps %s: on the %s, %s.", asked, d.peopleIn(unmet[0].Results[0].Role), achieved(unmet[0], 0))
	case g != nil && g.Holds:
		v.Outcome = Guaranteed
		if len(g.Conditions) > 0 {
			v.Outcome = GuaranteedIf
		}
		v.Sentence = fmt.Sprintf("The classifier keeps %[2]s for the people that the %[3]s certified rows were drawn from%[5]s, with %[1]s confidence%[4]s.",
			percentOf(g.Confidence), asked, thousands(g.Rows), g.provided(), g.inGroups())
	case len(broken) > 0:
		v.Outcome = BrokenOutside
		fitted := "rows it was fitted to"
		if b.set(Constraints) != nil {
			fitted = d.peopleIn(Constraints)
		}
		if slices.ContainsFunc(d.Requirements, func(q Requirement) bool { return q.within }) {
			kept += " (within one decision of each group)"
		}
		v.Sentence = fmt.Sprintf("The classifier keeps %[3]s on the %[4]s, but not on the %[1]s: there %[2]s.", d.peopleIn(where), achieved(broken[0], broken[0].resultOf(where)), kept, fitted)
		for _, q := range broken[1:] {
			v.Sentence += fmt.Sprintf(" Also broken there: %s.", achieved(q, q.resultOf(where)))
		}
	case g != nil:
		v.Outcome = NotGuaranteed
		v.Sentence = fmt.Sprintf("The classifier keeps %s on %s, but a test on the %s certified rows does not show that it does so for the people they were drawn from.", kept, rows, thousands(g.Rows))
	default:
		v.Outcome = d.met()
		v.Sentence = fmt.Sprintf("The classifier keeps %s on %s", kept, rows)
		if q := &d.Requirements[0]; len(d.Requirements) == 1 && v.Outcome != MetWithin {
			k := len(q.Results) - 1
			for k > 0 && !q.Results[k].Value.Defined() {
				k--
			}
			v.Sentence += ": "
			if on := "the " + d.peopleIn(q.Results[k].Role); on != rows {
				v.Sentence += "on " + on + ", "
			}
			v.Sentence += achieved(q, k)
		}
		v.Sentence += "."
	}
	b.remark(&v, broken, where)
	d.Verdict = v
}

// unjudged returns the first requirement of which no rows say anything, nil if there is none.
func (d *Document) unjudged() *Requirement {
	for k := range d.Requirements {
		if q := &d.Requirements[k]; !slices.ContainsFunc(q.Results, func(a Achieved) bool { return a.Value.Defined() || a.Role == Certified }) {
			return q
		}
	}
	return nil
}

// askedInWords names the requirements.
func (d *Document) askedInWords() string {
	switch len(d.Requirements) {
	case 1:
		return "what was asked"
	case 2:
		return "both requirements"
	}
	return fmt.Sprintf("all %d requirements", len(d.Requirements))
}

// within says with which allowances requirements are kept, empty for none.
func (d *Document) within() string {
	var list []string
	if d.hasWithin() {
		list = append(list, "within one decision of each group")
	}
	if tolerance := d.tolerance(); tolerance > 0 {
		list = append(list, fmt.Sprintf("scores to within %.3g", tolerance))
	}
	if list == nil {
		return ""
	}
	return " (" + strings.Join(list, ", ") + ")"
}

func (d *Document) hasWithin() bool {
	return slices.ContainsFunc(d.Requirements, func(q Requirement) bool { return len(q.WithinOneDecision) > 0 })
}

// met is the outcome where all requirements are kept.
func (d *Document) met() Outcome {
	switch {
	case d.hasWithin():
		return MetWithin
	case d.tolerance() > 0:
		return MetNearly
	}
	return Met
}

// testsAll reports whether a test was about every requirement.
func (d *Document) testsAll() bool {
	for _, q := range d.Requirements {
		if len(q.Results) == 0 || q.Results[len(q.Results)-1].Role != Certified {
			return false
		}
	}
	return d.Guarantee != nil
}

// remark adds what a reader of the verdict must know.
func (b *builder) remark(v *Verdict, broken []*Requirement, where Role) {
	d := b.doc
	say := func(format string, args ...any) { v.Remarks = append(v.Remarks, fmt.Sprintf(format, args...)) }
	v.Remarks = append(v.Remarks, b.Remarks...)
	for k := range b.Model.Training.Shifts {
		if s := &b.Model.Training.Shifts[k]; min(s.Lowest.Rows, s.Highest.Rows) >= b.MinGroup {
			rate := func(v float64) string { return percent(fairness.Value(v)) }
			say("%s", inert.Line(s.Said(rate, func(n int) string { return "about " + thousands(n) })))
		}
	}
	b.remarkConstant(say)
	if warning := classifier.LeakWarning(d.Model.Uses.Leaks); warning != "" {
		if note := sampleNote(d.Model.Uses); note != "" {
			warning += " What tells the label" + note
		}
		say("%s", warning)
	}
	b.remarkLeftOut(say)
	if e := b.Model.Features.Encoding; e != nil {
		for _, set := range b.sets {
			const much = 0.1 // of the rows
			for _, unlike := range e.Unlike(set.Data, much, false) {
				say("Of the %s rows: %s.", set.Role, unlike)
			}
		}
	}
	for _, column := range d.SeveralRows {
		say("Column %s: %s. If these are people, rows are not independent: intervals and tests are surer than they should be.", column.Name, column.Said)
	}
	switch d.Model.Status {
	case string(solver.Interrupted):
		say("Training was interrupted: this is the best model so far.")
	case string(solver.Exhausted):
		say("Training ended before its tolerance was reached: a more accurate classifier may be near.")
	case string(train.Infeasible):
		say("The requirements contradict each other: no scores at all keep them.")
	}
	for _, q := range broken {
		a := &q.Results[q.resultOf(where)]
		if v.Outcome != BrokenOutside {
			say("On the %s a bound is broken: %s.", d.peopleIn(where), achieved(q, q.resultOf(where)))
		}
		if q.AtLeast && a.High >= a.Bound || !q.AtLeast && a.Low <= a.Bound {
			say("That %s is broken on the %s may be chance: the interval of the figure contains the bound.", q.Spec, d.peopleIn(where))
		}
	}
	unsure := false
	for k := range d.Requirements {
		for _, a := range d.Requirements[k].Results {
			if !a.Value.Defined() && a.Role != Certified {
				say("On the %s %s can't be judged: %s.", d.peopleIn(a.Role), d.Requirements[k].Spec, d.Requirements[k].lacking(&a))
			}
			if len(a.Without) > 0 {
				say("On the %s %s is judged, in whole or in part, without %s, for lack of such people.", d.peopleIn(a.Role), d.Requirements[k].Spec, and(a.Without))
			}
		}
		for _, a := range d.Requirements[k].Results {
			low, high := a.Low.Defined() && a.Low < a.Bound, a.High.Defined() && a.High > a.Bound
			unsure = unsure || a.Role != Certified && a.Holds && (low && d.Requirements[k].AtLeast || high && !d.Requirements[k].AtLeast)
		}
		if names := d.Requirements[k].WithinOneDecision; len(names) > 0 {
			say("One decision moves the rate of %s by more than the bound. On the %s the rate of such a group may be off, beyond the bound, by the share of one decision in that group: two of them may differ by the bound and one decision of each. Of a group of few people that says little or nothing.", and(names), d.peopleIn(d.Requirements[k].judgedBy))
		}
	}
	if unsure && (v.Outcome == Met || v.Outcome == MetNearly) {
		say("The intervals below reach beyond a bound: among other people it may be broken by chance or in truth.")
	}
	if d.Guarantee != nil && !d.testsAll() {
		say("A test was about other requirements than the model was trained for. %s", d.Guarantee.Statement)
	}
	if len(d.Requirements) > 0 && len(d.Rows) == 1 && d.Rows[0].Role.Counted() && d.Guarantee == nil {
		say("Nothing is said about other people: there are no held-out rows in this report.")
	}
	for _, r := range d.Rows {
		if r.Role == Training && !r.Known {
			say("The rows given as training rows are not the rows that the model file names.")
		}
	}
}

// remarkLeftOut says how many people the comparisons that were asked for are not about.
func (b *builder) remarkLeftOut(say func(string, ...any)) {
	role := b.sets[b.main()].Role
	r := b.doc.rows(role)
	for _, c := range b.doc.Comparison {
		asked := slices.ContainsFunc(b.doc.Requirements, func(q Requirement) bool { return q.Group == c.Group })
		for k := range c.Tables {
			if t := &c.Tables[k]; asked && t.Role == role && t.leaveOut(r) > 0 {
				say("Of the %s, %s are in none of the groups of %s: what was asked is not about them.", peopleOf(r), thousands(t.leaveOut(r)), c.Group)
			}
		}
	}
}

// remarkConstant says on which rows decisions are the same for everybody, or nearly so. For the first rows,
// the training rows if there are some, it also says whether they are no better than constant ones.
func (b *builder) remarkConstant(say func(string, ...any)) {
	why := "."
	if slices.ContainsFunc(b.doc.Requirements, func(q Requirement) bool { return q.On == train.Decisions }) {
		why = ": whatever treats all alike keeps such a requirement."
	}
	for k := range b.doc.Rows {
		r := &b.doc.Rows[k]
		switch selected := float64(r.SelectionRate.Value); {
		case selected == 0:
			say("Nobody is selected on the %s%s", peopleOf(r), why)
		case selected == 1:
			say("Everybody is selected on the %s%s", peopleOf(r), why)
		case fairness.NearlyConstant(selected, r.Rows):
			say("%s of the decisions on the %s are positive: nearly the same answer for everybody.", percent(r.SelectionRate.Value), peopleOf(r))
		}
	}
	r, p := &b.doc.Rows[0], &b.doc.Price[0]
	if c := p.Costs; c != nil {
		if least := min(c.AllPositive, c.AllNegative); c.Classifier >= least {
			say("On the %s wrong decisions cost %s on average, no less than the %s of the same answer for everybody.", peopleOf(r), c.Classifier.Text(4), least.Text(4))
		}
		return
	}
	if fairness.NoBetterThanConstant(float64(p.Accuracy-p.Majority), float64(r.SelectionRate.Value), float64(r.BaseRate.Value), r.Rows) {
		say("On the %s the accuracy, %s, is not above %s, the accuracy of the same answer for everybody, beyond chance.", peopleOf(r), percent(p.Accuracy), percent(p.Majority))
	}
}

// rowsInWords names all rows that every requirement is judged on.
func (b *builder) rowsInWords() string {
	var list []string
	for k := range b.doc.Rows {
		r := &b.doc.Rows[k]
		judged := r.Role != Training || b.set(Constraints) == nil
		for _, q := range b.doc.Requirements {
			judged = judged && q.Results[q.resultOf(r.Role)].Value.Defined()
		}
		if judged {
			list = append(list, "the "+peopleOf(r))
		}
	}
	return and(list)
}

func (q *Requirement) resultOf(role Role) int {
	return max(0, slices.IndexFunc(q.Results, func(a Achieved) bool { return a.Role == role }))
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

func peopleOf(r *Rows) string { return thousands(r.Rows) + " " + string(r.Role) + " rows" }
