package report

import (
	"slices"

	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/guarantee"
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
			if f := &b.doc.Requirements[k]; f.Spec == v.Spec && f.On == v.On && string(v.Measure) != words.Shortfall {
				a := words.Value{Role: Certified, Rows: g.Rows, Met: v.Holds, Bound: fairness.Value(v.Bound)}
				a.Value, a.Low, a.High = words.Optional(v.Estimate), words.Optional(v.Lower), words.Optional(v.Upper)
				f.Values = append(f.Values, a)
			}
		}
	}
	g.Report, g.Data = &outcome, fileName(g.Data)
	g.Conditions, g.Statement = words.Conditions(&g.Certificate), words.Statement(&g.Certificate)
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
		if hides(g.Group) {
			g.Group = notShown
		}
		if some {
			g = guarantee.Compared{Group: g.Group}
		}
		if !slices.Contains(compared, g) {
			compared = append(compared, g)
		}
	}
	v.Compared = compared
	v.TooSmall = slices.DeleteFunc(slices.Clone(v.TooSmall),
		func(s guarantee.SmallGroup) bool { return hides(s.Group) })
	if v.WorstGroups == nil || slices.ContainsFunc(v.WorstGroups, hides) { // earlier versions did not name them
		v.Worst, v.WorstGroups = notShown, nil
	}
}
