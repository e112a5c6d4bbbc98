package compile

import (
	"math"
	"strings"

	"github.com/fairtrain/fairtrain/cutest/sif"
)

// intrinsic is a function of Fortran.
type intrinsic struct {
	op       opcode
	min, max int        // number of arguments
	kind     resultKind // type of the result
}

type resultKind int

const (
	alwaysReal    resultKind = iota
	likeArguments            // integer if all arguments are
	alwaysInteger
	asReal // the argument itself, as a real
	constantValue
)

// intrinsics are the functions of Fortran that are real, integer or logical, under their
// generic and their specific names.
var intrinsics = intrinsicTable()

func intrinsicTable() map[string]intrinsic {
	table := make(map[string]intrinsic)
	define := func(op opcode, least, most int, kind resultKind, words string) {
		for word := range strings.FieldsSeq(words) {
			table[word] = intrinsic{op, least, most, kind}
		}
	}
	define(opSqrt, 1, 1, alwaysReal, "SQRT DSQRT")
	define(opExp, 1, 1, alwaysReal, "EXP DEXP")
	define(opLog, 1, 1, alwaysReal, "LOG DLOG ALOG")
	define(opLog10, 1, 1, alwaysReal, "LOG10 DLOG10 ALOG10")
	define(opSin, 1, 1, alwaysReal, "SIN DSIN")
	define(opCos, 1, 1, alwaysReal, "COS DCOS")
	define(opTan, 1, 1, alwaysReal, "TAN DTAN")
	define(opAsin, 1, 1, alwaysReal, "ASIN DASIN")
	define(opAcos, 1, 1, alwaysReal, "ACOS DACOS")
	define(opAtan, 1, 2, alwaysReal, "ATAN DATAN")
	define(opAtan2, 2, 2, alwaysReal, "ATAN2 DATAN2")
	define(opSinh, 1, 1, alwaysReal, "SINH DSINH")
	define(opCosh, 1, 1, alwaysReal, "COSH DCOSH")
	define(opTanh, 1, 1, alwaysReal, "TANH DTANH")
	define(opAsinh, 1, 1, alwaysReal, "ASINH DASINH")
	define(opAcosh, 1, 1, alwaysReal, "ACOSH DACOSH")
	define(opAtanh, 1, 1, alwaysReal, "ATANH DATANH")
	define(opErf, 1, 1, alwaysReal, "ERF DERF")
	define(opErfc, 1, 1, alwaysReal, "ERFC DERFC")
	define(opGamma, 1, 1, alwaysReal, "GAMMA DGAMMA")
	define(opLogGamma, 1, 1, alwaysReal, "LOG_GAMMA LGAMMA ALGAMA DLGAMA")
	define(opHypot, 2, 2, alwaysReal, "HYPOT")
	define(opAbs, 1, 1, likeArguments, "ABS DABS IABS")
	define(opSign, 2, 2, likeArguments, "SIGN DSIGN ISIGN")
	define(opMod, 2, 2, likeArguments, "MOD DMOD AMOD")
	define(opDim, 2, 2, likeArguments, "DIM DDIM IDIM")
	define(opMin, 2, 99, likeArguments, "MIN DMIN1 AMIN1 MIN0")
	define(opMax, 2, 99, likeArguments, "MAX DMAX1 AMAX1 MAX0")
	define(opMin, 2, 99, alwaysReal, "AMIN0")
	define(opMax, 2, 99, alwaysReal, "AMAX0")
	define(opTrunc, 1, 1, alwaysReal, "AINT DINT")
	define(opRound, 1, 1, alwaysReal, "ANINT DNINT")
	define(opTrunc, 1, 1, alwaysInteger, "INT IFIX IDINT")
	define(opRound, 1, 1, alwaysInteger, "NINT IDNINT")
	define(opFloor, 1, 1, alwaysInteger, "FLOOR")
	define(opCeil, 1, 1, alwaysInteger, "CEILING")
	define(opConst, 1, 1, asReal, "REAL DBLE FLOAT DFLOAT SNGL")
	define(opConst, 1, 1, constantValue, "HUGE TINY EPSILON")
	return table
}

// opcode returns the operation for a number of arguments.
func (in intrinsic) opcode(args int) opcode {
	if in.op == opAtan && args == 2 {
		return opAtan2
	}
	return in.op
}

// resultType returns the type of the result; integers tells whether all arguments are.
func (in intrinsic) resultType(integers bool) sif.ValueType {
	if in.kind == alwaysInteger || in.kind == likeArguments && integers {
		return sif.IntegerValue
	}
	return sif.RealValue
}

var machineConstants = map[string]float64{"HUGE": math.MaxFloat64, "TINY": 0x1p-1022, "EPSILON": 0x1p-52}
