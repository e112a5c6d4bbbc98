// Package ownproblem shows a problem of one's own: the mean of noisy targets on the unit
// circle,
//
//	minimise E ½‖x − t‖²  subject to  ‖x‖² − 1 = 0,
//
// whose solution is the mean target divided by its length.
package ownproblem

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
)

// circle has the targets (t₁, t₂) as its population. The constraint is not random: its
// population is a single sample.
type circle struct{ targets [][2]float64 }

func (c circle) Dims() (n, m int)                  { return 2, 1 }
func (c circle) Populations() (objective, con int) { return len(c.targets), 1 }
func (c circle) Inequalities() []int               { return nil } // ‖x‖² − 1 = 0
func (c circle) NonNegative() []int                { return nil }
func (c circle) Start(x []float64)                 { x[0], x[1] = 1, 0 }

func (c circle) DrawObjective(b *problem.Batch, size int, r *rand.Rand) {
	b.DrawUniform(size, len(c.targets), r)
}

func (c circle) DrawConstraint(b *problem.Batch, size int, _ *rand.Rand) { b.Size = size }

// Evaluate computes what out has room for.
func (c circle) Evaluate(out *problem.Values, x []float64, b *problem.Batch) {
	if out.WantObjective {
		out.Objective = c.mean(b, func(t [2]float64) float64 {
			return ((x[0]-t[0])*(x[0]-t[0]) + (x[1]-t[1])*(x[1]-t[1])) / 2
		})
	}
	for i := range out.Gradient {
		out.Gradient[i] = c.mean(b, func(t [2]float64) float64 { return x[i] - t[i] })
	}
	if out.Constraint != nil {
		out.Constraint[0] = x[0]*x[0] + x[1]*x[1] - 1
	}
	if out.WantJacobian() {
		out.Jacobian.Data[0], out.Jacobian.Data[1] = 2*x[0], 2*x[1]
	}
}

// mean is over the batch, or over all targets if b is nil.
func (c circle) mean(b *problem.Batch, f func(t [2]float64) float64) float64 {
	sum := 0.0
	if b == nil {
		for _, t := range c.targets {
			sum += f(t) / float64(len(c.targets))
		}
		return sum
	}
	for _, i := range b.Index {
		sum += f(c.targets[i]) / float64(b.Size)
	}
	return sum
}

func Example() {
	p := circle{targets: [][2]float64{{1, 3}, {4, 3}, {4, 6}}} // mean (3, 4)
	for _, method := range []solver.Method{solver.DefaultFiniteSum(), solver.DefaultFSFO()} {
		result, err := solver.Run(context.Background(), p, method,
			solver.Settings{MaxIterations: 5000}, solver.NewStreams(1, 0))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: x = (%.4f, %.4f), multiplier %.4f\n", method.Name(), result.X[0], result.X[1], result.Y[0])
	}
	// Output:
	// finite-sum: x = (0.6000, 0.8000), multiplier 2.0000
	// fsfo: x = (0.6000, 0.8000), multiplier 2.0000
}
