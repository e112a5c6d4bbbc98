package train

import (
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/internal/vmath"
	"github.com/fairtrain/fairtrain/model"
)

// judge measures classifiers by what they decide: the accuracy on the rows to train on, and
// the requirements on the rows of the constraints. It keeps every rate that a requirement
// is about in a slot of its own, so that a decision that changes is a few additions.
type judge struct {
	threshold float64
	d, s      *dataset.Dataset
	weight    []float64 // of the rows of d in the accuracy, of sum 1

	requirements []*model.Requirement
	comparisons  []comparison // of the requirements on decisions
	linear       []int        // slots that must not be positive
	base         []float64    // of the slots, where no decision is positive
	touch        [][]share    // by row of s
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

// newJudge states the requirements of the options on their constraint data.
func newJudge(o *Options) (*judge, error) {
	j := &judge{threshold: o.Threshold, d: o.Data, s: o.ConstraintData, weight: shares(o.Model.Weights, o.Data.Rows())}
	j.touch = make([][]share, j.s.Rows())
	for _, c := range o.Constraints {
		r, err := model.NewRequirement(c, j.s, o.on(c))
		if err != nil {
			return nil, err
		}
		j.requirements = append(j.requirements, r)
		if r.On == Decisions {
			j.add(r)
		}
	}
	return j, nil
}

// shares scales weights, nil for equal ones, to sum 1.
func shares(weights []float64, rows int) []float64 {
	share := make([]float64, rows)
	total := 0.0
	for i := range share {
		share[i] = 1
		if weights != nil {
			share[i] = weights[i]
		}
		total += share[i]
	}
	for i := range share {
		share[i] /= total
	}
	return share
}

// add gives the rates of a requirement on decisions their slots.
func (j *judge) add(r *model.Requirement) {
	for k := range r.Comparisons {
		c := &r.Comparisons[k]
		j.comparisons = append(j.comparisons, comparison{c, len(j.base)})
		for g := range c.Groups {
			slot := int32(len(j.base))
			j.base = append(j.base, 0)
			for i, row := range c.Groups[g].Rows {
				j.touch[row] = append(j.touch[row], share{slot, c.Groups[g].Weight[i]})
			}
		}
	}
	for _, row := range r.Inequalities {
		slot := len(j.base)
		j.linear = append(j.linear, slot)
		j.base = append(j.base, row.Constant)
		for i, w := range row.Weight {
			if w != 0 {
				j.touch[i] = append(j.touch[i], share{int32(slot), w / float64(len(row.Weight))})
			}
		}
	}
}

// tally is the decisions of a classifier added up.
type tally struct {
	slots    []float64
	accuracy float64
}

// count adds up decisions on the rows of d and s.
func (j *judge) count(onD, onS []bool) tally {
	t := tally{slots: slices.Clone(j.base)}
	for i, positive := range onD {
		if positive == (j.d.Y[i] > 0) {
			t.accuracy += j.weight[i]
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
func (j *judge) move(t *tally, i int, times float64) {
	for _, s := range j.touch[i] {
		t.slots[s.slot] += times * s.weight
	}
}

// slack is what sums that change by many additions may be off by: that of model.Requirement,
// so that what is found is also judged to be kept. A sum of 10⁷ rates is off by 4e-13.
const slack = 1e-12

// excess returns by how much the worst of the requirements on decisions is violated, at
// most 0 if none is.
func (j *judge) excess(t *tally) float64 {
	worst := math.Inf(-1)
	for _, c := range j.comparisons {
		worst = max(worst, c.Excess(t.slots[c.first:c.first+len(c.Groups)]))
	}
	for _, slot := range j.linear {
		worst = max(worst, t.slots[slot])
	}
	return worst - slack
}

// excessOfScores returns by how much the worst of the requirements on scores is violated
// beyond the tolerance, given the margins on the rows of the constraints.
func (j *judge) excessOfScores(t []float64, tolerance float64) float64 {
	worst := math.Inf(-1)
	var scores []float64
	for _, r := range j.requirements {
		if r.On != Scores {
			continue
		}
		if scores == nil {
			scores = make([]float64, len(t))
			vmath.Sigmoid(scores, t)
		}
		worst = max(worst, excessOfMeasure(r, r.Judge(scores), tolerance))
	}
	return worst
}

// excessOfMeasure returns by how much a requirement on scores is violated beyond the
// tolerance. Shares and ratios must be right themselves, too: scores that are all near 0
// have any share, but for the tolerance.
func excessOfMeasure(r *model.Requirement, j model.Judgement, tolerance float64) float64 {
	const short = 0.01 // of a share or a ratio
	excess := j.Excess - tolerance
	if r.AtLeast {
		excess = max(excess, r.Bound-j.Achieved-short)
	}
	return excess
}
