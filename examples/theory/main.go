// Theory shows what FSFO's theorem says about samples, and what is measured.
//
// The first table follows the theorem: with target ε, epoch length τ = ⌈1/ε⌉, K = 48 ε⁻²
// iterations and batches by Corollary estimator-error the samples are ε⁻³ times a constant,
// because these formulas make them so. The finding is that the mean residual of the
// iterates, ‖P_V∇f‖ + ‖c‖, is then below ε. Its constraint is linear.
//
// The second table has a curved constraint and counts samples until the residual first stays
// at or below ε: with SPIDER and without (τ = 1), with a step of 0.2/L_f and with the paper's.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"text/tabwriter"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/rng"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/problem/problemtest"
	"github.com/fairtrain/fairtrain/solver"
)

// row is one line of the table.
type row struct {
	epsilon        float64
	tau, k         int
	samples        int64
	residual       float64 // mean over the iterates
	samplesEpsilon float64 // samples · ε³
}

func main() {
	if err := write(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// write prints both tables.
func write(ctx context.Context, w io.Writer) error {
	rows, err := table([]float64{0.4, 0.2, 0.1})
	if err != nil {
		return err
	}
	print(w, rows)
	fmt.Fprintln(w)
	reached, err := reachAll(ctx, []float64{0.4, 0.2, 0.1, 0.05})
	if err != nil {
		return err
	}
	printReached(w, reached)
	return nil
}

func table(epsilons []float64) ([]row, error) {
	q := problemtest.NewQuadratic(10, 1, 1<<16, 4, 0.5, rand.New(rand.NewPCG(1, 2)))
	constants, err := solver.EstimateConstants(q, rng.New(1, "constants"))
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, epsilon := range epsilons {
		r, err := follow(q, constants, epsilon)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// follow runs the theorem's setting for one ε. The factors in K and ε̄, which the theorem
// bounds very generously, are 48 and 1/2 here.
func follow(q *problemtest.Quadratic, constants problem.Constants, epsilon float64) (row, error) {
	r := row{epsilon: epsilon, tau: int(math.Ceil(1 / epsilon)), k: int(math.Ceil(48 / (epsilon * epsilon)))}
	s := solver.DefaultFSFO()
	s.Rule, s.Tau, s.EpsBar = solver.Theory, r.tau, epsilon/2
	s.Constants = constants
	s.Eta = 0.2 / constants.Lf

	n, m := q.Dims()
	exact := problem.NewValues(n, m)
	mean := func(snapshot *solver.Snapshot) (bool, error) {
		q.Evaluate(exact, snapshot.Iterate.X, nil)
		r.residual += residual(exact) / float64(r.k+1)
		return false, nil
	}
	result, err := solver.Run(context.Background(), q, s, solver.Settings{MaxIterations: r.k},
		solver.NewStreams(1, 0), mean)
	if err != nil {
		return row{}, err
	}
	r.samples = result.Counters.Samples()
	r.samplesEpsilon = float64(r.samples) * epsilon * epsilon * epsilon
	return r, nil
}

// residual is ‖P_V∇f‖ + ‖c‖ for one constraint.
func residual(v *problem.Values) float64 {
	g, j := v.Gradient, v.Jacobian.Data
	tangent := floats.AddScaledTo(make([]float64, len(g)), g, -floats.Dot(g, j)/floats.Dot(j, j), j)
	return floats.Norm(tangent, 2) + floats.Norm(v.Constraint, 2)
}

func print(w io.Writer, rows []row) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "ε\tτ\tK\tsamples\tsamples·ε³\tmean residual\t")
	for _, r := range rows {
		fmt.Fprintf(t, "%g\t%d\t%d\t%d\t%.0f\t%.3f\t\n", r.epsilon, r.tau, r.k, r.samples, r.samplesEpsilon, r.residual)
	}
	t.Flush()
}
