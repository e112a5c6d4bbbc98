package train

import "github.com/fairtrain/fairtrain/train/decide"

// Coordinate search: the exact best value of one weight after another, all others held. It
// improves the accuracy of decisions itself, which no smooth problem states.

const (
	// manyEntries is the number of non-zeros from which the columns are not sorted.
	manyEntries = 10_000_000
	// sweeps is the largest number of times that all weights are moved. A sweep that gains
	// less than a tie is the last one.
	sweeps = 6
)

// coordinates improves the chosen candidate, weight by weight, as long as it is less
// accurate than the classifier without constraints: its aim is to win back what the
// constraints cost.
func (s *search) coordinates(free float64) {
	if d := s.o.Data; !s.same() || s.o.sampled() || d.Rows() >= decide.Many || d.X.NNZ() > manyEntries {
		return
	}
	c := s.chosen()
	o := s.o.with(c.loss)
	fair := s.last.fair
	all := decide.Columns(o.Data, o.Model.Intercept, fair.AllFeatures(fair.Units(), 1))
	c = s.measured(o, c)
	for range sweeps {
		if c.excess <= 0 && c.accuracy >= free {
			return
		}
		next := s.offer(o, s.j.Sweep(all, c.x, c.t, o.centre()), c.from, byCoordinates)
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
	return decide.Point{Accuracy: c.accuracy, Excess: c.excess}.Better(decide.Point{Accuracy: than.accuracy, Excess: than.excess})
}
