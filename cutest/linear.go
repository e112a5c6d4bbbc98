package cutest

import (
	"fmt"
	"math"
)

// Infinity is the absolute value from which a bound does not bind, as in CUTEst.
const Infinity = 1e20

// model collects what the data part says, in the terms of the language: groups that hold
// linear coefficients and elements. assemble turns it into a Problem.
type model struct {
	varIndex map[name]int32
	vars     []variable
	declared int // variables of the VARIABLES section; later ones appear only in elements

	groupIndex map[name]int32
	groups     []group
	linear     []coefficient

	constants vectorSet
	ranges    vectorSet

	boundSet, startSet runs
	boundDefault       [2]float64

	objective [2]float64 // bounds on the objective

	elementTypes elementTypes
	elements     elements
	groupTypes   groupTypes
	groupUses    groupUses

	seenGroups, seenVariables bool
}

func newModel() *model {
	return &model{
		varIndex:     make(map[name]int32),
		groupIndex:   make(map[name]int32),
		ranges:       vectorSet{fallback: Infinity},
		boundDefault: [2]float64{0, Infinity},
		objective:    [2]float64{-Infinity, Infinity},
		elementTypes: elementTypes{index: make(map[name]int32)},
		elements:     elements{index: make(map[name]int32), current: -1},
		groupTypes:   groupTypes{index: make(map[name]int32)},
	}
}

type variable struct {
	name         name
	kind         VarType
	lower, upper float64
	start        float64
}

// group is one nonlinear function of a sum, scale⁻¹·g(Σ linear + Σ weight·element −
// constant): part of the objective (kind 'N') or a constraint (E, L or G).
type group struct {
	name     name
	line     int
	kind     byte
	scale    float64
	combined bool         // D group: its linear part is a combination of two others
	donors   [2]int32     // −1: none
	factors  [2]float64   // of the donors
	constant value        // of the CONSTANTS section
	span     value        // of the RANGES section
	typ      int32        // group type, 0 trivial, −1 not yet known
	typed    bool         // a card states the type
	params   []float64    // of the type, NaN where not yet set
	uses     []weightedEl // elements
}

// value is a number that may have been given.
type value struct {
	v     float64
	given bool
}

type coefficient struct {
	group, variable int32
	v               float64
}

func (m *model) addVariable(n name) (int32, error) {
	if j, ok := m.varIndex[n]; ok {
		return j, nil
	}
	if len(m.vars) >= maxVariables {
		return 0, fmt.Errorf("more than %d variables", maxVariables)
	}
	j := int32(len(m.vars))
	m.varIndex[n] = j
	m.vars = append(m.vars, variable{name: n, lower: m.boundDefault[0], upper: m.boundDefault[1]})
	return j, nil
}

func (m *model) lookupVariable(n name) (int32, error) {
	if j, ok := m.varIndex[n]; ok {
		return j, nil
	}
	return 0, fmt.Errorf("variable %q is not declared", n.String())
}

func (m *model) lookupGroup(n name) (int32, error) {
	if i, ok := m.groupIndex[n]; ok {
		return i, nil
	}
	return 0, fmt.Errorf("group %q is not declared", n.String())
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
		if len(m.groups) >= maxGroups {
			return fmt.Errorf("more than %d groups", maxGroups)
		}
		i = int32(len(m.groups))
		m.groupIndex[e.f2] = i
		m.groups = append(m.groups, group{
			name: e.f2, line: e.line, kind: kind, scale: 1, combined: combined, donors: [2]int32{-1, -1}, typ: -1,
		})
	}
	g := &m.groups[i]
	if g.combined != combined {
		return fmt.Errorf("group %q is both a D group and an ordinary one", e.f2.String())
	}
	switch {
	case e.f3 == quotedScale[0] || e.f3 == quotedScale[1]:
		g.scale = e.v4
		return nil
	case combined:
		return m.combine(g, i, e)
	case !m.seenVariables:
		return nil // coefficients come with the variables
	}
	return e.each(func(n name, v float64) error {
		j, err := m.lookupVariable(n)
		if err != nil {
			return err
		}
		return m.addCoefficient(i, j, v)
	})
}

func (m *model) combine(g *group, self int32, e *entry) error {
	k := 0
	return e.each(func(n name, v float64) error {
		i, err := m.lookupGroup(n)
		if err != nil {
			return err
		}
		if i >= self {
			return fmt.Errorf("group %q combines %q, which does not precede it", g.name.String(), n.String())
		}
		g.donors[k], g.factors[k] = i, v
		k++
		return nil
	})
}

// each calls f with the names and values of a card, leaving out values of 0.
func (e *entry) each(f func(n name, v float64) error) error {
	if e.n >= 1 && e.v4 != 0 {
		if err := f(e.f3, e.v4); err != nil {
			return err
		}
	}
	if e.n >= 2 && e.v6 != 0 {
		return f(e.f5, e.v6)
	}
	return nil
}

// pairs calls f with the names and values of a card.
func (e *entry) pairs(f func(n name, v float64) error) error {
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
	if m.groups[group].combined {
		return fmt.Errorf("group %q is a D group and cannot have coefficients of its own", m.groups[group].name.String())
	}
	if len(m.linear) >= maxEntries {
		return fmt.Errorf("more than %d linear coefficients", maxEntries)
	}
	m.linear = append(m.linear, coefficient{group, variable, v})
	return nil
}

// isMarker recognises the integrality markers of the MPS format, which SIF ignores.
func isMarker(n name) bool { return n == makeName("'MARKER'") }

// variable handles a card of the VARIABLES section: it declares a variable and may give
// its type or, where the groups are already known, linear coefficients. The scale of a
// variable is a hint to methods and changes no value.
func (m *model) variable(e *entry) error {
	m.seenVariables = true
	if isMarker(e.f3) {
		return nil
	}
	j, err := m.addVariable(e.f2)
	if err != nil {
		return err
	}
	m.declared = len(m.vars)
	switch e.f3.String() {
	case "'SCALE'", " 'SCALE'":
		return nil
	case "'ZERO-ONE'":
		m.vars[j].kind = Binary
		return nil
	case "'INTEGER'":
		m.vars[j].kind = Integer
		return nil
	}
	if !m.seenGroups {
		return nil
	}
	return e.each(func(n name, v float64) error {
		i, err := m.lookupGroup(n)
		if err != nil {
			return err
		}
		return m.addCoefficient(i, j, v)
	})
}

// vectorSet is a set of named vectors over the groups, of which the first counts: the
// constants, or the ranges.
type vectorSet struct {
	name     name
	begun    bool
	fallback float64 // value of the groups that no card names
}

func (s *vectorSet) add(m *model, e *entry) error {
	if !s.begun {
		s.begun, s.name = true, e.f2
	}
	if e.f2 != s.name {
		return nil // an alternative that is not chosen
	}
	ranges := s == &m.ranges
	if isDefault(e.f3) {
		s.fallback = e.v4
		return nil
	}
	return e.pairs(func(n name, v float64) error {
		i, err := m.lookupGroup(n)
		if err != nil {
			return err
		}
		if ranges {
			m.groups[i].span = value{math.Abs(v), true}
		} else {
			m.groups[i].constant = value{v, true}
		}
		return nil
	})
}

// runs recognises the first of several named vectors: bounds or starting points, of which
// only the first counts. As in the original tools, a name that comes back after another one
// names a new vector, though not in the sections of constants and ranges.
type runs struct {
	name  name
	count int
}

func (r *runs) first(n name) bool {
	if r.count == 0 || n != r.name {
		r.name = n
		r.count++
	}
	return r.count == 1
}

// bound handles a card of the BOUNDS section.
func (m *model) bound(e *entry) error {
	kind := e.code[max(0, len(e.code)-1):]
	switch e.code {
	case "LO":
		kind = "L"
	case "UP":
		kind = "U"
	case "FX":
		kind = "X"
	case "FR":
		kind = "R"
	case "MI":
		kind = "M"
	case "PL":
		kind = "P"
	case "L", "U", "X", "R", "M", "P":
	default:
		return fmt.Errorf("code %q does not belong in the BOUNDS section", e.code)
	}
	if !m.boundSet.first(e.f2) {
		return nil
	}
	if isDefault(e.f3) {
		setBound(&m.boundDefault[0], &m.boundDefault[1], kind, e.v4, true)
		for j := range m.vars {
			m.vars[j].lower, m.vars[j].upper = m.boundDefault[0], m.boundDefault[1]
		}
		return nil
	}
	j, err := m.lookupVariable(e.f3)
	if err != nil {
		return err
	}
	setBound(&m.vars[j].lower, &m.vars[j].upper, kind, e.v4, false)
	return nil
}

// setBound changes an interval as one bound card says. Two old rules of the language: an
// upper bound of 0 on [0, ∞) removes the lower bound, and so does no other; removing the
// lower bound of [0, ∞) by a card of kind M makes 0 the upper bound.
func setBound(lower, upper *float64, kind string, v float64, whole bool) {
	untouched := *lower == 0 && *upper == Infinity
	switch kind {
	case "L":
		*lower = v
	case "U":
		if v == 0 && untouched {
			*lower = -Infinity
		}
		*upper = v
	case "X":
		*lower, *upper = v, v
	case "R":
		*lower, *upper = -Infinity, Infinity
	case "M":
		*lower = -Infinity
		if untouched || whole {
			*upper = 0
		}
	case "P":
		*upper = Infinity
	}
}

// startPoint handles a card of the START POINT section. Multipliers, which may also be
// given there, are checked and not kept.
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
			for j := range m.vars {
				m.vars[j].start = e.v4
			}
		}
		return nil
	}
	return e.pairs(func(n name, v float64) error {
		j, isVar := m.varIndex[n]
		_, isGroup := m.groupIndex[n]
		switch {
		case isVar && e.code != "M":
			m.vars[j].start = v
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
		m.objective[0] = e.v4
	case "UP", "U":
		m.objective[1] = e.v4
	default:
		return fmt.Errorf("code %q does not belong in the OBJECT BOUND section", e.code)
	}
	return nil
}
