package dataset

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
)

// Term is a factor of a specification of groups, see FindGroups. It names an attribute, and
// levels or a range of it that are groups. Without levels and a range, each level is a group.
type Term struct {
	Attribute string
	named     bool
	level     string // if named: of the group, or levels of several groups with bars between them
	within    *numberRange
}

// Whole reports whether all levels of the attribute are groups.
func (t Term) Whole() bool { return !t.named && t.within == nil }

// levels returns those of an attribute that the term names, as groups. Between several there are
// bars, so that a level that has one can't be named.
func (t Term) levels(a *Attribute) []string {
	if !t.named {
		return a.Levels
	}
	if !t.several() {
		return []string{t.level}
	}
	levels := strings.Split(t.level, "|")
	for k := range levels {
		levels[k] = strings.TrimSpace(levels[k])
	}
	slices.SortStableFunc(levels, func(x, y string) int { return cmp.Compare(slices.Index(a.Levels, x), slices.Index(a.Levels, y)) })
	return slices.Compact(levels)
}

// several reports whether the term names levels of which each is a group.
func (t Term) several() bool { return t.named && strings.Contains(t.level, "|") }

// IsRange reports whether the term is a range of a number.
func (t Term) IsRange() bool { return t.within != nil }

// numberRange is a range of numbers. An end may be infinite.
type numberRange struct {
	low, high         float64
	openLow, openHigh bool // the end is not part of the range
}

func (r numberRange) contains(v float64) bool {
	return (v > r.low || v == r.low && !r.openLow) && (v < r.high || v == r.high && !r.openHigh)
}

// String writes the range as in a specification: "<25", ">=60", "[25,45]".
func (r numberRange) String() string {
	switch {
	case math.IsInf(r.low, -1) && r.openHigh:
		return "<" + numparse.Format(r.high)
	case math.IsInf(r.low, -1):
		return "<=" + numparse.Format(r.high)
	case math.IsInf(r.high, 1) && r.openLow:
		return ">" + numparse.Format(r.low)
	case math.IsInf(r.high, 1):
		return ">=" + numparse.Format(r.low)
	}
	return fmt.Sprintf("[%s,%s]", numparse.Format(r.low), numparse.Format(r.high))
}

var (
	cutPattern   = regexp.MustCompile(`^([^=<>]+?) *(<=|>=|<|>) *([^ =<>]+)$`)
	rangePattern = regexp.MustCompile(`^([^=<>]+?) *\[([^,]+),([^,]+)\]$`)
)

// SplitTerms returns the texts of the terms of a specification, between which there are stars. A
// star without a name on either side is part of a name: forms mark questions that must be answered,
// as in "Gender *".
func SplitTerms(spec string) []string {
	var terms []string
	for text := range strings.SplitSeq(spec, "*") {
		if last := len(terms) - 1; last >= 0 && isPartOfName(terms[last], text) {
			terms[last] += "*" + text
		} else {
			terms = append(terms, text)
		}
	}
	return terms
}

// isPartOfName reports whether the star between two texts is. One that begins with < or > may be a
// name, unless the star stands apart from the name before.
func isPartOfName(before, behind string) bool {
	begin := strings.TrimSpace(behind)
	return strings.TrimSpace(before) == "" || begin == "" || begin[0] == '=' ||
		strings.HasSuffix(before, " ") && strings.ContainsAny(begin[:1], "<>[")
}

// ParseTerms parses the terms of a specification. A term that is no range is a name, or a name
// and a level: every text means something.
func ParseTerms(spec string) []Term {
	var terms []Term
	for _, text := range SplitTerms(spec) {
		terms = append(terms, parseTerm(text))
	}
	return terms
}

func parseTerm(text string) Term {
	everything := numberRange{low: math.Inf(-1), high: math.Inf(1)}
	if m := rangePattern.FindStringSubmatch(text); m != nil {
		low, okLow := numparse.ParsePlain(strings.TrimSpace(m[2]))
		high, okHigh := numparse.ParsePlain(strings.TrimSpace(m[3]))
		if okLow && okHigh {
			return Term{Attribute: m[1], within: &numberRange{low: low, high: high}}
		}
	}
	if m := cutPattern.FindStringSubmatch(text); m != nil {
		if cut, ok := numparse.ParsePlain(m[3]); ok {
			within := everything
			switch m[2] {
			case "<", "<=":
				within.high, within.openHigh = cut, m[2] == "<"
			default:
				within.low, within.openLow = cut, m[2] == ">"
			}
			return Term{Attribute: m[1], within: &within}
		}
	}
	name, level, named := strings.Cut(text, "=")
	return Term{Attribute: name, named: named, level: level}
}

// Lacking returns the groups that a specification names of a column among others, as in
// race=Black|White, and that have no rows. It looks at the terms of a product one by one.
func (d *Dataset) Lacking(spec string) (names []string) {
	for _, t := range ParseTerms(spec) {
		a := d.Attribute(t.Attribute)
		if a == nil || !t.several() {
			continue
		}
		present := t.part(a).Names
		for _, name := range t.names(a) {
			if !slices.Contains(present, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Whole returns the specification of all groups of the columns that a specification names groups
// of: race for race=Black|White, and sex*race for sex=f*race. That of a single group, which is
// compared with all others, is the specification itself; so is a range.
func Whole(spec string) string {
	terms, texts := ParseTerms(spec), SplitTerms(spec)
	if isSingle(terms) {
		return spec
	}
	for k, t := range terms {
		if t.named {
			texts[k] = t.Attribute
		}
	}
	return strings.Join(texts, "*")
}

// isSingle reports whether a product of terms is a single group, which is compared with all others.
func isSingle(terms []Term) bool {
	return !slices.ContainsFunc(terms, func(t Term) bool { return t.Whole() || t.several() })
}

// Parting parts rows. Row i belongs to part Codes.At(i); if that is the number of parts, it belongs
// to none.
type Parting struct {
	Names []string // specifications of the parts
	Codes Codes
}

// Part parts the rows of d by a product of terms. d must have their attributes. Parts without
// a row are left out, unless there is a single part.
func (d *Dataset) Part(terms []Term) Parting {
	p := terms[0].part(d.Attribute(terms[0].Attribute))
	for _, t := range terms[1:] {
		p = p.times(t.part(d.Attribute(t.Attribute)))
	}
	return p
}

// names are those of the parts that rows can be in.
func (t Term) names(a *Attribute) []string {
	switch {
	case a == nil:
		return nil
	case t.within != nil:
		return []string{a.Name + t.within.String()}
	}
	var names []string
	for _, level := range t.levels(a) {
		names = append(names, a.Name+"="+level)
	}
	return names
}

// part parts rows by an attribute.
func (t Term) part(a *Attribute) Parting {
	switch {
	case t.within != nil:
		value := a.number()
		return one(t.names(a)[0], a.rows(), func(i int) bool { return t.within.contains(value(i)) })
	case t.named && !t.several():
		wanted := slices.Index(a.Levels, t.level)
		return one(t.names(a)[0], a.Codes.Len(), func(i int) bool { return a.Codes.At(i) == wanted })
	}
	return t.occurring(a)
}

// perhapsIn returns how many rows lack a value that tells whether they are in a single group. They
// count as others. There are none of several groups, where they are groups of their own.
func (d *Dataset) perhapsIn(spec string) (rows int) {
	lacks := make([]bool, d.Rows())
	for _, t := range ParseTerms(spec) {
		a := d.Attribute(t.Attribute)
		if a == nil || t.Whole() || t.several() {
			return 0
		}
		missing, value := slices.Index(a.Levels, MissingLevel), a.number()
		for i := range lacks {
			if t.within != nil {
				lacks[i] = lacks[i] || math.IsNaN(value(i))
			} else {
				lacks[i] = lacks[i] || a.Codes.At(i) == missing && t.level != MissingLevel
			}
		}
	}
	for _, l := range lacks {
		if l {
			rows++
		}
	}
	return rows
}

// one returns the parting with a single part.
func one(name string, rows int, in func(i int) bool) Parting {
	p := Parting{[]string{name}, MakeCodes(rows, 1)}
	for i := range rows {
		if !in(i) {
			p.Codes.Put(i, 1)
		}
	}
	return p
}

// occurring parts rows by the levels of an attribute that the term names. Levels without a row are
// no parts, and rows of other levels are in none.
func (t Term) occurring(a *Attribute) (p Parting) {
	occurs := make([]bool, len(a.Levels))
	for code := range a.Codes.All() {
		occurs[code] = true
	}
	number := slices.Repeat([]int{-1}, len(a.Levels))
	for k, level := range t.levels(a) {
		if t.named {
			k = slices.Index(a.Levels, level)
		}
		if k >= 0 && occurs[k] {
			number[k] = len(p.Names)
			p.Names = append(p.Names, a.Name+"="+level)
		}
	}
	if len(p.Names) == len(a.Levels) { // the numbers are those of the levels
		p.Codes = a.Codes
		return p
	}
	p.Codes = MakeCodes(a.Codes.Len(), len(p.Names))
	for i := range a.Codes.Len() {
		if n := number[a.Codes.At(i)]; n >= 0 {
			p.Codes.Put(i, n)
		} else {
			p.Codes.Put(i, len(p.Names))
		}
	}
	return p
}

// times returns the parting whose parts are pairs: a part of p and a part of q.
func (p Parting) times(q Parting) Parting {
	type pair struct{ p, q int }
	number := map[pair]int{}
	if len(p.Names) == 1 && len(q.Names) == 1 {
		number[pair{0, 0}] = 0
	}
	none := func(at pair) bool { return at.p == len(p.Names) || at.q == len(q.Names) }
	for i := range p.Codes.Len() {
		if at := (pair{p.Codes.At(i), q.Codes.At(i)}); !none(at) {
			number[at] = 0
		}
	}
	pairs := slices.SortedFunc(maps.Keys(number), func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.p, b.p), cmp.Compare(a.q, b.q))
	})
	out := Parting{Codes: MakeCodes(p.Codes.Len(), len(pairs))}
	for k, at := range pairs {
		number[at] = k
		out.Names = append(out.Names, p.Names[at.p]+"*"+q.Names[at.q])
	}
	for i := range p.Codes.Len() {
		code := len(pairs)
		if at := (pair{p.Codes.At(i), q.Codes.At(i)}); !none(at) {
			code = number[at]
		}
		out.Codes.Put(i, code)
	}
	return out
}
