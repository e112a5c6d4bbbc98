// Package kkt measures how far a point is from satisfying the Karush–Kuhn–Tucker
// conditions, from exact values at that point. It needs no multiplier from the method
// that found the point: it takes the multiplier with the smallest residual, so that all
// methods are judged alike.
//
//	Residual   Euclidean norms, as the residual of the paper's §5.2 for c(x) ≤ 0
//	Score      largest entries, as the score of the paper's §5.1 for c(x) = 0
//
// Notation is as in package problem: J is the m×n Jacobian of c, row i = ∇c_iᵀ.
package kkt

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/linalg"
	"github.com/fairtrain/fairtrain/problem"
)

// Residual is the KKT residual of a problem, term by term. If a value that it depends on
// is not finite, the terms are +Inf and the multipliers NaN.
type Residual struct {
	Stationarity    float64   // ‖∇f + Jᵀz‖₂
	Feasibility     float64   // ‖v‖₂, v_i = max(c_i, 0) for an inequality, c_i for an equality
	Complementarity float64   // ‖z∘c‖₂ over the inequalities
	Multiplier      []float64 // z, length m; z_i ≥ 0 for an inequality
}

// Norm is the root of the sum of the squares of the three terms.
func (r Residual) Norm() float64 {
	return math.Hypot(math.Hypot(r.Stationarity, r.Feasibility), r.Complementarity)
}

// Evaluator computes residuals of a problem in memory that it allocates once; it belongs to
// one goroutine. The multipliers it returns are valid until its next call.
type Evaluator struct {
	n, m         int
	inequalities []int
	equalities   []int
	multiplier   []float64            // m
	lagrangian   []float64            // n, ∇f + Jᵀz
	nonneg       *linalg.NNLS         // with inequalities and m > 1, allocated at first use, as is
	parts        []float64            // its solution, the multipliers of the inequalities
	projected    []float64            // n
	normal       *linalg.NNLS         // where products of gradients are used, as are
	products     []float64            // JJᵀ + diag(c²)
	rhs          []float64            // −J∇f
	opposite     []int                // see linalg.Opposites
	equality     blas64.General       // the equalities' rows of J
	free         []float64            // their multipliers
	least        *linalg.LeastSquares // of the equalities, allocated at first use
}

// NewEvaluator returns an evaluator for points of p. Bounds on variables have no part in it.
func NewEvaluator(p problem.Problem) *Evaluator {
	n, m := p.Dims()
	e := &Evaluator{n: n, m: m, inequalities: p.Inequalities(), multiplier: make([]float64, m), lagrangian: make([]float64, n)}
	for i, inequality := range problem.IsInequality(p) {
		if !inequality {
			e.equalities = append(e.equalities, i)
		}
	}
	return e
}

// Residual returns the residual at a point with values v, with the multiplier
//
//	z = argmin ‖∇f + Jᵀz‖² + Σ z_i²c_i²  over z with z_i ≥ 0, the sum and the signs for
//	the inequalities alone,
//
// or any one of the minimisers where there are several, that of least norm if there are no
// inequalities.
func (e *Evaluator) Residual(v *problem.Values) Residual {
	e.checkDims(v)
	z, many := e.multiplier, len(e.equalities) == 0 && (e.n >= manyVariables || e.m >= manyConstraints)
	if !many && !finite(v) || many && !e.multipliersOfMany(v) {
		return e.undefinedResidual()
	}
	switch {
	case many:
	case len(e.inequalities) == 0:
		e.leastSquaresMultipliers(v)
	case e.m == 1:
		z[0] = singleMultiplier(v)
	default:
		e.nonnegativeMultipliers(v)
	}
	stationarity := 0.0
	for lo, hi := range linalg.Parts(e.n) {
		stationarity = math.Hypot(stationarity, blas64.Nrm2(linalg.Vector(e.gradientOfLagrangian(v, z, lo, hi))))
	}
	return e.residual(stationarity, v.Constraint)
}

// residual completes the residual of the multipliers.
func (e *Evaluator) residual(stationarity float64, constraint []float64) Residual {
	z := e.multiplier
	r := Residual{Stationarity: stationarity, Multiplier: z}
	for i, c := range constraint {
		if slices.Contains(e.inequalities, i) {
			r.Complementarity = math.Hypot(r.Complementarity, z[i]*c)
			c = max(c, 0)
		}
		r.Feasibility = math.Hypot(r.Feasibility, c)
	}
	if !(r.Norm() < math.Inf(1)) { // finite values whose products overflow
		return e.undefinedResidual()
	}
	return r
}

// singleMultiplier is the minimiser for one inequality,
//
//	z = max(0, −∇fᵀ∇c / (‖∇c‖² + c²)),
//
// and 0 where ∇c and c vanish.
func singleMultiplier(v *problem.Values) float64 {
	a := linalg.Row(v.Jacobian, 0)
	norm := math.Hypot(blas64.Nrm2(a), v.Constraint[0])
	if norm == 0 {
		return 0
	}
	descent := 0.0
	for j, g := range v.Gradient {
		descent -= g * (a.Data[j] / norm) // divided at once: g∇c and norm² may underflow
	}
	return max(0, descent/norm)
}

// nonnegativeMultipliers stores the minimiser for any m. Let P project onto the null space of
// the equalities' Jacobian J_E. Given multipliers z_I of the inequalities, the best multipliers
// of the equalities are −(J_Eᵀ)†(∇f + J_Iᵀz_I), and P(∇f + J_Iᵀz_I) is left. So z_I is the
// nonnegative least-squares solution of [PJ_Iᵀ; diag(c_I)] z ≈ [−P∇f; 0].
func (e *Evaluator) nonnegativeMultipliers(v *problem.Values) {
	if e.nonneg == nil {
		e.nonneg = linalg.NewNNLS(e.n+len(e.inequalities), len(e.inequalities))
		e.parts = make([]float64, len(e.inequalities))
		e.projected = make([]float64, e.n)
		e.equality = problem.NewJacobian(len(e.equalities), e.n)
		e.free = make([]float64, len(e.equalities))
	}
	for k, i := range e.equalities {
		blas64.Copy(linalg.Row(v.Jacobian, i), linalg.Row(e.equality, k))
	}
	q := e.nonneg
	clear(q.B)
	clear(q.A.Data)
	floats.ScaleTo(q.B[:e.n], -1, e.project(v.Gradient))
	for k, i := range e.inequalities {
		for j, a := range e.project(linalg.Row(v.Jacobian, i).Data) {
			q.A.Data[j*q.A.Stride+k] = a
		}
		q.A.Data[(e.n+k)*q.A.Stride+k] = v.Constraint[i]
	}
	q.Solve(e.parts)

	copy(e.projected, v.Gradient)
	for k, i := range e.inequalities {
		e.multiplier[i] = e.parts[k]
		blas64.Axpy(e.parts[k], linalg.Row(v.Jacobian, i), linalg.Vector(e.projected))
	}
	if len(e.equalities) == 0 {
		return
	}
	e.least.Multiplier(e.free, e.equality, e.projected)
	for k, i := range e.equalities {
		e.multiplier[i] = e.free[k]
	}
}

// project returns Px in the evaluator's memory.
func (e *Evaluator) project(x []float64) []float64 {
	copy(e.projected, x)
	if len(e.equalities) == 0 {
		return e.projected
	}
	if e.least == nil {
		e.least = linalg.NewLeastSquares(len(e.equalities), e.n)
	}
	e.least.Multiplier(e.free, e.equality, x)
	for k, l := range e.free {
		blas64.Axpy(l, linalg.Row(e.equality, k), linalg.Vector(e.projected))
	}
	return e.projected
}

// gradientOfLagrangian returns the entries lo to hi−1 of ∇f + Jᵀλ in the evaluator's memory.
func (e *Evaluator) gradientOfLagrangian(v *problem.Values, lambda []float64, lo, hi int) []float64 {
	part := e.lagrangian[:hi-lo]
	copy(part, v.Gradient[lo:hi])
	for i, l := range lambda {
		if l != 0 {
			floats.AddScaled(part, l, linalg.Row(v.Jacobian, i).Data[lo:hi])
		}
	}
	return part
}

// manyVariables and manyConstraints are the numbers from which on multipliers of inequalities, where
// there are no equalities, are computed from products of gradients. The residual is that of the
// multipliers, however they were found, and a factorisation takes longer than everything else then.
const manyVariables, manyConstraints = 1 << 16, 32

// multipliersOfMany does what nonnegativeMultipliers does, without equalities, from JJᵀ and
// J∇f. It reports whether these are finite.
func (e *Evaluator) multipliersOfMany(v *problem.Values) bool {
	if e.products == nil {
		e.normal = linalg.NewNormalNNLS(e.m)
		e.products, e.rhs, e.opposite = make([]float64, e.m*e.m), make([]float64, e.m), make([]int, e.m)
	}
	norm, m := 0.0, e.m
	linalg.Opposites(e.opposite, e.rhs, v.Jacobian)
	clear(e.products)
	clear(e.rhs)
	for lo, hi := range linalg.Parts(e.n) {
		g := v.Gradient[lo:hi]
		norm += floats.Dot(g, g)
		for i := range m {
			if e.opposite[i] >= 0 {
				continue
			}
			a := linalg.Row(v.Jacobian, i).Data[lo:hi]
			e.rhs[i] -= floats.Dot(a, g)
			for k := range i + 1 {
				if e.opposite[k] < 0 {
					e.products[i*m+k] += floats.Dot(a, linalg.Row(v.Jacobian, k).Data[lo:hi])
				}
			}
		}
	}
	for i, o := range e.opposite {
		row := e.products[i*m : (i+1)*m]
		if o >= 0 && o < i {
			e.rhs[i] = -e.rhs[o]
			floats.ScaleTo(row, -1, e.products[o*m:(o+1)*m])
			row[i] = e.products[o*m+o]
		}
		for k := range row[:i] {
			if p := e.opposite[k]; o < 0 && p >= 0 && p < k {
				row[k] = -row[p]
			}
			e.products[k*m+i] = row[k]
		}
	}
	for i, c := range v.Constraint {
		e.products[i*m+i] += float64(c * c)
	}
	if math.IsNaN(norm) || math.IsInf(norm, 0) || !linalg.Finite(e.products) || !linalg.Finite(e.rhs) {
		return false
	}
	e.normal.SolveNormal(e.multiplier, e.products, e.rhs, math.Sqrt(norm))
	return true
}

func (e *Evaluator) undefinedResidual() Residual {
	return Residual{math.Inf(1), math.Inf(1), math.Inf(1), e.undefinedMultiplier()}
}

func (e *Evaluator) undefinedMultiplier() []float64 {
	for i := range e.multiplier {
		e.multiplier[i] = math.NaN()
	}
	return e.multiplier
}

func (e *Evaluator) checkDims(v *problem.Values) {
	j := v.Jacobian
	if len(v.Gradient) != e.n || len(v.Constraint) != e.m || j.Rows != e.m || j.Cols != e.n {
		panic(fmt.Sprintf("kkt: gradient %d, constraints %d, Jacobian %d×%d; the evaluator has n = %d, m = %d",
			len(v.Gradient), len(v.Constraint), j.Rows, j.Cols, e.n, e.m))
	}
}

// finite reports whether all first-order values are finite.
func finite(v *problem.Values) bool {
	if !linalg.Finite(v.Gradient) || !linalg.Finite(v.Constraint) {
		return false
	}
	for i := range v.Jacobian.Rows {
		if !linalg.Finite(linalg.Row(v.Jacobian, i).Data) {
			return false
		}
	}
	return true
}

// Score measures a point of a problem without inequalities. If a value that it depends on
// is not finite, both terms are +Inf and the multipliers NaN.
type Score struct {
	Stationarity float64   // ‖∇f + Jᵀλ‖_∞
	Feasibility  float64   // ‖c‖_∞
	Multiplier   []float64 // λ, length m
}

// Max is the larger of the two terms: the paper's score.
func (s Score) Max() float64 { return max(s.Stationarity, s.Feasibility) }

// Score returns the score at a point with values v, with the least-squares multiplier
// λ = −(Jᵀ)†∇f, of minimum norm if J is rank deficient. It panics if the problem has
// inequalities, for which the paper has no such score.
func (e *Evaluator) Score(v *problem.Values) Score {
	if len(e.inequalities) > 0 {
		panic("kkt: a score of a problem with inequalities")
	}
	e.checkDims(v)
	if finite(v) {
		e.leastSquaresMultipliers(v)
		gradient := e.gradientOfLagrangian(v, e.multiplier, 0, e.n)
		if linalg.Finite(gradient) { // products of finite values may overflow
			return Score{floats.Norm(gradient, math.Inf(1)), floats.Norm(v.Constraint, math.Inf(1)), e.multiplier}
		}
	}
	return Score{math.Inf(1), math.Inf(1), e.undefinedMultiplier()}
}

// leastSquaresMultipliers stores λ = −(Jᵀ)†∇f. It allocates where J is rank deficient or
// nearly so.
func (e *Evaluator) leastSquaresMultipliers(v *problem.Values) {
	if e.least == nil {
		e.least = linalg.NewLeastSquares(e.m, e.n)
	}
	e.least.Multiplier(e.multiplier, v.Jacobian, v.Gradient)
}
