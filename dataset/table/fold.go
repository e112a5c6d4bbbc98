package table

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
)

// What few people have would tell who they are. An encoding, which leaves the house with
// its model, does not name what fewer training rows have than Schema.LeastRows.

// DefaultMinCount is the number of training rows below which nothing is named, unless a
// schema says otherwise.
const DefaultMinCount = 5

// LeastRows returns the number of training rows that everything has which an encoding names.
func (s *Schema) LeastRows() int {
	if s.MinCount == 0 {
		return DefaultMinCount
	}
	return s.MinCount
}

// fold notes how many levels of a column, or groups of a specification, are not named.
func (e *Encoding) fold(of string, count int) {
	if count == 0 {
		return
	}
	if e.Folded == nil {
		e.Folded = map[string]int{}
	}
	e.Folded[of] = max(e.Folded[of], count)
}

// Folds returns the columns and groups of which something is not named, sorted.
func (e *Encoding) Folds() []string { return slices.Sorted(maps.Keys(e.Folded)) }

// tooFew drops a column of numbers whose mean would be that of a few people.
func (s *Schema) tooFew(spec ColumnSpec) ColumnSpec {
	return ColumnSpec{Name: spec.Name, As: Drop, Reason: fmt.Sprintf("fewer than %d training rows have a value", s.LeastRows())}
}

// withoutRareLabels returns a copy of s in which all labels that are not positive mean −1 if
// few rows have one of them. c is the column of the labels.
func (s *Schema) withoutRareLabels(c *Column, rows []int) *Schema {
	learned := *s
	learned.Columns = slices.Clone(s.Columns)
	count := make([]int, len(c.Levels))
	for _, i := range rows {
		if c.Codes[i] >= 0 {
			count[c.Codes[i]]++
		}
	}
	for code, n := range count {
		if n > 0 && n < s.LeastRows() && slices.Contains(s.Label.Negative, c.Levels[code]) {
			learned.Label.Negative = nil
		}
	}
	return &learned
}

// learnGroups learns the levels of the attributes of the training rows.
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

// learnCross learns which groups have a feature.
func (e *Encoding) learnCross(groups string, parts dataset.Parting) {
	e.Crosses = append(e.Crosses, CrossEncoding{groups, e.named(groups, parts.Names, parts.Codes)})
}

// named returns the names that enough rows have; codes are indices into names, negative for
// none.
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
