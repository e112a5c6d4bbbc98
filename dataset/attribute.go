package dataset

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// MissingLevel is the level of the rows in which an attribute is missing. They are a group
// like any other, so that nobody drops out of an audit.
const MissingLevel = "(missing)"

// Attribute is what the people behind the rows are parted into groups by, such as their
// sex. It is kept beside the features, which may contain it or not.
type Attribute struct {
	Name   string
	Levels []string // distinct and sorted, or ascending if they are ranges of a number
	Codes  []int32  // index into Levels, one a row
}

// FindGroups returns the groups that a specification names:
//
//	71              the rows in which feature 71 is not zero, counted from 1
//	race=Black      the rows with one level of an attribute
//	sex             one group for every level of an attribute
//	sex*race        one group for every combination of levels that occurs
//	sex=Female*race one for every race among women
//
// Those after the first need d.Attributes, which data read from CSV files have. An
// attribute whose name is a number goes before the feature. The name of each group is
// again a specification, of this group alone. (A level that contains a * can't be named;
// GroupSpec.Merge gives it another name.)
func FindGroups(d *Dataset, spec string) ([]*Group, error) {
	if feature, err := strconv.Atoi(spec); err == nil && d.attribute(spec) == nil {
		g, err := GroupByFeature(d, feature)
		if err != nil {
			return nil, err
		}
		return []*Group{g}, nil
	}
	cells := []cell{{}}
	for term := range strings.SplitSeq(spec, "*") {
		var err error
		if cells, err = d.cross(cells, term); err != nil {
			return nil, fmt.Errorf("group %s: %w", spec, err)
		}
	}
	var groups []*Group
	for _, c := range cells {
		if len(cells) > 1 && !slices.Contains(c.member, true) {
			continue // a combination that does not occur
		}
		g, err := NewGroup(c.name, c.member)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name, err)
		}
		groups = append(groups, g)
	}
	return groups, nil
}

// AttributesIn returns the names of the attributes in a specification of groups, none if
// it is the number of a feature.
func AttributesIn(spec string) []string {
	if _, err := strconv.Atoi(spec); err == nil {
		return nil
	}
	var names []string
	for term := range strings.SplitSeq(spec, "*") {
		name, _, _ := strings.Cut(term, "=")
		names = append(names, name)
	}
	return names
}

// cell is a combination of levels; no member slice means that all rows belong.
type cell struct {
	name   string
	member []bool
}

// cross cuts cells by the attribute of a term "name" or "name=level".
func (d *Dataset) cross(cells []cell, term string) ([]cell, error) {
	name, only, single := strings.Cut(term, "=")
	a := d.attribute(name)
	if a == nil && len(d.Attributes) == 0 {
		return nil, fmt.Errorf("%s has no attributes, its groups are numbers of features", d.Name)
	}
	if a == nil {
		var names []string
		for _, a := range d.Attributes {
			names = append(names, a.Name)
		}
		return nil, fmt.Errorf("%s has no attribute %q, it has %s%s", d.Name, name, listLevels(names), didYouMean(name, names))
	}
	if single && !slices.Contains(a.Levels, only) {
		return nil, fmt.Errorf("%s has no value %q, it has %s%s", name, only, listLevels(a.Levels), didYouMean(only, a.Levels))
	}
	var crossed []cell
	for _, c := range cells {
		for code, level := range a.Levels {
			if single && level != only {
				continue
			}
			part := cell{name: name + "=" + level, member: make([]bool, len(a.Codes))}
			if c.name != "" {
				part.name = c.name + "*" + part.name
			}
			for i, k := range a.Codes {
				part.member[i] = int(k) == code && (c.member == nil || c.member[i])
			}
			crossed = append(crossed, part)
		}
	}
	return crossed, nil
}

// attribute returns the attribute of the given name, nil if there is none.
func (d *Dataset) attribute(name string) *Attribute {
	for k := range d.Attributes {
		if d.Attributes[k].Name == name {
			return &d.Attributes[k]
		}
	}
	return nil
}

// attribute makes an attribute of a column, at the given rows.
func (g GroupSpec) attribute(c *Column, rows []int) Attribute {
	code, levels := g.coding(c)
	a := Attribute{Name: g.name(), Levels: levels, Codes: make([]int32, len(rows))}
	missing := false
	for k, i := range rows {
		a.Codes[k] = code(i)
		missing = missing || int(a.Codes[k]) == len(levels)
	}
	if missing {
		a.Levels = append(a.Levels, MissingLevel)
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
