package dataset

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Part is one of the groups that strata tell apart.
type Part struct {
	Number int // see Strata.Group
	Name   string
	Others bool // the rows that are not in the one group that a specification names
}

// OthersThan names the rows that are not in the one group that a specification names.
func OthersThan(spec string) string { return "others than " + spec }

// Everyone is the specification of all rows, told apart by their labels only.
const Everyone = "*"

const wordWithin = " within "

// WithinSpec is the specification of the groups of one specification among the rows of each group of
// another, which Strata takes.
func WithinSpec(groups, within string) string { return groups + wordWithin + within }

// cutWithin cuts what WithinSpec has made. Names of columns may have the word in them.
func (d *Dataset) cutWithin(spec string) (groups, within string, ok bool) {
	known := func(spec string) bool { return d.CheckTerms(ParseTerms(spec)) == nil }
	groups, within, ok = strings.Cut(spec, wordWithin)
	if !ok || known(spec) {
		return spec, "", false
	}
	words := strings.Split(spec, wordWithin)
	for k := 1; k < len(words); k++ {
		left, right := strings.Join(words[:k], wordWithin), strings.Join(words[k:], wordWithin)
		if known(left) && known(right) {
			return left, right, true
		}
	}
	return groups, within, true
}

// Levels returns the groups that are compared with each other: all of them, or those of each level of
// WithinSpec. A single group comes with all other rows; of Everyone there are all rows.
func (s *Strata) Levels() [][]Part {
	if s.levels != nil {
		return s.levels
	}
	return [][]Part{s.parts()}
}

// parts returns the groups, a single one with all other rows.
func (s *Strata) parts() (parts []Part) {
	for g, name := range s.Names {
		parts = append(parts, Part{Number: g, Name: name})
	}
	switch {
	case s.Spec == Everyone:
		parts = []Part{{Name: "all rows"}}
	case len(parts) == 1 && !s.ofSeveral:
		parts = append(parts, Part{1, OthersThan(s.Spec), true})
	}
	return parts
}

// within makes s the strata of groups among the rows of each level.
func (s *Strata) within(groups, levels *Strata) {
	type pair struct{ level, group int }
	found := map[pair]int{}
	at := func(i int) pair { return pair{levels.Group(i), groups.Group(i)} }
	of, among := groups.parts(), levels.parts()
	for i := range s.rows {
		if p := at(i); p.group < len(of) && p.level < len(among) {
			found[p] = 0
		}
	}
	last := -1
	for k, p := range slices.SortedFunc(maps.Keys(found), func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.level, b.level), cmp.Compare(a.group, b.group))
	}) {
		found[p] = k
		if p.level != last {
			s.levels, last = append(s.levels, nil), p.level
		}
		part := of[p.group]
		part.Number, part.Name = k, WithinSpec(part.Name, among[p.level].Name)
		s.Names = append(s.Names, part.Name)
		s.levels[len(s.levels)-1] = append(s.levels[len(s.levels)-1], part)
	}
	s.groups, s.ofSeveral = MakeCodes(s.rows, len(found)), true
	for i := range s.rows {
		k, ok := found[at(i)]
		if !ok {
			k = len(found)
		}
		s.groups.Put(i, k)
	}
}
