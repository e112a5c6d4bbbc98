// Package reference solves problems on exact values by a deterministic method. It shares no
// code with the methods of package solver, and so is an independent check of them.
package reference

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"

	"github.com/fairtrain/fairtrain/internal/linalg"
	"github.com/fairtrain/fairtrain/problem"
)

// Solution is what Solve found.
type Solution struct {
	X         []float64
	Y         []float64 // multipliers
	Objective float64
	Residual  float64 // largest of ‖∇f + Jᵀy‖, violation and complementarity ‖min(−c, y)‖
	Passes    int     // exact evaluations until then
}

// Solve solves p, with its inequalities as they are, to the given tolerance of
// Solution.Residual. The method is the augmented Lagrangian method (Hestenes, Powell,
// Rockafellar) over gonum's L-BFGS. It starts at x0, or at the problem's own start if x0 is
// nil.
//
// If the tolerance is out of reach, Solve returns the best point it found and an error; before
// there is one, X is nil. Bounds of variables are an error, as it knows none.
func Solve(ctx context.Context, p problem.Problem, tolerance float64, x0 []float64) (*Solution, error) {
	const (
		outer     = 60
		growth    = 4
		shrinkage = 0.5 // violation must shrink by this, else β grows
	)
	if len(p.NonNegative()) > 0 {
		return nil, errors.New("augmented Lagrangian: bounds of variables are not supported")
	}
	n, m := p.Dims()
	l := &lagrangian{ctx: ctx, p: p, inequality: problem.IsInequality(p), values: problem.NewValues(n, m), y: make([]float64, m), shifted: make([]float64, m), beta: 10}
	x := slices.Clone(x0)
	if x0 == nil {
		x = make([]float64, n)
		p.Start(x)
	}
	best := &Solution{Residual: math.Inf(1)}
	violation := math.Inf(1)
	inner := 1e-2
	for range outer {
		if err := ctx.Err(); err != nil {
			return best, err
		}
		x = l.minimise(x, inner)
		l.evaluate(x)
		previous := violation
		violation = l.violation()
		l.shift()
		copy(l.y, l.shifted)
		s := l.solution(x)
		if s.Residual < best.Residual {
			best = s
		}
		if s.Residual <= tolerance {
			return best, nil
		}
		if violation > tolerance && violation > shrinkage*previous {
			l.beta *= growth
		}
		inner = max(tolerance/10, inner/10)
	}
	return best, fmt.Errorf("augmented Lagrangian: residual %.3g after %d outer iterations, wanted %.3g", best.Residual, outer, tolerance)
}

// lagrangian is the augmented Lagrangian with multipliers y and penalty β.
type lagrangian struct {
	ctx        context.Context
	p          problem.Problem
	inequality []bool
	values     *problem.Values
	y, shifted []float64
	beta       float64
	passes     int
}

func (l *lagrangian) evaluate(x []float64) {
	l.p.Evaluate(l.values, x, nil)
	l.passes++
}

// minimise minimises from x until the gradient is below the tolerance in the maximum norm.
func (l *lagrangian) minimise(x []float64, tolerance float64) []float64 {
	at := slices.Repeat([]float64{math.NaN()}, len(x)) // nothing evaluated yet
	fresh := func(x []float64) {
		if !floats.Equal(at, x) {
			l.evaluate(x)
			copy(at, x)
		}
		l.shift()
	}
	objective := optimize.Problem{
		Func: func(x []float64) float64 {
			fresh(x)
			return l.value()
		},
		Grad: func(grad, x []float64) {
			fresh(x)
			l.gradient(grad, l.shifted)
		},
		Status: func() (optimize.Status, error) { return optimize.NotTerminated, l.ctx.Err() },
	}
	settings := &optimize.Settings{GradientThreshold: tolerance, MajorIterations: 2000, Converger: optimize.NeverTerminate{}}
	// An error (a line search at the limit of rounding, say) still leaves a best point.
	result, _ := optimize.Minimize(objective, x, settings, &optimize.LBFGS{Store: 30})
	if result == nil || !linalg.Finite(result.X) {
		return x
	}
	return result.X
}

// shift stores the first-order multiplier update y + βc, cut at 0 for inequalities, in
// shifted.
func (l *lagrangian) shift() {
	for i, c := range l.values.Constraint {
		l.shifted[i] = l.y[i] + l.beta*c
		if l.inequality[i] {
			l.shifted[i] = max(0, l.shifted[i])
		}
	}
}

// value is f + Σ ((y + βc)² − y²)/(2β), where the square is cut at 0 for inequalities.
func (l *lagrangian) value() float64 {
	sum := l.values.Objective
	for i, s := range l.shifted {
		sum += (s*s - l.y[i]*l.y[i]) / (2 * l.beta)
	}
	return sum
}

// gradient stores ∇f + Jᵀy in dst.
func (l *lagrangian) gradient(dst, y []float64) {
	copy(dst, l.values.Gradient)
	blas64.Gemv(blas.Trans, 1, l.values.Jacobian, linalg.Vector(y), 1, linalg.Vector(dst))
}

// violation is the norm of c, where an inequality counts with max(c, −y/β).
func (l *lagrangian) violation() float64 {
	sum := 0.0
	for i, c := range l.values.Constraint {
		if l.inequality[i] {
			c = max(c, -l.y[i]/l.beta)
		}
		sum += float64(c * c)
	}
	return math.Sqrt(sum)
}

// solution describes x, at which the present values were computed.
func (l *lagrangian) solution(x []float64) *Solution {
	g := make([]float64, len(x))
	l.gradient(g, l.y)
	var violation, complementarity float64
	for i, c := range l.values.Constraint {
		if l.inequality[i] {
			gap := min(-c, l.y[i])
			complementarity += float64(gap * gap)
			c = max(0, c)
		}
		violation += float64(c * c)
	}
	return &Solution{
		X: slices.Clone(x), Y: slices.Clone(l.y),
		Objective: l.values.Objective,
		Residual:  max(floats.Norm(g, 2), math.Sqrt(violation), math.Sqrt(complementarity)),
		Passes:    l.passes,
	}
}
