package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/internal/inert"
	"github.com/fairtrain/fairtrain/model"
)

// extremes finds the groups whose rates make what a requirement achieved among the groups that the comparison of
// groups shows, with the figures that it shows. They are nil if only hidden ones do, if all rates are equal, and for
// mean scores, which are not compared there.
func (b *builder) extremes(set judged, c model.Constraint, r *model.Requirement, achieved float64) *Extremes {
	grouped, ok := c.(model.Grouped)
	if !ok {
		return nil
	}
	cells := b.cellsOf(set.Role, grouped.Groups()[0])
	for k := range r.Comparisons {
		compared := &r.Comparisons[k]
		var shown []GroupRate
		var rates []float64
		for i := range cells {
			if g, ok := cells[i].rate(compared.Rate, set.Data.Weighted()); ok {
				shown, rates = append(shown, g), append(rates, float64(g.Value))
			}
		}
		const roundoff = 1e-9
		if len(rates) < 2 || math.Abs(compared.Gap(rates)-achieved) > roundoff {
			continue
		}
		byRate := func(x, y GroupRate) int { return cmp.Compare(x.Value, y.Value) }
		e := &Extremes{compared.Rate, slices.MinFunc(shown, byRate), slices.MaxFunc(shown, byRate), set.Data.Weighted()}
		if e.Highest.Value-e.Lowest.Value > roundoff {
			return e
		}
	}
	return nil
}

// cellsOf returns the groups of a specification that are shown on their own.
func (b *builder) cellsOf(role Role, spec string) (cells []GroupCell) {
	for _, c := range b.doc.Comparison {
		for _, t := range c.Tables {
			if c.Group == inert.Line(spec) && t.Role == role {
				cells = slices.DeleteFunc(slices.Clone(t.Groups), func(g GroupCell) bool { return g.Folded })
			}
		}
	}
	return cells
}

// rate is a rate of decisions by its name. It is not ok if it is not shown.
func (c *GroupCell) rate(name string, weighted bool) (g GroupRate, ok bool) {
	g = GroupRate{c.spec, fairness.Undefined(), fairness.Value(c.Rows)}
	switch name {
	case "selection_rate":
		g.Value = c.SelectionRate.Value
	case "true_positive_rate":
		g.Value, g.Rows = c.TPR.Value, c.Positives
	case "false_positive_rate":
		g.Value, g.Rows = c.FPR.Value, fairness.Value(c.Rows)-c.Positives
	}
	if weighted && name != "selection_rate" {
		g.Rows = fairness.Undefined()
	}
	return g, g.Value.Defined()
}

// furthestApart names the groups that made a figure, "" if none are known.
func (a *Achieved) furthestApart() string {
	e := a.Extremes
	if e == nil {
		return ""
	}
	labelled := map[string]string{"true_positive_rate": " with the positive label", "false_positive_rate": " with the negative label"}[e.Rate]
	of := func(g GroupRate) string {
		text := g.Group + ", " + percent(g.Value)
		switch {
		case e.Weighted && g.Rows.Defined():
			text += fmt.Sprintf(" by weight (%s people)", thousands(int(g.Rows)))
		case e.Weighted:
			text += " by weight"
		default:
			text += fmt.Sprintf(" of %s people%s", thousands(int(g.Rows)), labelled)
		}
		return text
	}
	return fmt.Sprintf("the %s is lowest for %s, and highest for %s", strings.ReplaceAll(e.Rate, "_", " "), of(e.Lowest), of(e.Highest))
}
