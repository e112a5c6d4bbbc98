package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/internal/names"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/report/words"
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
		v.Spec, v.Compared = names.Line(v.Spec), b.compared(spec, v.Compared)
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
				a := words.Value{Role: Certified, Rows: g.Rows, Met: v.Holds}
				a.Value, a.Low, a.High, a.Bound = words.Optional(v.Estimate), words.Optional(v.Lower), words.Optional(v.Upper), fairness.Value(v.Bound)
				if v.Measure == words.Shortfall {
					a.Measure = words.Shortfall
				}
				q.Values = append(q.Values, a)
			}
		}
	}
	g.Report = &outcome
	g.Data, g.Assumption, g.Remarks, g.WhyUnchecked = fileName(g.Data), names.Line(g.Assumption), lines(g.Remarks), names.Line(g.WhyUnchecked)
	g.Conditions, g.Statement = words.Conditions(&g.Certificate), words.Statement(&g.Certificate)
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
	if v.WorstGroups == nil || slices.ContainsFunc(v.WorstGroups, hides) { // earlier versions did not name them
		return aSmallGroup, nil
	}
	return names.Line(v.Worst), lines(v.WorstGroups)
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
			g = guarantee.Compared{Group: names.Line(g.Group)}
		default:
			g.Group = names.Line(g.Group)
		}
		if !slices.Contains(list, g) {
			list = append(list, g)
		}
	}
	return list
}

func (d *Document) guaranteeSection(s *section) {
	g := d.Guarantee
	if g == nil {
		none := "None: the model of this report comes without a test on rows that had no part in training."
		if len(d.Tests) > 0 {
			none = "None: the outcome of no test is part of this report."
		}
		s.text("%s “fairtrain certify” makes such a test.", none)
		d.pastTests(s)
		return
	}
	s.text("%s", g.Statement)
	s.text("%s", words.Assumption(&g.Certificate))
	s.text("A test like this one says “guaranteed” of a classifier that violates a constraint at most %.6g times in 100.", 100*(1-g.Confidence))
	t := table{Caption: "The test, on " + words.Thousands(g.Rows) + " rows of " + g.Data, Head: words.TestedHead, Notes: words.GuaranteeNotes(&g.Certificate)}
	if needed := words.RowsNeeded(&g.Certificate); needed != "" {
		s.text("%s", needed)
	}
	for k := range g.Requirements {
		v := words.TestOf(&g.Requirements[k])
		row := cells(v.Name, v.Estimate, v.Limit, v.Bound, v.Verdict)
		verdict := &row[len(row)-1]
		verdict.Mark, verdict.Below = good, g.onCondition()
		if v.DecidedBy != "" {
			verdict.Mark, verdict.Below = bad, "decided by "+v.DecidedBy
		}
		t.Rows = append(t.Rows, row)
	}
	s.table(t)
	s.text("Neither the model file nor the certificate is signed: who can write to them can change them. Whoever must rely on a guarantee should have the test made again by somebody they trust.")
	d.pastTests(s)
}

// onCondition says that there are conditions, empty if there are none.
func (g *Guarantee) onCondition() string {
	if len(g.Conditions) == 0 {
		return ""
	}
	return "on a condition"
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
		list = append(list, fmt.Sprintf("%s, on %s rows at %s confidence: %s", strings.Join(t.Requirements, " and "), words.Thousands(t.Rows), words.Confidence(t.Confidence), outcome))
	}
	s.text("The model file has these tests, but not their conditions:")
	s.list(list)
}
