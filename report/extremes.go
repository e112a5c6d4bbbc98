package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/internal/inert"
	"github.com/fairtrain/fairtrain/model"
)

// extremes are the groups whose rates a requirement was judged by, as the comparison of groups shows them. They
// are nil where it hides a group or its rate, and for mean scores, which it does not have.
func (b *builder) extremes(role Role, c model.Constraint, found *model.Extremes) *model.Extremes {
	grouped, ok := c.(model.Grouped)
	if !ok || found == nil {
		return nil
	}
	spec := grouped.Groups()[0]
	shown := *found
	for _, g := range []*model.GroupRate{&shown.Lowest, &shown.Highest} {
		cell := b.cellOf(role, spec, g.Group)
		if cell == nil {
			return nil
		}
		if !cell.shows(found.Rate) {
			return nil
		}
		if _, err := strconv.Atoi(spec); err == nil || g.Group == model.OthersThan(spec) {
			g.Group = cell.Name
		}
		g.Group = inert.Line(g.Group)
	}
	return &shown
}

// cellOf finds a group of a specification in the comparison of groups, nil if it is not shown.
func (b *builder) cellOf(role Role, spec, name string) *GroupCell {
	if name == model.OthersThan(spec) {
		name = fairness.Others
	}
	shown := b.groupName(spec, name, 0)
	for _, c := range b.doc.Comparison {
		if c.Group != inert.Line(spec) {
			continue
		}
		for _, t := range c.Tables {
			at := slices.IndexFunc(t.Groups, func(g GroupCell) bool { return !g.Folded && g.Name == shown })
			if t.Role == role && at >= 0 {
				return &t.Groups[at]
			}
		}
	}
	return nil
}

// shows reports whether a rate of the group is shown.
func (c *GroupCell) shows(rate string) bool {
	e, known := map[string]fairness.Estimate{"selection_rate": c.SelectionRate, "true_positive_rate": c.TPR, "false_positive_rate": c.FPR}[rate]
	return known && e.Value.Defined()
}

// furthestApart names the groups that made a figure, "" if none are known.
func (a *Achieved) furthestApart() string {
	e := a.Extremes
	if e == nil {
		return ""
	}
	of := func(g model.GroupRate) string {
		return fmt.Sprintf("%s, %s of %s people", g.Group, percent(fairness.Value(g.Value)), thousands(g.Rows))
	}
	return fmt.Sprintf("the %s is lowest for %s, and highest for %s", strings.ReplaceAll(e.Rate, "_", " "), of(e.Lowest), of(e.Highest))
}
