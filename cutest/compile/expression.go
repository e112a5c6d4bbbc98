package compile

import (
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/cutest/sif"
)

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
			return typed{l.g.leaf(opUnset, len(l.g.unset)-1), typ}, nil
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

// logicalOperators take logical values.
var logicalOperators = []string{".AND.", ".OR.", ".NOT.", ".EQV.", ".NEQV."}

func (l *lowering) operation(e *sif.Expr) (typed, error) {
	operands := make([]typed, len(e.Args))
	logical := slices.Contains(logicalOperators, e.Text)
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
