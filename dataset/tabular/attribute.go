package tabular

import (
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
)

// Attributes returns the attributes that groups make of the given rows. It leaves out groups
// whose column t lacks.
func (t *Table) Attributes(groups []GroupSpec, rows []int) []dataset.Attribute {
	var list []dataset.Attribute
	for _, g := range groups {
		if c := t.Column(g.Column); c != nil {
			list = append(list, g.attribute(c, rows))
		}
	}
	return list
}

// Weights returns the weights of the given rows from a column. It returns nil if t lacks the
// column, or if weights play no part.
func (t *Table) Weights(column string, rows []int) []float64 {
	c := t.Column(column)
	if c == nil || t.anyLabels {
		return nil
	}
	return c.numbersAt(rows)
}

// attribute makes an attribute of the given rows of a column.
func (g GroupSpec) attribute(c *Column, rows []int) dataset.Attribute {
	a := dataset.Attribute{Name: g.name()}
	var byCode []int
	if c.Numbers != nil {
		a.Numbers = c.numbersAt(rows)
		if g.Number {
			return a
		}
		a.Levels = slices.Clone(g.Levels)
	} else {
		a.Levels, byCode = g.merged(c)
	}
	absent := len(a.Levels)
	a.Codes = dataset.MakeCodes(len(rows), absent)
	missing := false
	for k, i := range rows {
		level := absent
		switch {
		case c.Numbers == nil:
			level = byCode[c.Codes.At(i)]
		case !math.IsNaN(a.Numbers[k]):
			level, _ = slices.BinarySearch(g.Cuts, a.Numbers[k]) // index of the first cut ≥ the number
		}
		a.Codes.Put(k, level)
		missing = missing || level == absent
	}
	if missing {
		a.Levels = append(a.Levels, dataset.MissingLevel)
	}
	return a
}

// merged returns the levels of the attribute, sorted. byCode[k] is the attribute's level for
// code k of the column, one more than the last for a missing value, unless the group merges that.
func (g GroupSpec) merged(c *Column) (levels []string, byCode []int) {
	if g.Merge == nil { // the same, but faster
		byCode = make([]int, 1+len(c.Levels))
		for k := range byCode {
			byCode[k] = k - 1
		}
		byCode[0] = len(c.Levels)
		return slices.Clone(c.Levels), byCode
	}
	names, ofMissing, merges := slices.Clone(c.Levels), "", false
	for level, values := range g.Merge {
		if slices.ContainsFunc(values, isMissing) && c.Count(nil)[0] > 0 {
			ofMissing, merges = level, true
		}
		for k, name := range c.Levels {
			if slices.Contains(values, name) {
				names[k] = level
			}
		}
	}
	all := names
	if merges {
		all = append(slices.Clone(names), ofMissing)
	}
	levels = slices.Compact(slices.Sorted(slices.Values(all)))
	byCode = make([]int, 1+len(names))
	byCode[0] = len(levels)
	if merges {
		byCode[0], _ = slices.BinarySearch(levels, ofMissing)
	}
	for k, name := range names {
		byCode[1+k], _ = slices.BinarySearch(levels, name)
	}
	return levels, byCode
}

// isMissing reports whether a value that is merged stands for a missing one.
func isMissing(value string) bool { return value == "" || value == dataset.MissingLevel }
