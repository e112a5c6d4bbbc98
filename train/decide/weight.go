package decide

import (
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
)

const (
	// chance is how many standard deviations a gain of accuracy must be beyond 0, see
	// deviation. Without this, a sweep fits noise: in Adult it gained half a point on the
	// rows to train on and lost a tenth to two tenths on others.
	chance = 2
	// rounding is more than the error of many additions to an accuracy, and less than the
	// weight of a row.
	rounding = 1e-10
)

// Column is the non-zeros of a variable.
type Column struct {
	rows   []int32
	values []float64 // in the variable's unit
	unit   float64
}

// Columns returns the columns of the features and, if there is one, of the intercept,
// given the units of the variables (model.Fair.Units).
func Columns(d *dataset.Dataset, intercept bool, units []float64) []Column {
	all := make([]Column, d.Features(), d.Features()+1)
	for j, c := range d.X.Columns() {
		all[j] = Column{make([]int32, 0, c.Entries), make([]float64, 0, c.Entries), units[j]}
	}
	ones := Column{unit: 1, values: slices.Repeat([]float64{1}, d.Rows())}
	for i := range d.Rows() {
		for j, v := range d.X.Row(i) {
			all[j].rows, all[j].values = append(all[j].rows, int32(i)), append(all[j].values, v/units[j])
		}
		ones.rows = append(ones.rows, int32(i))
	}
	if intercept {
		all = append(all, ones)
	}
	return all
}

// Sweep returns the weights x, at which the margins are t, after each has been moved to its
// best value in turn. The rows to train on must be the rows of the constraints, and fewer than
// Many.
func (j *Judge) Sweep(all []Column, x []float64, margins Margins, centre float64) []float64 {
	x, t, after := slices.Clone(x), slices.Clone(margins.kept), make([]float64, len(margins.kept))
	now := j.Count(Margins{kept: t}, Margins{kept: t}, centre)
	for v, col := range all {
		excess := j.Excess(&now)
		best := j.bestWeight(col, t, now, centre)
		if !best.Better(Point{Accuracy: now.Accuracy + rounding, Excess: excess}) {
			continue
		}
		for k, i := range col.rows {
			after[i] = t[i] + best.Theta*col.values[k]
		}
		if excess <= 0 && best.Accuracy-now.Accuracy < chance*j.deviation(col.rows, t, after, centre) {
			continue
		}
		x[v] += best.Theta / col.unit
		for _, i := range col.rows {
			if positive := after[i] >= centre; positive != (t[i] >= centre) {
				j.cross(&now, crossing{row: i, change: sign(positive)})
			}
			t[i] = after[i]
		}
	}
	return x
}

// bestWeight returns the best change of one weight, where margins are t and the decisions
// add up to now.
func (j *Judge) bestWeight(col Column, t []float64, now Tally, centre float64) Point {
	low := Tally{now.Accuracy, slices.Clone(now.slots)} // at −∞
	s := spaces.Get().(*space)
	defer spaces.Put(s)
	s.crossings = slices.Grow(s.crossings[:0], len(col.rows))
	for k, i := range col.rows {
		c := crossing{theta: (centre - t[i]) / col.values[k], row: i, change: sign(col.values[k] > 0)}
		if math.IsInf(c.theta, 0) || math.IsNaN(c.theta) {
			continue
		}
		s.crossings = append(s.crossings, c)
		if positive := t[i] >= centre; positive != (c.change < 0) {
			j.cross(&low, crossing{row: i, change: -c.change})
		}
	}
	s.sort()
	return j.scan(low, s.crossings, math.Inf(-1), math.Inf(1))
}

func sign(positive bool) int8 {
	if positive {
		return 1
	}
	return -1
}

// deviation returns the standard deviation of the gain in accuracy if the decisions that
// change on these rows were right or wrong by chance.
func (j *Judge) deviation(rows []int32, before, after []float64, centre float64) float64 {
	sum := 0.0
	for _, i := range rows {
		if (before[i] >= centre) != (after[i] >= centre) {
			share := j.weight.At(int(i))
			sum += share * share
		}
	}
	return math.Sqrt(sum)
}
