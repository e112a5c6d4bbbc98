package ridge

import (
	"math"
	"runtime"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/parallel"
	"github.com/fairtrain/fairtrain/internal/vmath"
)

// Choice is what cross-validation says of penalties.
type Choice struct {
	Lambda  float64   // of the least loss on rows held out; +Inf stands for the intercept alone
	Loss    float64   // the mean of that loss
	Margins []float64 // of every row, by the fit that it was held out of, with Lambda
	Tried   []Tried
}

// Tried is the mean loss on rows held out for a penalty.
type Tried struct{ Lambda, Loss float64 }

// Choose cross-validates penalties, the largest one first, and stops where they become worse. fold
// says in which of the folds each row is held out.
func Choose(p *Problem, lambdas []float64, fold []uint8, folds int) *Choice {
	rows := len(p.Y)
	fitters, points := make([]*fitter, folds), make([][]float64, folds)
	for k := range fitters {
		fitters[k] = newFitter(p, p.shares(func(i int) bool { return int(fold[i]) != k }))
		points[k] = fitters[k].constant()
	}
	all := p.shares(func(int) bool { return true })
	c := &Choice{Loss: math.Inf(1), Margins: make([]float64, rows)}
	margins := make([]float64, rows)
	try := func(lambda float64) float64 {
		parallel.Do(runtime.GOMAXPROCS(0), folds, func(k int) {
			f := fitters[k]
			if !math.IsInf(lambda, 1) {
				f.fit(points[k], lambda)
			}
			for lo := 0; lo < rows; lo += blockSize {
				hi := min(lo+blockSize, rows)
				for i, t := range f.margins(points[k], lo, hi) {
					if int(fold[lo+i]) == k {
						margins[lo+i] = t
					}
				}
			}
		})
		loss := p.loss(margins, all)
		c.Tried = append(c.Tried, Tried{lambda, loss})
		if loss < c.Loss {
			c.Lambda, c.Loss = lambda, loss
			copy(c.Margins, margins)
		}
		return loss
	}
	try(math.Inf(1))
	const patience = 2
	worse := 0
	for _, lambda := range lambdas {
		if try(lambda) > c.Loss {
			if worse++; worse >= patience {
				break
			}
			continue
		}
		worse = 0
	}
	return c
}

// Fit returns the weights and the intercept of all rows.
func Fit(p *Problem, lambda float64) []float64 {
	f := newFitter(p, p.shares(func(int) bool { return true }))
	x := f.constant()
	if !math.IsInf(lambda, 1) {
		f.fit(x, lambda)
	}
	return x
}

// shares returns the weights of rows as shares of their sum, 0 for others.
func (p *Problem) shares(in func(i int) bool) []float64 {
	share, sum := make([]float64, len(p.Y)), 0.0
	for i := range share {
		if !in(i) {
			continue
		}
		share[i] = 1
		if p.Weights != nil {
			share[i] = p.Weights[i]
		}
		sum += share[i]
	}
	if sum > 0 {
		floats.Scale(1/sum, share)
	}
	return share
}

// constant returns the fit of the intercept alone. It is finite where labels are all the same.
func (f *fitter) constant() []float64 {
	const least = 1e-6
	positive := 0.0
	for i, y := range f.Y {
		if y > 0 {
			positive += f.share[i]
		}
	}
	positive = min(max(positive, least), 1-least)
	x := make([]float64, f.n+1)
	x[f.n] = math.Log(positive / (1 - positive))
	return x
}

// loss returns the mean logistic loss of margins.
func (p *Problem) loss(margins, share []float64) float64 {
	sum := 0.0
	var t, value, slope [blockSize]float64
	for lo := 0; lo < len(margins); lo += blockSize {
		hi := min(lo+blockSize, len(margins))
		for k, m := range margins[lo:hi] {
			t[k] = m * float64(p.Y[lo+k])
		}
		vmath.RobustSlope(value[:hi-lo], slope[:hi-lo], t[:hi-lo], math.Inf(1))
		sum += floats.Dot(value[:hi-lo], share[lo:hi])
	}
	return sum
}
