package encoding

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/table"
)

// What few people have would tell who they are. An encoding leaves the house with its model.
// So it does not name what fewer than Schema.LeastRows training rows have.

// fold notes how many levels of a column, or how many groups of a specification, are not
// named.
func (e *Encoding) fold(of string, count int) {
	if count == 0 {
		return
	}
	if e.Folded == nil {
		e.Folded = map[string]int{}
	}
	e.Folded[of] = max(e.Folded[of], count)
}

// Folds returns the columns and the specifications of groups with something that is not named,
// sorted.
func (e *Encoding) Folds() []string { return slices.Sorted(maps.Keys(e.Folded)) }

// tooFew drops a column of numbers, because fewer than least rows have a value: their mean
// would tell about a few people.
func tooFew(spec table.ColumnSpec, least int) table.ColumnSpec {
	return table.ColumnSpec{Name: spec.Name, As: table.Drop, Reason: fmt.Sprintf("fewer than %d training rows have a value", least)}
}

// withoutRareLabels returns a copy of the schema of t in which all labels that are not
// positive mean −1, if one of them is rare among the rows.
func withoutRareLabels(t *table.Table, rows []int) *table.Schema {
	learned := *t.Schema
	learned.Columns = slices.Clone(learned.Columns)
	label := t.Column(learned.Label.Column)
	count, _ := label.Count(rows)
	for code, n := range count {
		if n > 0 && n < learned.LeastRows() && slices.Contains(t.Schema.Label.Negative, label.Levels[code]) {
			learned.Label.Negative = nil
		}
	}
	return &learned
}

// learnGroups learns the levels that the attributes have in the training rows.
func (e *Encoding) learnGroups(attributes []dataset.Attribute) {
	for k := range attributes {
		a := &attributes[k]
		if a.Levels == nil {
			continue
		}
		if e.Levels == nil {
			e.Levels = map[string][]string{}
		}
		e.Levels[a.Name] = e.named(a.Name, a.Levels, a.Codes)
	}
}

// learnCross learns which groups of a cross have a feature.
func (e *Encoding) learnCross(groups string, parts dataset.Parting) {
	e.Crosses = append(e.Crosses, Cross{groups, e.named(groups, parts.Names, parts.Codes)})
}

// named returns the names that enough rows have. codes are the rows' indices into names,
// negative for none.
func (e *Encoding) named(of string, names []string, codes []int32) []string {
	count := make([]int, len(names))
	for _, code := range codes {
		if code >= 0 {
			count[code]++
		}
	}
	var list []string
	folded := 0
	for k, name := range names {
		switch {
		case count[k] >= e.Schema.LeastRows():
			list = append(list, name)
		case count[k] > 0:
			folded++
		}
	}
	e.fold(of, folded)
	return list
}
