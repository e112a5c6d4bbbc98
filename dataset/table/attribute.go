package table

import (
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
)

// attribute makes an attribute of a column, at the given rows.
func (g GroupSpec) attribute(c *Column, rows []int) dataset.Attribute {
	a := dataset.Attribute{Name: g.name()}
	var byCode []int32
	if c.Numbers != nil {
		a.Numbers = c.numbersAt(rows)
		if g.Number {
			return a
		}
		a.Levels = slices.Clone(g.Levels)
	} else {
		a.Levels, byCode = g.merged(c.Levels)
	}
	a.Codes = make([]int32, len(rows))
	absent := int32(len(a.Levels))
	missing := false
	for k, i := range rows {
		switch {
		case c.Numbers == nil && c.Codes[i] >= 0:
			a.Codes[k] = byCode[c.Codes[i]]
		case c.Numbers != nil && !math.IsNaN(c.Numbers[i]):
			cut, _ := slices.BinarySearch(g.Cuts, c.Numbers[i]) // the first cut ≥ the number
			a.Codes[k] = int32(cut)
		default:
			a.Codes[k] = absent
			missing = true
		}
	}
	if missing {
		a.Levels = append(a.Levels, dataset.MissingLevel)
	}
	return a
}

// merged returns the levels of the attribute, sorted, and which of them each level of the
// column is.
func (g GroupSpec) merged(column []string) (levels []string, byCode []int32) {
	names := slices.Clone(column)
	for level, values := range g.Merge {
		for k, name := range column {
			if slices.Contains(values, name) {
				names[k] = level
			}
		}
	}
	levels = slices.Compact(slices.Sorted(slices.Values(names)))
	byCode = make([]int32, len(names))
	for k, name := range names {
		at, _ := slices.BinarySearch(levels, name)
		byCode[k] = int32(at)
	}
	return levels, byCode
}
