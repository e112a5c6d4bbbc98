package words

import (
	"fmt"
	"strings"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/fairness/changes"
)

// SideEffects is the second line of a verdict: which differences between groups became larger, by more
// than chance, than those of the unconstrained baseline; "" if none did.
func SideEffects(c *changes.Changes) string {
	if text := Larger(c); text != "" {
		return "It costs: " + text + "."
	}
	return ""
}

// Larger is that in lower case.
func Larger(c *changes.Changes) string {
	var texts []string
	group := ""
	for _, e := range c.Worse() {
		text := "the " + shortMeasure(e.Measure) + " difference"
		if e.Group != group {
			text += ofGroups(e.Group)
		}
		from, to := strings.TrimSuffix(Points.Text(e.Before), Points.Unit), Points.Text(e.After)
		if texts == nil {
			text += " rose from " + from + " to " + to
		} else {
			text += " from " + from + " to " + strings.TrimSuffix(to, Points.Unit)
		}
		texts, group = append(texts, text), e.Group
	}
	if texts == nil {
		return ""
	}
	return "on the " + ChangedPeople(c) + " " + And(texts)
}

// shortMeasure is the rate of a measure: "TPR" for tpr_difference.
func shortMeasure(measure string) string {
	rate := strings.ReplaceAll(strings.TrimSuffix(measure, "_difference"), "_", " ")
	if len(rate) == len("tpr") {
		return strings.ToUpper(rate)
	}
	return rate
}

// MeasureOf is a measure in a table: "TPR difference of sex".
func MeasureOf(e *changes.SideEffect) string {
	return Capital(shortMeasure(e.Measure)) + " difference" + ofGroups(e.Group)
}

// WorseInShort names the rates whose differences became larger: "TPR and FPR".
func WorseInShort(c *changes.Changes) string {
	var list []string
	for _, e := range c.Worse() {
		list = append(list, shortMeasure(e.Measure))
	}
	if list == nil {
		return ""
	}
	return And(list)
}

// ChangedPeople are the rows: "2,000 test rows".
func ChangedPeople(c *changes.Changes) string {
	return People(Role(c.People.Role), c.People.All.Rows)
}

// ChangeTable is a table of what the constraints changed for groups.
type ChangeTable struct {
	Caption string
	Head    []string
	Rows    [][]string
	Note    string // "" for none
}

// BeforeAfter names what is compared: the baseline, which may be a given score, and the model.
func BeforeAfter(given string) string {
	if given != "" {
		return "scores as given → adjusted"
	}
	return "unconstrained → this model"
}

// Changes returns a table of so many groups at most, with names as given by name; nil if no decision
// changed. Of more groups, it has those in which the decisions about most people changed.
func Changes(c *changes.Changes, given string, most int, name func(spec, group string) string) *ChangeTable {
	if c.People == nil || c.People.All.Changed() == 0 {
		return nil
	}
	t := &ChangeTable{
		Caption: fmt.Sprintf("%s, in %% of the %s %s rows; changed to + and −", BeforeAfter(given),
			Thousands(c.People.All.Rows), c.People.Role),
		Head: []string{"selection rate", "TPR", "FPR", "precision", "accuracy", "to +", "to −"},
	}
	groups := c.Most(most)
	if all := len(c.People.Groups); all > most {
		t.Note = fmt.Sprintf("Of %d groups, those in which most decisions changed.", all)
	}
	if len(c.People.Groups) != 1 {
		groups = append(groups, c.People.All)
	}
	for _, g := range groups {
		row := []string{"all"}
		if g.Name != "" {
			row[0] = name(g.Group, g.Name)
		}
		for _, of := range []func(*changes.Rates) fairness.Value{
			func(r *changes.Rates) fairness.Value { return r.SelectionRate },
			func(r *changes.Rates) fairness.Value { return r.TPR },
			func(r *changes.Rates) fairness.Value { return r.FPR },
			func(r *changes.Rates) fairness.Value { return r.Precision },
			func(r *changes.Rates) fairness.Value { return r.Accuracy },
		} {
			row = append(row, strings.TrimSuffix(Change(of(&g.Before), of(&g.After)), Percent.Unit))
		}
		t.Rows = append(t.Rows, append(row, Thousands(g.ToPositive), Thousands(g.ToNegative)))
	}
	return t
}

// Change is a share before and after: "16.5 → 1.4 %".
func Change(before, after fairness.Value) string {
	return strings.TrimSuffix(Percent.Text(before), Percent.Unit) + " → " + Percent.Text(after)
}

// NameOfGroup is the name of a group of a specification.
func NameOfGroup(spec, group string) string {
	if group == fairness.Others {
		return dataset.OthersThan(spec)
	}
	return group
}
