package report

import (
	"math"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// people are the groups of a comparison, on all sets of rows.
type people struct {
	spec   string
	names  []string
	strata []*dataset.Strata // of every set of rows
	sizes  [][]int           // rows by stratum
	// number has for every set of rows the number of every group in its strata, negative for
	// a group that has no rows there.
	number [][]int
	hidden []bool // groups that are not shown on their own
	// unlabelled are groups whose numbers of people by label are not shown.
	unlabelled []bool
}

// newPeople finds the groups of a specification in all sets of rows. It hides groups of
// fewer than least people in any set. A single group is followed by the group of all others.
func newPeople(sets []scoredSet, spec string, least int) (*people, error) {
	p := &people{spec: spec, number: make([][]int, len(sets))}
	add := func(set int, name string, number int) {
		k := slices.Index(p.names, name)
		if k < 0 {
			k = len(p.names)
			p.names = append(p.names, name)
			for s := range p.number {
				p.number[s] = append(p.number[s], -1)
			}
		}
		p.number[set][k] = number
	}
	for s := range sets {
		strata, sizes, err := sets[s].Groups(spec)
		if err != nil {
			return nil, err
		}
		p.strata, p.sizes = append(p.strata, strata), append(p.sizes, sizes)
		for g, name := range strata.Names {
			add(s, name, g)
		}
		if len(strata.Names) == 1 {
			add(s, fairness.Others, 1)
		}
	}
	var counts [3][][]int // by set and group: of all, of the negative and of the positive label
	for s := range sets {
		all, negative, positive := make([]int, len(p.names)), make([]int, len(p.names)), make([]int, len(p.names))
		for k, g := range p.number[s] {
			if g >= 0 {
				negative[k], positive[k] = p.sizes[s][2*g], p.sizes[s][2*g+1]
				all[k] = negative[k] + positive[k]
			}
		}
		for k, of := range [][]int{all, negative, positive} {
			counts[k] = append(counts[k], of)
		}
	}
	lines := p.lines(sets)
	p.hidden = fold(counts[0], counts[0], lines, least)
	p.unlabelled = fold(counts[0], counts[1], lines, least)
	for k, hidden := range fold(counts[0], counts[2], lines, least) {
		p.unlabelled[k] = p.unlabelled[k] || hidden
	}
	return p, nil
}

// lines returns, for every group, the totals that include it and that other tables may
// show: the totals of all combinations of its terms but the full one.
func (p *people) lines(sets []scoredSet) [][]string {
	terms := dataset.SplitTerms(p.spec)
	lines := make([][]string, len(p.names))
	for k, name := range p.names {
		levels := make([]string, len(terms))
		for s := 0; s < len(sets) && len(terms) > 1; s++ { // levels of which some may not have
			copy(levels, sets[s].Data.PartsOf(p.spec, name))
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

// shownPeople are the groups on a set of rows, with the hidden groups merged into one at the end,
// whose name is empty.
type shownPeople struct {
	*scoring.Grouping
	unlabelled []bool // of each group: its labels are not counted
	merged     int    // hidden groups
}

// shown returns them for a set of rows.
func (p *people) shown(set int) shownPeople {
	s := shownPeople{Grouping: &scoring.Grouping{}}
	number := slices.Repeat([]int{-1}, len(p.strata[set].Names)+1) // of each group of the strata, and of no group
	for k, g := range p.number[set] {
		if g >= 0 && !p.hidden[k] {
			number[g] = len(s.Names)
			s.Names, s.unlabelled = append(s.Names, p.names[k]), append(s.unlabelled, p.unlabelled[k])
		}
	}
	last := len(s.Names)
	for k, g := range p.number[set] {
		if g >= 0 && p.hidden[k] {
			number[g] = last
			s.merged++
		}
	}
	if s.merged > 0 {
		s.Names, s.unlabelled = append(s.Names, ""), append(s.unlabelled, true)
	}
	s.Add(p.strata[set], number)
	return s
}
