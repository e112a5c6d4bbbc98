package cutest

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/fairtrain/fairtrain/problem"
)

// Oracle is an equality-constrained problem as methods see it, a deterministic
// problem.Problem: fixed variables are eliminated, other bounds ignored, the Jacobian is
// dense.
type Oracle struct {
	problem.Deterministic
	e    *Evaluator
	free []int // variables that are not fixed
	slot []int // of each variable among the free ones, −1 if it is fixed
	x    []float64
	v    *Values
}

var _ problem.Problem = (*Oracle)(nil)

// NewOracle returns the oracle of p. It is an error if p has no constraints, an
// inequality, or no free variable.
func NewOracle(p *Problem) (*Oracle, error) {
	if p.M() == 0 {
		return nil, fmt.Errorf("cutest: problem %s has no constraints", p.Name)
	}
	for _, c := range p.Constraints {
		if c.Kind != Equality {
			return nil, fmt.Errorf("cutest: constraint %s of problem %s is an inequality", c.Name, p.Name)
		}
	}
	o := &Oracle{e: p.NewEvaluator(), x: p.Start(), v: p.NewValues(), slot: make([]int, p.N())}
	for j, v := range p.Variables {
		if v.Lower == v.Upper {
			o.slot[j], o.x[j] = -1, v.Lower
			continue
		}
		o.slot[j] = len(o.free)
		o.free = append(o.free, j)
	}
	if len(o.free) == 0 {
		return nil, fmt.Errorf("cutest: all variables of problem %s are fixed", p.Name)
	}
	return o, nil
}

// Dims returns the number of free variables and of constraints.
func (o *Oracle) Dims() (n, m int) { return len(o.free), o.e.c.m }

// Start is the file's starting point.
func (o *Oracle) Start(x []float64) {
	for k, j := range o.free {
		x[k] = o.e.p.Variables[j].Start
	}
}

// full stores the point of all variables in o.x.
func (o *Oracle) full(x []float64) {
	for k, j := range o.free {
		o.x[j] = x[k]
	}
}

// Evaluate stores what is wanted, whatever the batch.
func (o *Oracle) Evaluate(out *problem.Values, x []float64, _ *problem.Batch) {
	o.full(x)
	switch {
	case out.WantObjective && out.Gradient != nil && out.Constraint != nil && out.WantJacobian():
		o.e.All(o.v, o.x) // for less than the sum of all
		out.Objective = o.v.Objective
		copy(out.Constraint, o.v.Constraints)
	default:
		o.evaluateParts(out)
	}
	if out.Gradient != nil {
		o.reduceGradient(out.Gradient)
	}
	if out.WantJacobian() {
		o.spread(out.Jacobian)
	}
}

func (o *Oracle) evaluateParts(out *problem.Values) {
	if out.WantObjective {
		out.Objective = o.e.Objective(o.x)
	}
	if out.Gradient != nil {
		o.e.Gradient(o.v.Gradient, o.x)
	}
	if out.Constraint != nil {
		o.e.Constraints(out.Constraint, o.x)
	}
	if out.WantJacobian() {
		o.e.Jacobian(o.v.Jacobian, o.x)
	}
}

func (o *Oracle) reduceGradient(dst []float64) {
	for k, j := range o.free {
		dst[k] = o.v.Gradient[j]
	}
}

// spread stores the sparse Jacobian in dst, without the columns of fixed variables.
func (o *Oracle) spread(dst blas64.General) {
	p := o.e.p
	for i := range p.M() {
		row := dst.Data[i*dst.Stride : i*dst.Stride+len(o.free)]
		clear(row)
		from, to := p.RowStart[i], p.RowStart[i+1]
		values := o.v.Jacobian[from:to]
		for k, j := range p.Columns[from:to] {
			if slot := o.slot[j]; slot >= 0 {
				row[slot] = values[k]
			}
		}
	}
}
