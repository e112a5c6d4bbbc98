package solver

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"

	"github.com/fairtrain/fairtrain/internal/linalg"
	"github.com/fairtrain/fairtrain/problem"
)

// Reference is a deterministic solution.
type Reference struct {
	X         []float64
	Y         []float64 // multipliers
	Objective float64
	Residual  float64 // largest of ‖∇f + Jᵀy‖, violation and complementarity ‖min(−c, y)‖
	Passes    int     // exact evaluations
}

// ALM solves p, with its inequalities as they are, on exact values by the augmented
// Lagrangian method (Hestenes, Powell, Rockafellar) over
// gonum's L-BFGS, to the given tolerance of Reference.Residual. It shares no code with
// the stochastic methods, which makes it their independent check. x0 nil means the
// problem's own start.
//
// It returns an error with the best point found if the tolerance is out of reach.
func ALM(ctx context.Context, p problem.Problem, tolerance float64, x0 []float64) (*Reference, error) {
	const (
		outer     = 60
		growth    = 4
		shrinkage = 0.5 // violation must shrink by this, else β grows
	)
	n, m := p.Dims()
	a := &alm{ctx: ctx, p: p, inequality: problem.IsInequality(p), values: problem.NewValues(n, m), y: make([]float64, m), shifted: make([]float64, m), beta: 10}
	x := make([]float64, n)
	if x0 != nil {
		copy(x, x0)
	} else {
		p.Start(x)
	}
	best := &Reference{Residual: math.Inf(1)}
	violation := math.Inf(1)
	inner := 1e-2
	for range outer {
		if err := ctx.Err(); err != nil {
			return best, err
		}
		x = a.minimise(x, inner)
		a.evaluate(x)
		previous := violation
		violation = a.violation()
		a.updateMultipliers()
		r := a.reference(x)
		if r.Residual < best.Residual {
			best = r
		}
		if r.Residual <= tolerance {
			best.Passes = a.passes
			return best, nil
		}
		if violation > tolerance && violation > shrinkage*previous {
			a.beta *= growth
		}
		inner = max(tolerance/10, inner/10)
	}
	best.Passes = a.passes
	return best, fmt.Errorf("augmented Lagrangian: residual %.3g after %d outer iterations, wanted %.3g", best.Residual, outer, tolerance)
}

type alm struct {
	ctx        context.Context
	p          problem.Problem
	inequality []bool
	values     *problem.Values
	y, shifted []float64
	beta       float64
	passes     int
}

func (a *alm) evaluate(x []float64) {
	problem.Exact(a.p, a.values, x)
	a.passes++
}

// minimise minimises the augmented Lagrangian from x until its gradient is below
// tolerance in the maximum norm.
func (a *alm) minimise(x []float64, tolerance float64) []float64 {
	at := make([]float64, len(x))
	fresh := func(x []float64) {
		if a.passes == 0 || !floats.Equal(at, x) {
			a.evaluate(x)
			copy(at, x)
		}
	}
	objective := optimize.Problem{
		Func: func(x []float64) float64 {
			fresh(x)
			return a.lagrangian()
		},
		Grad: func(grad, x []float64) {
			fresh(x)
			a.gradient(grad)
		},
		Status: func() (optimize.Status, error) { return optimize.NotTerminated, a.ctx.Err() },
	}
	floats.AddConst(math.NaN(), at) // nothing evaluated yet
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
func (a *alm) shift() {
	for i, c := range a.values.Constraint {
		a.shifted[i] = a.y[i] + a.beta*c
		if a.inequality[i] {
			a.shifted[i] = max(0, a.shifted[i])
		}
	}
}

// lagrangian is f + Σ ((y + βc)² − y²)/(2β), the square cut at 0 for inequalities.
func (a *alm) lagrangian() float64 {
	a.shift()
	sum := a.values.Objective
	for i, s := range a.shifted {
		sum += (s*s - a.y[i]*a.y[i]) / (2 * a.beta)
	}
	return sum
}

func (a *alm) gradient(dst []float64) {
	a.shift()
	copy(dst, a.values.Gradient)
	blas64.Gemv(blas.Trans, 1, a.values.Jacobian, linalg.Vector(a.shifted), 1, linalg.Vector(dst))
}

func (a *alm) updateMultipliers() {
	a.shift()
	copy(a.y, a.shifted)
}

func (a *alm) violation() float64 {
	sum := 0.0
	for i, c := range a.values.Constraint {
		if a.inequality[i] {
			c = max(c, -a.y[i]/a.beta)
		}
		sum += float64(c * c)
	}
	return math.Sqrt(sum)
}

// reference describes x with the current values and multipliers.
func (a *alm) reference(x []float64) *Reference {
	g := append([]float64(nil), a.values.Gradient...)
	blas64.Gemv(blas.Trans, 1, a.values.Jacobian, linalg.Vector(a.y), 1, linalg.Vector(g))
	var violation, complementarity float64
	for i, c := range a.values.Constraint {
		if a.inequality[i] {
			complementarity += square(min(-c, a.y[i]))
			c = max(0, c)
		}
		violation += float64(c * c)
	}
	return &Reference{
		X: append([]float64(nil), x...), Y: append([]float64(nil), a.y...),
		Objective: a.values.Objective,
		Residual:  max(floats.Norm(g, 2), math.Sqrt(violation), math.Sqrt(complementarity)),
	}
}
