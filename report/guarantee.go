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
		b.hideInTest(&v)
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

// hideInTest leaves in the verdict of a test the names of groups that the report shows and that
// have enough people among the rows of the test. If it hides one, no group has its number of rows,
// as all others subtracted from all rows would leave that of the hidden ones.
func (b *builder) hideInTest(v *guarantee.Verdict) {
	spec, few := "", map[string]bool{}
	if c, err := model.ParseConstraint(v.Spec); err == nil {
		spec = groupsOf(c)
	}
	for _, g := range v.Compared {
		few[g.Group] = g.Rows < b.MinGroup
	}
	hides := func(group string) bool { return few[group] || b.named(spec, group) == notShown }
	var compared []guarantee.Compared
	some := slices.ContainsFunc(v.Compared, func(g guarantee.Compared) bool { return hides(g.Group) })
	for _, g := range v.Compared {
		switch name := names.Line(g.Group); {
		case hides(g.Group):
			g = guarantee.Compared{Group: notShown}
		case some:
			g = guarantee.Compared{Group: name}
		default:
			g.Group = name
		}
		if !slices.Contains(compared, g) {
			compared = append(compared, g)
		}
	}
	v.TooSmall = slices.DeleteFunc(slices.Clone(v.TooSmall),
		func(s guarantee.SmallGroup) bool { return hides(s.Group) })
	for k := range v.TooSmall {
		v.TooSmall[k].Group = names.Line(v.TooSmall[k].Group)
	}
	if v.WorstGroups == nil || slices.ContainsFunc(v.WorstGroups, hides) { // earlier versions did not name them
		v.Worst, v.WorstGroups = notShown, nil
	}
	v.Spec, v.Compared, v.Worst, v.WorstGroups = names.Line(v.Spec), compared, names.Line(v.Worst), lines(v.WorstGroups)
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
		list = append(list, fmt.Sprintf("%s, on %s rows at %s confidence: %s",
			strings.Join(t.Requirements, " and "), words.Thousands(t.Rows), words.Confidence(t.Confidence), outcome))
	}
	s.text("The model file has these tests, but not their conditions:")
	s.list(list)
}
