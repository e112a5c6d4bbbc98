package decide

import (
	"fmt"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/internal/jobs"
	"github.com/fairtrain/fairtrain/internal/vmath"
)

func init() { jobs.Register(&Question{}, &Answer{}) }

// Question asks for the decisions of the linear classifiers At + θ·Along at the points θ of a grid.
type Question struct {
	At, Along Linear
	Centre    float64 // decisions are positive for margins of at least this
	Grid      Grid
	Groups    []dataset.Groups
	// Apart is the index of the groups for which right decisions are told apart, negative for none,
	// and Offset what is added to the margins of each of them, if anything.
	Apart  int
	Offset []float64
	Scores []bool // of which Groups the scores of At are added up
}

// Linear is a linear function of a row. Without weights it is the intercept.
type Linear struct {
	Weights   []float64
	Intercept float64
}

// Answer is what some rows add up to. Where a number depends on the point of the grid, the first
// one is that of the first point, and all others are changes from the point before.
type Answer struct {
	Right    []float64   // shares of right decisions, by group told apart and point
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

// counted are rows whose decisions are added up.
type counted struct {
	t, d   Margins // at θ = 0, and their slopes
	labels []int8
	shares *Shares           // in the accuracy; nil if right decisions are not asked for
	strata []*dataset.Strata // that tell positive decisions apart
}

// nothing is the answer of no rows, given the strata of the groups.
func (q *Question) nothing(strata []*dataset.Strata) *Answer {
	cells := 1
	if q.Apart >= 0 {
		cells = len(strata[q.Apart].Names) + 1
	}
	a := &Answer{Right: make([]float64, cells*q.Grid.Points)}
	for n, s := range strata {
		sums := []float64{}
		if q.Scores != nil && q.Scores[n] {
			sums = make([]float64, s.Len())
		}
		a.Positive, a.Scores = append(a.Positive, make([]float64, s.Len()*q.Grid.Points)), append(a.Scores, sums)
	}
	return a
}

// Of implements shards.Question.
func (q *Question) Of(d *dataset.Dataset, _ int) (any, error) {
	if q.Apart >= len(q.Groups) {
		return nil, fmt.Errorf("%s: decisions are counted in %d groups, not in number %d", d.Name,
			len(q.Groups), q.Apart)
	}
	shares := Shares{weights: d.Weights, total: 1}.Worth(d.Y, q.Centre)
	r := &counted{
		t: Margins{d: d, weights: q.At.Weights, intercept: q.At.Intercept}, d: Margins{d: d, weights: q.Along.Weights, intercept: q.Along.Intercept},
		labels: d.Y, shares: &shares,
	}
	for _, g := range q.Groups {
		s, err := d.StrataOf(g)
		if err != nil {
			return nil, err
		}
		r.strata = append(r.strata, s)
	}
	a := q.nothing(r.strata)
	r.add(a, q, 0, d.Rows())
	return a, nil
}

// add adds rows lo to hi−1.
func (r *counted) add(a *Answer, q *Question, lo, hi int) {
	space := make([]float64, blockRows)
	for first, t := range r.t.between(lo, hi) {
		r.addScores(a, q, first, t, space)
		if q.Grid.Points == 1 {
			r.addDecisions(a, q.Centre, first, t)
		} else {
			r.addChanges(a, q, first, t, r.d.Range(space, first, first+len(t)))
		}
	}
}

// addScores adds the scores of At, those that are asked for, given the margins of rows from the
// first on.
func (r *counted) addScores(a *Answer, q *Question, first int, t, space []float64) {
	scores := space[:0]
	for n, s := range r.strata {
		if !q.Scores[n] {
			continue
		}
		if len(scores) == 0 {
			scores = space[:len(t)]
			vmath.Sigmoid(scores, t)
		}
		s.Add(a.Scores[n], scores, first)
	}
}

// addDecisions adds the decisions at θ = 0, the only point.
func (r *counted) addDecisions(a *Answer, centre float64, first int, t []float64) {
	for k, m := range t {
		i, positive := first+k, m >= centre
		if r.shares != nil && positive == (r.labels[i] > 0) {
			a.Right[0] += r.shares.At(i)
		}
		if !positive {
			continue
		}
		for n, s := range r.strata {
			a.Positive[n][s.Of(i)] += s.Weight(i)
		}
	}
}

// addChanges adds the decisions at the first point, and changes at the first point where a decision
// is another one, given the slopes of the margins.
func (r *counted) addChanges(a *Answer, q *Question, first int, margins, slopes []float64) {
	g := q.Grid
	for k, d := range slopes {
		i, t := first+k, margins[k]
		cell := 0
		if q.Apart >= 0 {
			cell = r.strata[q.Apart].Group(i)
			if q.Offset != nil {
				t += q.Offset[cell]
			}
		}
		positive := positiveAt(g.Low, t, d, q.Centre)
		if r.shares != nil && positive == (r.labels[i] > 0) {
			a.Right[cell*g.Points] += r.shares.At(i)
		}
		if positive {
			r.addPositive(a, g, i, 0, 1)
		}
		if d == 0 {
			continue
		}
		at := g.interval((q.Centre-t)/d) + 1
		if at < 1 || at >= g.Points {
			continue
		}
		change := float64(sign(d > 0))
		if r.shares != nil {
			a.Right[cell*g.Points+at] += change * float64(r.labels[i]) * r.shares.At(i)
		}
		r.addPositive(a, g, i, at, change)
	}
}

// addPositive adds the decision on row i so many times, at point k.
func (r *counted) addPositive(a *Answer, g Grid, i, k int, times float64) {
	for n, s := range r.strata {
		a.Positive[n][s.Of(i)*g.Points+k] += times * s.Weight(i)
	}
}
