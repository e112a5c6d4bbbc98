package train

import (
	"fmt"
	"slices"

	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/frontier"
)

// frontierPoints returns all classifiers of a frontier, the unconstrained one first.
func frontierPoints(r *frontier.Report) []*frontier.Point {
	return slices.Concat([]*frontier.Point{r.Unconstrained}, r.Points)
}

// frontierSet is the name of a data set.
type frontierSet string

const (
	trained    frontierSet = "train"
	validation frontierSet = "validation"
	test       frontierSet = "test"
)

// of returns the figures of a point on the data set, nil if there is no such set.
func (s frontierSet) of(p *frontier.Point) (*train.Figures, frontier.Disparity, frontier.Intervals) {
	switch s {
	case validation:
		return p.Report.Validation, p.Validation, p.ValidationIntervals
	case test:
		return p.Report.Test, p.Test, p.TestIntervals
	}
	return p.Report.Train, p.Train, p.TrainIntervals
}

// frontierSets are the data sets for which a frontier has figures.
func frontierSets(r *frontier.Report) []frontierSet {
	return slices.DeleteFunc([]frontierSet{trained, validation, test}, func(s frontierSet) bool {
		f, _, _ := s.of(r.Unconstrained)
		return f == nil
	})
}

// withIntervals are the sets with intervals: the held-out rows, or else the training rows.
func withIntervals(sets []frontierSet) []frontierSet {
	if len(sets) == 1 {
		return sets
	}
	return sets[1:]
}

// intervalNote says what the intervals of sets cover.
func intervalNote(r *frontier.Report, sets []frontierSet) string {
	level := 100 * r.IntervalLevel
	if sets[0] == trained {
		return fmt.Sprintf("%g %% intervals as if the rows were new to the classifiers, which were trained on them: too good", level)
	}
	note := fmt.Sprintf("%g %% intervals for accuracy and disparity among the people that the rows are drawn from, each point on its own", level)
	picked := slices.ContainsFunc(r.Points, func(p *frontier.Point) bool { return p.Picked })
	if picked && sets[0] == validation {
		note += "; too good for the validation rows of the point that these chose"
	}
	return note
}

const accuracy = "accuracy" // the quality that has an interval

// frontierQualities are the qualities that a constraint may reduce.
var frontierQualities = []struct {
	name  string
	value func(*train.Figures) fairness.Value
}{
	{accuracy, func(f *train.Figures) fairness.Value { return f.Accuracy }},
	{"AUC", func(f *train.Figures) fairness.Value { return f.AUC }},
	{"log loss", func(f *train.Figures) fairness.Value { return f.LogLoss }},
}

// frontierData says on which rows the figures are.
func frontierData(r *frontier.Report) []string {
	var lines []string
	for _, s := range frontierSets(r) {
		f, _, _ := s.of(r.Unconstrained)
		lines = append(lines, fmt.Sprintf("%-10s  %d rows of %s", s, f.Rows, f.Name))
	}
	return lines
}
