package problemtest

import (
	"math/rand/v2"
	"testing"

	"github.com/fairtrain/fairtrain/problem"
)

// biased adds a constant to one entry of the gradient on every batch.
type biased struct {
	problem.Problem
	bias float64
}

func (p biased) Evaluate(out *problem.Values, x []float64, b *problem.Batch) {
	p.Problem.Evaluate(out, x, b)
	if b != nil && out.Gradient != nil {
		out.Gradient[1] += p.bias
	}
}

// seeded has samples that are seeds of noise, not rows.
type seeded struct{ *Quadratic }

func (seeded) DrawObjective(b *problem.Batch, size int, r *rand.Rand) {
	b.Size, b.Index, b.Seed = size, nil, r.Uint64()
}

func (p seeded) DrawConstraint(b *problem.Batch, size int, r *rand.Rand) {
	p.DrawObjective(b, size, r)
}

// TestConstantBias adds a bias that is the same on all batches, for rows and for seeds, with
// noise and without. The suite finds it, and finds none in batches that are right.
func TestConstantBias(t *testing.T) {
	quadratic := func(noise float64) *Quadratic {
		return NewQuadratic(4, 2, 50, 5, noise, rand.New(rand.NewPCG(1, 2)))
	}
	for name, p := range map[string]problem.Problem{
		"noisy rows":      quadratic(0.1),
		"equal rows":      quadratic(0),
		"noiseless seeds": seeded{quadratic(0)},
	} {
		for _, bias := range []float64{0, 0.1} {
			c := &checker{p: biased{p, bias}, n: 4, m: 2}
			c.p.DrawObjective(&c.objective, 7, rand.New(rand.NewPCG(1, 1)))
			c.p.DrawConstraint(&c.constraint, 5, rand.New(rand.NewPCG(1, 1)))
			found := c.biases([]float64{1, 2, -1, 0.5})
			if want := bias != 0; len(found) > 0 != want {
				t.Errorf("%s with a bias of %v: found %v", name, bias, found)
			}
		}
	}
}

// TestRareSamples has one row of 100 000 with a gradient of its own, which is not drawn. That
// is no bias.
func TestRareSamples(t *testing.T) {
	const rows = 100_000
	q := NewQuadratic(2, 1, rows, 5, 0, rand.New(rand.NewPCG(1, 2)))
	c := &checker{p: rare{q}, n: 2, m: 1}
	c.p.DrawObjective(&c.objective, 7, rand.New(rand.NewPCG(1, 1)))
	c.p.DrawConstraint(&c.constraint, 5, rand.New(rand.NewPCG(1, 1)))
	if found := c.biases([]float64{1, 2}); len(found) > 0 {
		t.Errorf("found %v", found)
	}
}

// rare has 1 in the gradient of its last row, and its share in the mean.
type rare struct{ *Quadratic }

func (p rare) Evaluate(out *problem.Values, x []float64, b *problem.Batch) {
	p.Quadratic.Evaluate(out, x, b)
	rows, _ := p.Populations()
	if out.Gradient == nil {
		return
	}
	if b == nil {
		out.Gradient[0] += 1 / float64(rows)
		return
	}
	for _, i := range b.Index {
		if i == rows-1 {
			out.Gradient[0] += 1 / float64(len(b.Index))
		}
	}
}
