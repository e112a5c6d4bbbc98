package solver

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/linalg"
)

// mostRho is beyond what multipliers of a problem that has a solution are.
const mostRho = 1e6

// direct computes d and λ. It raises ρ while a larger ρ may leave less violation.
func (s *SQP) direct() error {
	const raises, growth = 6, 4
	q := s.qp
	s.solve()
	s.setDual()
	for k := 0; ; k++ {
		for i, j := range s.slackOf {
			q.Low[i], q.High[i] = -s.rho, s.rho
			if j >= 0 {
				q.Low[i] = 0
			}
		}
		q.Solve()
		if floats.Norm(q.Lambda, math.Inf(1)) < s.rho || s.rho > mostRho || k == raises {
			break
		}
		s.raise(growth * s.rho)
	}
	clear(s.along)
	m := len(s.c)
	for lo, hi := range linalg.Parts(s.n) {
		d := s.d[lo:hi]
		floats.ScaleTo(d, -1, s.hg[lo:hi])
		hj := blas64.General{Rows: m, Cols: hi - lo, Stride: s.hj.Stride, Data: s.hj.Data[lo:]}
		blas64.Gemv(blas.Trans, -1, hj, linalg.Vector(q.Lambda), 1, linalg.Vector(d))
		if !linalg.Finite(d) {
			return ErrDiverged
		}
		for i := range s.c {
			s.along[i] += floats.Dot(s.gradientOf(s.now, i)[lo:hi], d)
		}
		s.along[m] += floats.Dot(s.now.Gradient[lo:hi], d)
	}
	return nil
}

// solve computes B⁻¹∇f and the products of B⁻¹ with the rows of J. The two sides of a bound
// have opposite gradients: one of the two is solved for. Gradients of 0 are not solved for.
func (s *SQP) solve() {
	copy(s.hg, s.now.Gradient)
	s.solved = append(s.solved[:0], s.hg)
	for i := range s.slackOf {
		h := linalg.Row(s.hj, i).Data
		copy(h, s.gradientOf(s.now, i))
		if s.opposite[i] = s.findOpposite(i); s.opposite[i] < 0 {
			s.solved = append(s.solved, h)
		}
	}
	s.bfgs.Solve(s.solved...)
	for i, k := range s.opposite {
		if k >= 0 && k != i {
			floats.ScaleTo(linalg.Row(s.hj, i).Data, -1, linalg.Row(s.hj, k).Data)
		}
	}
}

// findOpposite returns the first constraint up to the i-th with the opposite gradient, −1 if
// there is none. It is the i-th itself only for a gradient of 0.
func (s *SQP) findOpposite(i int) int {
	g := s.gradientOf(s.now, i)
	for k := range i + 1 {
		if slices.EqualFunc(g, s.gradientOf(s.now, k), func(a, b float64) bool { return a == -b }) {
			return k
		}
	}
	return -1
}

// setDual sets the dual but for its bounds: products of hg and hj with the gradients of the
// constraints. Gradients of 0 have none.
func (s *SQP) setDual() {
	q, m := s.qp, len(s.c)
	clear(s.products)
	for lo, hi := range linalg.Parts(s.n) {
		for k := range m {
			if s.opposite[k] == k {
				continue
			}
			g := s.gradientOf(s.now, k)[lo:hi]
			s.products[m*m+k] += floats.Dot(s.hg[lo:hi], g)
			for i := k; i < m; i++ {
				s.products[i*m+k] += floats.Dot(linalg.Row(s.hj, i).Data[lo:hi], g)
			}
		}
	}
	for i, c := range s.c {
		for k := range i + 1 {
			q.Set(i, k, s.products[i*m+k])
		}
		q.R[i] = s.products[m*m+i] - c
	}
}

// raise raises ρ. The merits so far are forgotten, because another ρ is another function.
func (s *SQP) raise(rho float64) {
	s.rho = rho
	s.history = append(s.history[:0], s.merit(s.now, s.c))
}

// arc computes bend and turn from trial, at a full step: where the quadratic program has what trial
// says of the constraints, x + d + bend is the solution. It returns what the merit will then be,
// approximately, and false if an arc is of no use.
func (s *SQP) arc() (merit float64, ok bool) {
	q, m := s.qp, len(s.c)
	floats.AddTo(s.linear, s.c, s.along[:m])
	const rounding = 1e-12
	if !(s.rho*(s.violation(s.ct)-s.violation(s.linear)) > rounding*math.Abs(s.trial.Objective)) { // or NaN
		return 0, false
	}
	copy(s.lambda, q.Lambda)
	for i := range s.c {
		q.R[i] = s.products[m*m+i] + s.along[i] - s.ct[i]
	}
	q.Solve()
	turn := append(s.turn, q.Lambda...)
	floats.Sub(turn, s.lambda)
	copy(q.Lambda, s.lambda)

	copy(s.linear, s.ct)
	along := 0.0
	for lo, hi := range linalg.Parts(s.n) {
		bend := s.bend[lo:hi]
		hj := blas64.General{Rows: m, Cols: hi - lo, Stride: s.hj.Stride, Data: s.hj.Data[lo:]}
		blas64.Gemv(blas.Trans, -1, hj, linalg.Vector(turn), 0, linalg.Vector(bend))
		for i := range s.c {
			s.linear[i] += floats.Dot(s.gradientOf(s.now, i)[lo:hi], bend)
		}
		along += floats.Dot(s.now.Gradient[lo:hi], bend)
	}
	if !(floats.Norm(s.bend, 2) <= floats.Norm(s.d, 2)) {
		return 0, false
	}
	s.turn = turn
	return s.trial.Objective + along + float64(s.rho*s.violation(s.linear)), true
}
