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
	// named are the groups of the specification, if it is about some of a column's; nil for all.
	named []bool
}

// newPeople finds the groups of a specification in all sets of rows. It hides groups of
// fewer than least people in any set. A single group is followed by the group of all
// others. What is hidden of some of a column's groups is what is hidden of all of them: a table of
// some, beside the figures of everybody, tells no more than one of all would.
func newPeople(sets []judged, spec string, least int) (*people, error) {
	whole := dataset.Whole(spec)
	p, err := everyGroup(sets, whole, least)
	if err != nil || whole == spec {
		return p, err
	}
	p.spec, p.named = spec, make([]bool, len(p.names))
	for k, name := range p.names {
		p.named[k] = slices.ContainsFunc(sets, func(j judged) bool { return j.Data.PartsOf(spec, name) != nil })
	}
	return p, nil
}

func everyGroup(sets []judged, spec string, least int) (*people, error) {
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
		strata, rows, err := sets[s].Groups(spec)
		if err != nil {
			return nil, err
		}
		p.strata, p.sizes = append(p.strata, strata), append(p.sizes, rows)
		for g, name := range strata.Names {
			add(s, name, g)
		}
		if len(strata.Names) == 1 {
			add(s, fairness.Others, 1)
		}
	}
	sizes, positives, negatives := make([][]int, len(sets)), make([][]int, len(sets)), make([][]int, len(sets))
	for s := range sets {
		for k := range p.names {
			n, positive := p.count(s, k)
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

// count returns the number of members of group k in a set, and of those with a positive label.
func (p *people) count(set, k int) (n, positives int) {
	g := p.number[set][k]
	if g < 0 {
		return 0, 0
	}
	positives = p.sizes[set][2*g+1]
	return p.sizes[set][2*g] + positives, positives
}

// lines returns, for every group, the totals that include it and that other tables may
// show: the totals of all combinations of its terms but the full one.
func (p *people) lines(sets []judged) [][]string {
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
	names      []string
	strata     *dataset.Strata
	number     []int  // of each group of the strata and of the rows of none: index into names, or negative
	rows       []int  // of each of the names
	unlabelled []bool // labels are not counted
	folded     int    // hidden groups
}

func (p *people) shown(set int) shownPeople {
	s := shownPeople{strata: p.strata[set], number: slices.Repeat([]int{-1}, len(p.strata[set].Names)+1)}
	put := func(k int, name string, unlabelled bool) {
		s.number[p.number[set][k]] = len(s.names)
		n, _ := p.count(set, k)
		s.names, s.rows, s.unlabelled = append(s.names, name), append(s.rows, n), append(s.unlabelled, unlabelled)
	}
	var rest []int
	for k, g := range p.number[set] {
		switch {
		case g < 0 || !p.shows(k):
		case !p.hidden[k]:
			put(k, p.names[k], p.unlabelled[k])
		default:
			rest = append(rest, k)
		}
	}
	s.folded = len(rest)
	for i, k := range rest {
		if i == 0 {
			put(k, "", true)
			continue
		}
		last := len(s.names) - 1
		n, _ := p.count(set, k)
		s.number[p.number[set][k]] = last
		s.rows[last] += n
	}
	return s
}

// grouping returns the groups to be judged.
func (s *shownPeople) grouping() *scoring.Grouping {
	g := &scoring.Grouping{Names: s.names}
	g.Add(s.strata, s.number)
	return g
}

// shows reports whether group k is one of the specification.
func (p *people) shows(k int) bool { return p.named == nil || p.named[k] }

// allHidden reports whether there is nothing to compare. If one of some groups of a column is
// hidden, all are: there is nothing to merge it with.
func (p *people) allHidden() bool {
	hidden, shown := 0, 0
	for k := range p.names {
		switch {
		case !p.shows(k):
		case p.hidden[k]:
			hidden++
		default:
			shown++
		}
	}
	return shown == 0 || p.named != nil && hidden > 0
}
