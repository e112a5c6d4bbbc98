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

// manyConstraints is from how many constraints on those count alone that the last step used, that are
// violated or that a step would violate.
const manyConstraints = 32

// direct computes d and λ. It raises ρ while a larger ρ may leave less violation.
func (s *SQP) direct() error {
	const raises, growth = 6, 4
	q, m := s.qp, len(s.c)
	copy(s.hg, s.now.Gradient)
	linalg.Opposites(s.opposite, s.hgj, s.jacobian())
	clear(s.entered)
	s.enter(func(i int) bool { return m < manyConstraints || s.slackOf[i] < 0 || s.c[i] > 0 || q.Lambda[i] > 0 }, s.hg)
	clear(s.hgj)
	for lo, hi := range linalg.Parts(s.n) {
		for k := range m {
			s.hgj[k] += floats.Dot(s.hg[lo:hi], s.gradientOf(s.now, k)[lo:hi])
		}
	}
	floats.SubTo(q.R, s.hgj, s.c)
	for k := 0; ; {
		for i, j := range s.slackOf {
			q.Low[i], q.High[i] = -s.rho, s.rho
			if j >= 0 {
				q.Low[i] = 0
			}
			if !s.entered[s.side(i)] {
				q.High[i] = 0
			}
		}
		q.Solve()
		if err := s.combine(); err != nil {
			return err
		}
		if s.enter(func(i int) bool { return s.c[i]+s.along[i] > 0 }) {
			continue
		}
		if floats.Norm(q.Lambda, math.Inf(1)) < s.rho || s.rho > mostRho || k == raises {
			return nil
		}
		s.raise(growth * s.rho)
		k++
	}
}

// combine computes d from λ, and its products with gradients.
func (s *SQP) combine() error {
	clear(s.along)
	m := len(s.c)
	for lo, hi := range linalg.Parts(s.n) {
		d := s.d[lo:hi]
		floats.ScaleTo(d, -1, s.hg[lo:hi])
		hj := blas64.General{Rows: m, Cols: hi - lo, Stride: s.hj.Stride, Data: s.hj.Data[lo:]}
		blas64.Gemv(blas.Trans, -1, hj, linalg.Vector(s.qp.Lambda), 1, linalg.Vector(d))
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

// side is the constraint of which B⁻¹∇c_i is computed, perhaps with the other sign: the two sides of a
// bound have opposite gradients.
func (s *SQP) side(i int) int {
	if o := s.opposite[i]; o >= 0 {
		return o
	}
	return i
}

// enter makes constraints part of the quadratic program: it computes B⁻¹ times their gradients, and
// times more vectors, and the products with the gradients of all that are part of it. It reports whether
// there are any that were not.
func (s *SQP) enter(chosen func(i int) bool, more ...[]float64) bool {
	s.solved, s.fresh = append(s.solved[:0], more...), s.fresh[:0]
	for i := range s.c {
		if k := s.side(i); !s.entered[k] && chosen(i) {
			s.entered[k] = true
			s.fresh = append(s.fresh, k)
			h := linalg.Row(s.hj, k).Data
			copy(h, s.gradientOf(s.now, k))
			s.solved = append(s.solved, h)
		}
	}
	s.bfgs.Solve(s.solved...)
	m, g := len(s.c), s.qp.G.Data
	for _, i := range s.fresh {
		clear(g[i*m : (i+1)*m])
	}
	for lo, hi := range linalg.Parts(s.n) {
		for _, i := range s.fresh {
			for k := range m {
				if s.entered[k] && (k <= i || !slices.Contains(s.fresh, k)) {
					g[i*m+k] += floats.Dot(linalg.Row(s.hj, max(i, k)).Data[lo:hi], s.gradientOf(s.now, min(i, k))[lo:hi])
				}
			}
		}
	}
	for _, i := range s.fresh {
		for k := range m {
			if s.entered[k] && (k <= i || !slices.Contains(s.fresh, k)) {
				g[k*m+i] = g[i*m+k]
			}
		}
	}
	for i := range m {
		a := s.side(i)
		if !s.entered[a] {
			continue
		}
		if a != i {
			floats.ScaleTo(linalg.Row(s.hj, i).Data, -1, linalg.Row(s.hj, a).Data)
		}
		for k := range m {
			if b := s.side(k); s.entered[b] && (a != i || b != k) {
				g[i*m+k] = g[a*m+b]
				if (a != i) != (b != k) {
					g[i*m+k] *= -1
				}
			}
		}
	}
	return len(s.fresh) > 0
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
		q.R[i] = s.hgj[i] + s.along[i] - s.ct[i]
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
