package compile

import (
	"math"
	"slices"
)

// BlockSize is the number of elements evaluated together: large enough that decoding an
// instruction costs little per element, small enough that all registers stay in the
// first-level cache.
const BlockSize = 64

// Frame is the memory of a program in one evaluator.
type Frame struct {
	// Inputs are the variables that the program reads. Run expects the columns to be filled.
	Inputs []Input

	*Program
	columns [][]float64
}

// Input is a variable of the elements and the column for its values, one for each element
// of a block.
type Input struct {
	Variable int32
	Column   []float64
}

// NewFrame allocates the memory of a program. registers is shared by all programs, which
// never run at the same time: Kernel.Registers blocks of numbers.
func NewFrame(p *Program, registers []float64) *Frame {
	f := &Frame{Program: p}
	for r := range p.registers {
		f.columns = append(f.columns, registers[r*BlockSize:(r+1)*BlockSize:(r+1)*BlockSize])
	}
	for _, v := range p.consts {
		f.columns = append(f.columns, slices.Repeat([]float64{v}, BlockSize))
	}
	for range p.params {
		f.columns = append(f.columns, nil)
	}
	for _, in := range p.inputs {
		f.Inputs = append(f.Inputs, Input{in.variable, f.columns[in.register]})
	}
	return f
}

// Output returns the column of output k after a run, nil if the output is always zero.
func (f *Frame) Output(k int) []float64 {
	if f.outs[k] < 0 {
		return nil
	}
	return f.columns[f.outs[k]]
}

// Run executes the program on n ≤ BlockSize elements, whose variables stand in the columns
// of Inputs. params holds the parameters of all elements; the block begins at element first.
func (f *Frame) Run(n int, params [][]float64, first int) {
	base := f.registers + len(f.consts)
	for k, param := range f.params {
		f.columns[base+k] = params[param][first:]
	}
	columns := f.columns
	for i := range f.instrs {
		in := &f.instrs[i]
		d := columns[in.d][:n]
		a := columns[in.a][:len(d)]
		switch in.op {
		case opAdd:
			b := columns[in.b][:len(d)]
			for j := range d {
				d[j] = a[j] + b[j]
			}
		case opSub:
			b := columns[in.b][:len(d)]
			for j := range d {
				d[j] = a[j] - b[j]
			}
		case opMul:
			b := columns[in.b][:len(d)]
			for j := range d {
				d[j] = a[j] * b[j]
			}
		case opDiv:
			b := columns[in.b][:len(d)]
			for j := range d {
				d[j] = a[j] / b[j]
			}
		case opAddK:
			k := in.k
			for j := range d {
				d[j] = a[j] + k
			}
		case opMulK:
			k := in.k
			for j := range d {
				d[j] = a[j] * k
			}
		case opSubFromK:
			k := in.k
			for j := range d {
				d[j] = k - a[j]
			}
		case opDivK:
			k := in.k
			for j := range d {
				d[j] = k / a[j]
			}
		case opNeg:
			for j := range d {
				d[j] = -a[j]
			}
		case opSqrt:
			for j := range d {
				d[j] = math.Sqrt(a[j])
			}
		case opAbs:
			for j := range d {
				d[j] = math.Abs(a[j])
			}
		case opExp:
			for j := range d {
				d[j] = math.Exp(a[j])
			}
		case opLess:
			b := columns[in.b][:len(d)]
			for j := range d {
				d[j] = truth(a[j] < b[j])
			}
		case opLessEq:
			b := columns[in.b][:len(d)]
			for j := range d {
				d[j] = truth(a[j] <= b[j])
			}
		case opSelect:
			b, c := columns[in.b][:len(d)], columns[in.c][:len(d)]
			for j := range d {
				v := c[j]
				if a[j] != 0 {
					v = b[j]
				}
				d[j] = v
			}
		case opEqual, opAnd, opOr, opNot:
			b := columns[in.b][:len(d)]
			for j := range d {
				d[j] = apply(in.op, a[j], b[j], 0)
			}
		default:
			if fn := unary[min(int(in.op), len(unary)-1)]; fn != nil {
				for j := range d {
					d[j] = fn(a[j])
				}
				continue
			}
			fn, b := binary[in.op], columns[in.b][:len(d)]
			for j := range d {
				d[j] = fn(a[j], b[j])
			}
		}
	}
}
