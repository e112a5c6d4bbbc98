package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// specs returns the specifications of the groups to compare: first the groups of the
// constraints, then the given groups, then those of a test that all rows have. Of a column of which
// some groups are named, all are compared.
func (b *builder) specs() []string {
	var specs, unique []string
	for _, c := range b.Source.Constraints {
		if parsed, err := constraint(c); err == nil {
			specs = append(specs, model.GroupsOf(parsed)...)
		}
	}
	specs = append(specs, b.Groups...)
	if b.Guarantee != nil {
		for _, v := range b.Guarantee.Requirements {
			if c, err := model.ParseConstraint(v.Spec); err == nil {
				specs = append(specs, slices.DeleteFunc(model.GroupsOf(c), b.isLacking)...)
			}
		}
	}
	for _, spec := range specs {
		if spec = dataset.Whole(spec); !slices.Contains(unique, spec) {
			unique = append(unique, spec)
		}
	}
	return unique
}

// isLacking reports whether some rows lack what a specification names.
func (b *builder) isLacking(spec string) bool {
	return slices.ContainsFunc(b.sets, func(j scoredSet) bool { return j.Data.CheckTerms(dataset.ParseTerms(spec)) != nil })
}

// compare compares the groups of every specification, on all rows.
func (b *builder) compare() error {
	for _, spec := range b.specs() {
		p, err := newPeople(b.sets, spec, b.MinGroup)
		if err != nil {
			return err
		}
		c := Comparison{Group: spec, Tables: []GroupTable{}}
		for k, hidden := range p.hidden {
			if hidden {
				b.doc.Privacy.Folded++
			} else {
				b.shown[key(spec, p.names[k])] = !p.unlabelled[k]
			}
		}
		if !slices.Contains(p.hidden, false) {
			c.Hidden = fmt.Sprintf("A group has fewer than %d people, and no other groups are left that could be shown without revealing it.", b.MinGroup)
			b.doc.Comparison = append(b.doc.Comparison, c)
			continue
		}
		for k := range b.sets {
			on := p.shown(k)
			t := GroupTable{Role: b.sets[k].Role, Groups: []GroupCell{}, Folded: on.merged}
			if len(on.Names) > 0 { // otherwise these rows have people of other groups only
				if t.Groups, _, err = b.measure(&b.sets[k], on.Grouping); err != nil {
					return err
				}
			}
			b.hideLabels(on.unlabelled, t.Groups)
			for i, name := range on.Names {
				t.Groups[i].Name, t.Groups[i].Folded = b.groupName(spec, name, on.merged), name == ""
			}
			compareRates(t.Groups)
			c.Tables = append(c.Tables, t)
		}
		b.doc.Comparison = append(b.doc.Comparison, c)
	}
	return nil
}

// compareRates enters the impact ratios.
func compareRates(cells []GroupCell) {
	highest := fairness.Value(0)
	for _, c := range cells {
		if !c.Folded {
			highest = max(highest, c.SelectionRate.Value)
		}
	}
	for k := range cells {
		c := &cells[k]
		if c.ImpactRatio = c.SelectionRate.Value / highest; c.Folded {
			c.ImpactRatio = fairness.Undefined()
		}
	}
}

// groupName is the name of a group of a specification for readers; "" stands for the
// merged groups.
func (b *builder) groupName(spec, name string, folded int) string {
	switch name {
	case "":
		return fmt.Sprintf("small groups (%d)", folded)
	case fairness.Others:
		return "all others"
	}
	if feature, err := strconv.Atoi(name); err == nil {
		if all := b.Model.Features.Names; feature >= 1 && feature <= len(all) {
			return all[feature-1]
		}
		return fmt.Sprintf("feature %d", feature)
	}
	parts := dataset.SplitTerms(name) // of rows without such a group
	for _, set := range b.sets {
		if found := set.Data.PartsOf(spec, name); found != nil {
			parts = found
			break
		}
	}
	for k, part := range parts {
		for _, term := range dataset.SplitTerms(spec) {
			if level, ok := strings.CutPrefix(part, term+"="); ok { // all levels of a column are compared
				parts[k] = level
			}
		}
	}
	return strings.Join(parts, ", ")
}

// sentenceName names a group in a sentence, which does not name its specification.
func (b *builder) sentenceName(spec, name string) string {
	if _, err := strconv.Atoi(name); err == nil || name == fairness.Others {
		return b.groupName(spec, name, 0)
	}
	return name
}

// measure returns how the model does on groups of a set of rows; on all rows if there are none. The
// report has all metrics.
func (b *builder) measure(set *scoredSet, groups *scoring.Grouping) ([]GroupCell, *fairness.Report, error) {
	o := fairness.DefaultFrameOptions()
	o.Metrics = fairness.Named("base_rate", "selection_rate", "tpr", "fpr", "accuracy")
	o.Level = Level
	if set.Role.Counted() {
		o.Interval = fairness.NoInterval
	}
	rows, err := set.Judge(groups)
	if err != nil {
		return nil, nil, err
	}
	frame, err := rows.Frame(o)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", set.Data.Name, err)
	}
	cell := func(metrics *fairness.Metrics, pick func(metric int) fairness.Estimate) GroupCell {
		return GroupCell{Rows: metrics.Rows, Cell: Cell{
			BaseRate: pick(0), SelectionRate: pick(1), TPR: pick(2), FPR: pick(3), Accuracy: pick(4),
			AUC: metrics.AUC, LogLoss: metrics.LogLoss, ECE: metrics.ECE,
		}}
	}
	if len(groups.Names) == 0 {
		return []GroupCell{cell(&frame.Report.Metrics, func(k int) fairness.Estimate { return frame.Metrics[k].Overall })}, frame.Report, nil
	}
	cells := make([]GroupCell, len(groups.Names))
	for i := range cells {
		cells[i] = cell(&frame.Report.Groups[i].Metrics,
			func(k int) fairness.Estimate { return frame.Metrics[k].Groups[i].Estimate })
	}
	return cells, frame.Report, nil
}

// hideLabels takes out all figures that use labels from groups with fewer people of one
// label than may be shown. A single rate would be enough to reveal them: 5 of 63 negatives,
// among 66 people, reveals 3 positives.
func (b *builder) hideLabels(unlabelled []bool, cells []GroupCell) {
	for k := range cells {
		c := &cells[k]
		if !unlabelled[k] {
			continue
		}
		c.BaseRate, c.TPR, c.FPR, c.Accuracy = fairness.NoEstimate(), fairness.NoEstimate(), fairness.NoEstimate(), fairness.NoEstimate()
		c.AUC, c.LogLoss, c.ECE = fairness.Undefined(), fairness.Undefined(), fairness.Undefined()
	}
}
