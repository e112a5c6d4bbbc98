package encoding

import (
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
)

// Absent returns groups that there were in training and that no row of d belongs to, such
// as "sex=x", for every attribute of a specification all of whose levels are groups. What
// combinations of levels there were is not known.
func (e *Encoding) Absent(d *dataset.Dataset, spec string) []string {
	var absent []string
	for _, t := range dataset.ParseTerms(spec) {
		a := d.Attribute(t.Attribute)
		if a == nil || !t.Whole() {
			continue
		}
		present := d.Part([]dataset.Term{t}).Names
		for _, level := range e.levelsOf(t.Attribute) {
			if name := a.Name + "=" + level; !slices.Contains(present, name) {
				absent = append(absent, name)
			}
		}
	}
	return absent
}

// levelsOf returns the levels that an attribute had in training, as far as e tells: of what
// was no group then, those that are features.
func (e *Encoding) levelsOf(attribute string) []string {
	if levels, ok := e.Levels[attribute]; ok {
		return levels
	}
	f := slices.IndexFunc(e.Features, func(f Column) bool { return f.Column == attribute })
	g := e.Schema.GroupIndex(attribute)
	if f < 0 || g >= 0 && len(e.Schema.Groups[g].Merge) > 0 {
		return nil
	}
	return e.Features[f].Levels
}

// UsesGroups returns the attributes in specifications of groups that the features tell
// directly, each once: those whose column is a feature or part of a cross. (A column that
// is no group may tell them all the same, as a husband is told by his relationship.)
func (e *Encoding) UsesGroups(specs []string) []string {
	var used []string
	for _, spec := range specs {
		for _, name := range dataset.AttributesIn(spec) {
			if !slices.Contains(used, name) && e.usesGroup(name) {
				used = append(used, name)
			}
		}
	}
	return used
}

func (e *Encoding) usesGroup(name string) bool {
	column := name
	if k := e.Schema.GroupIndex(name); k >= 0 {
		column = e.Schema.Groups[k].Column
	}
	return slices.ContainsFunc(e.Features, func(f Column) bool { return f.Column == column }) ||
		slices.ContainsFunc(e.Crosses, func(c Cross) bool {
			return slices.Contains(e.Schema.GroupColumns([]string{c.Groups}), column)
		})
}
