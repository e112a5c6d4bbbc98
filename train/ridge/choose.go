package ridge

import (
	"math"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/parallel"
	"github.com/fairtrain/fairtrain/internal/vmath"
	"github.com/fairtrain/fairtrain/model/penalty"
)

// Folds say in which of Count folds each row is held out.
type Folds struct {
	Of    []uint8 // of the rows
	Count int
}

// Choice is what cross-validation says of penalties.
type Choice struct {
	Lambda  float64     // of the least loss on rows held out; +Inf stands for the intercept alone
	Loss    float64     // the mean of that loss
	Margins []float64   // of every row, by the fit that it was held out of, with Lambda
	Fits    [][]float64 // weights and intercept with Lambda, one a fold
	// Form is the form of the penalty, for all rows: that of the problem, or with a penalty for each
	// block.
	Form  penalty.Penalty
	Tried []Tried
}

// Tried is the mean loss on rows held out for a penalty, or for one for each block times that.
type Tried struct {
	Lambda, Loss float64
	Blocks       bool
}

// smallest is the least penalty that is tried.
const smallest = 1e-8

// Choose cross-validates penalties, from the given one down by factors of 10 until they become
// worse, and then two beside the best.
// The intercept alone is chosen unless another fit is better by more than the standard error of the
// difference.
func Choose(p *Problem, folds Folds, largest float64) *Choice {
	c := newChooser(p, folds)
	constant := c.try(math.Inf(1))
	for lambda := largest; lambda >= smallest; lambda /= 10 {
		if c.try(lambda) > c.best.Loss {
			break
		}
	}
	if beside := c.best.Lambda; !math.IsInf(beside, 1) {
		half := math.Sqrt(10)
		c.try(beside * half)
		c.try(beside / half)
	}
	c.settle(constant)
	return c.best
}

// At cross-validates one penalty. Where the fits start may be given; they become the fits.
func At(p *Problem, folds Folds, lambda float64, starts [][]float64) *Choice {
	c := newChooser(p, folds)
	if starts != nil {
		c.points = starts
	}
	c.try(lambda)
	return c.best
}

// chooser compares penalties.
type chooser struct {
	*Problem
	folds    Folds
	fitters  []*fitter
	points   [][]float64 // of the last penalty, one a fold
	constant []float64   // margins of the intercept alone
	shares   []float64
	best     *Choice
}

func newChooser(p *Problem, folds Folds) *chooser {
	c := &chooser{
		Problem: p, folds: folds, fitters: make([]*fitter, folds.Count), points: make([][]float64, folds.Count),
		shares: p.shares(func(int) bool { return true }), best: &Choice{Loss: math.Inf(1), Form: p.Penalty},
	}
	for k := range c.fitters {
		c.fitters[k] = newFitter(p, p.shares(func(i int) bool { return int(folds.Of[i]) != k }), coarse)
		c.points[k] = c.fitters[k].constant()
	}
	return c
}

// try returns the loss of a penalty on rows held out, from the fits of the one before.
func (c *chooser) try(lambda float64) float64 {
	rows := len(c.Y)
	margins := make([]float64, rows)
	parallel.Do(runtime.GOMAXPROCS(0), c.folds.Count, func(k int) {
		f := c.fitters[k]
		if !math.IsInf(lambda, 1) {
			f.fit(c.points[k], lambda)
		}
		for lo := 0; lo < rows; lo += blockSize {
			hi := min(lo+blockSize, rows)
			for i, t := range f.margins(c.points[k], lo, hi) {
				if int(c.folds.Of[lo+i]) == k {
					margins[lo+i] = t
				}
			}
		}
	})
	loss := floats.Dot(c.losses(margins), c.shares)
	c.best.Tried = append(c.best.Tried, Tried{Lambda: lambda, Loss: loss, Blocks: c.fitters[0].form.BlockL2 != nil})
	if math.IsInf(lambda, 1) {
		c.constant = margins
	}
	if loss < c.best.Loss {
		c.best.Lambda, c.best.Loss, c.best.Margins, c.best.Fits = lambda, loss, margins, nil
		for _, x := range c.points {
			c.best.Fits = append(c.best.Fits, slices.Clone(x))
		}
	}
	return loss
}

// settle takes the intercept alone, of a given loss, where the best fit is not surely better.
func (c *chooser) settle(loss float64) {
	if math.IsInf(c.best.Lambda, 1) {
		return
	}
	if gain, se := c.Gain(c.constant, c.best.Margins, c.folds); gain > se {
		return
	}
	c.best.Lambda, c.best.Loss, c.best.Margins = math.Inf(1), loss, c.constant
	for k, f := range c.fitters {
		c.best.Fits[k] = f.constant()
	}
}

// Gain returns by how much margins have less loss than others, and the standard error of that. Rows
// that belong together are in one of the folds.
func (p *Problem) Gain(before, after []float64, folds Folds) (gain, se float64) {
	gains, shares := p.losses(before), p.shares(func(int) bool { return true })
	floats.Sub(gains, p.losses(after))
	gain = floats.Dot(gains, shares)
	squares, sums := 0.0, make([]float64, folds.Count)
	for i, g := range gains {
		d := shares[i] * (g - gain)
		squares += float64(d * d)
		sums[folds.Of[i]] += d
	}
	return gain, max(math.Sqrt(squares), floats.Norm(sums, 2))
}

// Fit returns the weights and the intercept of all rows.
func Fit(p *Problem, lambda float64) []float64 {
	f := newFitter(p, p.shares(func(int) bool { return true }), fine)
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

// constant returns the fit of the intercept alone, to the digits that are the same on every
// processor. It is finite where labels are all the same.
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
	x[f.n] = float64(float32(math.Log(positive / (1 - positive))))
	return x
}

// losses returns the logistic loss of each row, given the margins.
func (p *Problem) losses(margins []float64) []float64 {
	t := make([]float64, len(margins))
	for i, m := range margins {
		t[i] = m * float64(p.Y[i])
	}
	value := make([]float64, len(t))
	vmath.RobustSlope(value, make([]float64, len(t)), t, math.Inf(1))
	return value
}
