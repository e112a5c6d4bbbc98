package problem

import (
	"math/rand/v2"
	"slices"
)

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
