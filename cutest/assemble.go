package cutest

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// core is a problem in the form in which it is evaluated. Groups are numbered anew:
// constraints come first, in order, then the groups of the objective. All groups together
// have one sparse Jacobian, of which the constraints' part is the problem's.
type core struct {
	n, m, groups int

	// linear part of the groups, row by row, and their constants
	linearStart []int32
	linearCol   []int32
	linearVal   []float64
	constant    []float64

	// pattern of the groups' Jacobian; fixed is the part that the linear terms contribute
	start []int32
	col   []int32
	fixed []float64

	scale       []float64 // factor of each group
	elements    []*elementKernel
	groupKernel []*groupKernel
	registers   int // the most that a program needs
}

// elementKernel evaluates the elements of one type. They are ordered: those that only the
// objective uses, those used by both, those that only constraints use.
type elementKernel struct {
	value, gradient *program
	objectiveEnd    int // elements before it occur in the objective
	constraintStart int // elements from it on occur in constraints
	count           int
	inputs          [][]int32   // [variable][element] index in x
	params          [][]float64 // [parameter][element]

	// uses of the elements in groups, in the order of the elements
	useStart []int32 // of each element, and the end
	useOf    []int32 // element
	useGroup []int32 // group
	weight   []float64
	position [][]int32 // [variable][use] place in the groups' Jacobian
	plain    bool      // every element is used once, with weight 1
}

// groupKernel evaluates the nontrivial groups of one type, constraints first.
type groupKernel struct {
	value, gradient *program
	constraintEnd   int
	groups          []int32
	params          [][]float64
}

// assemble builds the problem from the model and the code.
func (d *decoder) assemble(code *code) (*Problem, error) {
	a := &assembler{model: d.model, code: code, core: &core{n: len(d.vars)}}
	steps := []func() error{a.orderGroups, a.linearPart, a.collectElements, a.pattern, a.elementKernels, a.groupKernels}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, withFile(err, d.scan.file)
		}
	}
	p := a.problem()
	p.Name, _, _ = strings.Cut(d.title, " ")
	p.Classification = d.scan.classification
	for _, parameter := range d.parameters {
		parameter.Choices = d.scan.choices[makeName(parameter.Name)]
		p.Parameters = append(p.Parameters, *parameter)
	}
	return p, nil
}

type assembler struct {
	*model
	code *code
	core *core

	order  []int32 // groups of the model in the order of the core
	number []int32 // its inverse
	rows   [][]coefficient
	byType [][]int32 // elements of each type, ordered
	place  []int32   // of each element among those of its type
}

// orderGroups numbers the constraints before the groups of the objective.
func (a *assembler) orderGroups() error {
	a.number = make([]int32, len(a.groups))
	for _, objective := range []bool{false, true} {
		for i := range a.groups {
			if g := &a.groups[i]; (g.kind == 'N') == objective {
				a.number[i] = int32(len(a.order))
				a.order = append(a.order, int32(i))
			}
		}
		if !objective {
			a.core.m = len(a.order)
		}
	}
	a.core.groups = len(a.order)
	for _, i := range a.order {
		g := &a.groups[i]
		if g.typ < 0 {
			a.setGroupType(g, a.groupUses.fallback)
			if g.name == quadraticGroup {
				g.typ = 0
			}
		}
		constant := a.constants.fallback
		if g.constant.given {
			constant = g.constant.v
		}
		a.core.constant = append(a.core.constant, constant)
		a.core.scale = append(a.core.scale, 1/g.scale)
	}
	return nil
}

// linearPart sums repeated coefficients, drops zeros and forms the D groups, whose
// donors precede them in the file.
func (a *assembler) linearPart() error {
	start := make([]int32, len(a.groups)+1)
	for _, c := range a.linear {
		start[c.group+1]++
	}
	for i := range a.groups {
		start[i+1] += start[i]
	}
	sorted := make([]coefficient, len(a.linear))
	fill := slices.Clone(start)
	for _, c := range a.linear {
		sorted[fill[c.group]] = c
		fill[c.group]++
	}
	a.rows = make([][]coefficient, len(a.groups))
	sum, seen := make([]float64, len(a.vars)), make([]bool, len(a.vars))
	var row []coefficient
	entries := 0
	for i := range a.groups {
		terms, factor := [2][]coefficient{sorted[start[i]:start[i+1]]}, [2]float64{1, 0}
		if g := &a.groups[i]; g.combined {
			for k, donor := range g.donors {
				if donor >= 0 {
					terms[k], factor[k] = a.rows[donor], g.factors[k]
				}
			}
		}
		row = row[:0]
		for k := range terms {
			for _, c := range terms[k] {
				if !seen[c.variable] {
					seen[c.variable] = true
					row = append(row, coefficient{int32(i), c.variable, 0})
				}
				sum[c.variable] += factor[k] * c.v
			}
		}
		kept := row[:0]
		for _, c := range row {
			if c.v = sum[c.variable]; c.v != 0 {
				kept = append(kept, c)
			}
			sum[c.variable], seen[c.variable] = 0, false
		}
		a.rows[i] = slices.Clone(kept)
		if entries += len(kept); entries > maxEntries {
			return &Error{Line: a.groups[i].line, Msg: fmt.Sprintf("more than %d linear coefficients", maxEntries)}
		}
	}
	for _, i := range a.order {
		a.core.linearStart = append(a.core.linearStart, int32(len(a.core.linearCol)))
		for _, c := range a.rows[i] {
			a.core.linearCol = append(a.core.linearCol, c.variable)
			a.core.linearVal = append(a.core.linearVal, c.v)
		}
	}
	a.core.linearStart = append(a.core.linearStart, int32(len(a.core.linearCol)))
	return nil
}

// collectElements sorts the elements that groups use by type and by where they are used,
// and checks that they are complete.
func (a *assembler) collectElements() error {
	const inObjective, inConstraint = 1, 2
	used := make([]uint8, len(a.elements.list))
	for i := range a.groups {
		mask := uint8(inConstraint)
		if a.groups[i].kind == 'N' {
			mask = inObjective
		}
		for _, u := range a.groups[i].uses {
			used[u.element] |= mask
		}
	}
	a.byType = make([][]int32, len(a.elementTypes.types))
	a.place = make([]int32, len(a.elements.list))
	a.core.elements = make([]*elementKernel, len(a.elementTypes.types))
	for t := range a.core.elements {
		a.core.elements[t] = &elementKernel{}
	}
	for _, mask := range []uint8{inObjective, inObjective | inConstraint, inConstraint} {
		for i := range a.elements.list {
			if used[i] != mask {
				continue
			}
			el := &a.elements.list[i]
			if err := a.checkElement(el); err != nil {
				return err
			}
			a.place[i] = int32(len(a.byType[el.typ]))
			a.byType[el.typ] = append(a.byType[el.typ], int32(i))
		}
		for t, k := range a.core.elements {
			switch mask {
			case inObjective:
				k.constraintStart = len(a.byType[t])
			case inObjective | inConstraint:
				k.objectiveEnd = len(a.byType[t])
			}
			k.count = len(a.byType[t])
		}
	}
	return nil
}

func (a *assembler) checkElement(el *element) error {
	t := &a.elementTypes.types[el.typ]
	for k, n := range t.variables {
		if a.elements.variable[int(el.vars)+k] < 0 {
			return &Error{Line: el.line, Msg: fmt.Sprintf("variable %q of element %q is not set", n.String(), el.name.String())}
		}
	}
	for k, n := range t.params {
		if math.IsNaN(a.elements.param[int(el.params)+k]) {
			return &Error{Line: el.line, Msg: fmt.Sprintf("parameter %q of element %q is not set", n.String(), el.name.String())}
		}
	}
	return nil
}

// pattern finds the columns of each group's gradient: those of its linear terms and of
// its elements' variables.
func (a *assembler) pattern() error {
	c := a.core
	seen := make([]int32, c.n)
	for r, i := range a.order {
		c.start = append(c.start, int32(len(c.col)))
		first := len(c.col)
		mark := func(j int32) {
			if seen[j] != int32(r)+1 {
				seen[j] = int32(r) + 1
				c.col = append(c.col, j)
			}
		}
		for _, term := range a.rows[i] {
			mark(term.variable)
		}
		for _, u := range a.groups[i].uses {
			for _, j := range a.variablesOf(u.element) {
				mark(j)
			}
		}
		slices.Sort(c.col[first:])
		if len(c.col) > maxEntries {
			return &Error{Line: a.groups[i].line, Msg: fmt.Sprintf("the gradients of the groups have more than %d entries", maxEntries)}
		}
	}
	c.start = append(c.start, int32(len(c.col)))
	c.fixed = make([]float64, len(c.col))
	return nil
}

func (a *assembler) variablesOf(element int32) []int32 {
	el := &a.elements.list[element]
	return a.elements.variable[el.vars:][:len(a.elementTypes.types[el.typ].variables)]
}

// elementKernels compiles the element types in use and fills the tables of their elements
// and of the uses of these.
func (a *assembler) elementKernels() error {
	c := a.core
	for _, typ := range a.elementTypes.types {
		a.code.elements.declareReals(typ.variables, typ.internal, typ.params)
	}
	for t := range a.elementTypes.types {
		k, typ := c.elements[t], &a.elementTypes.types[t]
		if k.count == 0 {
			continue
		}
		g, out, err := elementOutputs(a.code.elements, typ)
		if err != nil {
			return err
		}
		k.params = make([][]float64, len(typ.params))
		for p := range typ.params {
			k.params[p] = make([]float64, k.count)
			for place, i := range a.byType[t] {
				k.params[p][place] = a.elements.param[int(a.elements.list[i].params)+p]
			}
		}
		k.value, k.gradient, k.params = compileBoth(g, out, k.params, k.count)
		k.inputs = make([][]int32, len(typ.variables))
		for v := range typ.variables {
			k.inputs[v] = make([]int32, k.count)
			for place, i := range a.byType[t] {
				k.inputs[v][place] = a.elements.variable[int(a.elements.list[i].vars)+v]
			}
		}
		k.useStart = make([]int32, k.count+1)
		k.position = make([][]int32, len(typ.variables))
	}
	a.placeUses()
	c.elements = slices.DeleteFunc(c.elements, func(k *elementKernel) bool { return k.count == 0 })
	for _, k := range c.elements {
		c.registers = max(c.registers, k.value.registers, k.gradient.registers)
	}
	return nil
}

// placeUses lists the uses of all elements, sorted by element, with the places in the
// Jacobian to which they contribute; it also places the linear coefficients.
func (a *assembler) placeUses() {
	c := a.core
	for i := range a.groups {
		for _, u := range a.groups[i].uses {
			c.elements[a.elements.list[u.element].typ].useStart[a.place[u.element]+1]++
		}
	}
	next := make([][]int32, len(c.elements))
	for t, k := range c.elements {
		for e := range k.count {
			k.useStart[e+1] += k.useStart[e]
		}
		if k.count == 0 {
			continue
		}
		next[t] = slices.Clone(k.useStart)
		uses := k.useStart[k.count]
		k.useOf, k.useGroup, k.weight = make([]int32, uses), make([]int32, uses), make([]float64, uses)
		for v := range k.position {
			k.position[v] = make([]int32, uses)
		}
	}
	at := make([]int32, c.n)
	for r, i := range a.order {
		for p := c.start[r]; p < c.start[r+1]; p++ {
			at[c.col[p]] = p
		}
		for _, term := range a.rows[i] {
			c.fixed[at[term.variable]] = term.v
		}
		for _, u := range a.groups[i].uses {
			t := a.elements.list[u.element].typ
			k, e := c.elements[t], a.place[u.element]
			s := next[t][e]
			next[t][e]++
			k.useOf[s], k.useGroup[s], k.weight[s] = e, int32(r), u.weight
			for v, j := range a.variablesOf(u.element) {
				k.position[v][s] = at[j]
			}
		}
	}
	for _, k := range c.elements {
		k.plain = len(k.useOf) == k.count
		for s, w := range k.weight {
			k.plain = k.plain && w == 1 && int(k.useOf[s]) == s
		}
	}
}

// groupKernels compiles the group types in use.
func (a *assembler) groupKernels() error {
	c := a.core
	for _, typ := range a.groupTypes.types {
		a.code.groups.declareReals([]name{typ.variable}, typ.params)
	}
	kernels := make([]*groupKernel, len(a.groupTypes.types))
	for r, i := range a.order {
		g := &a.groups[i]
		if g.typ == 0 {
			continue
		}
		typ := &a.groupTypes.types[g.typ-1]
		k := kernels[g.typ-1]
		if k == nil {
			if typ.variable == blank {
				return &Error{Line: typ.line, Msg: fmt.Sprintf("group type %q has no variable", typ.name.String())}
			}
			k = &groupKernel{params: make([][]float64, len(typ.params))}
			kernels[g.typ-1] = k
		}
		for p, n := range typ.params {
			if math.IsNaN(g.params[p]) {
				return &Error{Line: g.line, Msg: fmt.Sprintf("parameter %q of group %q is not set", n.String(), g.name.String())}
			}
			k.params[p] = append(k.params[p], g.params[p])
		}
		k.groups = append(k.groups, int32(r))
		if r < c.m {
			k.constraintEnd = len(k.groups)
		}
	}
	for t, k := range kernels {
		if k == nil {
			continue
		}
		g, out, err := groupOutputs(a.code.groups, &a.groupTypes.types[t])
		if err != nil {
			return err
		}
		k.value, k.gradient, k.params = compileBoth(g, out, k.params, len(k.groups))
		c.groupKernel = append(c.groupKernel, k)
		c.registers = max(c.registers, k.value.registers, k.gradient.registers)
	}
	return nil
}

// compileBoth compiles the program of the value alone and that of value and gradient.
// Operations on parameters alone are carried out here, for all elements, and added to the
// parameters.
func compileBoth(g *graph, out outputs, params [][]float64, count int) (value, gradient *program, all [][]float64) {
	outs := append([]int32{out.f}, out.grad...)
	fixed, numbers := hoist(g, outs, len(params))
	if len(fixed) > 0 {
		p := compile(g, fixed, nil)
		f := newFrame(p, make([]float64, p.registers*blockSize))
		all = slices.Clone(params)
		for range fixed {
			all = append(all, make([]float64, count))
		}
		for first := 0; first < count; first += blockSize {
			n := min(blockSize, count-first)
			f.run(n, params, first)
			for k, column := range p.outs {
				copy(all[len(params)+k][first:first+n], f.columns[column])
			}
		}
		params = all
	}
	return compile(g, outs[:1], numbers), compile(g, outs, numbers), params
}

// problem describes the assembled problem.
func (a *assembler) problem() *Problem {
	c := a.core
	p := &Problem{ObjectiveBound: a.objective, HasObjective: c.groups > c.m, core: c}
	for j := range a.vars {
		v := &a.vars[j]
		p.Variables = append(p.Variables, Variable{v.name.String(), v.kind, v.lower, v.upper, v.start})
	}
	for _, i := range a.order[:c.m] {
		g := &a.groups[i]
		span := a.ranges.fallback
		if g.span.given {
			span = g.span.v
		}
		con := Constraint{Name: g.name.String(), Linear: g.typ == 0 && len(g.uses) == 0}
		switch g.kind {
		case 'L':
			con.Kind, con.Lower = LessEq, -span
		case 'G':
			con.Kind, con.Upper = GreaterEq, span
		}
		p.Constraints = append(p.Constraints, con)
	}
	for i := range c.m + 1 {
		p.RowStart = append(p.RowStart, int(c.start[i]))
	}
	for _, j := range c.col[:c.start[c.m]] {
		p.Columns = append(p.Columns, int(j))
	}
	return p
}
