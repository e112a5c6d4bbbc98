package table

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
	weights := make([]float64, len(rows))
	c.NumbersOf(weights, rows)
	return weights
}

// attribute makes an attribute of the given rows of a column.
func (g GroupSpec) attribute(c *Column, rows []int) dataset.Attribute {
	a := dataset.Attribute{Name: g.name()}
	var byCode []int
	if c.Numbers != nil {
		a.Numbers = make([]float64, len(rows))
		c.NumbersOf(a.Numbers, rows)
		if g.Number {
			return a
		}
		a.Levels = slices.Clone(g.Levels)
	} else {
		a.Levels, byCode = g.merged(c.Levels)
	}
	absent := len(a.Levels)
	a.Codes = dataset.MakeCodes(len(rows), absent)
	missing := false
	for k, i := range rows {
		switch {
		case c.Numbers == nil && c.Codes.At(i) > 0:
			a.Codes.Put(k, byCode[c.Codes.At(i)-1])
		case c.Numbers != nil && !math.IsNaN(a.Numbers[k]):
			cut, _ := slices.BinarySearch(g.Cuts, a.Numbers[k]) // index of the first cut ≥ the number
			a.Codes.Put(k, cut)
		default:
			a.Codes.Put(k, absent)
			missing = true
		}
	}
	if missing {
		a.Levels = append(a.Levels, dataset.MissingLevel)
	}
	return a
}

// merged returns the levels of the attribute, sorted. byCode[k] is the attribute's level for
// level k of the column.
func (g GroupSpec) merged(column []string) (levels []string, byCode []int) {
	names := slices.Clone(column)
	for level, values := range g.Merge {
		for k, name := range column {
			if slices.Contains(values, name) {
				names[k] = level
			}
		}
	}
	levels = slices.Compact(slices.Sorted(slices.Values(names)))
	byCode = make([]int, len(names))
	for k, name := range names {
		byCode[k], _ = slices.BinarySearch(levels, name)
	}
	return levels, byCode
}
