package table

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
	f := slices.IndexFunc(e.Features, func(f ColumnEncoding) bool { return f.Column == attribute })
	g := e.Schema.group(attribute)
	if f < 0 || g >= 0 && len(e.Schema.Groups[g].Merge) > 0 {
		return nil
	}
	return e.Features[f].Levels
}
