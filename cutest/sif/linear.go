package sif

import (
	"fmt"
	"math"
)

// model is the Model that the data part has described so far, with what further cards
// need: the index of each name, and the defaults.
type model struct {
	Model

	varIndex         map[Name]int32
	groupIndex       map[Name]int32
	elementTypeIndex map[Name]int32
	elementIndex     map[Name]int32
	groupTypeIndex   map[Name]int32

	constants vectorSet
	ranges    vectorSet

	boundSet, startSet runs
	boundDefault       [2]float64

	elementUses elementUses
	groupUses   groupUses

	seenGroups, seenVariables bool
}

func newModel() *model {
	return &model{
		Model:            Model{ObjectiveBound: [2]float64{-Infinity, Infinity}},
		varIndex:         make(map[Name]int32),
		groupIndex:       make(map[Name]int32),
		elementTypeIndex: make(map[Name]int32),
		elementIndex:     make(map[Name]int32),
		groupTypeIndex:   make(map[Name]int32),
		ranges:           vectorSet{fallback: Infinity},
		boundDefault:     [2]float64{0, Infinity},
		elementUses:      elementUses{current: -1},
	}
}

func (m *model) addVariable(n Name) int32 {
	if j, ok := m.varIndex[n]; ok {
		return j
	}
	j := int32(len(m.Variables))
	m.varIndex[n] = j
	m.Variables = append(m.Variables, Variable{Name: n.String(), Lower: m.boundDefault[0], Upper: m.boundDefault[1]})
	return j
}

func (m *model) lookupVariable(n Name) (int32, error) { return lookup(m.varIndex, "variable", n) }
func (m *model) lookupGroup(n Name) (int32, error)    { return lookup(m.groupIndex, "group", n) }

// lookup returns the index of what has a name.
func lookup(index map[Name]int32, what string, n Name) (int32, error) {
	if i, ok := index[n]; ok {
		return i, nil
	}
	return 0, fmt.Errorf("%s %q is not declared", what, n.String())
}

func (m *model) addGroup(g Group) int32 {
	g.Scale, g.Donors = 1, [2]int32{-1, -1}
	i := int32(len(m.Groups))
	m.groupIndex[g.Name] = i
	m.Groups = append(m.Groups, g)
	return i
}

// group handles a card of the GROUPS section: it declares a group and may give its scale
// or, where the variables are already known, linear coefficients.
func (m *model) group(e *entry) error {
	m.seenGroups = true
	if isMarker(e.f3) {
		return nil
	}
	kind, combined := byte(0), false
	switch e.code {
	case "N", "E", "L", "G":
		kind = e.code[0]
	case "DN", "DE", "DL", "DG":
		kind, combined = e.code[1], true
	default:
		return fmt.Errorf("code %q does not belong in the GROUPS section", e.code)
	}
	i, ok := m.groupIndex[e.f2]
	if !ok {
		i = m.addGroup(Group{Name: e.f2, Line: e.line, Kind: kind, Combined: combined, Type: unsetType})
	}
	g := &m.Groups[i]
	if g.Combined != combined {
		return fmt.Errorf("group %q is both a D group and an ordinary one", e.f2.String())
	}
	switch {
	case e.f3 == quotedScale[0] || e.f3 == quotedScale[1]:
		g.Scale = e.v4
		return nil
	case combined:
		return m.combine(g, i, e)
	case !m.seenVariables:
		return nil // coefficients come with the variables
	}
	return e.each(func(n Name, v float64) error {
		j, err := m.lookupVariable(n)
		if err != nil {
			return err
		}
		return m.addCoefficient(i, j, v)
	})
}

func (m *model) combine(g *Group, self int32, e *entry) error {
	k := 0
	return e.each(func(n Name, v float64) error {
		i, err := m.lookupGroup(n)
		if err != nil {
			return err
		}
		if i >= self {
			return fmt.Errorf("group %q combines %q, which does not precede it", g.Name.String(), n.String())
		}
		g.Donors[k], g.Factors[k] = i, v
		k++
		return nil
	})
}

// each calls f with the names and values of a card, leaving out values of 0.
func (e *entry) each(f func(n Name, v float64) error) error {
	return e.pairs(func(n Name, v float64) error {
		if v == 0 {
			return nil
		}
		return f(n, v)
	})
}

// pairs calls f with the names and values of a card.
func (e *entry) pairs(f func(n Name, v float64) error) error {
	if e.n >= 1 {
		if err := f(e.f3, e.v4); err != nil {
			return err
		}
	}
	if e.n >= 2 {
		return f(e.f5, e.v6)
	}
	return nil
}

func (m *model) addCoefficient(group, variable int32, v float64) error {
	if m.Groups[group].Combined {
		return fmt.Errorf("group %q is a D group and cannot have coefficients of its own",
			m.Groups[group].Name.String())
	}
	m.Linear = append(m.Linear, Coefficient{group, variable, v})
	return nil
}

// isMarker recognises the integrality markers of the MPS format, which SIF ignores.
func isMarker(n Name) bool { return n == makeName("'MARKER'") }

// variable handles a card of the VARIABLES section: it declares a variable and may give
// its type or, where the groups are already known, linear coefficients. The scale of a
// variable is a hint to methods and changes no value.
func (m *model) variable(e *entry) error {
	m.seenVariables = true
	if isMarker(e.f3) {
		return nil
	}
	j := m.addVariable(e.f2)
	switch e.f3.String() {
	case "'SCALE'", " 'SCALE'":
		return nil
	case "'ZERO-ONE'":
		m.Variables[j].Type = Binary
		return nil
	case "'INTEGER'":
		m.Variables[j].Type = Integer
		return nil
	}
	if !m.seenGroups {
		return nil
	}
	return e.each(func(n Name, v float64) error {
		i, err := m.lookupGroup(n)
		if err != nil {
			return err
		}
		return m.addCoefficient(i, j, v)
	})
}

// vectorSet is a set of named vectors over the groups: the constants, or the ranges. Only
// the first vector counts.
type vectorSet struct {
	name     Name
	begun    bool
	fallback float64 // value of the groups that no card names
}

func (m *model) constant(e *entry) error {
	return m.vector(&m.constants, e, func(g *Group, v float64) { g.Constant, g.constantGiven = v, true })
}

func (m *model) rangeOf(e *entry) error {
	return m.vector(&m.ranges, e, func(g *Group, v float64) { g.Range, g.rangeGiven = math.Abs(v), true })
}

// vector handles a card of a set of vectors, whose values it gives to groups.
func (m *model) vector(s *vectorSet, e *entry, give func(g *Group, v float64)) error {
	if !s.begun {
		s.begun, s.name = true, e.f2
	}
	if e.f2 != s.name {
		return nil // an alternative that is not chosen
	}
	if isDefault(e.f3) {
		s.fallback = e.v4
		return nil
	}
	return e.pairs(func(n Name, v float64) error {
		i, err := m.lookupGroup(n)
		if err != nil {
			return err
		}
		give(&m.Groups[i], v)
		return nil
	})
}

// runs recognises the first of several named vectors of bounds or starting points; only the
// first counts. As in the original tools, a name that returns after another name begins a
// new vector, but not in the sections of constants and ranges.
type runs struct {
	name  Name
	count int
}

func (r *runs) first(n Name) bool {
	if r.count == 0 || n != r.name {
		r.name = n
		r.count++
	}
	return r.count == 1
}

// boundKinds are the codes of the BOUNDS section. Cards with indices have the short ones.
var boundKinds = map[string]byte{
	"LO": 'L', "UP": 'U', "FX": 'X', "FR": 'R', "MI": 'M', "PL": 'P',
	"L": 'L', "U": 'U', "X": 'X', "R": 'R', "M": 'M', "P": 'P',
}

// bound handles a card of the BOUNDS section.
func (m *model) bound(e *entry) error {
	kind, known := boundKinds[e.code]
	if !known {
		return fmt.Errorf("code %q does not belong in the BOUNDS section", e.code)
	}
	if !m.boundSet.first(e.f2) {
		return nil
	}
	if isDefault(e.f3) {
		setBound(&m.boundDefault[0], &m.boundDefault[1], kind, e.v4, true)
		for j := range m.Variables {
			m.Variables[j].Lower, m.Variables[j].Upper = m.boundDefault[0], m.boundDefault[1]
		}
		return nil
	}
	j, err := m.lookupVariable(e.f3)
	if err != nil {
		return err
	}
	setBound(&m.Variables[j].Lower, &m.Variables[j].Upper, kind, e.v4, false)
	return nil
}

// setBound changes an interval as one bound card says. The language has two old rules. An
// upper bound of 0 on [0, ∞) removes the lower bound; no other upper bound does. Removing
// the lower bound of [0, ∞) by a card of kind M makes 0 the upper bound.
func setBound(lower, upper *float64, kind byte, v float64, whole bool) {
	untouched := *lower == 0 && *upper == Infinity
	switch kind {
	case 'L':
		*lower = v
	case 'U':
		if v == 0 && untouched {
			*lower = -Infinity
		}
		*upper = v
	case 'X':
		*lower, *upper = v, v
	case 'R':
		*lower, *upper = -Infinity, Infinity
	case 'M':
		*lower = -Infinity
		if untouched || whole {
			*upper = 0
		}
	case 'P':
		*upper = Infinity
	}
}

// startPoint handles a card of the START POINT section. Multipliers may also be given
// there; they are checked but not kept.
func (m *model) startPoint(e *entry) error {
	switch e.code {
	case "", "V", "M":
	default:
		return fmt.Errorf("code %q does not belong in the START POINT section", e.code)
	}
	if !m.startSet.first(e.f2) {
		return nil
	}
	if isDefault(e.f3) {
		if e.code != "M" {
			for j := range m.Variables {
				m.Variables[j].Start = e.v4
			}
		}
		return nil
	}
	return e.pairs(func(n Name, v float64) error {
		j, isVar := m.varIndex[n]
		_, isGroup := m.groupIndex[n]
		switch {
		case isVar && e.code != "M":
			m.Variables[j].Start = v
		case isGroup && e.code != "V":
		case e.code == "V":
			return fmt.Errorf("variable %q is not declared", n.String())
		case e.code == "M":
			return fmt.Errorf("group %q is not declared", n.String())
		default:
			return fmt.Errorf("%q is neither a variable nor a group", n.String())
		}
		return nil
	})
}

// objectBound handles a card of the OBJECT BOUND section.
func (m *model) objectBound(e *entry) error {
	switch e.code {
	case "LO", "L":
		m.ObjectiveBound[0] = e.v4
	case "UP", "U":
		m.ObjectiveBound[1] = e.v4
	default:
		return fmt.Errorf("code %q does not belong in the OBJECT BOUND section", e.code)
	}
	return nil
}
