package ridge

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/model/penalty"
)

// Blocks cross-validates a penalty for each block of features, in place of the one penalty of a choice.
// What a column says is worth a penalty of its own: a column that says little is shrunk, and one that
// says much is not. Every fit suggests its own (suggested); they are compared as they are and, all
// together, larger and smaller. The choice is returned as it is, with what was tried, unless that has
// less loss.
func Blocks(p *Problem, folds Folds, from *Choice) *Choice {
	if math.IsInf(from.Lambda, 1) || len(p.Penalty.Blocks) == 0 {
		return from
	}
	c := newChooser(p, folds)
	for k, f := range c.fitters {
		c.points[k] = slices.Clone(from.Fits[k])
		f.form = f.suggested(c.points[k], from.Lambda)
	}
	const mostSteps = 4
	half := math.Sqrt(10)
	c.try(from.Lambda)
	for _, factor := range []float64{1 / half, half} {
		lambda := from.Lambda
		for range mostSteps {
			if lambda *= factor; c.try(lambda) > c.best.Loss {
				break
			}
		}
	}
	if c.best.Tried = slices.Concat(from.Tried, c.best.Tried); c.best.Loss >= from.Loss {
		from.Tried = c.best.Tried
		return from
	}
	all := newFitter(p, c.shares, coarse)
	x := all.constant()
	all.fit(x, from.Lambda)
	c.best.Form = all.suggested(x, from.Lambda)
	return c.best
}

// suggested returns the form of the penalty that empirical Bayes suggests at the fit x for λ: if the
// penalty is a normal distribution of the weights of a block, its most likely width given those of the
// fit, by one step of Fellner and Schall (Wood and Fasiolo 2017). Blocks are taken one by one, as if
// the others were known. The form so far has one penalty for all.
func (f *fitter) suggested(x []float64, lambda float64) penalty.Penalty {
	const (
		most  = 1000 // by which a block may differ
		least = 1e-9 // below any number that matters
	)
	rows := 0
	for _, share := range f.share {
		if share > 0 {
			rows++
		}
	}
	f.evaluate(x)
	form := f.form
	form.BlockL2 = make([]float64, len(form.Blocks))
	for k, b := range form.Blocks {
		one := penalty.Penalty{L2: lambda, Blocks: []dataset.Block{{End: b.End - b.First, Bins: b.Bins}}, N: b.End - b.First}
		free := freedom(f.diagonal[b.First:b.End], one)
		size := 2 * one.Value(x[b.First:b.End]) / lambda
		suggested := max(free, least) / (float64(float64(rows)*size) + least) / lambda
		form.BlockL2[k] = min(max(suggested, 1/float64(most)), most)
	}
	return form
}

// freedom returns how many weights of a block the rows determine in place of the penalty: the trace of
// (H + Ω)⁻¹H, where H is the Hessian of the mean loss, which is diagonal. A number's bins may move
// together, which the penalty leaves free and is not counted.
func freedom(hessian []float64, penalty penalty.Penalty) float64 {
	const least = 1e-12 // of a feature that no row has
	n := len(hessian)
	diagonal, coupling, together := slices.Clone(hessian), make([]float64, n), 0.0
	floats.AddConst(least, diagonal)
	penalty.Each(func(j, next int, lambda float64) {
		diagonal[j] += lambda
		if next > j {
			diagonal[next] += lambda
			coupling[next], together = lambda, 1
		}
	})
	// An entry of the diagonal of the inverse of a tridiagonal matrix is 1/(a + b − d), of the pivots a
	// from above and b from below, and the diagonal d.
	above, below := slices.Clone(diagonal), slices.Clone(diagonal)
	for j := 1; j < n; j++ {
		above[j] -= coupling[j] * coupling[j] / above[j-1]
	}
	for j := n - 1; j > 0; j-- {
		below[j-1] -= coupling[j] * coupling[j] / below[j]
	}
	free := 0.0
	for j, h := range hessian {
		free += h / (above[j] + below[j] - diagonal[j])
	}
	return free - together
}
