package cutest

import (
	"fmt"
	"math"
)

// elementTypes are the types of the ELEMENT TYPE section.
type elementTypes struct {
	index map[name]int32
	types []elementType
}

// elementType is a nonlinear function of a few elemental variables. Where it has internal
// variables, its code is written in terms of these: linear combinations, fewer in number.
type elementType struct {
	name      name
	line      int
	variables []name
	internal  []name
	params    []name
	builtin   rune // elements of the QUADRATIC section: 's' ½x², 'p' xy
}

// elements are those of the ELEMENT USES section, their variables and parameters held in
// two long slices.
type elements struct {
	index    map[name]int32
	list     []element
	variable []int32   // −1 where not yet set
	param    []float64 // NaN where not yet set
	current  int32
	fallback int32 // default type
	hasType  bool  // a default type is set
}

type element struct {
	name         name
	line         int
	typ          int32
	vars, params int32 // where its variables and parameters start
}

type weightedEl struct {
	element int32
	weight  float64
}

// elementType handles a card of the ELEMENT TYPE section.
func (m *model) elementType(e *entry) error {
	i, ok := m.elementTypes.index[e.f2]
	if !ok {
		i = int32(len(m.elementTypes.types))
		m.elementTypes.index[e.f2] = i
		m.elementTypes.types = append(m.elementTypes.types, elementType{name: e.f2, line: e.line})
	}
	t := &m.elementTypes.types[i]
	if t.builtin != 0 {
		return fmt.Errorf("element type name %q is reserved for quadratic terms", e.f2.String())
	}
	var list *[]name
	switch e.code {
	case "EV":
		list = &t.variables
	case "IV":
		list = &t.internal
	case "EP":
		list = &t.params
	default:
		return fmt.Errorf("code %q does not belong in the ELEMENT TYPE section", e.code)
	}
	return addNames(list, e)
}

func addNames(list *[]name, e *entry) error {
	return e.pairs(func(n name, _ float64) error {
		if find(*list, n) >= 0 {
			return fmt.Errorf("name %q is declared twice for type %q", n.String(), e.f2.String())
		}
		if len(*list) == maxNames {
			return fmt.Errorf("type %q has more than %d names of a kind", e.f2.String(), maxNames)
		}
		*list = append(*list, n)
		return nil
	})
}

func find(list []name, n name) int {
	for i, have := range list {
		if have == n {
			return i
		}
	}
	return -1
}

// elementUse handles a card of the ELEMENT USES section: the type of an element (T), one
// of its variables (V) or its parameters (P).
func (m *model) elementUse(e *entry) error {
	els := &m.elements
	if isDefault(e.f2) {
		if e.code != "T" {
			return fmt.Errorf("'DEFAULT' takes a type, not code %q", e.code)
		}
		if els.hasType {
			return fmt.Errorf("a default element type is already set")
		}
		t, ok := m.elementTypes.index[e.f3]
		if !ok {
			return fmt.Errorf("element type %q is not declared", e.f3.String())
		}
		els.fallback, els.hasType = t, true
		return nil
	}
	if els.current < 0 || els.list[els.current].name != e.f2 {
		i, ok := els.index[e.f2]
		if !ok {
			return m.newElement(e)
		}
		els.current = i
	}
	return m.elementData(&els.list[els.current], e)
}

func (m *model) newElement(e *entry) error {
	els := &m.elements
	t := els.fallback
	if e.code == "T" {
		var ok bool
		if t, ok = m.elementTypes.index[e.f3]; !ok {
			return fmt.Errorf("element type %q is not declared", e.f3.String())
		}
	} else if !els.hasType {
		return fmt.Errorf("element %q has no type, and there is no default type", e.f2.String())
	}
	i, err := m.addElement(e.f2, e.line, t)
	if err != nil {
		return err
	}
	els.current = i
	if e.code == "T" {
		return nil
	}
	return m.elementData(&els.list[i], e)
}

func (m *model) addElement(n name, line int, typ int32) (int32, error) {
	els, t := &m.elements, &m.elementTypes.types[typ]
	if len(els.list) >= maxElements {
		return 0, fmt.Errorf("more than %d elements", maxElements)
	}
	if len(els.variable)+len(t.variables) > maxEntries || len(els.param)+len(t.params) > maxEntries {
		return 0, fmt.Errorf("elements have more than %d variables or parameters", maxEntries)
	}
	i := int32(len(els.list))
	els.index[n] = i
	els.list = append(els.list, element{name: n, line: line, typ: typ, vars: int32(len(els.variable)), params: int32(len(els.param))})
	for range t.variables {
		els.variable = append(els.variable, -1)
	}
	for range t.params {
		els.param = append(els.param, math.NaN())
	}
	return i, nil
}

func (m *model) elementData(el *element, e *entry) error {
	t := &m.elementTypes.types[el.typ]
	switch e.code {
	case "V":
		k := find(t.variables, e.f3)
		if k < 0 {
			return fmt.Errorf("element type %q has no variable %q", t.name.String(), e.f3.String())
		}
		v := &m.elements.variable[int(el.vars)+k]
		if *v >= 0 {
			return fmt.Errorf("variable %q of element %q is set twice", e.f3.String(), el.name.String())
		}
		j, err := m.addVariable(e.f5)
		*v = j
		return err
	case "P":
		return e.pairs(func(n name, v float64) error {
			k := find(t.params, n)
			if k < 0 {
				return fmt.Errorf("element type %q has no parameter %q", t.name.String(), n.String())
			}
			p := &m.elements.param[int(el.params)+k]
			if !math.IsNaN(*p) {
				return fmt.Errorf("parameter %q of element %q is set twice", n.String(), el.name.String())
			}
			*p = v
			return nil
		})
	case "T":
		return fmt.Errorf("the type of element %q is already set", el.name.String())
	}
	return fmt.Errorf("code %q does not belong in the ELEMENT USES section", e.code)
}

// groupTypes are the types of the GROUP TYPE section; number 0 is the trivial type g(α)=α.
type groupTypes struct {
	index map[name]int32
	types []groupType
}

// groupType is a nonlinear function of one variable.
type groupType struct {
	name     name
	line     int
	variable name
	params   []name
}

// groupType handles a card of the GROUP TYPE section.
func (m *model) groupType(e *entry) error {
	gt := &m.groupTypes
	i, ok := gt.index[e.f2]
	if !ok {
		gt.types = append(gt.types, groupType{name: e.f2, line: e.line, variable: blank})
		i = int32(len(gt.types))
		gt.index[e.f2] = i
	}
	t := &gt.types[i-1]
	switch e.code {
	case "GV":
		t.variable = e.f3
		return nil
	case "GP":
		return addNames(&t.params, e)
	}
	return fmt.Errorf("code %q does not belong in the GROUP TYPE section", e.code)
}

// groupUses is the state of the GROUP USES section.
type groupUses struct {
	fallback int32 // default type
	hasType  bool
	count    int // uses of elements, in all groups
}

func (m *model) lookupGroupType(n name) (int32, error) {
	if t, ok := m.groupTypes.index[n]; ok {
		return t, nil
	}
	if n == makeName("TRIVIAL") {
		return 0, nil
	}
	return 0, fmt.Errorf("group type %q is not declared", n.String())
}

// groupUse handles a card of the GROUP USES section: the type of a group (T), elements it
// adds (E) or the parameters of its type (P). The cards of a group need not follow each
// other: a group that is come back to keeps its type and its parameters.
func (m *model) groupUse(e *entry) error {
	uses := &m.groupUses
	if isDefault(e.f2) {
		if uses.hasType {
			return fmt.Errorf("a default group type is already set")
		}
		t, err := m.lookupGroupType(e.f3)
		uses.fallback, uses.hasType = t, true
		return err
	}
	i, err := m.lookupGroup(e.f2)
	if err != nil {
		return err
	}
	g := &m.groups[i]
	if e.code == "T" {
		return m.stateGroupType(g, e.f3)
	}
	if g.typ < 0 {
		m.setGroupType(g, uses.fallback)
	}
	switch e.code {
	case "E":
		return e.pairs(func(n name, v float64) error {
			el, ok := m.elements.index[n]
			if !ok {
				return fmt.Errorf("element %q is not declared", n.String())
			}
			return m.addUse(g, el, v)
		})
	case "P":
		return m.groupParams(g, e)
	}
	return fmt.Errorf("code %q does not belong in the GROUP USES section", e.code)
}

// stateGroupType gives a group the type of a card, once. Cards before it may have given the
// group the default type.
func (m *model) stateGroupType(g *group, n name) error {
	t, err := m.lookupGroupType(n)
	switch {
	case err != nil:
		return err
	case !g.typed:
		g.typed = true
		m.setGroupType(g, t)
	case g.typ != t:
		return fmt.Errorf("the type of group %q is already set", g.name.String())
	}
	return nil
}

func (m *model) setGroupType(g *group, t int32) {
	g.typ, g.params = t, nil
	if t == 0 {
		return
	}
	for range m.groupTypes.types[t-1].params {
		g.params = append(g.params, math.NaN())
	}
}

func (m *model) addUse(g *group, el int32, weight float64) error {
	if m.groupUses.count++; m.groupUses.count > maxEntries {
		return fmt.Errorf("more than %d uses of elements", maxEntries)
	}
	g.uses = append(g.uses, weightedEl{el, weight})
	return nil
}

func (m *model) groupParams(g *group, e *entry) error {
	if g.typ <= 0 {
		return fmt.Errorf("group %q is of the trivial type, which has no parameters", g.name.String())
	}
	t := &m.groupTypes.types[g.typ-1]
	return e.pairs(func(n name, v float64) error {
		k := find(t.params, n)
		if k < 0 {
			return fmt.Errorf("group type %q has no parameter %q", t.name.String(), n.String())
		}
		if !math.IsNaN(g.params[k]) {
			return fmt.Errorf("parameter %q of group %q is set twice", n.String(), g.name.String())
		}
		g.params[k] = v
		return nil
	})
}

// Names of the quadratic terms' group and element types; they cannot clash with a file's
// own names, in which control characters have become blanks.
var (
	quadraticGroup  = makeName("\x00quadratic")
	quadraticSquare = makeName("\x00square")
	quadraticProd   = makeName("\x00product")
)

// quadratic handles a card of the QUADRATIC section: entries h_ij of the upper or lower
// triangle of a Hessian, which add ½h_jj x_j² or h_ij x_i x_j to the objective.
func (m *model) quadratic(e *entry) error {
	a, err := m.lookupVariable(e.f2)
	if err != nil {
		return err
	}
	return e.each(func(n name, v float64) error {
		b, err := m.lookupVariable(n)
		if err != nil {
			return err
		}
		i, ok := m.groupIndex[quadraticGroup]
		if !ok {
			if len(m.groups) >= maxGroups {
				return fmt.Errorf("more than %d groups", maxGroups)
			}
			i = int32(len(m.groups))
			m.groupIndex[quadraticGroup] = i
			m.groups = append(m.groups, group{
				name: quadraticGroup, line: e.line, kind: 'N', scale: 1, donors: [2]int32{-1, -1},
				constant: value{0, true},
			})
		}
		typ, kind, vars := quadraticProd, 'p', []name{makeName("X"), makeName("Y")}
		if a == b {
			typ, kind, vars = quadraticSquare, 's', vars[:1]
		}
		t, ok := m.elementTypes.index[typ]
		if !ok {
			t = int32(len(m.elementTypes.types))
			m.elementTypes.index[typ] = t
			m.elementTypes.types = append(m.elementTypes.types, elementType{name: typ, line: e.line, variables: vars, builtin: kind})
		}
		el, err := m.addElement(makeName(fmt.Sprintf("\x00%d", len(m.elements.list))), e.line, t)
		if err != nil {
			return err
		}
		m.elements.variable[m.elements.list[el].vars] = a
		if a != b {
			m.elements.variable[m.elements.list[el].vars+1] = b
		}
		return m.addUse(&m.groups[i], el, v)
	})
}
