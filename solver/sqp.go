package solver

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/linalg"
	"github.com/fairtrain/fairtrain/problem"
)

// SQP is sequential quadratic programming on exact values (Nocedal, Wright 2006, ch. 18).
// Every step takes at least one full pass. SQP finishes where first-order steps are slow:
// where constraints are many, alike or implied by each other, or variables badly scaled.
//
// A step d solves the quadratic program with elastic constraints
//
//	min  ∇fᵀd + ½dᵀBd + ρ ‖[c + Jd]‖₁
//
// where [·] is the violation and B the limited-memory BFGS matrix of the Lagrangian, damped to stay
// positive definite. Its dual is a quadratic program in the m multipliers λ, each within ±ρ or [0,
// ρ] (linalg.BoxQP). The dual always has a solution, even if linearised constraints contradict,
// repeat or imply each other. A line search decides how far to go: it compares f + ρ‖[c]‖₁ with the
// largest of its last few values (Grippo, Lampariello, Lucidi 1986). Where a full step is too long
// as constraints are not linear, the search goes on along an arc that bends back to them (Mayne,
// Polak 1982).
//
// Slacks are not variables here: after each step they get the values that make their
// constraints hold.
type SQP struct {
	Memory int     // pairs that B remembers
	Rho0   float64 // ρ at the start

	// Probe makes B, at the start, the curvature of the objective along its gradient on a sample of
	// rows, in place of 1. The first step then has about the right length, and what it teaches B is
	// about the right place. It is for callers, as FiniteSum.Patience is.
	Probe bool

	p       problem.Problem
	n       int   // variables that are no slacks
	slackOf []int // index of the slack of each constraint, −1 for an equality

	rho   float64
	now   *problem.Values
	c     []float64 // constraints of now without slacks
	trial *problem.Values
	x, ct []float64 // point and constraints of trial
	bfgs  *linalg.BFGS
	qp    *linalg.BoxQP
	hg    []float64      // B⁻¹∇f
	hj    blas64.General // the rows of J times B⁻¹

	solved   [][]float64 // hg and the rows of hj that are solved for
	opposite []int       // of the gradients of the constraints, see linalg.Opposites
	entered  []bool      // constraints of the quadratic program, by side
	fresh    []int       // those of them that enter

	hgj []float64 // products of hg with the gradients of the constraints

	d       []float64
	bend    []float64 // of the arc x + ηd + η²bend
	turn    []float64 // −B⁻¹Jᵀturn is bend; empty for a straight line
	linear  []float64 // constraints, were they linear
	lambda  []float64 // λ while arc solves another program
	along   []float64 // products of d with the gradients of the constraints, and with ∇f
	before  []float64 // gradient of the Lagrangian before the step, with the new λ; it is −Bd
	history []float64 // merits of the last points
	idle    int       // steps in a row, see idles
	started bool
	sample  problem.Batch // of Probe
}

// DefaultSQP returns the usual options.
func DefaultSQP() *SQP { return &SQP{Memory: 20, Rho0: 1} }

// ErrStalled is returned by Step if a method can do nothing more: because of rounding there is
// nothing to gain, or another method would gain more.
var ErrStalled = errors.New("the method has nothing to gain")

var errNoSlack = errors.New("bounds on variables other than slacks are not supported")

// Name returns "sqp".
func (*SQP) Name() string { return "sqp" }

// Params lists the options.
func (s *SQP) Params() []Param {
	return []Param{
		{Name: "memory", Doc: "pairs that the quasi-Newton matrix remembers", Value: &s.Memory, Min: 1, Max: 1000},
		{Name: "rho0", Doc: "initial penalty parameter ρ of violations", Value: &s.Rho0, Min: 0, MinOpen: true, Max: inf},
	}
}

// Init allocates the method's memory.
func (s *SQP) Init(p problem.Problem, streams Streams, _ *Iterate) error {
	n, m := p.Dims()
	bounds := p.NonNegative()
	s.p, s.n = p, n-len(bounds)
	s.slackOf = problem.SlacksOf(p)
	for _, j := range bounds {
		if j < s.n || !slices.Contains(s.slackOf, j) {
			return errNoSlack
		}
	}
	if objective, constraint := p.Populations(); objective == 0 || constraint == 0 {
		return errInfinite
	}
	s.now, s.trial = problem.NewValues(n, m), problem.NewValues(n, m)
	s.x, s.c, s.ct = make([]float64, n), make([]float64, m), make([]float64, m)
	s.bfgs, s.qp = linalg.NewBFGS(s.n, s.Memory, 1+m), linalg.NewBoxQP(m)
	s.hg, s.d, s.before = make([]float64, s.n), make([]float64, s.n), make([]float64, s.n)
	s.bend, s.turn = make([]float64, s.n), make([]float64, 0, m)
	s.linear, s.lambda = make([]float64, m), make([]float64, m)
	s.hj, s.along, s.hgj = problem.NewJacobian(m, s.n), make([]float64, m+1), make([]float64, m)
	s.solved, s.opposite = make([][]float64, 0, 1+m), make([]int, m)
	s.entered, s.fresh = make([]bool, m), make([]int, 0, m)
	s.history = make([]float64, 0, 8)
	s.rho, s.started, s.idle = s.Rho0, false, 0
	if s.Probe {
		objective, _ := p.Populations()
		p.DrawObjective(&s.sample, min(probeBatch, objective), streams.Objective)
	}
	return nil
}

// Step does one step, or the first evaluation.
func (s *SQP) Step(it *Iterate) error {
	if !s.started {
		s.p.Evaluate(s.now, it.X, nil)
		s.settle(s.now, s.c, it.X)
		it.Exact, s.started = s.now, true
		s.history = append(s.history, s.merit(s.now, s.c))
		if s.Probe {
			s.probe(it.X)
		}
		return nil
	}
	if err := s.direct(); err != nil {
		return err
	}
	eta, err := s.search(it)
	if errors.Is(err, ErrStalled) && s.bfgs.Forget() {
		if err := s.direct(); err != nil {
			return err
		}
		eta, err = s.search(it)
	}
	if err != nil {
		return err
	}
	lambda := s.qp.Lambda
	s.now, s.trial, s.c, s.ct = s.trial, s.now, s.ct, s.c
	for lo, hi := range linalg.Parts(s.n) {
		before, change := s.before[lo:hi], s.hg[lo:hi]
		s.lagrangian(before, s.trial, lambda, lo, hi)
		s.lagrangian(change, s.now, lambda, lo, hi)
		floats.Sub(change, before)
		floats.Scale(eta, s.d[lo:hi])
		floats.Scale(-eta, before)
		if len(s.turn) > 0 {
			floats.AddScaled(s.d[lo:hi], eta*eta, s.bend[lo:hi])
			for i, t := range s.turn {
				floats.AddScaled(before, -eta*eta*t, s.gradientOf(s.trial, i)[lo:hi])
			}
		}
	}
	s.bfgs.Update(s.d, s.hg, s.before)
	copy(it.X, s.x)
	copy(it.Y, lambda)
	it.Exact = s.now
	it.Diag.Eta, it.Diag.Rho, it.Diag.Direction = eta, s.rho, floats.Norm(s.d, 2)/eta
	return nil
}

// probe begins B with the curvature along the gradient, if that is positive.
func (s *SQP) probe(x []float64) {
	along, product := slices.Clone(s.now.Gradient), make([]float64, len(x))
	floats.Scale(1/floats.Norm(along[:s.n], 2), along)
	newCurvature(s.p, &s.sample).times(product, x, along)
	if c := floats.Dot(along[:s.n], product[:s.n]); c > 0 { // not for a gradient of 0
		s.bfgs.Scale(c)
	}
}

// settle stores in c the constraints of v, exact values at z, without slacks, and then
// gives the slacks, in z and v, the values that make their constraints hold where they can.
func (s *SQP) settle(v *problem.Values, c, z []float64) {
	copy(c, v.Constraint)
	for i, j := range s.slackOf {
		if j >= 0 {
			c[i] -= z[j]
			z[j] = max(0, -c[i])
			v.Constraint[i] = c[i] + z[j]
		}
	}
}

// violation is ‖[c]‖₁.
func (s *SQP) violation(c []float64) float64 {
	sum := 0.0
	for i, ci := range c {
		if s.slackOf[i] >= 0 {
			sum += max(ci, 0)
		} else {
			sum += math.Abs(ci)
		}
	}
	return sum
}

func (s *SQP) merit(v *problem.Values, c []float64) float64 {
	return v.Objective + s.rho*s.violation(c)
}

// gradientOf is ∇c_i without the slack's column.
func (s *SQP) gradientOf(v *problem.Values, i int) []float64 {
	return v.Jacobian.Data[i*v.Jacobian.Stride : i*v.Jacobian.Stride+s.n]
}

// jacobian has the gradients of the constraints of now as rows, without the columns of slacks.
func (s *SQP) jacobian() blas64.General {
	j := s.now.Jacobian
	return blas64.General{Rows: j.Rows, Cols: s.n, Stride: j.Stride, Data: j.Data}
}

// lagrangian stores the entries lo to hi−1 of ∇f + Jᵀλ.
func (s *SQP) lagrangian(dst []float64, v *problem.Values, lambda []float64, lo, hi int) {
	copy(dst, v.Gradient[lo:hi])
	for i, l := range lambda {
		if l != 0 {
			floats.AddScaled(dst, l, s.gradientOf(v, i)[lo:hi])
		}
	}
}

// search goes along d, or an arc that begins with it, to a point where the merit function is low
// enough, stored in x and trial, and returns how far.
func (s *SQP) search(it *Iterate) (float64, error) {
	const (
		memory     = 5    // merits to compare with
		sufficient = 1e-4 // part of the predicted decrease
		trials     = 25
		shortest   = 0.01 // next step as a part of the last, whose longest is 1/2
	)
	predicted := s.along[len(s.c)]
	for i, c := range s.c { // and the linearised constraints, at a full step
		next := c + s.along[i]
		if s.slackOf[i] >= 0 {
			predicted += s.rho * (max(next, 0) - max(c, 0))
		} else {
			predicted += s.rho * (math.Abs(next) - math.Abs(c))
		}
	}
	here, reference := s.merit(s.now, s.c), floats.Max(s.history)
	if s.idles(predicted) {
		return 0, ErrStalled
	}
	eta := 1.0
	s.turn = s.turn[:0]
	for k := range trials {
		limit := reference + float64(sufficient*eta*min(predicted, 0))
		floats.AddScaledTo(s.x[:s.n], it.X[:s.n], eta, s.d)
		if len(s.turn) > 0 {
			floats.AddScaled(s.x[:s.n], eta*eta, s.bend)
		}
		copy(s.x[s.n:], it.X[s.n:])
		s.p.Evaluate(s.trial, s.x, nil)
		s.settle(s.trial, s.ct, s.x)
		merit := s.merit(s.trial, s.ct)
		if merit <= limit && merit < math.Inf(1) {
			if len(s.history) == memory {
				copy(s.history, s.history[1:])
				s.history = s.history[:memory-1]
			}
			s.history = append(s.history, merit)
			return eta, nil
		}
		// The minimiser of the parabola through both merits with the predicted slope; on an arc,
		// where violations of the second order are gone, that of a cubic.
		longest, onArc := eta/2, len(s.turn) > 0
		if k == 0 {
			if bent, ok := s.arc(); ok {
				merit, longest = bent, 1
			}
		}
		curved := merit - here - float64(predicted*eta)
		next := -predicted * eta * eta / (2 * curved)
		switch {
		case onArc:
			next = eta * math.Sqrt(-predicted*eta/(3*curved))
		case longest == 1 && curved <= 0:
			next = 1
		}
		if !(next > shortest*eta) { // or NaN
			next = shortest * eta
		}
		eta = min(next, longest)
	}
	if merit := s.merit(s.trial, s.ct); math.IsNaN(merit) || math.IsInf(merit, 0) {
		return 0, ErrDiverged
	}
	return 0, ErrStalled
}

// idles reports whether several steps in a row, as they are predicted, leave the violation of the
// constraints as it is, although nothing else counts any more: they contradict each other, here at
// least.
func (s *SQP) idles(predicted float64) bool {
	const little, several = 1e-6, 5
	if s.rho <= mostRho || -predicted > little*s.rho*s.violation(s.c) {
		s.idle = 0
		return false
	}
	s.idle++
	return s.idle >= several
}
