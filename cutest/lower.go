package cutest

import (
	"fmt"
	"strings"
)

// typed is a node with its Fortran type.
type typed struct {
	node int32
	typ  valueType
}

// lowering turns the routine of a type into a graph. Assignments need no code: a name
// stands for the node last assigned to it, and an assignment under a condition selects
// between the new node and the old one.
type lowering struct {
	g      *graph
	part   *codePart
	scalar map[string]typed
}

func newLowering(part *codePart) *lowering {
	return &lowering{g: newGraph(), part: part, scalar: make(map[string]typed)}
}

// outputs are the nodes that a program computes: the function value and its derivatives,
// −1 for a derivative that is identically zero.
type outputs struct {
	f    int32
	grad []int32
}

// elementOutputs lowers the routine of an element type; the derivatives are those with
// respect to the elemental variables.
func elementOutputs(part *codePart, t *elementType) (*graph, outputs, error) {
	l := newLowering(part)
	vars := make([]int32, len(t.variables))
	for k, n := range t.variables {
		vars[k] = l.g.add(node{op: opInput, a: int32(k)})
		l.scalar[identifier(n)] = typed{vars[k], realType}
	}
	if t.builtin != 0 {
		return l.g, quadraticOutputs(l.g, t.builtin, vars), nil
	}
	for k, n := range t.params {
		l.scalar[identifier(n)] = typed{l.g.add(node{op: opParam, a: int32(k)}), realType}
	}
	r := part.routines[t.name]
	if r == nil {
		return nil, outputs{}, &Error{Line: t.line, Msg: fmt.Sprintf("element type %q has no code in the ELEMENTS part", t.name.String())}
	}
	weights, err := l.internalVariables(r, t, vars)
	if err != nil {
		return nil, outputs{}, err
	}
	inner := t.variables
	if len(t.internal) > 0 {
		inner = t.internal
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
func groupOutputs(part *codePart, t *groupType) (*graph, outputs, error) {
	l := newLowering(part)
	l.scalar[identifier(t.variable)] = typed{l.g.add(node{op: opInput}), realType}
	for k, n := range t.params {
		l.scalar[identifier(n)] = typed{l.g.add(node{op: opParam, a: int32(k)}), realType}
	}
	r := part.routines[t.name]
	if r == nil {
		return nil, outputs{}, &Error{Line: t.line, Msg: fmt.Sprintf("group type %q has no code in the GROUPS part", t.name.String())}
	}
	if len(r.ranges) > 0 {
		return nil, outputs{}, &Error{Line: r.ranges[0].line, Msg: "a group type has no internal variables"}
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
func (l *lowering) internalVariables(r *routine, t *elementType, vars []int32) ([][]float64, error) {
	if len(t.internal) == 0 {
		if len(r.ranges) > 0 {
			return nil, &Error{Line: r.ranges[0].line, Msg: fmt.Sprintf("element type %q has no internal variables", t.name.String())}
		}
		return nil, nil
	}
	weights := make([][]float64, len(t.internal))
	for i := range weights {
		weights[i] = make([]float64, len(t.variables))
	}
	for _, e := range r.ranges {
		i, k := find(t.internal, e.internal), find(t.variables, e.variable)
		if i < 0 {
			return nil, &Error{Line: e.line, Msg: fmt.Sprintf("element type %q has no internal variable %q", t.name.String(), e.internal.String())}
		}
		if k < 0 {
			return nil, &Error{Line: e.line, Msg: fmt.Sprintf("element type %q has no variable %q", t.name.String(), e.variable.String())}
		}
		weights[i][k] = e.factor
	}
	for i, n := range t.internal {
		sum := l.combination(vars, func(k int) float64 { return weights[i][k] })
		if sum < 0 {
			sum = l.g.constant(0)
		}
		l.scalar[identifier(n)] = typed{sum, realType}
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

// run lowers the assignments all types share and those of a routine. inner are the
// variables that G cards name; nil for a group, whose G card names none.
func (l *lowering) run(r *routine, inner []name) (f int32, grad []int32, err error) {
	if !r.hasF {
		return 0, nil, &Error{Line: r.line, Msg: fmt.Sprintf("the code of type %q has no F card", r.name.String())}
	}
	for i := range l.part.globals {
		if err := l.assign(&l.part.globals[i]); err != nil {
			return 0, nil, err
		}
	}
	grad = make([]int32, max(1, len(inner)))
	for k := range grad {
		grad[k] = -1
	}
	for i := range r.actions {
		a := &r.actions[i]
		if len(l.g.nodes) > maxNodes {
			return 0, nil, faultAt(a.at, "the code of type %q has more than %d operations", r.name.String(), maxNodes)
		}
		if a.kind != 'F' && a.kind != 'G' {
			if err := l.assign(a); err != nil {
				return 0, nil, err
			}
			continue
		}
		v, err := l.number(a.value)
		if err != nil {
			return 0, nil, err
		}
		if a.kind == 'F' {
			f = v.node
			continue
		}
		k := 0
		if inner != nil {
			k = findIdentifier(inner, a.target)
			if k < 0 {
				return 0, nil, faultAt(a.at, "G card names %s, which is not an internal variable of type %q", a.target, r.name.String())
			}
		}
		grad[k] = v.node
		if c, ok := l.g.isConst(v.node); ok && c == 0 {
			grad[k] = -1
		}
	}
	return f, grad, nil
}

func findIdentifier(list []name, word string) int {
	for i, n := range list {
		if identifier(n) == word {
			return i
		}
	}
	return -1
}

// assign lowers an A, I or E card.
func (l *lowering) assign(a *action) error {
	old, isSet := l.scalar[a.target]
	typ, isDeclared := l.part.declared[a.target]
	switch {
	case !isDeclared && !isSet:
		return faultAt(a.at, "temporary %s is not declared", a.target)
	case !isSet:
		old = typed{l.g.constant(0), typ}
	case !isDeclared:
		typ = old.typ // a variable or a parameter of the type
	}
	if a.kind == 'A' {
		v, err := l.evaluate(a.value)
		if err != nil {
			return err
		}
		l.scalar[a.target], err = l.convert(v, typ, a)
		return err
	}
	condition, ok := l.scalar[a.condition]
	if !ok || condition.typ != logicalType {
		return faultAt(a.at, "condition %s is not a logical temporary that has been set", a.condition)
	}
	v, err := l.evaluate(a.value)
	if err != nil {
		return err
	}
	if v, err = l.convert(v, typ, a); err != nil {
		return err
	}
	yes := condition.node
	if a.kind == 'E' {
		yes = l.g.apply(opNot, yes)
	}
	l.scalar[a.target] = typed{l.g.apply(opSelect, yes, v.node, old.node), typ}
	return nil
}

// convert gives a value the type of the variable it is assigned to.
func (l *lowering) convert(v typed, to valueType, a *action) (typed, error) {
	if (v.typ == logicalType) != (to == logicalType) {
		return typed{}, faultAt(a.at, "%s is assigned a value of another type", a.target)
	}
	if v.typ == realType && to == integerType {
		v.node = l.g.apply(opTrunc, v.node)
	}
	return typed{v.node, to}, nil
}

// number lowers an expression that must not be logical.
func (l *lowering) number(e *expr) (typed, error) {
	v, err := l.evaluate(e)
	if err == nil && v.typ == logicalType {
		return typed{}, faultAt(e.at, "a number is needed, not a logical value")
	}
	return v, err
}

// evaluate lowers an expression.
func (l *lowering) evaluate(e *expr) (typed, error) {
	switch e.kind {
	case exprInteger:
		return typed{l.g.constant(e.num), integerType}, nil
	case exprReal:
		return typed{l.g.constant(e.num), realType}, nil
	case exprLogical:
		return typed{l.g.constant(e.num), logicalType}, nil
	case exprName:
		if v, ok := l.scalar[e.text]; ok {
			return v, nil
		}
		if typ, ok := l.part.declared[e.text]; ok {
			l.g.unset = append(l.g.unset, e)
			return typed{l.g.add(node{op: opUnset, a: int32(len(l.g.unset) - 1)}), typ}, nil
		}
		return typed{}, faultAt(e.at, "%s is not defined", e.text)
	case exprCall:
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

func (l *lowering) operation(e *expr) (typed, error) {
	operands := make([]typed, len(e.args))
	logical := isLogicalOperator(e.text)
	for i, arg := range e.args {
		v, err := l.evaluate(arg)
		if err != nil {
			return typed{}, err
		}
		if logical != (v.typ == logicalType) {
			return typed{}, faultAt(arg.at, "operand of %s has the wrong type", e.text)
		}
		operands[i] = v
	}
	a := operands[0]
	switch e.text {
	case "neg":
		return typed{l.g.apply(opNeg, a.node), a.typ}, nil
	case ".NOT.":
		return typed{l.g.apply(opNot, a.node), logicalType}, nil
	}
	b := operands[1]
	result := realType
	if a.typ == integerType && b.typ == integerType {
		result = integerType
	}
	if e.text == "**" {
		node := l.g.power(a.node, b.node, result == integerType)
		if result == integerType {
			node = l.g.apply(opTrunc, node)
		}
		return typed{node, result}, nil
	}
	x, y := a.node, b.node
	if e.text == ".GT." || e.text == ".GE." {
		x, y = y, x
	}
	node := l.g.apply(operators[e.text], x, y)
	switch {
	case e.text == ".NE." || e.text == ".NEQV.":
		return typed{l.g.apply(opNot, node), logicalType}, nil
	case strings.HasPrefix(e.text, "."):
		return typed{node, logicalType}, nil
	case e.text == "/" && result == integerType:
		node = l.g.apply(opTrunc, node)
	}
	return typed{node, result}, nil
}

// call lowers name(arguments), which must be an intrinsic function: external functions,
// and arrays, which only these can fill, are not supported.
func (l *lowering) call(e *expr) (typed, error) {
	in, ok := intrinsics[e.text]
	if !ok || l.part.external[e.text] {
		return typed{}, faultAt(e.at, "external functions are not supported (%s)", e.text)
	}
	if len(e.args) < in.min || len(e.args) > in.max {
		return typed{}, faultAt(e.at, "%s has the wrong number of arguments, %d", e.text, len(e.args))
	}
	nodes, integers := make([]int32, len(e.args)), true
	for i, arg := range e.args {
		v, err := l.number(arg)
		if err != nil {
			return typed{}, err
		}
		nodes[i] = v.node
		integers = integers && v.typ == integerType
	}
	switch in.kind {
	case asReal:
		return typed{nodes[0], realType}, nil
	case constantValue:
		return typed{l.g.constant(machineConstants[e.text]), realType}, nil
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
