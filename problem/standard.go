package problem

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/linalg"
)

// Standard brings a problem with inequalities c_i(x) ≤ 0 into standard form: the
// variables become z = (x, s) with one slack s_i ≥ 0 per inequality, and the constraint
//
//	κ_i c_i(x) + s_i = 0   for an inequality,   κ_i c_i(x) = 0   for an equality.
//
// The scale κ_i > 0 sets the unit in which methods see the constraint. The paper's normal
// step −w∇c c moves like ‖∇c‖², so its speed depends on that unit. Values for people are
// always values of the inner problem (see Original).
type Standard struct {
	Problem // the inner one

	kappa []float64
	slack []int // slack[i] is the index in z of constraint i's slack, −1 for an equality
	n, m  int   // dimensions of the inner problem
	bound []int
	start []float64
	view  Values // the inner part of what Evaluate fills
}

// NewStandard wraps p. kappa has length m, or is nil for no scaling. The slacks start at
// max(0, −κ_i c_i(x₀)). This takes one exact evaluation, which is part of the problem's
// set-up and charged to nobody.
func NewStandard(p Problem, kappa []float64) (*Standard, error) {
	n, m := p.Dims()
	q := &Standard{Problem: p, n: n, m: m, kappa: make([]float64, m), slack: make([]int, m)}
	for i := range m {
		q.kappa[i], q.slack[i] = 1, -1
	}
	if kappa != nil {
		if len(kappa) != m {
			return nil, fmt.Errorf("problem: %d constraint scales for %d constraints", len(kappa), m)
		}
		for i, k := range kappa {
			if !(k > 0) || math.IsInf(k, 0) {
				return nil, fmt.Errorf("problem: scale of constraint %d is %v, must be positive and finite", i, k)
			}
		}
		copy(q.kappa, kappa)
	}
	q.bound = append(q.bound, p.NonNegative()...)
	inequalities := p.Inequalities()
	for k, i := range inequalities {
		q.slack[i] = n + k
		q.bound = append(q.bound, n+k)
	}
	q.start = make([]float64, n+len(inequalities))
	p.Start(q.start[:n])
	c := make([]float64, m)
	p.Evaluate(&Values{Constraint: c}, q.start[:n], nil)
	for i, j := range q.slack {
		if j >= 0 {
			q.start[j] = max(0, -q.kappa[i]*c[i])
		}
	}
	return q, nil
}

// Slacks returns the index of each constraint's slack, −1 for an equality. Callers must not modify
// the slice.
func (q *Standard) Slacks() []int { return q.slack }

// SlacksOf returns the slacks of a problem in standard form, or of one around it that has a method
// Slacks, as Counted has; of others it returns that no constraint has one.
func SlacksOf(p Problem) []int {
	if s, ok := p.(interface{ Slacks() []int }); ok {
		return s.Slacks()
	}
	_, m := p.Dims()
	return slices.Repeat([]int{-1}, m)
}

// Slacks forwards.
func (p *Counted) Slacks() []int { return SlacksOf(p.Problem) }

// Kappa returns the scale of each constraint. Callers must not modify the slice.
func (q *Standard) Kappa() []float64 { return q.kappa }

// X returns the inner problem's variables, a view of the first n entries of z.
func (q *Standard) X(z []float64) []float64 { return z[:q.n:q.n] }

// Dims returns n plus the number of slacks, and m.
func (q *Standard) Dims() (n, m int) { return len(q.start), q.m }

// Inequalities returns nil: the slacks have made equalities of them.
func (q *Standard) Inequalities() []int { return nil }

// NonNegative lists the inner problem's bounded variables, then the slacks.
func (q *Standard) NonNegative() []int { return q.bound }

// Start is the inner problem's start with slacks. Where an inequality holds there, its slack
// makes the constraint 0.
func (q *Standard) Start(z []float64) { copy(z, q.start) }

// Evaluate evaluates the inner problem, whose objective does not depend on the slacks. Constraints
// are scaled, and slacks added.
func (q *Standard) Evaluate(out *Values, z []float64, b *Batch) {
	q.view = *out
	q.view.Jacobian.Cols = q.n
	if out.Gradient != nil {
		q.view.Gradient = q.X(out.Gradient)
		clear(out.Gradient[q.n:])
	}
	q.Problem.Evaluate(&q.view, q.X(z), b)
	out.Objective = q.view.Objective
	for i, k := range q.kappa {
		slack := q.slack[i]
		if out.Constraint != nil {
			out.Constraint[i] *= k
			if slack >= 0 {
				out.Constraint[i] += z[slack]
			}
		}
		if out.WantJacobian() {
			if k != 1 {
				floats.Scale(k, linalg.Row(q.view.Jacobian, i).Data)
			}
			row := linalg.Row(out.Jacobian, i).Data
			clear(row[q.n:])
			if slack >= 0 {
				row[slack] = 1
			}
		}
	}
}

// Original stores in dst (of the inner dimensions) the inner problem's values, from the values
// v of the standard form at z. It takes away slacks and scales.
func (q *Standard) Original(dst, v *Values, z []float64) {
	dst.Objective = v.Objective
	q.originalConstraint(dst.Constraint, v, z)
	copy(dst.Gradient, q.X(v.Gradient))
	for i, k := range q.kappa {
		row := linalg.Row(v.Jacobian, i).Data
		for j := range linalg.Row(dst.Jacobian, i).Data {
			dst.Jacobian.Data[i*dst.Jacobian.Stride+j] = row[j] / k
		}
	}
}

// originalConstraint stores the inner problem's constraints.
func (q *Standard) originalConstraint(dst []float64, v *Values, z []float64) {
	for i, k := range q.kappa {
		c := v.Constraint[i]
		if j := q.slack[i]; j >= 0 {
			c -= z[j]
		}
		dst[i] = c / k
	}
}

// Bounds bounds the constants of the standard form from the bounds of the inner problem.
//
// With the largest scale κ, values and derivatives of c grow by at most κ. The slacks add an
// identity block to the Jacobian, so L_c becomes at most √(κ²L_c² + 1). M leaves the slacks
// out: along the iterates s stays near −κc.
//
// The singular values of the scaled ∇c are at least ν times the least scale, and further
// columns only raise them. The slacks give no ν of their own. While all slacks are free,
// [∇cᵀ I][∇cᵀ I]ᵀ = ∇cᵀ∇c + I and σ_min ≥ 1. But a slack at its bound can't move, and its
// column leaves the Jacobian from which directions are computed (solver/direction.go). Then,
// for one constraint, σ_min is ‖κ∇c‖. On a9a, where the constraint is active, its median over
// the steps with the paper's parameters is 0.05. So Assumption 4 is about the gradients of
// active constraints, with slacks as without.
func (q *Standard) Bounds() Constants {
	kappa := slices.Max(q.kappa)
	c := Bounds(q.Problem)
	c.M *= kappa
	c.Lc *= kappa
	c.LJ *= kappa
	c.Lhc *= kappa
	c.SigmaC *= kappa
	c.SigmaJ *= kappa
	if slacks := len(q.start) - q.n; slacks > 0 && c.Lc > 0 {
		c.Lc = math.Hypot(c.Lc, 1)
	}
	c.Nu *= slices.Min(q.kappa)
	return c
}
