package compile

import (
	"slices"

	"github.com/fairtrain/fairtrain/cutest/sif"
)

// typed is a node with its Fortran type.
type typed struct {
	node int32
	typ  sif.ValueType
}

// lowering turns the routine of a type into a graph. Assignments need no code: a name
// stands for the node last assigned to it, and an assignment under a condition selects
// between the new node and the old one.
type lowering struct {
	g      *graph
	part   *sif.Code
	scalar map[string]typed
}

func newLowering(part *sif.Code) *lowering {
	return &lowering{g: newGraph(), part: part, scalar: make(map[string]typed)}
}

// outputs are the nodes that a program computes: the function value and its derivatives,
// −1 for a derivative that is identically zero.
type outputs struct {
	f    int32
	grad []int32
}

func (out outputs) all() []int32 { return append([]int32{out.f}, out.grad...) }

// elementOutputs lowers the routine of an element type; the derivatives are
// with respect to the elemental variables.
func elementOutputs(part *sif.Code, t *sif.ElementType) (*graph, outputs, error) {
	l := newLowering(part)
	vars := l.define(opInput, t.Variables)
	if t.Builtin != 0 {
		return l.g, quadraticOutputs(l.g, t.Builtin, vars), nil
	}
	l.define(opParam, t.Params)
	r := part.Routines[t.Name]
	if r == nil {
		return nil, outputs{}, fault(t.Line, "element type %q has no code in the ELEMENTS part", t.Name.String())
	}
	weights, err := l.internalVariables(r, t, vars)
	if err != nil {
		return nil, outputs{}, err
	}
	inner := t.Variables
	if len(t.Internal) > 0 {
		inner = t.Internal
	}
	out, err := l.run(r, inner)
	if err != nil {
		return nil, outputs{}, err
	}
	if grad := out.grad; weights != nil {
		out.grad = make([]int32, len(vars))
		for k := range vars {
			out.grad[k] = l.combination(grad, func(i int) float64 { return weights[i][k] })
		}
	}
	return l.g, out, l.g.check(out)
}

// groupOutputs lowers the routine of a group type; there is one derivative.
func groupOutputs(part *sif.Code, t *sif.GroupType) (*graph, outputs, error) {
	l := newLowering(part)
	l.define(opInput, []sif.Name{t.Variable})
	l.define(opParam, t.Params)
	r := part.Routines[t.Name]
	if r == nil {
		return nil, outputs{}, fault(t.Line, "group type %q has no code in the GROUPS part", t.Name.String())
	}
	if len(r.Ranges) > 0 {
		return nil, outputs{}, fault(r.Ranges[0].Line, "a group type has no internal variables")
	}
	out, err := l.run(r, nil)
	if err != nil {
		return nil, outputs{}, err
	}
	return l.g, out, l.g.check(out)
}

// define gives names to the inputs or the parameters, and returns their nodes.
func (l *lowering) define(op opcode, names []sif.Name) []int32 {
	nodes := make([]int32, len(names))
	for k, n := range names {
		nodes[k] = l.g.leaf(op, k)
		l.scalar[n.Identifier()] = typed{nodes[k], sif.RealValue}
	}
	return nodes
}

// fault is an error in a line of the file.
func fault(line int, format string, args ...any) error {
	return sif.Place{Line: int32(line)}.Errorf(format, args...)
}

func quadraticOutputs(g *graph, builtin rune, vars []int32) outputs {
	if builtin == 's' {
		half := g.apply(opMul, g.constant(0.5), vars[0])
		return outputs{g.apply(opMul, half, vars[0]), []int32{vars[0]}}
	}
	return outputs{g.apply(opMul, vars[0], vars[1]), []int32{vars[1], vars[0]}}
}

// internalVariables defines the internal variables of a type and returns the matrix that
// makes them from the elemental ones, nil if there are none.
func (l *lowering) internalVariables(r *sif.Routine, t *sif.ElementType, vars []int32) ([][]float64, error) {
	if len(t.Internal) == 0 {
		if len(r.Ranges) > 0 {
			return nil, fault(r.Ranges[0].Line, "element type %q has no internal variables", t.Name.String())
		}
		return nil, nil
	}
	weights := make([][]float64, len(t.Internal))
	for i := range weights {
		weights[i] = make([]float64, len(t.Variables))
	}
	for _, e := range r.Ranges {
		i, k := slices.Index(t.Internal, e.Internal), slices.Index(t.Variables, e.Variable)
		if i < 0 {
			return nil, fault(e.Line, "element type %q has no internal variable %q",
				t.Name.String(), e.Internal.String())
		}
		if k < 0 {
			return nil, fault(e.Line, "element type %q has no variable %q", t.Name.String(), e.Variable.String())
		}
		weights[i][k] = e.Factor
	}
	for i, n := range t.Internal {
		sum := l.combination(vars, func(k int) float64 { return weights[i][k] })
		if sum < 0 {
			sum = l.g.constant(0)
		}
		l.scalar[n.Identifier()] = typed{sum, sif.RealValue}
	}
	return weights, nil
}

// combination adds the sum of weight(k)·terms[k]; −1 if there is no term.
func (l *lowering) combination(terms []int32, weight func(k int) float64) int32 {
	sum := int32(-1)
	for k, term := range terms {
		w := weight(k)
		switch {
		case term < 0 || w == 0:
		case sum < 0 && w == -1:
			sum = l.g.apply(opNeg, term)
		case sum >= 0 && w == -1:
			sum = l.g.apply(opSub, sum, term)
		default:
			scaled := l.g.apply(opMul, l.g.constant(w), term)
			if sum < 0 {
				sum = scaled
			} else {
				sum = l.g.apply(opAdd, sum, scaled)
			}
		}
	}
	return sum
}

// maxNodes bounds the operations of one element or group type.
const maxNodes = 50_000

// run lowers the assignments that all types share, and then the routine. inner are the
// variables that G cards name; nil for a group, whose G card names none.
func (l *lowering) run(r *sif.Routine, inner []sif.Name) (out outputs, err error) {
	if !r.HasF {
		return out, fault(r.Line, "the code of type %q has no F card", r.Name.String())
	}
	for i := range l.part.Globals {
		if err := l.assign(&l.part.Globals[i]); err != nil {
			return out, err
		}
	}
	out.grad = slices.Repeat([]int32{-1}, max(1, len(inner)))
	for i := range r.Actions {
		a := &r.Actions[i]
		if len(l.g.nodes) > maxNodes {
			return out, a.At.Errorf("the code of type %q has more than %d operations", r.Name.String(), maxNodes)
		}
		if a.Kind != 'F' && a.Kind != 'G' {
			if err := l.assign(a); err != nil {
				return out, err
			}
			continue
		}
		v, err := l.number(a.Value)
		if err != nil {
			return out, err
		}
		if a.Kind == 'F' {
			out.f = v.node
			continue
		}
		k := 0
		if inner != nil {
			k = slices.IndexFunc(inner, func(n sif.Name) bool { return n.Identifier() == a.Target })
			if k < 0 {
				return out, a.At.Errorf("G card names %s, which is not an internal variable of type %q", a.Target, r.Name.String())
			}
		}
		out.grad[k] = v.node
		if c, ok := l.g.isConst(v.node); ok && c == 0 {
			out.grad[k] = -1
		}
	}
	return out, nil
}

// assign lowers an A, I or E card.
func (l *lowering) assign(a *sif.Action) error {
	old, isSet := l.scalar[a.Target]
	typ, isDeclared := l.part.Declared[a.Target]
	switch {
	case !isDeclared && !isSet:
		return a.At.Errorf("temporary %s is not declared", a.Target)
	case !isSet:
		old = typed{l.g.constant(0), typ}
	case !isDeclared:
		typ = old.typ // a variable or a parameter of the type
	}
	condition, ok := l.scalar[a.Condition]
	if a.Kind != 'A' && (!ok || condition.typ != sif.LogicalValue) {
		return a.At.Errorf("condition %s is not a logical temporary that has been set", a.Condition)
	}
	v, err := l.evaluate(a.Value)
	if err != nil {
		return err
	}
	if v, err = l.convert(v, typ, a); err != nil {
		return err
	}
	switch a.Kind {
	case 'I':
		v.node = l.g.apply(opSelect, condition.node, v.node, old.node)
	case 'E':
		v.node = l.g.apply(opSelect, l.g.apply(opNot, condition.node), v.node, old.node)
	}
	l.scalar[a.Target] = v
	return nil
}

// convert gives a value the type of the variable it is assigned to.
func (l *lowering) convert(v typed, to sif.ValueType, a *sif.Action) (typed, error) {
	if (v.typ == sif.LogicalValue) != (to == sif.LogicalValue) {
		return typed{}, a.At.Errorf("%s is assigned a value of another type", a.Target)
	}
	if v.typ == sif.RealValue && to == sif.IntegerValue {
		v.node = l.g.apply(opTrunc, v.node)
	}
	return typed{v.node, to}, nil
}
