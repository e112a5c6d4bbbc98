// Package decide measures classifiers by their decisions, and finds the exact best one: on a line
// (line.go), of all thresholds of groups (thresholds.go) and of all values of one weight
// (weight.go). Decisions change at finitely many points only, so all of them can be examined. Of
// very many rows (grid.go), and of rows in shards (ask.go), decisions are added up at the points of
// a grid (question.go).
package decide

import (
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/shards"
	"github.com/fairtrain/fairtrain/model"
)

// Judge knows the accuracy on the rows to train on, weighted by what right decisions are worth
// (Shares.Worth), and the requirements on the rows of the constraints. It keeps every rate that
// a requirement is about in a slot of its own, so that a decision that changes is a few additions.
type Judge struct {
	d      *dataset.Dataset
	weight Shares // of the rows of d in the accuracy
	same   bool   // the rows of the constraints are those to train on

	requirements []*model.Requirement
	comparisons  []comparison // of the requirements on decisions
	linear       []int        // slots that must not be positive
	base         []float64    // of the slots, if no decision is positive
	touched      []touched
	scored       []bool // of touched: a requirement is on the scores of these strata

	shards *shards.Rows // all rows, of which those here are a sample; nil if all are here
	perRow float64      // the share of the accuracy for each 1 that rows answer: of a weight
	unit   float64      // the weight of a stratum for each 1

	mu  sync.Mutex
	err error // the first one of shards
}

// touched says which slots a positive decision adds to, by stratum of the row.
type touched struct {
	*dataset.Strata
	slots [][]share
}

// comparison is a model.Comparison of the rates in the slots from first on.
type comparison struct {
	*model.Comparison
	first int
}

// share is what one positive decision adds to a slot.
type share struct {
	slot   int32
	weight float64
}

// NewJudge returns the judge of rows d to train on, with weights, and of requirements on rows s,
// which may be the same. If the rows are a sample, all are in shards.
func NewJudge(d, s *dataset.Dataset, weight Shares, requirements []*model.Requirement, all *shards.Rows) *Judge {
	j := &Judge{d: d, same: d == s, weight: weight, requirements: requirements, perRow: 1, unit: 1}
	if d.SampleOf > 0 {
		j.shards = all
		j.perRow, j.unit = 1/float64(d.SampleOf), float64(d.Rows())/float64(d.SampleOf)
	}
	for _, r := range requirements {
		if r.On == model.Decisions {
			j.add(r)
			continue
		}
		for _, row := range r.Inequalities {
			j.scored[j.Touch(row.Strata)] = true
		}
		for _, c := range r.Comparisons {
			j.scored[j.Touch(c.Strata)] = true
		}
	}
	return j
}

// Touch makes the judge count decisions by strata, and returns their number.
func (j *Judge) Touch(s *dataset.Strata) int {
	at := slices.IndexFunc(j.touched, func(t touched) bool { return t.Strata == s })
	if at < 0 {
		at = len(j.touched)
		j.touched = append(j.touched, touched{s, make([][]share, s.Len())})
		j.scored = append(j.scored, false)
	}
	return at
}

// ComparesOnly reports whether all requirements on decisions compare rates of groups.
func (j *Judge) ComparesOnly() bool { return len(j.linear) == 0 }

// add makes slots for the rates of a requirement on decisions.
func (j *Judge) add(r *model.Requirement) {
	for k := range r.Comparisons {
		c := &r.Comparisons[k]
		j.comparisons = append(j.comparisons, comparison{c, len(j.base)})
		for g := range c.Groups {
			j.addSlot(c.Strata, 0, c.Groups[g].Weight)
		}
	}
	for _, row := range r.Inequalities {
		weight := slices.Clone(row.Weight)
		for k := range weight {
			weight[k] /= float64(row.Strata.Rows())
		}
		j.linear = append(j.linear, len(j.base))
		j.addSlot(row.Strata, row.Constant, weight)
	}
}

// addSlot adds a slot to which decisions add the weights of their strata.
func (j *Judge) addSlot(s *dataset.Strata, base float64, weight []float64) {
	slots := j.touched[j.Touch(s)].slots
	for k, w := range weight {
		if w != 0 {
			slots[k] = append(slots[k], share{int32(len(j.base)), w * j.unit})
		}
	}
	j.base = append(j.base, base)
}

// Tally is the decisions of a classifier added up.
type Tally struct {
	Accuracy float64
	slots    []float64
}

// Count adds up the decisions on the rows to train on, with margins t, and on those of the
// constraints, with margins ts: they are positive for margins of at least centre.
func (j *Judge) Count(t, ts Margins, centre float64) Tally {
	q := &Question{Centre: centre, Grid: Grid{Points: 1}, Apart: -1}
	return j.tally(j.ask(q, Line{T: t, TS: ts}), 0, 1)
}

// tally returns the decisions at a point of so many, of which an answer has the numbers and no
// changes.
func (j *Judge) tally(a *Answer, point, points int) Tally {
	now := Tally{slots: make([]float64, len(j.base))}
	j.tallyTo(&now, a, point, points)
	return now
}

func (j *Judge) tallyTo(now *Tally, a *Answer, point, points int) {
	now.Accuracy = a.Right[point] * j.perRow
	copy(now.slots, j.base)
	// Rows are counted, which is exact, before they are multiplied by what they add to a slot.
	for n, on := range j.touched {
		for k, slots := range on.slots {
			for _, s := range slots {
				now.slots[s.slot] += a.Positive[n][k*points+point] * s.weight
			}
		}
	}
}

// Measured is a classifier judged.
type Measured struct {
	Accuracy float64
	Excess   float64      // of the worst requirement, at most 0 if none is violated
	Positive model.Totals // of decisions
}

// Measure judges the classifier with margins t on the rows to train on and ts on the rows of the
// constraints. Requirements on scores hold within a tolerance.
func (j *Judge) Measure(t, ts Margins, centre, tolerance float64) Measured {
	q := &Question{Centre: centre, Grid: Grid{Points: 1}, Apart: -1, Scores: j.scored}
	a := j.ask(q, Line{T: t, TS: ts})
	now := j.tally(a, 0, 1)
	m := Measured{now.Accuracy, j.Excess(&now), model.Totals{}}
	scores := model.Totals{}
	for n, on := range j.touched {
		m.Positive[on.Strata], scores[on.Strata] = a.Positive[n], a.Scores[n]
		floats.Scale(j.unit, m.Positive[on.Strata])
		floats.Scale(j.unit, scores[on.Strata])
	}
	for _, r := range j.requirements {
		if r.On == model.Scores {
			m.Excess = max(m.Excess, r.ExcessOfScores(r.JudgeTotals(scores), tolerance))
		}
	}
	return m
}

// move adds the decision on row i of s so many times.
func (j *Judge) move(t *Tally, i int, times float64) {
	for k := range j.touched {
		on := &j.touched[k]
		times := times * on.Weight(i)
		for _, s := range on.slots[on.Of(i)] {
			t.slots[s.slot] += times * s.weight
		}
	}
}

// slack bounds the rounding error of sums that change by many additions. It is the slack of
// model.Requirement, so that a classifier found here is also judged to keep the requirement.
// A sum of 10⁷ rates is off by 4e-13.
const slack = 1e-12

// Excess returns by how much the worst of the requirements on decisions is violated, at
// most 0 if none is.
func (j *Judge) Excess(t *Tally) float64 {
	worst := math.Inf(-1)
	for _, c := range j.comparisons {
		worst = max(worst, c.Excess(t.slots[c.first:c.first+len(c.Groups)]))
	}
	for _, slot := range j.linear {
		worst = max(worst, t.slots[slot])
	}
	return worst - slack
}
