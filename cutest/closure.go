package cutest

import (
	"math"
	"strings"
)

// convertTo converts a value to the type of a variable.
func convertTo(v compiledExpr, typ valueType) compiledExpr {
	if v.typ == realType && typ == integerType {
		eval := v.eval
		return compiledExpr{func(s *activation) float64 { return math.Trunc(eval(s)) }, typ}
	}
	return compiledExpr{v.eval, typ}
}

// expression compiles an expression of a procedure, with the types and conversions that
// lowering has for the code parts.
func (c *unitCompiler) expression(e *expr) (compiledExpr, error) {
	switch e.kind {
	case exprInteger, exprReal, exprLogical:
		typ := map[exprKind]valueType{exprInteger: integerType, exprReal: realType, exprLogical: logicalType}[e.kind]
		num := e.num
		return compiledExpr{func(*activation) float64 { return num }, typ}, nil
	case exprName:
		if v, ok := c.constants[e.text]; ok {
			return compiledExpr{func(*activation) float64 { return v.v }, v.typ}, nil
		}
		return c.load(e)
	case exprCall:
		if s := c.symbols[e.text]; s != nil && s.dims != nil {
			return c.load(e)
		}
		if in, ok := intrinsics[e.text]; ok {
			return c.intrinsic(e, in)
		}
		return c.callProcedure(e)
	}
	return c.operation(e)
}

// load reads a variable or an array entry.
func (c *unitCompiler) load(e *expr) (compiledExpr, error) {
	address, typ, err := c.address(e)
	index := c.p.index
	return compiledExpr{func(s *activation) float64 {
		at := address(s)
		if at < 0 {
			s.failed = true
			return math.NaN()
		}
		return s.memory[index][at]
	}, typ}, err
}

// address compiles the place of a variable or an array entry; −1 stands for an index that
// is out of bounds.
func (c *unitCompiler) address(e *expr) (func(s *activation) int, valueType, error) {
	if _, ok := c.constants[e.text]; ok {
		return nil, 0, faultAt(e.at, "%s is a constant", e.text)
	}
	if e.kind != exprName && e.kind != exprCall {
		return nil, 0, faultAt(e.at, "a variable is needed")
	}
	v := c.lookup(e.text)
	if len(e.args) != len(v.dims) || e.kind == exprCall && v.dims == nil {
		return nil, 0, faultAt(e.at, "%s has %d indices, not %d", e.text, len(v.dims), len(e.args))
	}
	offset := v.offset
	if v.dims == nil {
		return func(*activation) int { return offset }, v.typ, nil
	}
	indices := make([]func(s *activation) float64, len(e.args))
	for k, arg := range e.args {
		i, err := c.expression(arg)
		if err != nil {
			return nil, 0, err
		}
		if i.typ != integerType {
			return nil, 0, faultAt(arg.at, "an index must be an integer")
		}
		indices[k] = i.eval
	}
	dims := v.dims
	return func(s *activation) int {
		at, stride := offset, 1
		for k, index := range indices {
			i := index(s)
			if !(i >= 1 && i <= float64(dims[k])) {
				return -1
			}
			at += (int(i) - 1) * stride
			stride *= dims[k]
		}
		return at
	}, v.typ, nil
}

func (c *unitCompiler) operation(e *expr) (compiledExpr, error) {
	operands := make([]compiledExpr, len(e.args))
	logical := isLogicalOperator(e.text)
	for i, arg := range e.args {
		v, err := c.expression(arg)
		if err != nil {
			return v, err
		}
		if logical != (v.typ == logicalType) {
			return v, faultAt(arg.at, "operand of %s has the wrong type", e.text)
		}
		operands[i] = v
	}
	a := operands[0].eval
	switch e.text {
	case "neg":
		return compiledExpr{func(s *activation) float64 { return -a(s) }, operands[0].typ}, nil
	case ".NOT.":
		return compiledExpr{func(s *activation) float64 { return 1 - a(s) }, logicalType}, nil
	}
	b := operands[1].eval
	result := realType
	if operands[0].typ == integerType && operands[1].typ == integerType {
		result = integerType
	}
	op := operators[e.text]
	switch e.text {
	case "**":
		op = opPow
	case ".GT.", ".GE.":
		a, b = b, a
	case ".NE.", ".NEQV.":
		return compiledExpr{func(s *activation) float64 { return 1 - apply(opEqual, a(s), b(s), 0) }, logicalType}, nil
	}
	if strings.HasPrefix(e.text, ".") {
		result = logicalType
	}
	v := compiledExpr{func(s *activation) float64 { return apply(op, a(s), b(s), 0) }, result}
	if result == integerType && (op == opDiv || op == opPow) {
		v = convertTo(compiledExpr{v.eval, realType}, integerType)
	}
	return v, nil
}

func (c *unitCompiler) intrinsic(e *expr, in intrinsic) (compiledExpr, error) {
	if len(e.args) < in.min || len(e.args) > in.max {
		return compiledExpr{}, faultAt(e.at, "%s has the wrong number of arguments, %d", e.text, len(e.args))
	}
	evals, integers := make([]func(*activation) float64, len(e.args)), true
	for i, arg := range e.args {
		v, err := c.expression(arg)
		if err != nil {
			return v, err
		}
		if v.typ == logicalType {
			return v, faultAt(arg.at, "a number is needed, not a logical value")
		}
		evals[i] = v.eval
		integers = integers && v.typ == integerType
	}
	result := in.resultType(integers)
	first, op := evals[0], in.opcode(len(evals))
	switch {
	case in.kind == asReal:
		return compiledExpr{first, realType}, nil
	case in.kind == constantValue:
		v := machineConstants[e.text]
		return compiledExpr{func(*activation) float64 { return v }, realType}, nil
	case op.operands() == 1:
		return compiledExpr{func(s *activation) float64 { return apply(op, first(s), 0, 0) }, result}, nil
	}
	return compiledExpr{func(s *activation) float64 {
		v := first(s)
		for _, next := range evals[1:] {
			v = apply(op, v, next(s), 0)
		}
		return v
	}, result}, nil
}

// callProcedure compiles a call of another procedure, arguments copied in and out.
func (c *unitCompiler) callProcedure(e *expr) (compiledExpr, error) {
	callee := c.p.others[e.text]
	if callee == nil {
		return compiledExpr{}, faultAt(e.at, "external %s: its code is not in the file", e.text)
	}
	if err := callee.compile(); err != nil {
		return compiledExpr{}, err
	}
	if len(e.args) != len(callee.params) {
		return compiledExpr{}, faultAt(e.at, "%s takes %d arguments, not %d", e.text, len(callee.params), len(e.args))
	}
	var in []func(s *activation) float64
	var out []func(s *activation) int
	for k, arg := range e.args {
		size := callee.params[k].size()
		if v := c.symbols[arg.text]; arg.kind == exprName && v != nil && v.dims != nil {
			if v = c.lookup(arg.text); product(v.dims) < size {
				return compiledExpr{}, faultAt(arg.at, "array %s has %d entries, %s needs %d", arg.text, product(v.dims), e.text, size)
			}
			index := c.p.index
			for i := range size {
				at := v.offset + i
				in = append(in, func(s *activation) float64 { return s.memory[index][at] })
				out = append(out, func(*activation) int { return at })
			}
			continue
		}
		if callee.params[k].dims != nil {
			return compiledExpr{}, faultAt(arg.at, "argument %d of %s must be an array", k+1, e.text)
		}
		v, err := c.expression(arg)
		if err != nil {
			return compiledExpr{}, err
		}
		in = append(in, v.eval)
		address := func(*activation) int { return -1 }
		if _, isConstant := c.constants[arg.text]; arg.kind == exprName && !isConstant {
			if address, _, err = c.address(arg); err != nil {
				return compiledExpr{}, err
			}
		}
		out = append(out, address)
	}
	index := c.p.index
	return compiledExpr{func(s *activation) float64 {
		args := make([]float64, len(in))
		for i, eval := range in {
			args[i] = eval(s)
		}
		v := callee.call(s, args)
		for i, address := range out {
			if at := address(s); at >= 0 {
				s.memory[index][at] = args[i]
			}
		}
		return v
	}, callee.typ}, nil
}
