package report

import (
	"math"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/fairness"
)

// people are the groups of a comparison, on all sets of rows.
type people struct {
	spec  string
	names []string
	// member has for every set of rows the members of every group, nil for none.
	member [][][]bool
	hidden []bool // groups that are not shown on their own
	// unlabelled are groups whose numbers of people by label are not shown.
	unlabelled []bool
}

// newPeople finds the groups of a specification in all sets of rows. It hides groups of
// fewer than least people in any set. A single group is followed by the group of all
// others.
func newPeople(sets []*dataset.Dataset, spec string, least int) (*people, error) {
	p := &people{spec: spec}
	add := func(set int, name string, member []bool) {
		k := slices.Index(p.names, name)
		if k < 0 {
			k = len(p.names)
			p.names = append(p.names, name)
			for s := range p.member {
				p.member[s] = append(p.member[s], nil)
			}
		}
		p.member[set][k] = member
	}
	p.member = make([][][]bool, len(sets))
	for s, d := range sets {
		groups, err := dataset.FindGroups(d, spec)
		if err != nil {
			return nil, err
		}
		for _, g := range groups {
			add(s, g.Name, g.Member)
		}
		if len(groups) == 1 {
			rest := make([]bool, d.Rows())
			for i, in := range groups[0].Member {
				rest[i] = !in
			}
			if slices.Contains(rest, true) {
				add(s, fairness.Others, rest)
			}
		}
	}
	sizes, positives, negatives := make([][]int, len(sets)), make([][]int, len(sets)), make([][]int, len(sets))
	for s, d := range sets {
		for _, member := range p.member[s] {
			n, positive := count(member, d.Y)
			sizes[s] = append(sizes[s], n)
			positives[s] = append(positives[s], positive)
			negatives[s] = append(negatives[s], n-positive)
		}
	}
	lines := p.lines(sets)
	p.hidden = fold(sizes, sizes, lines, least)
	p.unlabelled = fold(sizes, positives, lines, least)
	for k, hidden := range fold(sizes, negatives, lines, least) {
		p.unlabelled[k] = p.unlabelled[k] || hidden
	}
	return p, nil
}

// lines returns, for every group, the totals that include it and that other tables may
// show: the totals of all combinations of its terms but the full one.
func (p *people) lines(sets []*dataset.Dataset) [][]string {
	terms := strings.Split(p.spec, "*")
	lines := make([][]string, len(p.names))
	for k := range p.names {
		levels := make([]string, len(terms))
		for t, term := range terms {
			levels[t] = p.level(sets, k, term)
		}
		for subset := range 1<<len(terms) - 1 {
			line := make([]string, len(terms))
			for t := range terms {
				if subset>>t&1 == 1 {
					line[t] = "=" + levels[t]
				}
			}
			lines[k] = append(lines[k], strings.Join(line, "\x00"))
		}
	}
	return lines
}

// level returns the group of a term that group k is a part of.
func (p *people) level(sets []*dataset.Dataset, k int, term string) string {
	for s, d := range sets {
		first := slices.Index(p.member[s][k], true)
		groups, err := dataset.FindGroups(d, term)
		if first < 0 || err != nil {
			continue
		}
		for _, g := range groups {
			if g.Member[first] {
				return g.Name
			}
		}
	}
	return ""
}

// fold says which cells of a partition must not be shown on their own. It is given, for every
// set of rows, how many people each cell has, how many of these count (all, or the people of
// one label), and the totals that include the cell. It hides the cells in which fewer than
// least people count. Then it hides more cells, the smallest first, until no total minus its
// shown cells reveals the count of a hidden cell, and until the people who count in hidden
// cells are at least that many together. A cell of which nobody counts is hidden too, since
// this says something about all of its people; a cell without people has nothing to hide.
func fold(people, counts [][]int, lines [][]string, least int) []bool {
	hidden := make([]bool, len(lines))
	smallest := func(k int) int {
		n := math.MaxInt
		for s := range counts {
			if people[s][k] > 0 {
				n = min(n, counts[s][k])
			}
		}
		return n
	}
	for k := range hidden {
		hidden[k] = smallest(k) < least
	}
	byLine := map[string][]int{}
	var keys []string
	for k, of := range lines {
		for _, line := range of {
			if byLine[line] == nil {
				keys = append(keys, line)
			}
			byLine[line] = append(byLine[line], k)
		}
	}
	for changed := true; changed; {
		changed = false
		for _, key := range keys {
			cells := byLine[key]
			few := false
			for s := range counts {
				present, together := 0, 0
				for _, k := range cells {
					if hidden[k] {
						present += people[s][k]
						together += counts[s][k]
					}
				}
				few = few || present > 0 && together < least
			}
			shown := slices.DeleteFunc(slices.Clone(cells), func(k int) bool { return hidden[k] })
			alone := len(cells)-len(shown) == 1
			if (few || alone) && len(shown) > 0 {
				next := slices.MinFunc(shown, func(a, b int) int { return smallest(a) - smallest(b) })
				hidden[next], changed = true, true
			}
		}
	}
	return hidden
}

// shown returns the groups on a set of rows, with the hidden groups merged into one at the
// end, and says for which of them labels are not counted.
func (p *people) shown(set int) (names []string, members [][]bool, unlabelled []bool, folded int) {
	var rest []bool
	for k, member := range p.member[set] {
		switch {
		case member == nil:
		case !p.hidden[k]:
			names, members, unlabelled = append(names, p.names[k]), append(members, member), append(unlabelled, p.unlabelled[k])
		default:
			folded++
			if rest == nil {
				rest = make([]bool, len(member))
			}
			for i, in := range member {
				rest[i] = rest[i] || in
			}
		}
	}
	if rest != nil {
		names, members, unlabelled = append(names, ""), append(members, rest), append(unlabelled, true)
	}
	return names, members, unlabelled, folded
}

// allHidden reports whether there is nothing to compare.
func (p *people) allHidden() bool {
	return !slices.Contains(p.hidden, false)
}

// count returns the number of members, and of members with a positive label.
func count(member []bool, labels []int8) (n, positives int) {
	for i, in := range member {
		if in {
			n++
			if labels[i] > 0 {
				positives++
			}
		}
	}
	return n, positives
}
