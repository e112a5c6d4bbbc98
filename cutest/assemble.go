package cutest

import (
	"fmt"
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/cutest/compile"
	"github.com/fairtrain/fairtrain/cutest/sif"
	"github.com/fairtrain/fairtrain/internal/memory"
)

// maxEntries bounds the coefficients of all linear parts, and the entries of the gradients
// of all groups.
const maxEntries = 10_000_000

// assemble builds the problem that a file describes. Every fault is a *sif.Error without a
// file.
func assemble(m *sif.Model) (*Problem, error) {
	a := &assembler{Model: m, core: &core{n: len(m.Variables)}}
	steps := []func() error{a.orderGroups, a.linearPart, a.collectElements, a.pattern, a.elementKernels, a.groupKernels}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return a.problem(), nil
}

type assembler struct {
	*sif.Model
	core *core

	order  []int32 // groups of the model in the order of the core
	number []int32 // its inverse
	rows   [][]sif.Coefficient
	byType [][]int32 // elements of each type, ordered
	index  []int32   // of each element among the elements of its type
}

// orderGroups numbers the constraints before the groups of the objective.
func (a *assembler) orderGroups() error {
	a.number = make([]int32, len(a.Groups))
	for _, objective := range []bool{false, true} {
		for i := range a.Groups {
			if g := &a.Groups[i]; (g.Kind == 'N') == objective {
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
		g := &a.Groups[i]
		a.core.constant = append(a.core.constant, g.Constant)
		a.core.scale = append(a.core.scale, 1/g.Scale)
	}
	return nil
}

// linearPart sums repeated coefficients, drops zeros and forms the D groups, whose
// donors precede them in the file.
func (a *assembler) linearPart() error {
	start := make([]int32, len(a.Groups)+1)
	for _, c := range a.Linear {
		start[c.Group+1]++
	}
	for i := range a.Groups {
		start[i+1] += start[i]
	}
	sorted := make([]sif.Coefficient, len(a.Linear))
	fill := slices.Clone(start)
	for _, c := range a.Linear {
		sorted[fill[c.Group]] = c
		fill[c.Group]++
	}
	a.rows = make([][]sif.Coefficient, len(a.Groups))
	sum, seen := make([]float64, len(a.Variables)), make([]bool, len(a.Variables))
	var row []sif.Coefficient
	entries := 0
	for i := range a.Groups {
		terms, factor := [2][]sif.Coefficient{sorted[start[i]:start[i+1]]}, [2]float64{1, 0}
		if g := &a.Groups[i]; g.Combined {
			for k, donor := range g.Donors {
				if donor >= 0 {
					terms[k], factor[k] = a.rows[donor], g.Factors[k]
				}
			}
		}
		row = row[:0]
		for k := range terms {
			for _, c := range terms[k] {
				if !seen[c.Variable] {
					seen[c.Variable] = true
					row = append(row, sif.Coefficient{Group: int32(i), Variable: c.Variable})
				}
				sum[c.Variable] += factor[k] * c.Value
			}
		}
		nonzero := row[:0]
		for _, c := range row {
			if c.Value = sum[c.Variable]; c.Value != 0 {
				nonzero = append(nonzero, c)
			}
			sum[c.Variable], seen[c.Variable] = 0, false
		}
		a.rows[i] = slices.Clone(nonzero)
		entries += len(nonzero)
		if err := a.room(entries, &a.Groups[i]); err != nil {
			return err
		}
	}
	for _, i := range a.order {
		a.core.linearStart = append(a.core.linearStart, int32(len(a.core.linearCol)))
		for _, c := range a.rows[i] {
			a.core.linearCol = append(a.core.linearCol, c.Variable)
			a.core.linearVal = append(a.core.linearVal, c.Value)
		}
	}
	a.core.linearStart = append(a.core.linearStart, int32(len(a.core.linearCol)))
	return nil
}

// room returns an error if there is none for so many entries of gradients, up to those of a group.
func (a *assembler) room(entries int, g *sif.Group) error {
	const perEntry = 64 // bytes in the model, in the linear part, in the pattern and in the Jacobian
	if entries > maxEntries {
		return &sif.Error{Line: g.Line, Msg: fmt.Sprintf("the gradients of the groups have more than %d entries", maxEntries)}
	}
	return memory.Check(fmt.Sprintf("what line %d declares", g.Line), a.Memory()+perEntry*float64(entries))
}

// collectElements sorts the elements that groups use by type and by where they are used,
// and checks that they are complete.
func (a *assembler) collectElements() error {
	const inObjective, inConstraint = 1, 2
	used := make([]uint8, len(a.Elements))
	for i := range a.Groups {
		mask := uint8(inConstraint)
		if a.Groups[i].Kind == 'N' {
			mask = inObjective
		}
		for _, u := range a.Groups[i].Uses {
			used[u.Element] |= mask
		}
	}
	a.byType = make([][]int32, len(a.ElementTypes))
	a.index = make([]int32, len(a.Elements))
	a.core.elements = make([]*elementKernel, len(a.ElementTypes))
	for t := range a.core.elements {
		a.core.elements[t] = &elementKernel{}
	}
	for _, mask := range []uint8{inObjective, inObjective | inConstraint, inConstraint} {
		for i := range a.Elements {
			if used[i] != mask {
				continue
			}
			el := &a.Elements[i]
			if err := a.checkElement(int32(i)); err != nil {
				return err
			}
			a.index[i] = int32(len(a.byType[el.Type]))
			a.byType[el.Type] = append(a.byType[el.Type], int32(i))
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

func (a *assembler) checkElement(i int32) error {
	el := &a.Elements[i]
	t := &a.ElementTypes[el.Type]
	for k, n := range t.Variables {
		if a.ElementVariables(i)[k] < 0 {
			return &sif.Error{Line: el.Line, Msg: fmt.Sprintf("variable %q of element %q is not set", n.String(), el.Name.String())}
		}
	}
	for k, n := range t.Params {
		if math.IsNaN(a.ElementParams(i)[k]) {
			return &sif.Error{Line: el.Line, Msg: fmt.Sprintf("parameter %q of element %q is not set", n.String(), el.Name.String())}
		}
	}
	return nil
}

// pattern finds the columns of each group's gradient: the columns of its linear terms
// and of its elements' variables.
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
			mark(term.Variable)
		}
		for _, u := range a.Groups[i].Uses {
			for _, j := range a.ElementVariables(u.Element) {
				mark(j)
			}
		}
		slices.Sort(c.col[first:])
		if err := a.room(len(c.col), &a.Groups[i]); err != nil {
			return err
		}
	}
	c.start = append(c.start, int32(len(c.col)))
	c.fixed = make([]float64, len(c.col))
	return nil
}

// elementKernels compiles the element types in use and fills the tables of their elements
// and of the elements' uses.
func (a *assembler) elementKernels() error {
	c := a.core
	for t := range a.ElementTypes {
		k, typ := c.elements[t], &a.ElementTypes[t]
		if k.count == 0 {
			continue
		}
		k.params = make([][]float64, len(typ.Params))
		for p := range k.params {
			k.params[p] = make([]float64, k.count)
			for at, i := range a.byType[t] {
				k.params[p][at] = a.ElementParams(i)[p]
			}
		}
		var err error
		if k.Kernel, err = compile.Element(a.ElementCode, typ); err != nil {
			return err
		}
		k.inputs = make([][]int32, len(typ.Variables))
		for v := range typ.Variables {
			k.inputs[v] = make([]int32, k.count)
			for at, i := range a.byType[t] {
				k.inputs[v][at] = a.ElementVariables(i)[v]
			}
		}
		k.useStart = make([]int32, k.count+1)
		k.position = make([][]int32, len(typ.Variables))
	}
	a.locateUses()
	c.elements = slices.DeleteFunc(c.elements, func(k *elementKernel) bool { return k.count == 0 })
	for _, k := range c.elements {
		c.columns = max(c.columns, k.Columns())
	}
	return nil
}

// locateUses lists the uses of all elements, sorted by element, with the positions in the
// Jacobian to which they contribute; it also locates the linear coefficients.
func (a *assembler) locateUses() {
	c := a.core
	for i := range a.Groups {
		for _, u := range a.Groups[i].Uses {
			c.elements[a.Elements[u.Element].Type].useStart[a.index[u.Element]+1]++
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
			c.fixed[at[term.Variable]] = term.Value
		}
		for _, u := range a.Groups[i].Uses {
			t := a.Elements[u.Element].Type
			k, e := c.elements[t], a.index[u.Element]
			s := next[t][e]
			next[t][e]++
			k.useOf[s], k.useGroup[s], k.weight[s] = e, int32(r), u.Weight
			for v, j := range a.ElementVariables(u.Element) {
				k.position[v][s] = at[j]
			}
		}
	}
}

// groupKernels compiles the group types in use.
func (a *assembler) groupKernels() error {
	c := a.core
	kernels := make([]*groupKernel, len(a.GroupTypes))
	for r, i := range a.order {
		g := &a.Groups[i]
		if g.Type == 0 {
			continue
		}
		typ := &a.GroupTypes[g.Type-1]
		k := kernels[g.Type-1]
		if k == nil {
			k = &groupKernel{params: make([][]float64, len(typ.Params))}
			kernels[g.Type-1] = k
		}
		for p, n := range typ.Params {
			if math.IsNaN(g.Params[p]) {
				return &sif.Error{Line: g.Line, Msg: fmt.Sprintf("parameter %q of group %q is not set", n.String(), g.Name.String())}
			}
			k.params[p] = append(k.params[p], g.Params[p])
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
		var err error
		if k.Kernel, err = compile.Group(a.GroupCode, &a.GroupTypes[t]); err != nil {
			return err
		}
		c.groupKernel = append(c.groupKernel, k)
		c.columns = max(c.columns, k.Columns())
	}
	return nil
}

// problem describes the assembled problem.
func (a *assembler) problem() *Problem {
	c := a.core
	p := &Problem{
		Name: a.Name, Classification: a.Classification, Parameters: a.Parameters, Variables: a.Variables,
		ObjectiveBound: a.ObjectiveBound, HasObjective: c.groups > c.m, core: c,
	}
	for _, i := range a.order[:c.m] {
		g := &a.Groups[i]
		con := Constraint{Name: g.Name.String(), Linear: g.Type == 0 && len(g.Uses) == 0}
		switch g.Kind {
		case 'L':
			con.Kind, con.Lower = LessEq, -g.Range
		case 'G':
			con.Kind, con.Upper = GreaterEq, g.Range
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
