// Package decide measures classifiers by their decisions, and finds the exact best one: on a
// line (line.go), of all thresholds of groups (thresholds.go) and of all values of one weight
// (weight.go). Decisions change at finitely many points only, so all of them can be examined.
package decide

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

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

// Count adds up the decisions on the rows to train on, with margins t, and on those of the
// constraints, with margins ts: they are positive for margins of at least centre.
func (j *Judge) Count(t, ts Margins, centre float64) Tally {
	var right [parts]float64
	inParts(t.Rows(), func(part, lo, hi int) {
		for first, margins := range t.between(lo, hi) {
			for k, m := range margins {
				if i := first + k; (m >= centre) == (j.d.Y[i] > 0) {
					right[part] += j.weight.At(i)
				}
			}
		}
	})
	// Rows are counted, which is exact, before they are multiplied by what they add to a slot.
	var counts [parts][][]float64
	inParts(ts.Rows(), func(part, lo, hi int) {
		for _, on := range j.touched {
			counts[part] = append(counts[part], make([]float64, on.Len()))
		}
		for first, margins := range ts.between(lo, hi) {
			for k, m := range margins {
				if m < centre {
					continue
				}
				i := first + k
				for n := range j.touched {
					on := &j.touched[n]
					counts[part][n][on.Of(i)] += on.Weight(i)
				}
			}
		}
	})
	sum := Tally{Accuracy: floats.Sum(right[:]), slots: slices.Clone(j.base)}
	for n, on := range j.touched {
		for k, slots := range on.slots {
			count := 0.0
			for part := range counts {
				if counts[part] != nil {
					count += counts[part][n][k]
				}
			}
			for _, s := range slots {
				sum.slots[s.slot] += count * s.weight
			}
		}
	}
	return sum
}

// add adds the decisions on other rows.
func (t *Tally) add(u *Tally) {
	t.Accuracy += u.Accuracy
	floats.Add(t.slots, u.slots)
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
func (j *Judge) ExcessOfScores(t Margins, tolerance float64) float64 {
	worst := math.Inf(-1)
	for _, r := range j.requirements {
		if r.On != model.Scores {
			continue
		}
		totals, scores := r.Totals(), make([]float64, blockRows)
		for lo, margins := range t.All() {
			part := scores[:len(margins)]
			vmath.Sigmoid(part, margins)
			totals.Add(part, lo)
		}
		worst = max(worst, r.ExcessOfScores(r.JudgeTotals(totals), tolerance))
	}
	return worst
}
