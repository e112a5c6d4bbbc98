package scoring

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train/decide"
)

// Places have the rows of which the rows to train on are a sample. Steps draw from the sample; all
// exact values, and all figures of the report, are those of the places.
type Places interface {
	model.Remote
	// Count returns the answers of all places, in the order of their rows.
	Count(q *Count) ([]*Counted, error)
	// Judge returns the answers of all places to a question.
	Judge(q *Question) ([]*Answer, error)
}

// Ask hands over the answers of all places to a question about rows of which d is a sample. It is an error unless all rows
// have answered.
func Ask(p Places, d *dataset.Dataset, q *Question, add func(*Answer) error) error {
	answers, err := p.Judge(q)
	if err != nil {
		return err
	}
	rows := 0
	for _, a := range answers {
		rows += a.Rows
		if err := add(a); err != nil {
			return err
		}
	}
	if rows != d.All() {
		return fmt.Errorf("%s: %d rows were judged, expected %d", d.Name, rows, d.All())
	}
	return nil
}

// about is a question about a classifier.
func about(c *classifier.Classifier) *Question {
	return &Question{Weights: c.Weights, Intercept: c.Intercept, Threshold: c.Threshold}
}

// Question asks what the scores of a classifier are in each group, or what one of its other parts
// does.
type Question struct {
	Decisions *decide.Question
	Spread    *Spread // of the margins
	Digits    *Digits // of the scores
	Columns   bool    // of the rows are asked for

	Weights              []float64
	Intercept, Threshold float64
	Groups               []string
	Strata               []AskedStrata
}

// AskedStrata are groups, by their specification, with the names and numbers that they have among all
// rows. Number says which of Question.Groups they are.
type AskedStrata struct {
	Spec       string
	Names      []string
	Number     []int
	Unweighted bool // rows count, not their weights
}

// Answer is what the scores of some rows are.
type Answer struct {
	Decisions *decide.Answer
	Spread    *Spreading
	Digits    *Digited
	Columns   classifier.Columns

	Rows     int
	Right    float64          // weight of right decisions
	Sums     [][]float64      // of scores, by stratum of each of Question.Strata
	Positive [][]float64      // decisions, by the same
	Figures  *fairness.Binned // by Question.Groups
}

// Answer returns the answer of rows.
func (q *Question) Answer(d *dataset.Dataset) (*Answer, error) {
	if q.Decisions != nil {
		decided, err := q.Decisions.Answer(d)
		return &Answer{Decisions: decided}, err
	}
	if q.Columns {
		return &Answer{Rows: d.Rows(), Columns: d.X.Columns()}, nil
	}
	s, err := byWeights(q.Weights, q.Intercept, q.Threshold, d)
	if err != nil {
		return nil, err
	}
	if q.Spread != nil {
		return &Answer{Rows: d.Rows(), Spread: q.Spread.of(s.by, d, nil)}, nil
	}
	if q.Digits != nil {
		return &Answer{Rows: d.Rows(), Digits: q.Digits.of(s)}, nil
	}
	groups := &Grouping{Names: q.Groups}
	a := &Answer{Rows: d.Rows()}
	for _, asked := range q.Strata {
		strata, err := d.StrataAs(asked.Spec, asked.Names)
		if err != nil {
			return nil, err
		}
		if asked.Unweighted {
			strata = strata.Unweighted()
		}
		groups.Add(strata, asked.Number)
		a.Sums = append(a.Sums, make([]float64, strata.Len()))
		a.Positive = append(a.Positive, make([]float64, strata.Len()))
	}
	a.Figures = s.binned(groups)
	return a, s.Each(func(lo int, scores []float64) error {
		decisions := decide.Decisions(make([]float64, len(scores)), scores, q.Threshold)
		for k := range decisions {
			if (decisions[k] == 1) == (d.Y[lo+k] > 0) {
				a.Right += d.Weight(lo + k)
			}
		}
		for k, of := range groups.of {
			of.strata.Add(a.Sums[k], scores, lo)
			of.strata.Add(a.Positive[k], decisions, lo)
		}
		return nil
	})
}

// byWeights scores rows by a classifier of which no more is known.
func byWeights(weights []float64, intercept, threshold float64, d *dataset.Dataset) (*Scored, error) {
	return New(&classifier.Classifier{Features: classifier.Features{Count: len(weights)}, Weights: weights, Intercept: intercept, Threshold: threshold}, d)
}

// Everywhere is what places say about all rows.
type Everywhere struct {
	Figures *fairness.Binned
	Right   float64        // share of right decisions
	Totals  []model.Totals // of requirements
}

// Ask judges all rows, of which these are a sample.
func (s *Scored) Ask(groups *Grouping, requirements []*model.Requirement) (*Everywhere, error) {
	c, d := s.by, s.data
	q := about(c)
	q.Groups = groups.Names
	var asked []*dataset.Strata
	add := func(strata *dataset.Strata, number []int) {
		if !slices.Contains(asked, strata) {
			asked = append(asked, strata)
			q.Strata = append(q.Strata, AskedStrata{strata.Spec, strata.Names, number, strata.Unweighted() == strata})
		}
	}
	for _, of := range groups.of {
		add(of.strata, of.number)
	}
	for _, r := range requirements {
		for _, strata := range r.Strata() {
			add(strata, slices.Repeat([]int{-1}, len(strata.Names)+1))
		}
	}
	all, figures := new(Answer), fairness.NewBinned(c.Threshold, groups.Names, d.Weighted())
	for _, strata := range asked {
		all.Sums = append(all.Sums, make([]float64, strata.Len()))
		all.Positive = append(all.Positive, make([]float64, strata.Len()))
	}
	err := Ask(s.places, d, q, func(a *Answer) error {
		all.Right += a.Right
		for k, sums := range a.Sums {
			floats.Add(all.Sums[k], sums)
			floats.Add(all.Positive[k], a.Positive[k])
		}
		return figures.Merge(a.Figures)
	})
	if err != nil {
		return nil, err
	}
	e := &Everywhere{Figures: figures, Right: all.Right / float64(d.SampleOf)}
	for _, r := range requirements {
		totals, sums := r.Totals(), all.Sums
		if r.On == model.Decisions {
			sums = all.Positive
		}
		for strata, total := range totals { // in the units of the sample, in which requirements are stated
			floats.ScaleTo(total, float64(d.Rows())/float64(d.All()), sums[slices.Index(asked, strata)])
		}
		e.Totals = append(e.Totals, totals)
	}
	return e, nil
}
