package dataset

import "slices"

// present returns the levels that rows have.
func (a *Attribute) present() []string {
	occurs := make([]bool, len(a.Levels))
	for _, k := range a.Codes {
		occurs[k] = true
	}
	var levels []string
	for k, level := range a.Levels {
		if occurs[k] {
			levels = append(levels, level)
		}
	}
	return levels
}

// Absent returns groups that there were in training and that no row of d belongs to, such
// as "sex=x", for every attribute of a specification all of whose levels are groups. What
// combinations of levels there were is not known.
func (e *Encoding) Absent(d *Dataset, spec string) []string {
	var absent []string
	for _, t := range parseTerms(spec) {
		a := d.attribute(t.attribute)
		if a == nil || t.single || t.within != nil {
			continue
		}
		present := a.present()
		for _, level := range e.levelsOf(t.attribute) {
			if !slices.Contains(present, level) {
				absent = append(absent, a.Name+"="+level)
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

// Combinations returns how many groups a specification names if every combination of the
// levels that rows of d have occurs: as many as FindGroups finds, or more.
func Combinations(d *Dataset, spec string) int {
	count := 1
	for _, t := range parseTerms(spec) {
		if a := d.attribute(t.attribute); a != nil && !t.single && t.within == nil {
			count *= len(a.present())
		}
	}
	return count
}
