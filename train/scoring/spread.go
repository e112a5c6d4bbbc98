package scoring

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/shards"
	"github.com/fairtrain/fairtrain/train/decide"
)

// Spread asks how the margins of a classifier spread: for the least and the largest or, if these
// are known, for the margins in equal intervals between them; or, for another classifier, between
// which of its scores the decisions of the first one change.
type Spread struct {
	Least, Largest float64
	Other          *decide.Linear
}

// Spreading is how the margins of some rows spread.
type Spreading struct {
	Least, Largest float64 // margins, or scores of the other classifier for positive and for negative decisions
	// Weights and Margins are sums by interval, for each label in turn: of weights, and of margins
	// times weights.
	Weights, Margins []float64
}

// Intervals is the number of intervals of a Spread.
const Intervals = 1 << 16

// spread is the question for the spread of the margins of a classifier.
type spread struct {
	Spread
	By by
}

// Of implements shards.Question. Rows count by their weights.
func (q *spread) Of(d *dataset.Dataset, _ int) (any, error) {
	s, err := q.By.score(d)
	if err != nil {
		return nil, err
	}
	c := s.by
	a := &Spreading{Least: math.Inf(1), Largest: math.Inf(-1)}
	margins := decide.Linear{Weights: c.Weights, Intercept: c.Intercept}.Margins(d, 0, d.Rows())
	switch {
	case q.Other != nil:
		q.between(a, s)
	case q.Least == q.Largest:
		for _, t := range margins {
			a.Least, a.Largest = min(a.Least, floats.Min(t)), max(a.Largest, floats.Max(t))
		}
	default:
		a.Weights, a.Margins = make([]float64, 2*Intervals), make([]float64, 2*Intervals)
		for lo, t := range margins {
			for i, m := range t {
				at := 2 * min(int((m-q.Least)/(q.Largest-q.Least)*Intervals), Intervals-1)
				if d.Y[lo+i] > 0 {
					at++
				}
				weight := d.Weight(lo + i)
				a.Weights[at] += weight
				a.Margins[at] += float64(weight * m)
			}
		}
	}
	return a, nil
}

// between finds the least score of the other classifier for a positive decision and the largest one
// for a negative decision.
func (q *Spread) between(a *Spreading, s *Scored) {
	other := classifier.Classifier{Weights: q.Other.Weights, Intercept: q.Other.Intercept}
	after := make([]float64, AtOnce)
	_ = s.Each(func(lo int, scores []float64) error {
		if err := other.ScoresFrom(after[:len(scores)], s.data.X, lo); err != nil {
			panic(err) // it has the features of the one before
		}
		for k, next := range after[:len(scores)] {
			// By scores: rounding may put that of a margin just below the centre at the threshold.
			if scores[k] >= s.by.Threshold {
				a.Least = min(a.Least, next)
			} else {
				a.Largest = max(a.Largest, next)
			}
		}
		return nil
	})
}

// Add adds other rows.
func (a *Spreading) Add(b *Spreading) {
	a.Least, a.Largest = min(a.Least, b.Least), max(a.Largest, b.Largest)
	floats.Add(a.Weights, b.Weights)
	floats.Add(a.Margins, b.Margins)
}

// Of returns the answer of all rows. Weights add up to 1.
func (q *Spread) Of(c *classifier.Classifier, rows *shards.Rows) (*Spreading, error) {
	all, err := shards.Sum[*Spreading](rows, &spread{*q, byOf(c)})
	if err != nil {
		return nil, err
	}
	total := floats.Sum(all.Weights)
	floats.Scale(1/total, all.Weights)
	floats.Scale(1/total, all.Margins)
	return all, nil
}
