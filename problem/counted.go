package problem

import "math/rand/v2"

// kind is one of the four quantities that Evaluate computes.
type kind int

const (
	objective kind = iota
	gradient
	constraint
	jacobian
	kinds
)

// Count says how often one of the quantities was evaluated.
type Count struct {
	Calls       int64 // evaluations of a batch, the whole population being one
	Samples     int64 // samples charged: a batch counts once, at however many points
	Evaluations int64 // samples evaluated: a batch counts at every point
}

// Counters says so of all four.
type Counters struct {
	Objective, Gradient, Constraint, Jacobian Count
}

// Samples returns N_sam = N_∇f + N_c + N_∇c, the budget of the paper's §5.
func (c Counters) Samples() int64 {
	return c.Gradient.Samples + c.Constraint.Samples + c.Jacobian.Samples
}

// Evaluations is like Samples, but counts a batch again at every point at which it was
// evaluated. It is the work done, Samples is the data drawn.
func (c Counters) Evaluations() int64 {
	return c.Gradient.Evaluations + c.Constraint.Evaluations + c.Jacobian.Evaluations
}

// Add adds the counts of another run.
func (c *Counters) Add(other Counters) {
	c.Objective.add(other.Objective)
	c.Gradient.add(other.Gradient)
	c.Constraint.add(other.Constraint)
	c.Jacobian.add(other.Jacobian)
}

func (c *Count) add(other Count) {
	c.Calls += other.Calls
	c.Samples += other.Samples
	c.Evaluations += other.Evaluations
}

// Passes converts a number of samples of p into passes over its data: one pass is one
// exact evaluation of ∇f, c and J. It returns 0 for a problem with an infinite
// population.
func Passes(p Problem, samples int64) float64 {
	obj, con := p.Populations()
	if obj == 0 || con == 0 {
		return 0
	}
	return float64(samples) / float64(obj+2*con)
}

// Counted decorates a problem with counters, so that every method pays alike. An exact
// evaluation charges the whole population. If the population is infinite, it charges nothing:
// then no method may use exact values.
type Counted struct {
	Problem
	Counters Counters
}

// NewCounted returns p with its counters at zero.
func NewCounted(p Problem) *Counted { return &Counted{Problem: p} }

// DrawObjective draws a fresh batch. Nothing is charged for it yet.
func (p *Counted) DrawObjective(b *Batch, size int, r *rand.Rand) {
	p.Problem.DrawObjective(b, size, r)
	b.charged = [kinds]bool{}
}

// DrawConstraint draws a fresh batch. Nothing is charged for it yet.
func (p *Counted) DrawConstraint(b *Batch, size int, r *rand.Rand) {
	p.Problem.DrawConstraint(b, size, r)
	b.charged = [kinds]bool{}
}

// Evaluate counts what is wanted and forwards.
func (p *Counted) Evaluate(out *Values, x []float64, b *Batch) {
	if out.WantObjective {
		p.count(&p.Counters.Objective, objective, b)
	}
	if out.Gradient != nil {
		p.count(&p.Counters.Gradient, gradient, b)
	}
	if out.Constraint != nil {
		p.count(&p.Counters.Constraint, constraint, b)
	}
	if out.WantJacobian() {
		p.count(&p.Counters.Jacobian, jacobian, b)
	}
	p.Problem.Evaluate(out, x, b)
}

// Bounds forwards.
func (p *Counted) Bounds() Constants { return Bounds(p.Problem) }

func (p *Counted) count(c *Count, k kind, b *Batch) {
	c.Calls++
	if b == nil {
		size, con := p.Populations()
		if k == constraint || k == jacobian {
			size = con
		}
		c.Samples += int64(size)
		c.Evaluations += int64(size)
		return
	}
	c.Evaluations += int64(b.Size)
	if !b.charged[k] {
		b.charged[k] = true
		c.Samples += int64(b.Size)
	}
}
