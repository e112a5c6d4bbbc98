package scoring

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/train/decide"
)

// Spread asks how the margins of a classifier spread: for the least and the largest or, if these are
// known, for the margins in equal intervals between them; or, for another classifier, between which
// of its scores the decisions of the first one change.
type Spread struct {
	Least, Largest float64
	Other          *decide.Linear
}

// Spreading is how the margins of some rows spread.
type Spreading struct {
	Least, Largest float64 // margins, or scores of the other classifier for positive and for negative decisions
	// Weights and Margins are sums by interval, for each label in turn: of weights, and of margins times
	// weights.
	Weights, Margins []float64
}

// Intervals is the number of intervals of a Spread.
const Intervals = 1 << 16

// of returns the answer of rows that count by shares or, without these, by their weights.
func (q *Spread) of(c *classifier.Classifier, d *dataset.Dataset, shares *decide.Shares) *Spreading {
	a := &Spreading{Least: math.Inf(1), Largest: math.Inf(-1)}
	margins := decide.NewMargins(d, c.Weights, c.Intercept)
	switch {
	case q.Other != nil:
		q.between(a, c, d)
	case q.Least == q.Largest:
		for _, t := range margins.All() {
			a.Least, a.Largest = min(a.Least, floats.Min(t)), max(a.Largest, floats.Max(t))
		}
	default:
		a.Weights, a.Margins = make([]float64, 2*Intervals), make([]float64, 2*Intervals)
		for lo, t := range margins.All() {
			for i, m := range t {
				at := 2 * min(int((m-q.Least)/(q.Largest-q.Least)*Intervals), Intervals-1)
				if d.Y[lo+i] > 0 {
					at++
				}
				share := d.Weight(lo + i)
				if shares != nil {
					share = shares.At(lo + i)
				}
				a.Weights[at] += share
				a.Margins[at] += float64(share * m)
			}
		}
	}
	return a
}

// between finds the least score of the other classifier for a positive decision and the largest one
// for a negative decision.
func (q *Spread) between(a *Spreading, c *classifier.Classifier, d *dataset.Dataset) {
	other := classifier.Classifier{Weights: q.Other.Weights, Intercept: q.Other.Intercept}
	after := make([]float64, AtOnce)
	_ = (&Scored{by: c, data: d}).Each(func(lo int, scores []float64) error {
		if err := other.ScoresFrom(after[:len(scores)], d.X, lo); err != nil {
			panic(err) // it has the features of the one before
		}
		for k, s := range after[:len(scores)] {
			// By scores: rounding may put that of a margin just below the centre at the threshold.
			if scores[k] >= c.Threshold {
				a.Least = min(a.Least, s)
			} else {
				a.Largest = max(a.Largest, s)
			}
		}
		return nil
	})
}

// Of returns the answer of all rows, whether d has them or places have.
func (q *Spread) Of(c *classifier.Classifier, d *dataset.Dataset, places Places) (*Spreading, error) {
	if places == nil {
		shares := decide.NewShares(d.Weights, d.Rows())
		return q.of(c, d, &shares), nil
	}
	all, question := &Spreading{Least: math.Inf(1), Largest: math.Inf(-1)}, about(c)
	question.Spread = q
	err := Ask(places, d, question, func(a *Answer) error {
		all.Least, all.Largest = min(all.Least, a.Spread.Least), max(all.Largest, a.Spread.Largest)
		if all.Weights == nil {
			all.Weights, all.Margins = a.Spread.Weights, a.Spread.Margins
			return nil
		}
		floats.Add(all.Weights, a.Spread.Weights)
		floats.Add(all.Margins, a.Spread.Margins)
		return nil
	})
	if err != nil {
		return nil, err
	}
	floats.Scale(1/float64(d.SampleOf), all.Weights)
	floats.Scale(1/float64(d.SampleOf), all.Margins)
	return all, nil
}
