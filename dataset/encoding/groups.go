package encoding

import (
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular"
)

// Absent returns the groups, such as "sex=x", that training had and that d lacks. It looks at
// every attribute of a specification of which all levels, or several, are groups. It does not
// know which combinations of levels training had.
func (e *Encoding) Absent(d *dataset.Dataset, spec string) []string {
	absent := d.Lacking(spec)
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

// levelsOf returns the levels that an attribute had in training, as far as e tells. If the
// attribute formed no groups in training, e knows only the levels that are features.
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

// spell gives levels the spelling that they had in training; see spellings.
func (e *Encoding) spell(attributes []dataset.Attribute) {
	for _, a := range attributes {
		var known, present map[string]bool // made for the first level that has other spellings
		for k, level := range a.Levels {
			others := spellings(level)
			if others != nil && known == nil {
				known, present = setOf(e.levelsOf(a.Name)), setOf(a.Levels)
			}
			if known[level] {
				continue
			}
			for _, other := range others {
				if known[other] && !present[other] {
					a.Levels[k] = other
				}
			}
		}
	}
}

func setOf(levels []string) map[string]bool {
	set := make(map[string]bool, len(levels))
	for _, level := range levels {
		set[level] = true
	}
	return set
}

// spellings are how other programs write a level: pandas writes True, which is true in Parquet and
// other programs, and 1.0 for 1 where a column of whole numbers lacks a value.
func spellings(level string) []string {
	if tabular.IsTruth(level) {
		lower := strings.ToLower(level)
		return []string{lower, strings.ToUpper(lower[:1]) + lower[1:], strings.ToUpper(lower)}
	}
	whole, hasPoint := strings.CutSuffix(level, ".0")
	if digits := strings.TrimPrefix(whole, "-"); digits == "" || strings.Trim(digits, "0123456789") != "" {
		return nil
	}
	if hasPoint {
		return []string{whole}
	}
	return []string{level + ".0"}
}

// UsesGroups returns the attributes, in specifications of groups, that the features have
// directly: the attribute's column is a feature, or part of a cross. Each attribute is
// returned once. (Another column may be a proxy, as "husband" is for the sex.)
func (e *Encoding) UsesGroups(specs []string) []string {
	return slices.DeleteFunc(dataset.AttributesIn(specs...), func(name string) bool { return !e.usesGroup(name) })
}

func (e *Encoding) usesGroup(name string) bool {
	column := name
	if k := e.Schema.GroupIndex(name); k >= 0 {
		column = e.Schema.Groups[k].Column
	}
	return slices.ContainsFunc(e.Features, func(f Column) bool { return f.Column == column }) ||
		slices.ContainsFunc(e.Crosses, func(c Cross) bool {
			return !c.Pair() && slices.Contains(e.Schema.GroupColumns(c.Groups), column)
		})
}
