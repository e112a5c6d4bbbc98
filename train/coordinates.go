package train

import (
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
)

// Coordinate search: the exact best value of one weight after another, all others held. It
// improves the accuracy of decisions itself, which no smooth problem states.

const (
	// chance is how many standard deviations a gain of accuracy must be beyond 0, see
	// deviation. Without this, the search fits noise: in Adult it gained half a point on the
	// rows to train on and lost a tenth to two tenths on others.
	chance = 2
	// manyEntries is the number of non-zeros from which the columns are not sorted.
	manyEntries = 10_000_000
	// sweeps is how often all weights are moved, at most. A sweep that gains less than a tie
	// is the last one.
	sweeps = 6
	// rounding is more than what many additions to an accuracy are off by, and less than a
	// row.
	rounding = 1e-10
)

// column is the non-zeros of a variable.
type column struct {
	rows   []int32
	values []float64 // in the variable's unit
	unit   float64
}

// columns returns those of the features and, if there is one, of the intercept, given the
// units of the variables (model.Fair.Units).
func columns(d *dataset.Dataset, intercept bool, units []float64) []column {
	count := make([]int, d.Features())
	for i := range d.Rows() {
		for j := range d.X.Row(i) {
			count[j]++
		}
	}
	all := make([]column, d.Features(), d.Features()+1)
	for j, n := range count {
		all[j] = column{make([]int32, 0, n), make([]float64, 0, n), units[j]}
	}
	ones := column{unit: 1, values: slices.Repeat([]float64{1}, d.Rows())}
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

// coordinates improves the chosen candidate, weight by weight, as long as it is less
// accurate than the classifier without constraints: what it is to win back is what these
// cost.
func (s *search) coordinates(free float64) {
	c := s.chosen()
	o := s.o.with(c.loss)
	if !s.same() || o.Data.X.NNZ() > manyEntries {
		return
	}
	fair := s.last.fair
	all := columns(o.Data, o.Model.Intercept, fair.AllFeatures(fair.Units(), 1))
	c = s.measured(o, c)
	for range sweeps {
		if c.excess <= 0 && c.accuracy >= free {
			return
		}
		next := s.offer(o, s.j.sweep(all, c, o.centre()), c.from, byCoordinates)
		if !next.better(c) {
			return
		}
		gain := next.accuracy - c.accuracy
		if c = next; gain < tie && c.excess <= 0 {
			return
		}
	}
}

// better reports whether c is the better choice.
func (c *candidate) better(than *candidate) bool {
	return point{accuracy: c.accuracy, excess: c.excess}.better(point{accuracy: than.accuracy, excess: than.excess})
}

// sweep returns the weights after each has been moved to its best value in turn.
func (j *judge) sweep(all []column, c *candidate, centre float64) []float64 {
	x, t, after := slices.Clone(c.x), slices.Clone(c.t), make([]float64, len(c.t))
	decisions := positive(t, centre)
	now := j.count(decisions, decisions)
	for v, col := range all {
		excess := j.excess(&now)
		best := j.bestWeight(col, t, now, centre)
		if !best.better(point{accuracy: now.accuracy + rounding, excess: excess}) {
			continue
		}
		for k, i := range col.rows {
			after[i] = t[i] + best.theta*col.values[k]
		}
		if excess <= 0 && best.accuracy-now.accuracy < chance*j.deviation(col.rows, t, after, centre) {
			continue
		}
		x[v] += best.theta / col.unit
		for _, i := range col.rows {
			if positive := after[i] >= centre; positive != (t[i] >= centre) {
				j.cross(&now, crossing{row: i, change: sign(positive)}, true)
			}
			t[i] = after[i]
		}
	}
	return x
}

// bestWeight returns the best change of one weight, where margins are t and the decisions
// add up to now.
func (j *judge) bestWeight(col column, t []float64, now tally, centre float64) point {
	low := tally{slices.Clone(now.slots), now.accuracy} // at −∞
	crossings := make([]crossing, 0, len(col.rows))
	for k, i := range col.rows {
		c := crossing{theta: (centre - t[i]) / col.values[k], row: i, change: sign(col.values[k] > 0)}
		if math.IsInf(c.theta, 0) {
			continue
		}
		crossings = append(crossings, c)
		if positive := t[i] >= centre; positive != (c.change < 0) {
			j.cross(&low, crossing{row: i, change: -c.change}, true)
		}
	}
	return j.scan(low, sortCrossings(crossings), math.Inf(-1), math.Inf(1), true)
}

func sign(positive bool) int8 {
	if positive {
		return 1
	}
	return -1
}

// deviation returns the standard deviation of what other decisions on these rows would add
// to the accuracy, if those that change were right or wrong by chance.
func (j *judge) deviation(rows []int32, before, after []float64, centre float64) float64 {
	sum := 0.0
	for _, i := range rows {
		if (before[i] >= centre) != (after[i] >= centre) {
			sum += j.weight[i] * j.weight[i]
		}
	}
	return math.Sqrt(sum)
}
