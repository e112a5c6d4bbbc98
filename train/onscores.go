package train

import (
	"context"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train/decide"
)

// solveOnScores solves the problem on scores, given the unconstrained solution.
//
// Its constraints are not convex, and where it starts decides which minimum it finds. From x = 0, where all scores are
// ½, the first steps have a long way to go if labels are rare. The scores of a small group that gets ahead of the
// others may end near 0, where it keeps every bound that it can keep, and does not come back. The unconstrained
// solution is as bad a start where it tells the labels apart: scores near 0 and 1 hardly depend on the weights. So the
// method starts on the way to it, where margins vary by startSpread at most. A method on trial starts where its
// paper does, at 0.
func solveOnScores(ctx context.Context, o *Options, free fit) (*solution, error) {
	from := o.with(free.loss)
	var before effort
	if _, ok := o.Method.(*solver.FiniteSum); ok {
		from.Model.Start = free.onTheWay(o)
		from.MaxPasses = max(o.MaxPasses-problem.Passes(free.fair, free.samples), o.MaxPasses/2) // its last step may have gone beyond
		before = free.effort
	}
	a, err := try(ctx, from)
	if err != nil {
		return nil, err
	}
	before.add(a.effort)
	x := a.classifier(o)
	floats.Scale(1/a.temperature, x) // so that the classifier's scores are those that the constraints bound
	return &solution{x: x, loss: free.loss, how: AsSolved, from: a, status: a.status, effort: before}, nil
}

// startSpread is the largest standard deviation of the margins at the start, over the temperature.
const startSpread = 1

// onTheWay returns the classifier, scaled down to margins that vary by startSpread at most.
func (f fit) onTheWay(o *Options) []float64 {
	x, most := f.classifier(o), float64(startSpread)
	if t := o.Model.Temperature; t > 0 {
		most *= t
	}
	if f.spread > most {
		floats.Scale(most/f.spread, x)
	}
	return x
}

// spread returns the standard deviation of margins, of many rows those of some blocks.
func spread(m decide.Margins) float64 {
	const blocks, block = 64, 1 << 10
	rows := m.Rows()
	if rows <= blocks*block {
		return stat.PopStdDev(m.Range(make([]float64, rows), 0, rows), nil)
	}
	some := make([]float64, 0, blocks*block)
	for k := range blocks {
		lo := k * (rows - block) / (blocks - 1)
		some = append(some, m.Range(make([]float64, block), lo, lo+block)...)
	}
	return stat.PopStdDev(some, nil)
}
