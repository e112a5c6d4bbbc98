package compile

import "math"

// opcode is an operation of the evaluator's programs. Operands and results are columns of
// float64, one entry per element; integers are held exactly in them, a logical is 1 or 0.
type opcode uint8

const (
	opConst opcode = iota // k
	opInput               // variable of a number
	opParam               // parameter of a number
	opUnset               // a name that has no value, of a number among the graph's unset names
	opAdd
	opSub
	opMul
	opDiv
	opNeg
	opPow
	opSqrt
	opExp
	opLog
	opLog10
	opSin
	opCos
	opTan
	opAsin
	opAcos
	opAtan
	opSinh
	opCosh
	opTanh
	opAsinh
	opAcosh
	opAtanh
	opErf
	opErfc
	opGamma
	opLogGamma
	opAbs
	opTrunc
	opRound
	opFloor
	opCeil
	opAtan2
	opMin
	opMax
	opMod
	opSign
	opDim
	opHypot
	opLess
	opLessEq
	opEqual
	opAnd
	opOr
	opNot
	opSelect // b if a, else c
)

// unary are the functions behind the opcodes of one operand that have no loop of their
// own in run. The last entry makes the table reach as far as the opcodes that are looked
// up in it.
var unary = [...]func(float64) float64{
	opExp: math.Exp, opLog: math.Log, opLog10: math.Log10, opSin: math.Sin, opCos: math.Cos,
	opTan: math.Tan, opAsin: math.Asin, opAcos: math.Acos, opAtan: math.Atan, opSinh: math.Sinh,
	opCosh: math.Cosh, opTanh: math.Tanh, opAsinh: math.Asinh, opAcosh: math.Acosh, opAtanh: math.Atanh,
	opErf: math.Erf, opErfc: math.Erfc, opGamma: math.Gamma, opLogGamma: logGamma,
	opTrunc: math.Trunc, opRound: math.Round, opFloor: math.Floor, opCeil: math.Ceil, opSelect: nil,
}

// binary are the functions behind the opcodes of two operands that have no loop of their
// own in run, as long as unary.
var binary = [...]func(x, y float64) float64{
	opPow: math.Pow, opAtan2: math.Atan2, opMin: fortranMin, opMax: fortranMax, opMod: math.Mod,
	opSign: math.Copysign, opDim: dim, opHypot: math.Hypot, opSelect: nil,
}

func logGamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}

// fortranMin and fortranMax return the second operand if either is NaN, as compiled code
// does: it saves time.
func fortranMin(x, y float64) float64 {
	if x < y {
		return x
	}
	return y
}

func fortranMax(x, y float64) float64 {
	if x > y {
		return x
	}
	return y
}

// dim is Fortran's DIM: the positive difference.
func dim(x, y float64) float64 {
	if x > y {
		return x - y
	}
	return 0
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// apply evaluates an operation on single values.
func apply(op opcode, a, b, c float64) float64 {
	switch op {
	case opAdd:
		return a + b
	case opSub:
		return a - b
	case opMul:
		return a * b
	case opDiv:
		return a / b
	case opNeg:
		return -a
	case opSqrt:
		return math.Sqrt(a)
	case opAbs:
		return math.Abs(a)
	case opLess:
		return truth(a < b)
	case opLessEq:
		return truth(a <= b)
	case opEqual:
		return truth(a == b)
	case opAnd:
		return a * b
	case opOr:
		return truth(a+b > 0)
	case opNot:
		return 1 - a
	case opSelect:
		if a != 0 {
			return b
		}
		return c
	}
	if f := unary[op]; f != nil {
		return f(a)
	}
	return binary[op](a, b)
}
