package compile

import (
	"math"
	"slices"
)

// BlockSize is the number of elements evaluated together: large enough that decoding an
// instruction costs little per element, small enough that most columns stay in the
// first-level cache.
const BlockSize = 64

// Frame is the memory of a program in one evaluator.
type Frame struct {
	// Inputs are the variables that the program reads. Run expects the columns to be filled.
	Inputs []Input

	*Program
	columns [][]float64 // of each node
}

// Input is a variable of the elements and the column for its values, one for each element
// of a block.
type Input struct {
	Variable int32
	Column   []float64
}

// NewFrame allocates the memory of a program, but for memory that all programs share, which never
// run at the same time: Kernel.Columns blocks of numbers.
func NewFrame(p *Program, shared []float64) *Frame {
	f := &Frame{Program: p}
	for i, n := range p.nodes {
		column := shared[i*BlockSize : (i+1)*BlockSize : (i+1)*BlockSize]
		switch n.op {
		case opConst:
			column = slices.Repeat([]float64{math.Float64frombits(n.bits)}, BlockSize)
		case opInput:
			f.Inputs = append(f.Inputs, Input{n.in[0], column})
		}
		f.columns = append(f.columns, column)
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
	columns := f.columns
	for i := range f.nodes {
		in := &f.nodes[i]
		if in.op == opParam {
			columns[i] = params[in.in[0]][first:]
		}
		if in.op <= opUnset {
			continue
		}
		d := columns[i][:n]
		a := columns[in.in[0]][:len(d)]
		switch in.op {
		case opAdd:
			b := columns[in.in[1]][:len(d)]
			for j := range d {
				d[j] = a[j] + b[j]
			}
		case opSub:
			b := columns[in.in[1]][:len(d)]
			for j := range d {
				d[j] = a[j] - b[j]
			}
		case opMul:
			b := columns[in.in[1]][:len(d)]
			for j := range d {
				d[j] = a[j] * b[j]
			}
		case opDiv:
			b := columns[in.in[1]][:len(d)]
			for j := range d {
				d[j] = a[j] / b[j]
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
			b := columns[in.in[1]][:len(d)]
			for j := range d {
				d[j] = truth(a[j] < b[j])
			}
		case opLessEq:
			b := columns[in.in[1]][:len(d)]
			for j := range d {
				d[j] = truth(a[j] <= b[j])
			}
		case opSelect:
			b, c := columns[in.in[1]][:len(d)], columns[in.in[2]][:len(d)]
			for j := range d {
				v := c[j]
				if a[j] != 0 {
					v = b[j]
				}
				d[j] = v
			}
		case opEqual, opAnd, opOr, opNot:
			b := columns[in.in[1]][:len(d)]
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
			fn, b := binary[in.op], columns[in.in[1]][:len(d)]
			for j := range d {
				d[j] = fn(a[j], b[j])
			}
		}
	}
}
