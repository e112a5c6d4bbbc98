package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/internal/inert"
	"github.com/fairtrain/fairtrain/model"
)

// guarantee enters the test, in texts that reveal nothing about small groups.
func (b *builder) guarantee() {
	if b.Source.Guarantee == nil {
		return
	}
	g := *b.Source.Guarantee
	outcome := *g.Report
	outcome.Requirements = nil
	for _, v := range g.Report.Requirements {
		spec := ""
		if c, err := model.ParseConstraint(v.Spec); err == nil {
			spec = groupsOf(c)
		}
		v.Worst, v.WorstGroups = b.worst(spec, &v)
		v.Spec, v.Compared = inert.Line(v.Spec), b.compared(spec, v.Compared)
		small := v.TooSmall
		v.TooSmall = nil
		for _, s := range small {
			if s.Rows >= b.MinGroup {
				s.Group = b.nameOrSmall(spec, s.Group)
				v.TooSmall = append(v.TooSmall, s)
			}
		}
		outcome.Requirements = append(outcome.Requirements, v)
		for k := range b.doc.Requirements {
			if q := &b.doc.Requirements[k]; q.Spec == v.Spec && q.On == v.On {
				a := Achieved{Role: Certified, Holds: v.Holds}
				a.Value, a.Low, a.High, a.Bound = optional(v.Estimate), optional(v.Lower), optional(v.Upper), fairness.Value(v.Bound)
				if v.Measure == shortfall {
					a.Measure = shortfall
				}
				q.Results = append(q.Results, a)
			}
		}
	}
	g.Report = &outcome
	g.Data, g.Assumption, g.Remarks, g.WhyUnchecked = fileName(g.Data), inert.Line(g.Assumption), lines(g.Remarks), inert.Line(g.WhyUnchecked)
	var shown, failed []string
	for _, v := range outcome.Requirements {
		shown = append(shown, v.Name())
		if !v.Holds {
			failed = append(failed, v.Name())
		}
	}
	g.Conditions = g.conditions()
	g.Statement = fmt.Sprintf("Guaranteed with %s confidence for the people that these rows are drawn from%s: %s%s.", percentOf(g.Confidence), g.inGroups(), and(shown), g.provided())
	if !g.Holds {
		g.Statement = fmt.Sprintf("Not guaranteed: these rows do not show with %s confidence that the people they are drawn from are treated so: %s.", percentOf(g.TestedAt), and(failed))
	}
	g.TrainedFor = lines(b.Source.Guarantee.TrainedFor)
	b.doc.Guarantee = &g
}

// worst is the comparison that decided about a requirement, and its groups, unless it must not be told because of
// the people of one of these groups here or among the rows of the test.
func (b *builder) worst(spec string, v *guarantee.Verdict) (text string, groups []string) {
	few := func(name string) bool {
		return slices.ContainsFunc(v.Compared, func(g guarantee.Compared) bool { return g.Group == name && g.Rows < b.MinGroup })
	}
	hides := func(name string) bool { return few(name) || b.hides(spec, name) }
	if v.WorstGroups == nil { // by an earlier version: whatever may be a hidden name in the text is one
		mayName := func(name string) bool { return strings.Contains(v.Worst, name) }
		hidden := slices.ContainsFunc(v.Compared, func(g guarantee.Compared) bool { return few(g.Group) && mayName(g.Group) }) ||
			slices.ContainsFunc(b.folded, func(name string) bool {
				return !slices.ContainsFunc(dataset.SplitTerms(name), func(part string) bool { return !mayName(part) })
			})
		if hidden {
			return aSmallGroup, nil
		}
		return inert.Line(v.Worst), nil
	}
	if slices.ContainsFunc(v.WorstGroups, hides) {
		return aSmallGroup, nil
	}
	return inert.Line(v.Worst), lines(v.WorstGroups)
}

// compared hides small groups among those of a test. Then no group has its number of rows, as all others subtracted
// from all rows would leave that of the small ones.
func (b *builder) compared(spec string, groups []guarantee.Compared) (list []guarantee.Compared) {
	hidden := func(g guarantee.Compared) bool { return g.Rows < b.MinGroup || b.hides(spec, g.Group) }
	some := slices.ContainsFunc(groups, hidden)
	for _, g := range groups {
		switch {
		case hidden(g):
			g = guarantee.Compared{Group: aSmallGroup}
		case some:
			g = guarantee.Compared{Group: inert.Line(g.Group)}
		default:
			g.Group = inert.Line(g.Group)
		}
		if !slices.Contains(list, g) {
			list = append(list, g)
		}
	}
	return list
}

// inGroups names the groups that the tested rows have; it is empty for tests by earlier versions.
func (g *Guarantee) inGroups() string {
	const many = 12
	names := g.Groups()
	switch {
	case len(names) == 0:
		return ""
	case len(names) > many:
		return fmt.Sprintf(", in the %d groups that these rows have", len(names))
	}
	return ", in " + and(names)
}

// conditions are what must be true for a test that was passed to guarantee anything, and what
// nobody could check.
func (g *Guarantee) conditions() []string {
	list := []string{}
	if !g.TrainingRowsChecked {
		list = append(list, "if none of these rows was used in training, which could not be checked")
	}
	if g.EarlierTests > 0 {
		list = append(list, "if the choice of a test of these rows depended only on whether earlier tests were passed")
	}
	return list
}

// onCondition says that there are conditions, empty if there are none.
func (g *Guarantee) onCondition() string {
	if len(g.Conditions) == 0 {
		return ""
	}
	return "on a condition"
}

// provided is the conditions at the end of a sentence.
func (g *Guarantee) provided() string {
	if len(g.Conditions) == 0 {
		return ""
	}
	return ", " + strings.Join(g.Conditions, ", and ")
}

func (d *Document) guaranteeSection(s *section) {
	g := d.Guarantee
	if g == nil {
		none := "None: the model of this report comes without a test on rows that had no part in making it."
		if len(d.Tests) > 0 {
			none = "None: no certificate of a test is part of this report."
		}
		s.text("%s What is said above is about the rows named there. “fairtrain certify” makes such a test.", none)
		d.pastTests(s)
		return
	}
	s.text("%s", g.Statement)
	which := "a test like this one says"
	if g.EarlierTests > 0 {
		which = fmt.Sprintf("all tests of these rows after the first, asked for %s confidence or more, together say", percentOf(g.Confidence))
	}
	given := strings.Join(append([]string{"If that is so"}, g.Conditions...), ", and ")
	s.text("This supposes that %s. %s, %s “guaranteed” of a classifier that breaks a requirement at most %.6g times in 100.", g.Assumption, given, which, 100*(1-g.Confidence))
	for _, remark := range g.Remarks {
		s.text("Note: %s.", remark)
	}
	t := table{Caption: "The test, on " + thousands(g.Rows) + " rows of " + g.Data, Head: []string{"Requirement", "In these rows", "Shown", "Asked", "Verdict"}}
	shownAlone := false
	for k, v := range g.Requirements {
		shownAlone = shownAlone || v.Holds
		t.Rows = append(t.Rows, d.testedRow(k))
		for _, small := range v.TooSmall {
			t.Notes = append(t.Notes, fmt.Sprintf("%s is too small: it has %s rows%s, and about %s are needed even if groups are treated alike.", small.Group, thousands(small.Rows), v.OfLabel(), thousands(small.AboutNeeded())))
		}
	}
	if g.EarlierTests > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("These rows had %d earlier tests, so this one was made at %s confidence.", g.EarlierTests, percentOf(g.TestedAt)))
	}
	if len(g.Requirements) > 1 {
		t.Notes = append(t.Notes, fmt.Sprintf("Each limit shown has %s confidence by itself: of several, one may be wrong more often.", percentOf(g.TestedAt)))
	}
	if !g.Holds && shownAlone {
		t.Notes = append(t.Notes, "The test as a whole was not passed: the confidence of a requirement that is guaranteed all the same is for it alone.")
	}
	switch {
	case g.Holds:
	case g.RowsNeeded != nil:
		rows, times := g.AboutNeeded()
		t.Notes = append(t.Notes, fmt.Sprintf("About %s rows would likely do%s, if people are as these rows are.", thousands(rows), times))
	default:
		t.Notes = append(t.Notes, "If people are as these rows are, no number of rows gives this classifier a guarantee.")
	}
	s.table(t)
	s.text("Neither the model file nor the certificate is signed: who can write to them can change them. Whoever must rely on a guarantee should have the test made again by somebody they trust.")
	d.pastTests(s)
}

// testedRow is the row of requirement k in the table of a test.
func (d *Document) testedRow(k int) []cell {
	v := &d.Guarantee.Requirements[k]
	q := &Requirement{Spec: v.Spec, Measure: string(v.Measure)}
	for k := range d.Requirements {
		if asked := &d.Requirements[k]; asked.Spec == v.Spec && asked.On == v.On {
			if q.Group, q.feature = asked.Group, asked.feature; v.Measure != shortfall {
				q = asked
			}
		}
	}
	q = q.judgedFor(Achieved{Bound: fairness.Value(v.Bound)})
	figure := optional(v.Upper)
	if q.AtLeast = v.Lower != nil; q.AtLeast {
		figure = optional(v.Lower)
	}
	m := q.measure()
	limit, bound := m.Beside(figure, fairness.Value(v.Bound), q.AtLeast, q.outward())
	verdict := cell{Text: "✓ guaranteed", Below: d.Guarantee.onCondition(), Mark: good}
	if !v.Holds {
		verdict = cell{Text: "✗ not shown", Mark: bad, Below: "decided by " + v.Worst}
	}
	name := cell{Text: v.Name()}
	if v.Measure == shortfall {
		name.Below = m.name
	}
	return []cell{name, {Text: m.Text(optional(v.Estimate))}, {Text: q.limit() + limit}, {Text: q.limit() + bound}, verdict}
}

// pastTests lists the tests that the model file remembers.
func (d *Document) pastTests(s *section) {
	if len(d.Tests) == 0 {
		return
	}
	var list []string
	for _, t := range d.Tests {
		outcome := "not passed"
		if t.Holds {
			outcome = "passed"
		}
		list = append(list, fmt.Sprintf("%s, on %s rows at %s confidence: %s", strings.Join(t.Requirements, " and "), thousands(t.Rows), percentOf(t.Confidence), outcome))
	}
	s.text("The model file remembers these tests, but not on what conditions they guarantee something:")
	s.list(list)
}
