package cutest

import (
	"fmt"

	"github.com/fairtrain/fairtrain/cutest/compile"
)

// Evaluator evaluates a problem. It owns scratch memory and so belongs to one goroutine;
// its methods do not allocate.
type Evaluator struct {
	p *Problem
	c *core

	t        []float64 // argument, then value, of each group
	slope    []float64 // derivative of each group function, times its scale
	jacobian []float64 // of the groups' arguments
	elements []frames
	groups   []frames
}

// frames are the memories of the two programs of a type.
type frames struct{ value, gradient *compile.Frame }

// Values are the functions of a problem at a point.
type Values struct {
	Objective   float64
	Gradient    []float64 // n
	Constraints []float64 // m
	Jacobian    []float64 // entries of the problem's pattern
}

// NewValues allocates Values for p.
func (p *Problem) NewValues() *Values {
	return &Values{
		Gradient:    make([]float64, p.N()),
		Constraints: make([]float64, p.M()),
		Jacobian:    make([]float64, len(p.Columns)),
	}
}

// NewEvaluator returns an evaluator of p.
func (p *Problem) NewEvaluator() *Evaluator {
	c := p.core
	e := &Evaluator{
		p: p, c: c,
		t:        make([]float64, c.groups),
		slope:    make([]float64, c.groups),
		jacobian: make([]float64, len(c.col)),
	}
	shared := make([]float64, c.columns*compile.BlockSize)
	for _, k := range c.elements {
		e.elements = append(e.elements, newFrames(&k.Kernel, shared))
	}
	for _, k := range c.groupKernel {
		e.groups = append(e.groups, newFrames(&k.Kernel, shared))
	}
	return e
}

func newFrames(k *compile.Kernel, shared []float64) frames {
	return frames{compile.NewFrame(k.Value, shared), compile.NewFrame(k.Gradient, shared)}
}

// Objective returns f(x).
func (e *Evaluator) Objective(x []float64) float64 {
	e.evaluate(x, span{e.c.m, e.c.groups}, false)
	return e.objective()
}

// Gradient stores ∇f(x) in dst (length n) and returns f(x).
func (e *Evaluator) Gradient(dst, x []float64) float64 {
	e.checkLength("gradient", len(dst), e.c.n)
	e.evaluate(x, span{e.c.m, e.c.groups}, true)
	e.gradient(dst)
	return e.objective()
}

// Constraints stores c(x) in dst (length m).
func (e *Evaluator) Constraints(dst, x []float64) {
	e.checkLength("constraints", len(dst), e.c.m)
	e.evaluate(x, span{0, e.c.m}, false)
	copy(dst, e.t)
}

// Jacobian stores the entries of the Jacobian of c at x in dst, in the order of the
// problem's pattern.
func (e *Evaluator) Jacobian(dst, x []float64) {
	e.checkLength("Jacobian", len(dst), len(e.p.Columns))
	e.evaluate(x, span{0, e.c.m}, true)
	e.rows(dst)
}

// All stores f(x), ∇f(x), c(x) and the Jacobian in v, for less than the separate calls.
func (e *Evaluator) All(v *Values, x []float64) {
	e.checkLength("gradient", len(v.Gradient), e.c.n)
	e.checkLength("constraints", len(v.Constraints), e.c.m)
	e.checkLength("Jacobian", len(v.Jacobian), len(e.p.Columns))
	e.evaluate(x, span{0, e.c.groups}, true)
	e.gradient(v.Gradient)
	e.rows(v.Jacobian)
	copy(v.Constraints, e.t)
	v.Objective = e.objective()
}

func (e *Evaluator) checkLength(what string, got, want int) {
	if got != want {
		panic(fmt.Sprintf("cutest: %s of length %d, want %d", what, got, want))
	}
}

// span is a range of groups: all, the constraints or the objective.
type span struct{ from, to int }

// evaluate computes the groups of a span: their values in t. With derivatives it computes
// the Jacobian of their arguments too, and in slope the factors that turn it into the
// Jacobian of their values.
func (e *Evaluator) evaluate(x []float64, s span, derivatives bool) {
	c := e.c
	e.checkLength("x", len(x), c.n)
	e.linear(x, s)
	if derivatives {
		from, to := c.start[s.from], c.start[s.to]
		copy(e.jacobian[from:to], c.fixed[from:to])
		copy(e.slope[s.from:s.to], c.scale[s.from:s.to])
	}
	for i, k := range c.elements {
		from, to := 0, k.count
		if s.from == c.m {
			to = k.objectiveEnd
		}
		if s.to == c.m {
			from = k.constraintStart
		}
		f := e.elements[i].value
		if derivatives {
			f = e.elements[i].gradient
		}
		e.runElements(k, f, x, from, to, derivatives)
	}
	for i, k := range c.groupKernel {
		from, to := 0, len(k.groups)
		if s.from == c.m {
			from = k.constraintEnd
		}
		if s.to == c.m {
			to = k.constraintEnd
		}
		f := e.groups[i].value
		if derivatives {
			f = e.groups[i].gradient
		}
		e.runGroups(k, f, from, to, derivatives)
	}
	for i := s.from; i < s.to; i++ {
		e.t[i] *= c.scale[i]
	}
}

// linear sets the arguments of the groups to their linear parts minus their constants.
func (e *Evaluator) linear(x []float64, s span) {
	c := e.c
	p := int(c.linearStart[s.from])
	for i := s.from; i < s.to; i++ {
		sum := -c.constant[i]
		for end := int(c.linearStart[i+1]); p < end; p++ {
			sum += c.linearVal[p] * x[c.linearCol[p]]
		}
		e.t[i] = sum
	}
}

// runElements evaluates elements from to to of a type and adds them to their groups.
func (e *Evaluator) runElements(k *elementKernel, f *compile.Frame, x []float64, from, to int, derivatives bool) {
	for first := from; first < to; first += compile.BlockSize {
		n := min(compile.BlockSize, to-first)
		for _, in := range f.Inputs {
			column := in.Column[:n]
			index := k.inputs[in.Variable][first : first+n]
			for j, v := range index {
				column[j] = x[v]
			}
		}
		f.Run(n, k.params, first)
		begin, end := k.useStart[first], k.useStart[first+n]
		element, weight := k.useOf[begin:end], k.weight[begin:end]
		add := func(dst []float64, places []int32, values []float64) {
			at, sum := int32(0), dst[0] // consecutive uses often share a place
			for i, place := range places[begin:end] {
				if place != at {
					dst[at] = sum
					at, sum = place, dst[place]
				}
				sum += weight[i] * values[int(element[i])-first]
			}
			dst[at] = sum
		}
		add(e.t, k.useGroup, f.Output(0))
		if !derivatives {
			continue
		}
		for v, places := range k.position {
			if derivative := f.Output(1 + v); derivative != nil {
				add(e.jacobian, places, derivative)
			}
		}
	}
}

// runGroups applies the group function of a type to its groups from to to.
func (e *Evaluator) runGroups(k *groupKernel, f *compile.Frame, from, to int, derivatives bool) {
	for first := from; first < to; first += compile.BlockSize {
		n := min(compile.BlockSize, to-first)
		groups := k.groups[first : first+n]
		for _, in := range f.Inputs {
			column := in.Column[:n]
			for j, i := range groups {
				column[j] = e.t[i]
			}
		}
		f.Run(n, k.params, first)
		value := f.Output(0)
		for j, i := range groups {
			e.t[i] = value[j]
		}
		if !derivatives {
			continue
		}
		derivative := f.Output(1)
		for j, i := range groups {
			if derivative == nil {
				e.slope[i] = 0
			} else {
				e.slope[i] *= derivative[j]
			}
		}
	}
}

func (e *Evaluator) objective() float64 {
	sum := 0.0
	for _, v := range e.t[e.c.m:] {
		sum += v
	}
	return sum
}

// gradient adds up the gradients of the groups of the objective.
func (e *Evaluator) gradient(dst []float64) {
	c := e.c
	clear(dst)
	for i := c.m; i < c.groups; i++ {
		slope := e.slope[i]
		from, to := c.start[i], c.start[i+1]
		entries := e.jacobian[from:to]
		for k, j := range c.col[from:to] {
			dst[j] += slope * entries[k]
		}
	}
}

// rows stores the constraints' rows of the Jacobian.
func (e *Evaluator) rows(dst []float64) {
	c := e.c
	for i := range c.m {
		slope := e.slope[i]
		from, to := c.start[i], c.start[i+1]
		out := dst[from:to]
		for k, v := range e.jacobian[from:to] {
			out[k] = slope * v
		}
	}
}

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
	columns     int // the most that a program needs
}

// elementKernel evaluates the elements of one type. First come elements that
// only the objective uses, then elements that constraints use too, then elements that only
// constraints use.
type elementKernel struct {
	compile.Kernel
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
}

// groupKernel evaluates the nontrivial groups of one type, constraints first.
type groupKernel struct {
	compile.Kernel
	constraintEnd int
	groups        []int32
	params        [][]float64 // [parameter][group]
}
