package dataset

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
)

// term is a factor of a specification of groups, see FindGroups: an attribute, all of
// whose levels are groups unless the term is a single one of them or a range.
type term struct {
	attribute string
	single    bool
	level     string // if single
	within    *numberRange
}

// numberRange is a range of numbers. An end may be infinite.
type numberRange struct {
	low, high         float64
	openLow, openHigh bool // the end does not belong to it
}

func (r numberRange) contains(v float64) bool {
	return (v > r.low || v == r.low && !r.openLow) && (v < r.high || v == r.high && !r.openHigh)
}

// String writes the range as in a specification: "<25", ">=60", "[25,45]".
func (r numberRange) String() string {
	switch {
	case math.IsInf(r.low, -1) && r.openHigh:
		return "<" + formatNumber(r.high)
	case math.IsInf(r.low, -1):
		return "<=" + formatNumber(r.high)
	case math.IsInf(r.high, 1) && r.openLow:
		return ">" + formatNumber(r.low)
	case math.IsInf(r.high, 1):
		return ">=" + formatNumber(r.low)
	}
	return fmt.Sprintf("[%s,%s]", formatNumber(r.low), formatNumber(r.high))
}

var (
	cutPattern   = regexp.MustCompile(`^([^=<>]+?) *(<=|>=|<|>) *([^ =<>]+)$`)
	rangePattern = regexp.MustCompile(`^([^=<>]+?) *\[([^,]+),([^,]+)\]$`)
)

// parseTerms parses the terms of a specification. What is no range is a name, or a name
// and a level, so that every text means something.
func parseTerms(spec string) []term {
	var terms []term
	for text := range strings.SplitSeq(spec, "*") {
		terms = append(terms, parseTerm(text))
	}
	return terms
}

func parseTerm(text string) term {
	everything := numberRange{low: math.Inf(-1), high: math.Inf(1)}
	if m := rangePattern.FindStringSubmatch(text); m != nil {
		low, okLow := parsePlain(strings.TrimSpace(m[2]))
		high, okHigh := parsePlain(strings.TrimSpace(m[3]))
		if okLow && okHigh {
			return term{attribute: m[1], within: &numberRange{low: low, high: high}}
		}
	}
	if m := cutPattern.FindStringSubmatch(text); m != nil {
		if cut, ok := parsePlain(m[3]); ok {
			within := everything
			switch m[2] {
			case "<", "<=":
				within.high, within.openHigh = cut, m[2] == "<"
			default:
				within.low, within.openLow = cut, m[2] == ">"
			}
			return term{attribute: m[1], within: &within}
		}
	}
	name, level, single := strings.Cut(text, "=")
	return term{attribute: name, single: single, level: level}
}

// parting parts rows: row i belongs to the part of the number codes[i], or to none if
// that is negative.
type parting struct {
	names []string // specifications of the parts
	codes []int32
}

// parting parts the rows of d by a product of terms whose attributes it has. Of several
// parts those without a row are left out; a single one stays, even if no row has it.
func (d *Dataset) parting(terms []term) parting {
	p := terms[0].part(d.attribute(terms[0].attribute))
	for _, t := range terms[1:] {
		p = p.times(t.part(d.attribute(t.attribute)))
	}
	return p
}

// part parts rows by an attribute.
func (t term) part(a *Attribute) parting {
	var p parting
	switch {
	case t.within != nil:
		p.names = []string{a.Name + t.within.String()}
		values := a.numbers()
		p.codes = make([]int32, len(values))
		for i, v := range values {
			if !t.within.contains(v) {
				p.codes[i] = -1
			}
		}
	case t.single:
		p.names = []string{a.Name + "=" + t.level}
		wanted := slices.Index(a.Levels, t.level)
		p.codes = make([]int32, len(a.Codes))
		for i, code := range a.Codes {
			if int(code) != wanted {
				p.codes[i] = -1
			}
		}
	default:
		p = occurring(a)
	}
	return p
}

// occurring parts rows by the levels of an attribute that they have.
func occurring(a *Attribute) parting {
	p := parting{codes: make([]int32, len(a.Codes))}
	occurs := make([]bool, len(a.Levels))
	for _, k := range a.Codes {
		occurs[k] = true
	}
	number := make([]int32, len(a.Levels))
	for k, level := range a.Levels {
		if occurs[k] {
			number[k] = int32(len(p.names))
			p.names = append(p.names, a.Name+"="+level)
		}
	}
	for i, k := range a.Codes {
		p.codes[i] = number[k]
	}
	return p
}

// times returns the parting into the pairs of a part of p and one of q.
func (p parting) times(q parting) parting {
	type pair struct{ p, q int32 }
	number := map[pair]int32{}
	if len(p.names) == 1 && len(q.names) == 1 {
		number[pair{0, 0}] = 0
	}
	for i, k := range p.codes {
		if k >= 0 && q.codes[i] >= 0 {
			number[pair{k, q.codes[i]}] = 0
		}
	}
	pairs := slices.SortedFunc(maps.Keys(number), func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.p, b.p), cmp.Compare(a.q, b.q))
	})
	out := parting{codes: make([]int32, len(p.codes))}
	for k, c := range pairs {
		number[c] = int32(k)
		out.names = append(out.names, p.names[c.p]+"*"+q.names[c.q])
	}
	for i, k := range p.codes {
		out.codes[i] = -1
		if k >= 0 && q.codes[i] >= 0 {
			out.codes[i] = number[pair{k, q.codes[i]}]
		}
	}
	return out
}
