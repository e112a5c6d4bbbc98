package table

import (
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
)

// attribute makes an attribute of a column, at the given rows.
func (g GroupSpec) attribute(c *Column, rows []int) dataset.Attribute {
	a := dataset.Attribute{Name: g.name()}
	if c.Numbers != nil {
		a.Numbers = c.numbersAt(rows)
	}
	if g.Number && c.Numbers != nil {
		return a
	}
	code, levels := g.coding(c)
	a.Levels, a.Codes = levels, make([]int32, len(rows))
	missing := false
	for k, i := range rows {
		a.Codes[k] = code(i)
		missing = missing || int(a.Codes[k]) == len(levels)
	}
	if missing {
		a.Levels = append(a.Levels, dataset.MissingLevel)
	}
	return a
}

// coding returns the levels of the attribute and the function that gives the level of a
// row, len(levels) for a missing value.
func (g GroupSpec) coding(c *Column) (code func(i int) int32, levels []string) {
	if c.Numbers != nil {
		levels = slices.Clone(g.Levels)
		return func(i int) int32 {
			v := c.Numbers[i]
			if math.IsNaN(v) {
				return int32(len(levels))
			}
			k, _ := slices.BinarySearch(g.Cuts, v) // the first cut ≥ v
			return int32(k)
		}, levels
	}
	names := slices.Clone(c.Levels)
	for level, values := range g.Merge {
		for k, name := range c.Levels {
			if slices.Contains(values, name) {
				names[k] = level
			}
		}
	}
	levels = slices.Compact(slices.Sorted(slices.Values(names)))
	byCode := make([]int32, len(names))
	for k, name := range names {
		at, _ := slices.BinarySearch(levels, name)
		byCode[k] = int32(at)
	}
	return func(i int) int32 {
		if c.Codes[i] < 0 {
			return int32(len(levels))
		}
		return byCode[c.Codes[i]]
	}, levels
}
