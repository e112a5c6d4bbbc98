package kkt

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/linalg"
	"github.com/fairtrain/fairtrain/problem"
)

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
