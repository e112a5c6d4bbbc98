// Package compile turns the code of element and group types, Fortran expressions, into
// programs that evaluate it for many elements at once.
//
// The code of a type becomes a graph of operations, in which equal ones occur once (lower.go,
// expression.go, graph.go). Those that the outputs need (compile.go) are carried out on columns of
// numbers, one for each element of a block (run.go).
package compile

import "github.com/fairtrain/fairtrain/cutest/sif"

// Kernel computes the function of a type, alone and together with its derivatives.
type Kernel struct {
	Value, Gradient *Program
}

// Element compiles the code of an element type. The outputs of the programs are the value
// and the derivatives with respect to the elemental variables, which are the inputs.
// Every fault of the code is a *sif.Error
// without a file.
func Element(code *sif.Code, t *sif.ElementType) (Kernel, error) {
	g, out, err := elementOutputs(code, t)
	if err != nil {
		return Kernel{}, err
	}
	return newKernel(g, out), nil
}

// Group does the same as Element for a group type, whose one input is the argument of the
// group.
func Group(code *sif.Code, t *sif.GroupType) (Kernel, error) {
	if t.Variable == sif.Blank {
		return Kernel{}, fault(t.Line, "group type %q has no variable", t.Name.String())
	}
	g, out, err := groupOutputs(code, t)
	if err != nil {
		return Kernel{}, err
	}
	return newKernel(g, out), nil
}

// Columns is the number of columns that frames of both programs need.
func (k *Kernel) Columns() int { return len(k.Gradient.nodes) }

func newKernel(g *graph, out outputs) Kernel {
	return Kernel{compile(g, []int32{out.f}), compile(g, out.all())}
}
