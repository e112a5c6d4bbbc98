package train

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"

	"github.com/fairtrain/fairtrain/problem"
)

// findConflict minimises ½‖max(c(x), 0)‖² from the point of an attempt, on exact values
// with gonum's L-BFGS, and returns the constraints that are violated where it ends, or
// nil if there are none. The problem is not convex, so that a conflict is found, not
// proved.
func findConflict(ctx context.Context, a *attempt, tolerance float64) *Conflict {
	const iterations = 500
	n, m := a.fair.Dims()
	v := problem.NewValues(n, m)
	excess := make([]float64, m)
	violation := func(x []float64) float64 {
		a.fair.Constraint(v.Constraint, x, nil)
		for i, c := range v.Constraint {
			excess[i] = max(c, 0)
		}
		return floats.Dot(excess, excess) / 2
	}
	least := optimize.Problem{
		Func: violation,
		Grad: func(grad, x []float64) {
			violation(x)
			a.fair.Jacobian(v.Jacobian, x, nil)
			blas64.Gemv(blas.Trans, 1, v.Jacobian, blas64.Vector{N: m, Inc: 1, Data: excess}, 0, blas64.Vector{N: n, Inc: 1, Data: grad})
		},
		Status: func() (optimize.Status, error) { return optimize.NotTerminated, ctx.Err() },
	}
	settings := &optimize.Settings{GradientThreshold: tolerance * tolerance, MajorIterations: iterations, Converger: optimize.NeverTerminate{}}
	// An error (a line search at the limit of rounding, say) still leaves a best point.
	result, _ := optimize.Minimize(least, a.x, settings, &optimize.LBFGS{})
	if result == nil || ctx.Err() != nil {
		return nil
	}
	violation(result.X)
	if floats.Norm(excess, 2) <= tolerance {
		return nil
	}
	order := make([]int, m)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case excess[i] > excess[j]:
			return -1
		case excess[i] < excess[j]:
			return 1
		}
		return 0
	})
	conflict := new(Conflict)
	for _, i := range order {
		if excess[i] > tolerance/10 {
			conflict.Constraints = append(conflict.Constraints, a.fair.Rows()[i].Name)
			conflict.Violations = append(conflict.Violations, excess[i])
		}
	}
	return conflict
}
