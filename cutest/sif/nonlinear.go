package sif

import (
	"fmt"
	"math"
	"slices"
)

// elementType handles a card of the ELEMENT TYPE section.
func (m *model) elementType(e *entry) error {
	i, ok := m.elementTypeIndex[e.f2]
	if !ok {
		i = int32(len(m.ElementTypes))
		m.elementTypeIndex[e.f2] = i
		m.ElementTypes = append(m.ElementTypes, ElementType{Name: e.f2, Line: e.line})
	}
	t := &m.ElementTypes[i]
	if t.Builtin != 0 {
		return fmt.Errorf("element type name %q is reserved for quadratic terms", e.f2.String())
	}
	var list *[]Name
	switch e.code {
	case "EV":
		list = &t.Variables
	case "IV":
		list = &t.Internal
	case "EP":
		list = &t.Params
	default:
		return fmt.Errorf("code %q does not belong in the ELEMENT TYPE section", e.code)
	}
	return addNames(list, e)
}

func addNames(list *[]Name, e *entry) error {
	return e.pairs(func(n Name, _ float64) error {
		if slices.Contains(*list, n) {
			return fmt.Errorf("name %q is declared twice for type %q", n.String(), e.f2.String())
		}
		if len(*list) == maxNames {
			return fmt.Errorf("type %q has more than %d names of a kind", e.f2.String(), maxNames)
		}
		*list = append(*list, n)
		return nil
	})
}

// elementUses is the state of the ELEMENT USES section.
type elementUses struct {
	current  int32 // element of the last card
	fallback int32 // default type
	hasType  bool  // there is one
}

// elementUse handles a card of the ELEMENT USES section: the type of an element (T), one
// of its variables (V) or its parameters (P).
func (m *model) elementUse(e *entry) error {
	uses := &m.elementUses
	if isDefault(e.f2) {
		if e.code != "T" {
			return fmt.Errorf("'DEFAULT' takes a type, not code %q", e.code)
		}
		if uses.hasType {
			return fmt.Errorf("a default element type is already set")
		}
		t, err := lookup(m.elementTypeIndex, "element type", e.f3)
		uses.fallback, uses.hasType = t, true
		return err
	}
	if uses.current < 0 || m.Elements[uses.current].Name != e.f2 {
		i, ok := m.elementIndex[e.f2]
		if !ok {
			return m.newElement(e)
		}
		uses.current = i
	}
	return m.elementData(uses.current, e)
}

func (m *model) newElement(e *entry) error {
	uses := &m.elementUses
	t := uses.fallback
	if e.code == "T" {
		var err error
		if t, err = lookup(m.elementTypeIndex, "element type", e.f3); err != nil {
			return err
		}
	} else if !uses.hasType {
		return fmt.Errorf("element %q has no type, and there is no default type", e.f2.String())
	}
	i := m.addElement(e.f2, e.line, t)
	uses.current = i
	if e.code == "T" {
		return nil
	}
	return m.elementData(i, e)
}

func (m *model) addElement(n Name, line int, typ int32) int32 {
	t := &m.ElementTypes[typ]
	i := int32(len(m.Elements))
	m.elementIndex[n] = i
	m.Elements = append(m.Elements, Element{
		Name: n, Line: line, Type: typ, variables: int32(len(m.elementVariables)), params: int32(len(m.elementParams)),
	})
	for range t.Variables {
		m.elementVariables = append(m.elementVariables, -1)
	}
	for range t.Params {
		m.elementParams = append(m.elementParams, math.NaN())
	}
	return i
}

func (m *model) elementData(i int32, e *entry) error {
	el := &m.Elements[i]
	t := &m.ElementTypes[el.Type]
	switch e.code {
	case "V":
		k := slices.Index(t.Variables, e.f3)
		if k < 0 {
			return fmt.Errorf("element type %q has no variable %q", t.Name.String(), e.f3.String())
		}
		v := &m.ElementVariables(i)[k]
		if *v >= 0 {
			return fmt.Errorf("variable %q of element %q is set twice", e.f3.String(), el.Name.String())
		}
		*v = m.addVariable(e.f5)
		return nil
	case "P":
		return e.pairs(func(n Name, v float64) error {
			k := slices.Index(t.Params, n)
			if k < 0 {
				return fmt.Errorf("element type %q has no parameter %q", t.Name.String(), n.String())
			}
			p := &m.ElementParams(i)[k]
			if !math.IsNaN(*p) {
				return fmt.Errorf("parameter %q of element %q is set twice", n.String(), el.Name.String())
			}
			*p = v
			return nil
		})
	case "T":
		return fmt.Errorf("the type of element %q is already set", el.Name.String())
	}
	return fmt.Errorf("code %q does not belong in the ELEMENT USES section", e.code)
}

// groupType handles a card of the GROUP TYPE section.
func (m *model) groupType(e *entry) error {
	i, ok := m.groupTypeIndex[e.f2]
	if !ok {
		m.GroupTypes = append(m.GroupTypes, GroupType{Name: e.f2, Line: e.line, Variable: Blank})
		i = int32(len(m.GroupTypes))
		m.groupTypeIndex[e.f2] = i
	}
	t := &m.GroupTypes[i-1]
	switch e.code {
	case "GV":
		t.Variable = e.f3
		return nil
	case "GP":
		return addNames(&t.Params, e)
	}
	return fmt.Errorf("code %q does not belong in the GROUP TYPE section", e.code)
}

// unsetType is the type of a group that no card has mentioned in GROUP USES yet.
const unsetType = -1

// groupUses is the state of the GROUP USES section.
type groupUses struct {
	fallback int32 // default type
	hasType  bool
}

func (m *model) lookupGroupType(n Name) (int32, error) {
	if t, err := lookup(m.groupTypeIndex, "group type", n); err == nil || n != makeName("TRIVIAL") {
		return t, err
	}
	return 0, nil
}

// groupUse handles a card of the GROUP USES section: the type of a group (T), elements it
// adds (E) or the parameters of its type (P). The cards of a group need not follow each
// other: a group that is named again later keeps its type and its parameters.
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
	g := &m.Groups[i]
	if e.code == "T" {
		return m.stateGroupType(g, e.f3)
	}
	if g.Type == unsetType {
		m.setGroupType(g, uses.fallback)
	}
	switch e.code {
	case "E":
		return e.pairs(func(n Name, v float64) error {
			el, err := lookup(m.elementIndex, "element", n)
			if err != nil {
				return err
			}
			m.addUse(g, el, v)
			return nil
		})
	case "P":
		return m.setGroupParams(g, e)
	}
	return fmt.Errorf("code %q does not belong in the GROUP USES section", e.code)
}

// stateGroupType gives a group the type of a card, once. Cards before it may have given the
// group the default type.
func (m *model) stateGroupType(g *Group, n Name) error {
	t, err := m.lookupGroupType(n)
	switch {
	case err != nil:
		return err
	case !g.typeGiven:
		g.typeGiven = true
		m.setGroupType(g, t)
	case g.Type != t:
		return fmt.Errorf("the type of group %q is already set", g.Name.String())
	}
	return nil
}

func (m *model) setGroupType(g *Group, t int32) {
	g.Type, g.Params = t, nil
	if t == 0 {
		return
	}
	m.groupParams += len(m.GroupTypes[t-1].Params)
	for range m.GroupTypes[t-1].Params {
		g.Params = append(g.Params, math.NaN())
	}
}

func (m *model) addUse(g *Group, el int32, weight float64) {
	m.uses++
	g.Uses = append(g.Uses, Use{el, weight})
}

func (m *model) setGroupParams(g *Group, e *entry) error {
	if g.Type <= 0 {
		return fmt.Errorf("group %q is of the trivial type, which has no parameters", g.Name.String())
	}
	t := &m.GroupTypes[g.Type-1]
	return e.pairs(func(n Name, v float64) error {
		k := slices.Index(t.Params, n)
		if k < 0 {
			return fmt.Errorf("group type %q has no parameter %q", t.Name.String(), n.String())
		}
		if !math.IsNaN(g.Params[k]) {
			return fmt.Errorf("parameter %q of group %q is set twice", n.String(), g.Name.String())
		}
		g.Params[k] = v
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
	return e.each(func(n Name, v float64) error {
		b, err := m.lookupVariable(n)
		if err != nil {
			return err
		}
		i, ok := m.groupIndex[quadraticGroup]
		if !ok {
			i = m.addGroup(Group{Name: quadraticGroup, Line: e.line, Kind: 'N', constantGiven: true})
		}
		typ, kind, vars := quadraticProd, 'p', []Name{makeName("X"), makeName("Y")}
		if a == b {
			typ, kind, vars = quadraticSquare, 's', vars[:1]
		}
		t, ok := m.elementTypeIndex[typ]
		if !ok {
			t = int32(len(m.ElementTypes))
			m.elementTypeIndex[typ] = t
			m.ElementTypes = append(m.ElementTypes,
				ElementType{Name: typ, Line: e.line, Variables: vars, Builtin: kind})
		}
		el := m.addElement(makeName(fmt.Sprintf("\x00%d", len(m.Elements))), e.line, t)
		m.ElementVariables(el)[0] = a
		if a != b {
			m.ElementVariables(el)[1] = b
		}
		m.addUse(&m.Groups[i], el, v)
		return nil
	})
}
