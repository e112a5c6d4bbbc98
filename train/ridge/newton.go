package ridge

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/gonum"

	"github.com/fairtrain/fairtrain/internal/vmath"
	"github.com/fairtrain/fairtrain/model/orders"
	"github.com/fairtrain/fairtrain/model/penalty"
	"github.com/fairtrain/fairtrain/problem"
)

const (
	// newtonSteps and innerSteps end what would not end.
	newtonSteps = 50
	innerSteps  = 200
	blockSize   = 256 // rows whose margins are computed together
)

// accuracy is how far to go: until a step would decrease the objective by less than enough, with
// Newton's equation solved to the residual forcing, relative to the gradient.
type accuracy struct{ enough, forcing float64 }

var lapack gonum.Implementation

var (
	// fine is that of a fit to be used.
	fine = accuracy{1e-7, 0.1}
	// coarse is far finer than any difference of two penalties that means something.
	coarse = accuracy{1e-5, 0.5}
)

// fitter minimises for given weights of the rows, which are 0 for rows held out. A vector of n+1
// entries has the weights of the n features and the intercept.
type fitter struct {
	*Problem
	n       int
	share   []float64       // of the rows, of sum 1
	form    penalty.Penalty // that of the problem, or another for each block
	penalty penalty.Penalty // form times λ
	accuracy

	gradient  []float64 // n+1, at the point
	diagonal  []float64 // n+1, of the Hessian of the mean loss there
	curvature []float64 // of the loss of each row in its margin, times its share

	step, residual, solved, along, product []float64 // n+1, of conjugate gradients
	trial                                  []float64
	ties                                   *problem.Ties // of weights that move together
	// The preconditioner is tridiagonal, in what is not tied: L·D·Lᵀ with the diagonal of D and, of j
	// and j+1, the couplings of L.
	factor, coupling []float64
	tied             []float64 // a vector, in what is not tied

	margin, value, slope [blockSize]float64
}

func newFitter(p *Problem, share []float64, to accuracy) *fitter {
	rows, n := p.X.Dims()
	f := &fitter{Problem: p, n: n, share: share, accuracy: to, curvature: make([]float64, rows), form: p.Penalty}
	f.form.N = n
	for _, v := range []*[]float64{&f.gradient, &f.diagonal, &f.step, &f.residual, &f.solved, &f.along, &f.product, &f.trial} {
		*v = make([]float64, n+1)
	}
	f.factor, f.coupling, f.tied = make([]float64, n+1), make([]float64, n), make([]float64, n+1)
	return f
}

// fit moves x to the minimum.
func (f *fitter) fit(x []float64, lambda float64) {
	f.penalty = f.form.Times(lambda)
	before := f.evaluate(x)
	for range newtonSteps {
		f.newton(x)
		descent := -floats.Dot(f.gradient, f.step)
		if !(descent > f.enough) {
			return
		}
		length, after := 1.0, math.Inf(1)
		for ; length > 1e-3; length /= 2 {
			floats.AddScaledTo(f.trial, x, length, f.step)
			orders.Keep(f.trial, f.Orders) // rounding aside, it does
			if after = f.evaluate(f.trial); after <= before-1e-4*length*descent {
				break
			}
		}
		if !(after < before) {
			return
		}
		copy(x, f.trial)
		before = after
	}
}

// evaluate returns the objective at x, and stores its derivatives.
func (f *fitter) evaluate(x []float64) float64 {
	clear(f.gradient)
	clear(f.diagonal)
	sum := 0.0
	for lo := 0; lo < len(f.Y); lo += blockSize {
		hi := min(lo+blockSize, len(f.Y))
		share, curvature := f.share[lo:hi], f.curvature[lo:hi]
		t := f.margins(x, lo, hi)
		for k, y := range f.Y[lo:hi] {
			t[k] *= float64(y)
		}
		value, slope := f.value[:len(t)], f.slope[:len(t)]
		vmath.RobustSlope(value, slope, t, math.Inf(1))
		sum += floats.Dot(value, share)
		for k, s := range slope {
			curvature[k] = -s * (1 + s) * share[k]
			slope[k] = s * share[k] * float64(f.Y[lo+k])
		}
		f.X.AddTransRange(f.gradient[:f.n], slope, lo, hi)
		f.gradient[f.n] += vmath.Sum(slope)
		f.diagonal[f.n] += vmath.Sum(curvature)
		if f.X.Binary() {
			f.X.AddTransRange(f.diagonal[:f.n], curvature, lo, hi)
			continue
		}
		for k, c := range curvature {
			for j, v := range f.X.Row(lo + k) {
				f.diagonal[j] += float64(c * v * v)
			}
		}
	}
	f.penalty.AddGradient(f.gradient, x)
	return sum + f.penalty.Value(x)
}

// margins returns those of rows, in scratch memory.
func (f *fitter) margins(x []float64, lo, hi int) []float64 {
	t := f.margin[:hi-lo]
	f.X.MulRange(t, x[:f.n], lo, hi)
	floats.AddConst(x[f.n], t)
	return t
}

// multiply stores the Hessian times v.
func (f *fitter) multiply(dst, v []float64) {
	clear(dst)
	for lo := 0; lo < len(f.Y); lo += blockSize {
		hi := min(lo+blockSize, len(f.Y))
		t := f.margins(v, lo, hi)
		floats.Mul(t, f.curvature[lo:hi])
		f.X.AddTransRange(dst[:f.n], t, lo, hi)
		dst[f.n] += vmath.Sum(t)
	}
	f.penalty.AddGradient(dst, v)
}

// newton stores about the Newton step from x to a point that keeps the orders. Neighbours are tied if
// a step against the gradient does not part them, or if the Newton step brings them out of order; it
// is taken again then.
func (f *fitter) newton(x []float64) {
	const most = 20
	clear(f.step)
	if len(f.Orders) == 0 {
		f.ties = orders.TiesAt(x, nil)
		f.solve()
		return
	}
	target := f.trial
	floats.SubTo(target, x, f.gradient)
	for k := 0; ; k++ {
		free := slices.Clone(target)
		if orders.Keep(target, f.Orders); k == most || k > 0 && slices.Equal(free, target) {
			floats.SubTo(f.step, target, x)
			return
		}
		f.ties = orders.TiesAt(target, f.Orders)
		f.mean(target, x)
		floats.SubTo(f.step, target, x)
		f.solve()
		floats.AddTo(target, x, f.step)
		f.mean(target, target) // rounding aside, it is its own
	}
}

// mean stores in dst the means of what is tied in x.
func (f *fitter) mean(dst, x []float64) {
	mean := f.ties.Sum(x)
	floats.Div(mean, f.ties.Sum(slices.Repeat([]float64{1}, len(x))))
	f.ties.Spread(dst, mean)
}

// solve brings step closer to the Newton step, by conjugate gradients, such that what is tied moves
// together. They are preconditioned by the Hessian without what couples different columns: a
// diagonal matrix but for the chains, and there a tridiagonal one. What couples the bins of a
// number, the many small weights of a smooth function, is solved exactly.
func (f *fitter) solve() {
	f.precondition()
	floats.ScaleTo(f.residual, -1, f.gradient)
	if len(f.Orders) > 0 { // the step is not 0
		f.multiply(f.product, f.step)
		floats.Sub(f.residual, f.product)
	}
	f.improve()
	copy(f.along, f.solved)
	rho := floats.Dot(f.residual, f.solved)
	end := f.forcing * f.forcing * rho
	for range innerSteps {
		f.multiply(f.product, f.along)
		curvature := floats.Dot(f.along, f.product)
		if !(curvature > 0) {
			return
		}
		floats.AddScaled(f.step, rho/curvature, f.along)
		floats.AddScaled(f.residual, -rho/curvature, f.product)
		f.improve()
		before := rho
		if rho = floats.Dot(f.residual, f.solved); !(rho > end) {
			return
		}
		floats.Scale(rho/before, f.along)
		floats.Add(f.along, f.solved)
	}
}

// precondition factorises the diagonal plus λΩ, with what is tied added up; without the couplings
// where it is singular, as no row tells of a chain.
func (f *fitter) precondition() {
	f.assemble()
	if !lapack.Dpttrf(len(f.factor), f.factor, f.coupling) {
		f.assemble()
		clear(f.coupling)
	}
}

// assemble stores the diagonal plus λΩ.
func (f *fitter) assemble() {
	const least = 1e-12 // of a feature that no row has
	of, diagonal := f.ties.Of, f.factor
	copy(diagonal, f.ties.Sum(f.diagonal))
	clear(f.coupling)
	f.penalty.Each(func(j, next int, lambda float64) {
		a, b := of[j], of[next]
		if a < 0 || a == b && j < next {
			return
		}
		diagonal[a] += lambda
		if a < b {
			diagonal[b] += lambda
			f.coupling[a] = -lambda // b is a+1
		}
	})
	for k := range diagonal {
		diagonal[k] = max(diagonal[k], least)
	}
}

// improve applies the preconditioner to the residual.
func (f *fitter) improve() {
	copy(f.tied, f.ties.Sum(f.residual))
	lapack.Dpttrs(len(f.tied), 1, f.factor, f.coupling, f.tied, 1)
	f.ties.Spread(f.solved, f.tied)
}
