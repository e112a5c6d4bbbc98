package dataset

import (
	"fmt"
	"slices"
	"strings"
)

// StrataAs returns the rows of d, which are some of the rows of a larger data set, by the groups
// of that one, which have the given names and numbers; nil for those of the groups that have rows
// here. A group may lack rows here. The strata are found once, and shared.
func (d *Dataset) StrataAs(spec string, names []string) (*Strata, error) {
	return d.remember(fmt.Sprintf("%q as %q", spec, names),
		func() (*Strata, error) { return d.findStrataAs(spec, names) })
}

// Groups say by which groups strata tell rows apart: of any rows, given the names that the groups
// have among all of them. Without a specification rows are not told apart.
type Groups struct {
	Spec       string
	Names      []string
	Unweighted bool // rows count, not their weights
}

// ID returns the groups of the strata.
func (s *Strata) ID() Groups { return Groups{s.Spec, s.Names, s.Unweighted() == s} }

// StrataOf returns the rows of d by groups, see StrataAs.
func (d *Dataset) StrataOf(g Groups) (*Strata, error) {
	if g.Spec == "" {
		return OneStratum(d.Rows()), nil
	}
	s, err := d.StrataAs(g.Spec, g.Names)
	if err == nil && g.Unweighted {
		s = s.Unweighted()
	}
	return s, err
}

func (d *Dataset) findStrataAs(spec string, names []string) (*Strata, error) {
	s, err := d.findStrata(spec)
	if err != nil || names == nil || slices.Equal(s.Names, names) {
		return s, err
	}
	groups := MakeCodes(s.rows, len(names))
	number := make([]int, len(s.Names)+1)
	for g, name := range s.Names {
		if number[g] = slices.Index(names, name); number[g] < 0 {
			return nil, fmt.Errorf("%s: group %s is none of the %d of %s", d.Name, name, len(names), spec)
		}
	}
	number[len(s.Names)] = len(names)
	for i := range s.rows {
		groups.Put(i, number[s.Group(i)])
	}
	s.Names, s.groups = names, groups
	s.finish(d)
	return s, nil
}

// Order puts names of groups of a specification into the order in which Strata has them. It looks
// at the levels of d only, not at its rows.
func (d *Dataset) Order(spec string, names []string) []string {
	if len(names) < 2 { // also that of a feature, which has no levels
		return names
	}
	known := map[string]bool{}
	for _, name := range names {
		known[name] = true
	}
	all := []string{""}
	for k, t := range ParseTerms(spec) {
		var longer []string
		for _, name := range all {
			if k > 0 {
				name += "*"
			}
			for _, part := range t.names(d.Attribute(t.Attribute)) {
				longer = append(longer, name+part)
			}
		}
		all = longer
	}
	return slices.DeleteFunc(all, func(name string) bool { return !known[name] })
}

// PartsOf returns the groups, one of each term of a specification, that a group of it is the
// product of, nil if the name is no group's. Like Order it looks at levels only.
func (d *Dataset) PartsOf(spec, name string) []string {
	terms := ParseTerms(spec)
	var find func(k int, name string) []string
	find = func(k int, name string) []string {
		for _, part := range terms[k].names(d.Attribute(terms[k].Attribute)) {
			if k == len(terms)-1 {
				if part == name {
					return []string{part}
				}
			} else if rest, begins := strings.CutPrefix(name, part+"*"); begins {
				if others := find(k+1, rest); others != nil {
					return append([]string{part}, others...)
				}
			}
		}
		return nil
	}
	return find(0, name)
}
