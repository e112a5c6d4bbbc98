package compile

import (
	"fmt"
	"slices"
	"strings"

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

// elementOutputs lowers the routine of an element type; the derivatives are
// with respect to the elemental variables.
func elementOutputs(part *sif.Code, t *sif.ElementType) (*graph, outputs, error) {
	l := newLowering(part)
	vars := make([]int32, len(t.Variables))
	for k, n := range t.Variables {
		vars[k] = l.g.add(node{op: opInput, a: int32(k)})
		l.scalar[n.Identifier()] = typed{vars[k], sif.RealValue}
	}
	if t.Builtin != 0 {
		return l.g, quadraticOutputs(l.g, t.Builtin, vars), nil
	}
	for k, n := range t.Params {
		l.scalar[n.Identifier()] = typed{l.g.add(node{op: opParam, a: int32(k)}), sif.RealValue}
	}
	r := part.Routines[t.Name]
	if r == nil {
		return nil, outputs{}, &sif.Error{Line: t.Line, Msg: fmt.Sprintf("element type %q has no code in the ELEMENTS part", t.Name.String())}
	}
	weights, err := l.internalVariables(r, t, vars)
	if err != nil {
		return nil, outputs{}, err
	}
	inner := t.Variables
	if len(t.Internal) > 0 {
		inner = t.Internal
	}
	f, grad, err := l.run(r, inner)
	if err != nil {
		return nil, outputs{}, err
	}
	out := outputs{f: f, grad: grad}
	if weights != nil {
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
	l.scalar[t.Variable.Identifier()] = typed{l.g.add(node{op: opInput}), sif.RealValue}
	for k, n := range t.Params {
		l.scalar[n.Identifier()] = typed{l.g.add(node{op: opParam, a: int32(k)}), sif.RealValue}
	}
	r := part.Routines[t.Name]
	if r == nil {
		return nil, outputs{}, &sif.Error{Line: t.Line, Msg: fmt.Sprintf("group type %q has no code in the GROUPS part", t.Name.String())}
	}
	if len(r.Ranges) > 0 {
		return nil, outputs{}, &sif.Error{Line: r.Ranges[0].Line, Msg: "a group type has no internal variables"}
	}
	f, grad, err := l.run(r, nil)
	if err != nil {
		return nil, outputs{}, err
	}
	out := outputs{f, grad}
	return l.g, out, l.g.check(out)
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
			return nil, &sif.Error{Line: r.Ranges[0].Line, Msg: fmt.Sprintf("element type %q has no internal variables", t.Name.String())}
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
			return nil, &sif.Error{Line: e.Line, Msg: fmt.Sprintf("element type %q has no internal variable %q", t.Name.String(), e.Internal.String())}
		}
		if k < 0 {
			return nil, &sif.Error{Line: e.Line, Msg: fmt.Sprintf("element type %q has no variable %q", t.Name.String(), e.Variable.String())}
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
func (l *lowering) run(r *sif.Routine, inner []sif.Name) (f int32, grad []int32, err error) {
	if !r.HasF {
		return 0, nil, &sif.Error{Line: r.Line, Msg: fmt.Sprintf("the code of type %q has no F card", r.Name.String())}
	}
	for i := range l.part.Globals {
		if err := l.assign(&l.part.Globals[i]); err != nil {
			return 0, nil, err
		}
	}
	grad = make([]int32, max(1, len(inner)))
	for k := range grad {
		grad[k] = -1
	}
	for i := range r.Actions {
		a := &r.Actions[i]
		if len(l.g.nodes) > maxNodes {
			return 0, nil, a.At.Errorf("the code of type %q has more than %d operations", r.Name.String(), maxNodes)
		}
		if a.Kind != 'F' && a.Kind != 'G' {
			if err := l.assign(a); err != nil {
				return 0, nil, err
			}
			continue
		}
		v, err := l.number(a.Value)
		if err != nil {
			return 0, nil, err
		}
		if a.Kind == 'F' {
			f = v.node
			continue
		}
		k := 0
		if inner != nil {
			k = findIdentifier(inner, a.Target)
			if k < 0 {
				return 0, nil, a.At.Errorf("G card names %s, which is not an internal variable of type %q", a.Target, r.Name.String())
			}
		}
		grad[k] = v.node
		if c, ok := l.g.isConst(v.node); ok && c == 0 {
			grad[k] = -1
		}
	}
	return f, grad, nil
}

func findIdentifier(list []sif.Name, word string) int {
	for i, n := range list {
		if n.Identifier() == word {
			return i
		}
	}
	return -1
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
	if a.Kind == 'A' {
		v, err := l.evaluate(a.Value)
		if err != nil {
			return err
		}
		l.scalar[a.Target], err = l.convert(v, typ, a)
		return err
	}
	condition, ok := l.scalar[a.Condition]
	if !ok || condition.typ != sif.LogicalValue {
		return a.At.Errorf("condition %s is not a logical temporary that has been set", a.Condition)
	}
	v, err := l.evaluate(a.Value)
	if err != nil {
		return err
	}
	if v, err = l.convert(v, typ, a); err != nil {
		return err
	}
	yes := condition.node
	if a.Kind == 'E' {
		yes = l.g.apply(opNot, yes)
	}
	l.scalar[a.Target] = typed{l.g.apply(opSelect, yes, v.node, old.node), typ}
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

// number lowers an expression that must not be logical.
func (l *lowering) number(e *sif.Expr) (typed, error) {
	v, err := l.evaluate(e)
	if err == nil && v.typ == sif.LogicalValue {
		return typed{}, e.At.Errorf("a number is needed, not a logical value")
	}
	return v, err
}

// evaluate lowers an expression.
func (l *lowering) evaluate(e *sif.Expr) (typed, error) {
	switch e.Kind {
	case sif.IntegerExpr:
		return typed{l.g.constant(e.Num), sif.IntegerValue}, nil
	case sif.RealExpr:
		return typed{l.g.constant(e.Num), sif.RealValue}, nil
	case sif.LogicalExpr:
		return typed{l.g.constant(e.Num), sif.LogicalValue}, nil
	case sif.NameExpr:
		if v, ok := l.scalar[e.Text]; ok {
			return v, nil
		}
		if typ, ok := l.part.Declared[e.Text]; ok {
			l.g.unset = append(l.g.unset, e)
			return typed{l.g.add(node{op: opUnset, a: int32(len(l.g.unset) - 1)}), typ}, nil
		}
		return typed{}, e.At.Errorf("%s is not defined", e.Text)
	case sif.CallExpr:
		return l.call(e)
	}
	return l.operation(e)
}

var operators = map[string]opcode{
	"+": opAdd, "-": opSub, "*": opMul, "/": opDiv,
	".LT.": opLess, ".LE.": opLessEq, ".GT.": opLess, ".GE.": opLessEq, ".EQ.": opEqual, ".NE.": opEqual,
	".AND.": opAnd, ".OR.": opOr, ".EQV.": opEqual, ".NEQV.": opEqual,
}

func isLogicalOperator(op string) bool {
	switch op {
	case ".AND.", ".OR.", ".NOT.", ".EQV.", ".NEQV.":
		return true
	}
	return false
}

func (l *lowering) operation(e *sif.Expr) (typed, error) {
	operands := make([]typed, len(e.Args))
	logical := isLogicalOperator(e.Text)
	for i, arg := range e.Args {
		v, err := l.evaluate(arg)
		if err != nil {
			return typed{}, err
		}
		if logical != (v.typ == sif.LogicalValue) {
			return typed{}, arg.At.Errorf("operand of %s has the wrong type", e.Text)
		}
		operands[i] = v
	}
	a := operands[0]
	switch e.Text {
	case "neg":
		return typed{l.g.apply(opNeg, a.node), a.typ}, nil
	case ".NOT.":
		return typed{l.g.apply(opNot, a.node), sif.LogicalValue}, nil
	}
	b := operands[1]
	result := sif.RealValue
	if a.typ == sif.IntegerValue && b.typ == sif.IntegerValue {
		result = sif.IntegerValue
	}
	if e.Text == "**" {
		node := l.g.power(a.node, b.node, result == sif.IntegerValue)
		if result == sif.IntegerValue {
			node = l.g.apply(opTrunc, node)
		}
		return typed{node, result}, nil
	}
	x, y := a.node, b.node
	if e.Text == ".GT." || e.Text == ".GE." {
		x, y = y, x
	}
	node := l.g.apply(operators[e.Text], x, y)
	switch {
	case e.Text == ".NE." || e.Text == ".NEQV.":
		return typed{l.g.apply(opNot, node), sif.LogicalValue}, nil
	case strings.HasPrefix(e.Text, "."):
		return typed{node, sif.LogicalValue}, nil
	case e.Text == "/" && result == sif.IntegerValue:
		node = l.g.apply(opTrunc, node)
	}
	return typed{node, result}, nil
}

// call lowers name(arguments), which must be an intrinsic function: external functions,
// and arrays, which only these can fill, are not supported.
func (l *lowering) call(e *sif.Expr) (typed, error) {
	in, ok := intrinsics[e.Text]
	if !ok || l.part.External[e.Text] {
		return typed{}, e.At.Errorf("external functions are not supported (%s)", e.Text)
	}
	if len(e.Args) < in.min || len(e.Args) > in.max {
		return typed{}, e.At.Errorf("%s has the wrong number of arguments, %d", e.Text, len(e.Args))
	}
	nodes, integers := make([]int32, len(e.Args)), true
	for i, arg := range e.Args {
		v, err := l.number(arg)
		if err != nil {
			return typed{}, err
		}
		nodes[i] = v.node
		integers = integers && v.typ == sif.IntegerValue
	}
	switch in.kind {
	case asReal:
		return typed{nodes[0], sif.RealValue}, nil
	case constantValue:
		return typed{l.g.constant(machineConstants[e.Text]), sif.RealValue}, nil
	}
	op := in.opcode(len(nodes))
	var node int32
	if op.operands() == 1 {
		node = l.g.apply(op, nodes[0])
	} else {
		node = nodes[0]
		for _, next := range nodes[1:] {
			node = l.g.apply(op, node, next)
		}
	}
	return typed{node, in.resultType(integers)}, nil
}
