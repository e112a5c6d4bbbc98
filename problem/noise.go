package problem

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/linalg"
)

// Noisy adds Gaussian noise to the exact values of a problem, the stochastic oracle of the
// paper's §5.1: every entry of ∇f, c and ∇c gets an independent normal term of standard
// deviation level. f itself is exact. A batch of B samples is one draw with deviation
// level/√B. The noise of a batch depends on the batch alone, so differences between two points
// are exact. The nil batch gives the exact values.
type Noisy struct {
	Problem
	level float64
	pcg   rand.PCG
	rng   *rand.Rand

	// The noise of the last Jacobian, and the seed and the size of its batch. Recursive
	// estimators want the same noise at two points in turn.
	jacobian []float64
	seed     uint64
	size     int
}

// NewNoisy adds noise of a level ≥ 0 to p, whose own samples are not used.
func NewNoisy(p Problem, level float64) (*Noisy, error) {
	if !(level >= 0) || math.IsInf(level, 0) {
		return nil, fmt.Errorf("problem: noise level is %v, must be finite and not negative", level)
	}
	n, m := p.Dims()
	q := &Noisy{Problem: p, level: level, jacobian: make([]float64, n*m)}
	q.rng = rand.New(&q.pcg)
	return q, nil
}

// Populations returns 0, 0: infinite populations.
func (q *Noisy) Populations() (objective, constraint int) { return 0, 0 }

// DrawObjective draws the seed of a noise realisation.
func (q *Noisy) DrawObjective(b *Batch, size int, r *rand.Rand) {
	b.Size, b.Seed = size, r.Uint64()
}

// DrawConstraint draws the seed of a noise realisation.
func (q *Noisy) DrawConstraint(b *Batch, size int, r *rand.Rand) {
	b.Size, b.Seed = size, r.Uint64()
}

// The streams of a batch's noise: the second word of a PCG seed.
const (
	gradientStream   = 0x9e3779b97f4a7c15
	constraintStream = 0xd1b54a32d192ed03
	jacobianStream   = 0x8cb92ba72f3d8dd7
)

// Evaluate stores the exact values plus the batch's noise.
func (q *Noisy) Evaluate(out *Values, x []float64, b *Batch) {
	q.Problem.Evaluate(out, x, nil)
	if b == nil {
		return
	}
	if out.Gradient != nil {
		q.pcg.Seed(b.Seed, gradientStream)
		q.perturb(out.Gradient, b.Size)
	}
	if out.Constraint != nil {
		q.pcg.Seed(b.Seed, constraintStream)
		q.perturb(out.Constraint, b.Size)
	}
	if out.WantJacobian() {
		q.perturbJacobian(out.Jacobian, b)
	}
}

// perturbJacobian adds the batch's noise to dst.
func (q *Noisy) perturbJacobian(dst blas64.General, b *Batch) {
	if q.size != b.Size || q.seed != b.Seed {
		q.size, q.seed = b.Size, b.Seed
		q.pcg.Seed(b.Seed, jacobianStream)
		clear(q.jacobian)
		q.perturb(q.jacobian, b.Size)
	}
	for i := range dst.Rows {
		floats.Add(linalg.Row(dst, i).Data, q.jacobian[i*dst.Cols:(i+1)*dst.Cols])
	}
}

// perturb adds the mean noise of size samples to dst.
func (q *Noisy) perturb(dst []float64, size int) {
	sigma := q.level / math.Sqrt(float64(size))
	for i := range dst {
		dst[i] += sigma * q.rng.NormFloat64()
	}
}

// Deterministic has, for problems that embed it, the methods about samples: there is only
// one. All constraints are equalities, and no variable has a bound.
type Deterministic struct{}

// Populations returns 1, 1.
func (Deterministic) Populations() (objective, constraint int) { return 1, 1 }

// Inequalities returns nil.
func (Deterministic) Inequalities() []int { return nil }

// NonNegative returns nil.
func (Deterministic) NonNegative() []int { return nil }

// DrawObjective fills b with the one sample there is.
func (Deterministic) DrawObjective(b *Batch, size int, _ *rand.Rand) {
	b.Size, b.Index = size, slices.Grow(b.Index[:0], size)[:size]
	clear(b.Index)
}

// DrawConstraint does the same.
func (d Deterministic) DrawConstraint(b *Batch, size int, r *rand.Rand) { d.DrawObjective(b, size, r) }
