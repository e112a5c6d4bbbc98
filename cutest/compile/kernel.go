// Package compile turns the code of element and group types, Fortran expressions, into
// programs that evaluate it for many elements at once.
//
// The code of a type becomes a graph of operations, in which equal ones occur once (lower.go,
// expression.go, graph.go). Operations on parameters alone are computed at once. The rest is
// compiled to instructions (compile.go) over columns of numbers, one for each element of a block
// (run.go).
package compile

import (
	"slices"

	"github.com/fairtrain/fairtrain/cutest/sif"
)

// Kernel computes the function of a type, alone and together with its derivatives.
type Kernel struct {
	Value, Gradient *Program
	Params          [][]float64 // [parameter][element], the file's parameters first
}

// Element compiles the code of an element type. The outputs of the programs are the value
// and the derivatives with respect to the elemental variables, which are the inputs.
// params holds the parameters of count elements. Every fault of the code is a *sif.Error
// without a file.
func Element(code *sif.Code, t *sif.ElementType, params [][]float64, count int) (Kernel, error) {
	g, out, err := elementOutputs(code, t)
	if err != nil {
		return Kernel{}, err
	}
	return newKernel(g, out, params, count), nil
}

// Group does the same as Element for a group type, whose one input is the argument of the
// group.
func Group(code *sif.Code, t *sif.GroupType, params [][]float64, count int) (Kernel, error) {
	if t.Variable == sif.Blank {
		return Kernel{}, fault(t.Line, "group type %q has no variable", t.Name.String())
	}
	g, out, err := groupOutputs(code, t)
	if err != nil {
		return Kernel{}, err
	}
	return newKernel(g, out, params, count), nil
}

// Registers is the number of registers that frames of both programs need.
func (k *Kernel) Registers() int { return max(k.Value.registers, k.Gradient.registers) }

// newKernel compiles both programs. Operations on parameters alone are carried out here,
// for all elements, and added to the parameters.
func newKernel(g *graph, out outputs, params [][]float64, count int) Kernel {
	outs := append([]int32{out.f}, out.grad...)
	fixed, numbers := hoist(g, outs, len(params))
	if len(fixed) > 0 {
		p := compile(g, fixed, nil)
		f := NewFrame(p, make([]float64, p.registers*BlockSize))
		all := slices.Clone(params)
		for range fixed {
			all = append(all, make([]float64, count))
		}
		for first := 0; first < count; first += BlockSize {
			n := min(BlockSize, count-first)
			f.Run(n, params, first)
			for k := range fixed {
				copy(all[len(params)+k][first:first+n], f.Output(k))
			}
		}
		params = all
	}
	return Kernel{compile(g, outs[:1], numbers), compile(g, outs, numbers), params}
}
