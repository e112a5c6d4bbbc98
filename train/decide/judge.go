// Package decide measures classifiers by their decisions, and finds the best of a line of them.
//
// A Judge asks a Question about decisions at the points of a grid, which rows of this process and
// of shards answer alike: what rows add up to adds up.
package decide

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/shards"
	"github.com/fairtrain/fairtrain/model"
)

// Judge measures decisions by the accuracy on the rows to train on, weighted by what right
// decisions are worth, and by the requirements on the rows of the constraints.
type Judge struct {
	rows, constrained *dataset.Dataset // the same, or not
	worth             [2]float64       // of right decisions on rows of the label −1, and of +1
	total             float64          // weight of the rows
	unit              float64          // the weight of rows here for each 1 that is counted
	requirements      []*model.Requirement
	strata            []*dataset.Strata // by which decisions are counted
	scored            []bool            // of the strata: a requirement is on their scores
	shards            *shards.Rows      // all rows, of which those here are a sample; nil if all are here

	mu     sync.Mutex
	cached cache
	err    error // the first one of shards
}

// NewJudge returns the judge of rows d to train on, on which right decisions have a worth by label,
// and of requirements on rows s, which may be the same. Decisions are counted by more strata of s,
// too. If the rows are a sample, all are in shards.
func NewJudge(d, s *dataset.Dataset, worth [2]float64, requirements []*model.Requirement, more []*dataset.Strata, all *shards.Rows) *Judge {
	j := &Judge{rows: d, constrained: s, worth: worth, requirements: requirements, unit: 1}
	j.cached.margins = map[*dataset.Dataset][]float64{}
	if d.SampleOf > 0 {
		j.shards, j.unit = all, float64(d.Rows())/float64(d.SampleOf)
		j.total = float64(d.SampleOf)
	} else {
		for i := range d.Rows() {
			j.total += d.Weight(i)
		}
	}
	add := func(strata []*dataset.Strata, scored bool) {
		for _, s := range strata {
			if at := slices.Index(j.strata, s); at >= 0 {
				j.scored[at] = j.scored[at] || scored
				continue
			}
			j.strata, j.scored = append(j.strata, s), append(j.scored, scored)
		}
	}
	for _, r := range requirements {
		add(r.Strata(), r.On == model.Scores)
	}
	add(more, false)
	return j
}

// Err returns the first error of shards. What is counted afterwards means nothing.
func (j *Judge) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// ask returns the answer of all rows; of none after an error.
func (j *Judge) ask(q *Question) *Answer {
	q.Worth = j.worth
	if j.shards == nil {
		j.mu.Lock()
		defer j.mu.Unlock()
		q.cached = &j.cached
		if j.rows == j.constrained {
			return q.of(j.rows, j.strata)
		}
		a, b := q.of(j.rows, nil), q.of(j.constrained, j.strata)
		b.Right = a.Right
		return b
	}
	for _, s := range j.strata {
		q.Groups = append(q.Groups, s.ID())
	}
	sum, err := shards.Sum[*Answer](j.shards, q)
	if err == nil {
		return sum
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err == nil {
		j.err = err
	}
	return q.nothing(j.strata)
}

// Measured is a classifier judged.
type Measured struct {
	Accuracy float64
	Excess   float64      // of the worst requirement, at most 0 if none is violated
	Positive model.Totals // of decisions
}

// Better reports whether m is the better choice. A classifier that satisfies the requirements is
// better than one that does not. Of two that do, the more accurate is better; of two that don't,
// the one with the smaller violation.
func (m Measured) Better(than Measured) bool {
	switch {
	case (m.Excess <= 0) != (than.Excess <= 0):
		return m.Excess <= 0
	case m.Excess <= 0:
		return m.Accuracy > than.Accuracy
	}
	return m.Excess < than.Excess
}

// Measure judges a classifier whose decisions are positive for margins of at least centre.
// Requirements on scores hold within a tolerance.
func (j *Judge) Measure(c Linear, centre, tolerance float64) Measured {
	a := j.ask(&Question{At: c, Centre: centre, Grid: Grid{Points: 1}, Scores: j.scored})
	m := Measured{a.Right[0] / j.total, math.Inf(-1), j.totals(a.Positive)}
	scores := j.totals(a.Scores)
	for _, r := range j.requirements {
		if r.On == model.Scores {
			m.Excess = max(m.Excess, r.ExcessOfScores(r.JudgeTotals(scores), tolerance))
		} else {
			m.Excess = max(m.Excess, r.JudgeTotals(m.Positive).Excess)
		}
	}
	return m
}

// totals returns what was counted by stratum, in the units of the rows here.
func (j *Judge) totals(sums [][]float64) model.Totals {
	t := model.Totals{}
	for n, s := range j.strata {
		t[s] = sums[n]
		floats.Scale(j.unit, t[s])
	}
	return t
}

// gridPoints is the number of points of a grid. Between two of them some 0.1 % of all decisions
// change, on the second grid, around the best point of the first, one of 10⁶.
const gridPoints = 1 << 10

// Best returns the best point θ in [0, length] of the classifiers at + θ·along by their decisions: of
// a grid, and then of a finer grid around its best point.
func (j *Judge) Best(at, along Linear, centre, length float64) float64 {
	on := func(low, high float64) *Question {
		grid := Grid{low, (high - low) / (gridPoints - 1), gridPoints}
		return &Question{At: at, Along: along, Centre: centre, Grid: grid}
	}
	q := on(0, length)
	theta, best := j.BestOn(q)
	around := 2 * q.Grid.Step
	if finer, other := j.BestOn(on(max(0, theta-around), min(length, theta+around))); other.Better(best) {
		return finer
	}
	return theta
}

// BestOn returns the best point of the grid of a question. It judges the points in the order of their
// accuracy, until one satisfies the requirements on decisions.
func (j *Judge) BestOn(q *Question) (theta float64, best Measured) {
	a := j.ask(q)
	points := q.Grid.Points
	for _, changes := range append([][]float64{a.Right}, a.Positive...) {
		for part := range slices.Chunk(changes, points) {
			floats.CumSum(part, part)
		}
	}
	order := make([]int, points)
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(k, l int) int { return cmp.Compare(a.Right[l], a.Right[k]) })
	best = Measured{Excess: math.Inf(1)}
	totals := model.Totals{}
	for _, s := range j.strata {
		totals[s] = make([]float64, s.Len())
	}
	for _, k := range order {
		for n, s := range j.strata {
			for stratum := range totals[s] {
				totals[s][stratum] = a.Positive[n][stratum*points+k] * j.unit
			}
		}
		m := Measured{Accuracy: a.Right[k] / j.total, Excess: math.Inf(-1)}
		for _, r := range j.requirements {
			if r.On == model.Decisions {
				m.Excess = max(m.Excess, r.JudgeTotals(totals).Excess)
			}
		}
		if m.Better(best) {
			theta, best = q.Grid.at(k), m
		}
		if m.Excess <= 0 {
			break
		}
	}
	return theta, best
}
