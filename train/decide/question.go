package decide

import (
	"iter"
	"math"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/internal/jobs"
	"github.com/fairtrain/fairtrain/internal/parallel"
	"github.com/fairtrain/fairtrain/internal/vmath"
)

func init() { jobs.Register(&Question{}, &Answer{}) }

// Linear is a linear function of a row. Without weights it is the intercept.
type Linear struct {
	Weights   []float64
	Intercept float64
}

// blockRows is the number of rows whose margins are computed at a time.
const blockRows = 1 << 10

// Margins yields the margins of rows lo to hi−1 in blocks, with the number of the first row. Each
// block is overwritten by the next one.
func (l Linear) Margins(d *dataset.Dataset, lo, hi int) iter.Seq2[int, []float64] {
	return func(yield func(int, []float64) bool) {
		var space [blockRows]float64
		for ; lo < hi; lo += blockRows {
			t := space[:min(blockRows, hi-lo)]
			l.marginsOf(t, d, lo)
			if !yield(lo, t) {
				return
			}
		}
	}
}

// marginsOf stores the margins of the rows from lo on.
func (l Linear) marginsOf(dst []float64, d *dataset.Dataset, lo int) {
	if l.Weights == nil {
		clear(dst)
	} else {
		d.X.MulRange(dst, l.Weights, lo, lo+len(dst))
	}
	floats.AddConst(l.Intercept, dst)
}

// Decisions stores 1 in dst for values of at least threshold, and 0 for all others. It returns dst.
func Decisions(dst, values []float64, threshold float64) []float64 {
	for k, v := range values {
		dst[k] = 0
		if v >= threshold {
			dst[k] = 1
		}
	}
	return dst
}

// Many is the number of rows from which on nothing is cached for each of them.
const Many = 1 << 20

// Parts is the number of parts of many rows that are counted concurrently.
const Parts = 4

// InParts does work for the parts of so many rows, lo to hi−1. The parts depend on the number of
// rows only. Few rows are part 0.
func InParts(rows int, work func(part, lo, hi int)) {
	const few = 1 << 17
	if rows < few {
		work(0, 0, rows)
		return
	}
	parallel.Do(runtime.GOMAXPROCS(0), Parts, func(k int) { work(k, rows*k/Parts, rows*(k+1)/Parts) })
}

// Question asks what the decisions of the linear classifiers At + θ·Along add up to at the points θ
// of a grid. It is answered for the rows of this process and for those of shards alike.
type Question struct {
	At, Along Linear
	Centre    float64 // decisions are positive for margins of at least this
	Grid      Grid
	Worth     [2]float64 // of a right decision on a row of the label −1, and of +1
	Groups    []dataset.Groups
	Scores    []bool // of which Groups the scores of At are added up

	cached *cache // of margins, without the intercept of At; nil: none
}

// cache has the margins of the rows of this process for the weights of the last question: several
// questions in a row are about one classifier, or about another intercept of it.
type cache struct {
	weights []float64
	margins map[*dataset.Dataset][]float64
}

// of returns the margins of rows, nil for so many that nothing is cached.
func (c *cache) of(weights []float64, d *dataset.Dataset) []float64 {
	if d.Rows() >= Many || weights == nil {
		return nil
	}
	if !slices.Equal(c.weights, weights) {
		c.weights = append(c.weights[:0], weights...)
		clear(c.margins)
	}
	if c.margins[d] == nil {
		margins := make([]float64, d.Rows())
		InParts(len(margins), func(_, lo, hi int) { d.X.MulRange(margins[lo:hi], weights, lo, hi) })
		c.margins[d] = margins
	}
	return c.margins[d]
}

// Grid has points in equal steps from Low on. A single point is at 0.
type Grid struct {
	Low, Step float64
	Points    int
}

func (g Grid) at(k int) float64 { return g.Low + float64(k)*g.Step }

// after returns the first point at or above θ, 0 below the grid and Points beyond it.
func (g Grid) after(theta float64) int {
	return int(min(max(math.Ceil((theta-g.Low)/g.Step), 0), float64(g.Points)))
}

// Answer is what some rows add up to. Where a number depends on the point of the grid, the first
// one is that of the first point, and all others are changes from the point before.
type Answer struct {
	Right    []float64   // worth of right decisions, by point
	Positive [][]float64 // weights of positive decisions: of each of Groups, by stratum and point
	Scores   [][]float64 // weighted sums of scores: of each of Groups, by stratum
}

// Add adds the answer of other rows to the same question.
func (a *Answer) Add(b *Answer) {
	floats.Add(a.Right, b.Right)
	for n := range a.Positive {
		floats.Add(a.Positive[n], b.Positive[n])
		floats.Add(a.Scores[n], b.Scores[n])
	}
}

// Of implements shards.Question.
func (q *Question) Of(d *dataset.Dataset, _ int) (any, error) {
	var strata []*dataset.Strata
	for _, g := range q.Groups {
		s, err := d.StrataOf(g)
		if err != nil {
			return nil, err
		}
		strata = append(strata, s)
	}
	return q.of(d, strata), nil
}

// of returns the answer of rows, given their strata by the groups.
func (q *Question) of(d *dataset.Dataset, strata []*dataset.Strata) *Answer {
	var answers [Parts]*Answer // nil for parts that few rows don't have
	var margins []float64
	if q.cached != nil {
		margins = q.cached.of(q.At.Weights, d)
	}
	InParts(d.Rows(), func(part, lo, hi int) {
		answers[part] = q.nothing(strata)
		q.count(answers[part], d, strata, margins, lo, hi)
	})
	for _, a := range answers[1:] {
		if a != nil {
			answers[0].Add(a)
		}
	}
	return answers[0]
}

// nothing is the answer of no rows.
func (q *Question) nothing(strata []*dataset.Strata) *Answer {
	a := &Answer{Right: make([]float64, q.Grid.Points)}
	for n, s := range strata {
		sums := []float64{}
		if q.Scores != nil && q.Scores[n] {
			sums = make([]float64, s.Len())
		}
		a.Positive, a.Scores = append(a.Positive, make([]float64, s.Len()*q.Grid.Points)), append(a.Scores, sums)
	}
	return a
}

// count adds rows lo to hi−1, given the cached margins of all rows, if there are any.
func (q *Question) count(a *Answer, d *dataset.Dataset, strata []*dataset.Strata, cached []float64, lo, hi int) {
	var at, space [blockRows]float64
	addPositive := func(row, point int, times float64) {
		for n, s := range strata {
			a.Positive[n][s.Of(row)*q.Grid.Points+point] += times * s.Weight(row)
		}
	}
	for first := lo; first < hi; first += blockRows {
		margins := at[:min(blockRows, hi-first)]
		if cached != nil {
			copy(margins, cached[first:])
			floats.AddConst(q.At.Intercept, margins)
		} else {
			q.At.marginsOf(margins, d, first)
		}
		slopes := space[:len(margins)]
		if slices.Contains(q.Scores, true) {
			vmath.Sigmoid(slopes, margins)
			for n, s := range strata {
				if q.Scores[n] {
					s.Add(a.Scores[n], slopes, first)
				}
			}
		}
		q.Along.marginsOf(slopes, d, first)
		for k, slope := range slopes {
			row, t := first+k, margins[k]
			label, worth := d.Y[row], d.Weight(row)*q.Worth[0]
			if label > 0 {
				worth = d.Weight(row) * q.Worth[1]
			}
			positive, change := t >= q.Centre, q.Grid.Points
			if slope != 0 && t == t && q.Grid.Points > 1 { // a margin that is no number changes nowhere
				change = q.Grid.after((q.Centre - t) / slope)
				positive = slope > 0 == (change == 0)
			}
			if positive == (label > 0) {
				a.Right[0] += worth
			}
			if positive {
				addPositive(row, 0, 1)
			}
			if change == 0 || change == q.Grid.Points {
				continue
			}
			times := 1.0 // the decision becomes positive
			if positive {
				times = -1
			}
			a.Right[change] += times * float64(label) * worth
			addPositive(row, change, times)
		}
	}
}
