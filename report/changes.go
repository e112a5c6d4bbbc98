package report

import (
	"math"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/fairness/changes"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/report/words"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// compareDecisions enters what the constraints changed, on the rows that say most about new people.
func (b *builder) compareDecisions() error {
	var constraints []model.Constraint
	on := map[string]string{}
	for _, trained := range b.Model.Constraints {
		c, err := constraint(trained)
		if err != nil {
			return err
		}
		if c != nil {
			constraints, on[c.String()] = append(constraints, c), trained.On
		}
	}
	var rows []scoring.Rows
	for _, role := range []Role{Held, Validation, Constraints, Training} {
		if set := b.set(role); set != nil && set.Labelled() {
			rows = append(rows, scoring.Rows{Role: string(role), Data: set.Data, Shards: set.Shards})
		}
	}
	if u := b.Model.Training.Unseen; u != nil && u.Changes != nil && rows != nil && Role(rows[0].Role).Counted() {
		b.doc.Changes = *u.Changes
	} else {
		by := func(c model.Constraint) string { return on[c.String()] }
		var err error
		if b.doc.Changes, err = scoring.Changes(b.Model, constraints, by, rows...); err != nil {
			return err
		}
	}
	b.hideChanges()
	return nil
}

// hideChanges leaves out groups that no table shows on their own. The model keeps what it has.
func (b *builder) hideChanges() {
	if b.doc.People == nil {
		return
	}
	people := *b.doc.People
	people.Groups = b.shownChanges(people.Groups)
	b.doc.People, b.doc.SideEffects = &people, slices.Clone(b.doc.SideEffects)
	for k := range b.doc.SideEffects {
		if e := &b.doc.SideEffects[k]; e.Without != nil {
			e.Without = b.namesOf(e.Group, e.Without)
		}
	}
}

// shownChanges are those of groups that a table shows on their own, with their names for readers. What
// is left beside a single group that is shown is known from that group and everybody.
func (b *builder) shownChanges(groups []changes.Group) []changes.Group {
	list := []changes.Group{}
	for _, g := range groups {
		labelled, shown := b.shown[key(g.Group, g.Name)]
		if g.Name == fairness.Others {
			labelled, shown = b.shown[key(g.Group, g.Group)]
		}
		if !shown {
			continue
		}
		if !labelled {
			g.HideLabels()
		}
		if g.Name == fairness.Others {
			g.Name = dataset.OthersThan(b.sentenceName(g.Group, g.Group))
		} else {
			g.Name = b.sentenceName(g.Group, g.Name)
		}
		list = append(list, g)
	}
	return list
}

func (d *Document) changeSection(s *section) {
	c, most, given := &d.Changes, math.MaxInt, d.given()
	t := words.Changes(c, given, most, func(_, group string) string { return group })
	switch {
	case len(d.Requirements) == 0:
		s.text("There is no constraint, so it changes nothing.")
		return
	case c.People == nil:
		s.text("The model file does not have the decisions without the constraint.")
		return
	case t == nil:
		s.text("No decision on the %s differs from that of the unconstrained baseline.", words.ChangedPeople(c))
		return
	}
	if len(c.SideEffects) > 0 && len(c.Worse()) == 0 {
		s.text("No other difference between groups rose by more than chance on the %s.", words.ChangedPeople(c))
	}
	groups := table{Caption: words.Capital(t.Caption), Head: []string{"Group"}}
	for _, title := range t.Head {
		groups.Head = append(groups.Head, words.Capital(title))
	}
	for _, row := range t.Rows {
		groups.Rows = append(groups.Rows, cells(row...))
	}
	if Role(c.People.Role) == Unseen {
		groups.note("The model file has these shares to three digits, and rounds numbers of people.")
	}
	s.table(groups)
	if len(c.SideEffects) == 0 {
		return
	}
	effects := table{
		Caption: "Largest differences between groups that no constraint bounds, in percentage points",
		Head:    []string{"Measure", "Unconstrained baseline", "This model", "Standard error of the change", "Beyond chance?"},
	}
	for _, e := range c.SideEffects {
		row := cells(words.MeasureOf(&e), points(e.Before), points(e.After), points(e.SE), "no")
		if verdict := &row[len(row)-1]; e.Worse {
			verdict.Text, verdict.Mark = "larger", "bad"
		}
		if e.Without != nil {
			row[0].Below = "of the groups with enough people"
		}
		effects.Rows = append(effects.Rows, row)
	}
	effects.note("“Larger” is a rise by more than chance, in a test of pairs: the same people were decided about twice. If no difference rose, one of these is called larger at most 5 times in 100.")
	s.table(effects)
}

// given is the column of a given score that was adjusted; empty for none.
func (d *Document) given() string {
	if d.Model == nil {
		return ""
	}
	return d.Model.Given
}

// points are percentage points without their unit.
func points(v fairness.Value) string {
	return strings.TrimSuffix(words.Points.Text(v), words.Points.Unit)
}

// tile is a figure in the headline, before the constraints and after.
type tile struct{ Title, Before, After, Below, Mark string }

// was enters the figure of the unconstrained baseline.
func (t *tile) was(text, given string) {
	t.Before, t.Below = text, words.BeforeAfter(given)+"; "+t.Below
}

// tiles are the figures in the headline, on the rows that say most about new people.
func (d *Document) tiles() (list []tile) {
	if len(d.Rows) == 0 {
		return nil
	}
	role := d.Rows[d.main()].Role
	given := d.given()
	if role == Training && d.costOn(Unseen) != nil {
		role = Unseen
	}
	for k := range d.Requirements {
		f := &d.Requirements[k]
		v := f.Value(role)
		if v == nil || !v.Value.Defined() {
			continue
		}
		m := f.Words()
		text, bound := m.WithBound(v.Value, v.Bound, f.AtLeast, words.Nearest)
		t := tile{
			Title: words.Capital(f.Short()), After: words.Terse(text), Mark: markOf(f, v),
			Below: words.Terse(f.Limit()+bound) + ", on the " + words.People(role, v.Rows),
		}
		if before := d.without(role, k); before.Defined() {
			t.was(strings.TrimSuffix(m.Text(before), m.Unit), given)
		}
		list = append(list, t)
	}
	if c := d.costOn(role); c != nil {
		t := tile{
			Title: "Accuracy", After: words.Percent.Text(c.Accuracy),
			Below: "majority-class baseline " + words.Percent.Text(c.Majority),
		}
		if c.Unconstrained.Defined() && len(d.Requirements) > 0 {
			t.was(strings.TrimSuffix(words.Percent.Text(c.Unconstrained), words.Percent.Unit), given)
		}
		list = append(list, t)
	}
	if d.People != nil {
		all, about := &d.People.All, ""
		if role == Unseen {
			about = "about "
		}
		list = append(list, tile{
			Title: "Decisions changed", After: about + words.Thousands(all.Changed()),
			Below: words.Thousands(all.ToPositive) + " to positive, " + words.Thousands(all.ToNegative) +
				" to negative, of " + words.Thousands(all.Rows) + " people",
		})
	}
	return list
}
