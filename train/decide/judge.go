// Package decide measures classifiers by their decisions, and finds the exact best one: on a
// line (line.go), of all thresholds of groups (thresholds.go) and of all values of one weight
// (weight.go). Decisions change at finitely many points only, so all of them can be examined.
package decide

import (
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/internal/vmath"
	"github.com/fairtrain/fairtrain/model"
)

// Judge knows the accuracy on the rows to train on, and the requirements on the rows of the
// constraints. It keeps every rate that a requirement is about in a slot of its own, so that
// a decision that changes is a few additions.
type Judge struct {
	d      *dataset.Dataset
	weight Shares // of the rows of d in the accuracy

	requirements []*model.Requirement
	comparisons  []comparison // of the requirements on decisions
	linear       []int        // slots that must not be positive
	base         []float64    // of the slots, if no decision is positive
	touched      []touched
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

// NewJudge returns the judge of rows d to train on, with weights, and of requirements.
func NewJudge(d *dataset.Dataset, weight Shares, requirements []*model.Requirement) *Judge {
	j := &Judge{d: d, weight: weight, requirements: requirements}
	for _, r := range requirements {
		if r.On == model.Decisions {
			j.add(r)
		}
	}
	return j
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
	at := slices.IndexFunc(j.touched, func(t touched) bool { return t.Strata == s })
	if at < 0 {
		at = len(j.touched)
		j.touched = append(j.touched, touched{s, make([][]share, s.Len())})
	}
	slots := j.touched[at].slots
	for k, w := range weight {
		if w != 0 {
			slots[k] = append(slots[k], share{int32(len(j.base)), w})
		}
	}
	j.base = append(j.base, base)
}

// Tally is the decisions of a classifier added up.
type Tally struct {
	Accuracy float64
	slots    []float64
}

// Count adds up decisions on the rows of d and s.
func (j *Judge) Count(onD, onS []bool) Tally {
	t := Tally{slots: slices.Clone(j.base)}
	for i, positive := range onD {
		if positive == (j.d.Y[i] > 0) {
			t.Accuracy += j.weight.At(i)
		}
	}
	for i, positive := range onS {
		if positive {
			j.move(&t, i, 1)
		}
	}
	return t
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

// ExcessOfScores returns by how much the worst of the requirements on scores is violated
// beyond the tolerance, given the margins on the rows of the constraints.
func (j *Judge) ExcessOfScores(t []float64, tolerance float64) float64 {
	worst := math.Inf(-1)
	var scores []float64
	for _, r := range j.requirements {
		if r.On != model.Scores {
			continue
		}
		if scores == nil {
			scores = make([]float64, len(t))
			vmath.Sigmoid(scores, t)
		}
		worst = max(worst, r.ExcessOfScores(r.Judge(scores), tolerance))
	}
	return worst
}

// Positive returns the decisions: positive for margins of at least centre.
func Positive(t []float64, centre float64) []bool {
	decisions := make([]bool, len(t))
	for i, m := range t {
		decisions[i] = m >= centre
	}
	return decisions
}
