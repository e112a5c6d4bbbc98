package scoring

import (
	"math"

	"github.com/fairtrain/fairtrain/dataset"
)

// digits asks for the numbers of scores by 16 of their bits, those from Shift on, among the scores
// whose bits above are Found. Bits of numbers ≥ 0 are ordered as the numbers are.
type digits struct {
	By    by
	Shift int
	Found uint64
}

// digited are these numbers.
type digited struct {
	Counts []int
	Beyond float64 // the least score with larger bits above
}

const digit = 16 // bits

// of returns the answer of scores.
func (q *digits) of(s *Scored) (*digited, error) {
	a := &digited{Counts: make([]int, 1<<digit), Beyond: math.Inf(1)}
	err := s.Each(func(_ int, part []float64) error {
		for _, score := range part {
			bits := math.Float64bits(score)
			switch above := bits >> (q.Shift + digit); {
			case above == q.Found:
				a.Counts[bits>>q.Shift%(1<<digit)]++
			case above > q.Found:
				a.Beyond = min(a.Beyond, score)
			}
		}
		return nil
	})
	return a, err
}

// Of implements shards.Question.
func (q *digits) Of(d *dataset.Dataset, _ int) (any, error) {
	s, err := q.By.score(d)
	if err != nil {
		return nil, err
	}
	return q.of(s)
}

// Add adds other scores.
func (a *digited) Add(b *digited) {
	a.Beyond = min(a.Beyond, b.Beyond)
	for k, n := range b.Counts {
		a.Counts[k] += n
	}
}

// Median returns the median of the scores. Every pass over them finds 16 more of its bits.
func (s *Scored) Median() (float64, error) {
	rows := s.data.All()
	k := (rows - 1) / 2 // scores that stand before it in ascending order
	var found uint64
	for shift := 64 - digit; ; shift -= digit {
		a, err := answer(s, &digits{byOf(s.by), shift, found})
		if err != nil {
			return math.NaN(), err
		}
		next := 0
		for ; k >= a.Counts[next]; next++ {
			k -= a.Counts[next]
		}
		found = found<<digit | uint64(next)
		if shift > 0 {
			continue
		}
		low := math.Float64frombits(found)
		if rows%2 == 1 || k+1 < a.Counts[next] {
			return low, nil
		}
		high := a.Beyond
		for above := len(a.Counts) - 1; above > next; above-- {
			if a.Counts[above] > 0 {
				high = math.Float64frombits(found>>digit<<digit | uint64(above))
			}
		}
		return (low + high) / 2, nil
	}
}
