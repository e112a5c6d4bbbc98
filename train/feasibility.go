package train

import (
	"cmp"
	"context"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
)

// findConflict minimises ½‖max(r(x), 0)‖² from the point of an attempt, on exact values
// with gonum's L-BFGS, and returns the constraints that are violated where it ends, or
// nil if there are none. The problem is not convex, so that a conflict is found, not
// proved.
//
// The violations r are those of c, but c_j/σ̄ with the mean score σ̄ for a constraint that
// is proportional to the scores: any share and any ratio is met to a tolerance if only
// all scores are small enough.
func findConflict(ctx context.Context, o *Options, a *attempt) *Conflict {
	const (
		iterations = 500
		relative   = 0.01 // tolerance for c_j/σ̄
	)
	fair, err := model.New(o.Data, o.ConstraintData, append(slices.Clone(o.Constraints), meanScore{}), o.Model)
	if err != nil {
		return nil // it was stated before
	}
	n, rows := fair.Dims()
	m := rows - 1
	v := problem.NewValues(n, rows)
	excess := make([]float64, rows)
	proportional := func(j int) bool { return fair.Rows()[j].Constant == 0 }
	violation := func(x []float64) float64 {
		fair.Constraint(v.Constraint, x, nil)
		for j, c := range v.Constraint[:m] {
			if proportional(j) {
				c /= v.Constraint[m]
			}
			excess[j] = max(c, 0)
		}
		return floats.Dot(excess[:m], excess[:m]) / 2
	}
	least := optimize.Problem{
		Func: violation,
		Grad: func(grad, x []float64) {
			violation(x)
			fair.Jacobian(v.Jacobian, x, nil)
			mean, weight := v.Constraint[m], make([]float64, rows)
			for j, e := range excess[:m] {
				weight[j] = e
				if proportional(j) { // ∇(c_j/σ̄) = (∇c_j − (c_j/σ̄) ∇σ̄)/σ̄
					weight[j] /= mean
					weight[m] -= e * e / mean
				}
			}
			blas64.Gemv(blas.Trans, 1, v.Jacobian, blas64.Vector{N: rows, Inc: 1, Data: weight}, 0, blas64.Vector{N: n, Inc: 1, Data: grad})
		},
		Status: func() (optimize.Status, error) { return optimize.NotTerminated, ctx.Err() },
	}
	settings := &optimize.Settings{GradientThreshold: o.Tolerance * o.Tolerance, MajorIterations: iterations, Converger: optimize.NeverTerminate{}}
	// An error (a line search at the limit of rounding, say) still leaves a best point.
	result, _ := optimize.Minimize(least, a.x, settings, &optimize.LBFGS{})
	if result == nil || ctx.Err() != nil {
		return nil
	}
	violation(result.X)
	var violated []int
	conflicting := false
	for j, e := range excess[:m] {
		tolerance := o.Tolerance
		if proportional(j) {
			tolerance = max(tolerance, relative)
		}
		if e > tolerance/10 {
			violated = append(violated, j)
		}
		conflicting = conflicting || e > tolerance
	}
	if !conflicting {
		return nil
	}
	slices.SortStableFunc(violated, func(i, j int) int { return cmp.Compare(excess[j], excess[i]) })
	conflict := new(Conflict)
	for _, j := range violated {
		conflict.Constraints = append(conflict.Constraints, fair.Rows()[j].Name)
		conflict.Violations = append(conflict.Violations, excess[j])
	}
	return conflict
}

// meanScore is the mean score in the form of a constraint.
type meanScore struct{}

func (meanScore) String() string { return "mean score" }

func (meanScore) Rows(s *dataset.Dataset) ([]model.Row, error) {
	return []model.Row{{Name: "mean score", Weight: slices.Repeat([]float64{1}, s.Rows())}}, nil
}
