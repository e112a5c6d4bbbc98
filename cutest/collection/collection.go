// Package collection holds equality-constrained test problems of the literature, written
// out from their published formulas,
//
//	minimise f(x) subject to c(x) = 0,  no bounds,  f not constant,
//
// so that experiments run with nothing downloaded. A problem that CUTEst has too carries
// its name, order of variables and constraints, signs, scaling and starting point; fixed
// variables are left out, as cutest.Oracle leaves them out. Where CUTEst departs from the
// publication, a comment says how.
//
// Every formula is written once, as a function of complex variables. The complex step gives
// its derivatives, exact to rounding.
//
// A Problem is a deterministic problem.Problem; problem.NewNoisy makes a stochastic one
// of it. Evaluations allocate nothing.
//
// Problems whose size is a parameter are functions (LUKVLE1, ELEC, ...); All has them at
// sizes that the SIF files propose, with n + m ≤ 300, at which trying every method is
// quick. The official size of ELEC is 200.
//
// Solution is a published solution with a closed form or, for HS61 and HS111LNP, refined
// by Newton's method. Where it is nil, Optimum is the value at the point that sequential
// quadratic programming reaches from the start. It can differ from the value that the SIF
// file quotes. Most problems are not convex, so there may be better solutions. Tests
// check the first-order conditions only, not that points are minima. The value of ELEC is
// from the literature.
//
// Read next: element.go, then hs.go, the Hock–Schittkowski problems.
package collection

import (
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/problem"
)

// Problem is a test problem. It has scratch memory and so belongs to one goroutine; a copy
// has its own.
type Problem struct {
	Name     string    // as in CUTEst
	Source   string    // where the problem was published
	Optimum  float64   // the value of f at a local solution, NaN if none is known
	Solution []float64 // a point with that value, nil if it is not written down

	problem.Deterministic
	start       []float64
	objective   []element // f is their sum
	constraints []element
	scratch     vars // of the element in work
}

var _ problem.Problem = (*Problem)(nil)

// All returns the collection, each problem anew, in the order of the names of families.
func All() []*Problem {
	return slices.Concat(boggsTolle(), control(), hockSchittkowski(), chained(), orthogonal(), single())
}

// Dims returns the number of variables and of constraints.
func (p *Problem) Dims() (n, m int) { return len(p.start), len(p.constraints) }

// Start fills x with the published starting point.
func (p *Problem) Start(x []float64) { copy(x, p.start) }

// Evaluate stores what is wanted, whatever the batch.
func (p *Problem) Evaluate(out *problem.Values, x []float64, _ *problem.Batch) {
	if out.WantObjective {
		out.Objective = 0
		for _, e := range p.objective {
			out.Objective += e.value(&p.scratch, x)
		}
	}
	if out.Gradient != nil {
		clear(out.Gradient)
		for _, e := range p.objective {
			e.addGradient(out.Gradient, &p.scratch, x)
		}
	}
	for i, c := range p.constraints {
		if out.Constraint != nil {
			out.Constraint[i] = c.value(&p.scratch, x)
		}
		if out.WantJacobian() {
			row := out.Jacobian.Data[i*out.Jacobian.Stride:][:out.Jacobian.Cols]
			clear(row)
			c.addGradient(row, &p.scratch, x)
		}
	}
}

// atSize returns the optimum that is known for one size, NaN for others.
func atSize(size, known int, optimum float64) float64 {
	if size != known {
		return math.NaN()
	}
	return optimum
}

// periodic returns n elements that repeat values.
func periodic(n int, values ...float64) []float64 { return slices.Repeat(values, n)[:n] }
