package input

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/dataset/table"
)

// DecisionColumn is the column of decisions in the output of predict. They are made from the scores
// beside them, by the threshold of the model.
const DecisionColumn = "decision"

// decisionReader takes the values of the column of decisions.
type decisionReader struct {
	read scoreReader
	rows int
	err  error // the first one; it counts only if the column is about the scores
}

// add takes the next value.
func (r *decisionReader) add(value string) error {
	r.rows++
	switch { // beside numbers, too
	case strings.EqualFold(value, "true"):
		value = "1"
	case strings.EqualFold(value, "false"):
		value = "0"
	}
	if r.err == nil {
		if err := r.read.add(value); err != nil {
			r.err = fmt.Errorf("row %d: %w", r.rows, err)
		}
	}
	return nil
}

// decided returns the decisions as 0 and 1, nil if there is no such column.
func (r *decisionReader) decided(label table.LabelSpec) ([]float64, error) {
	switch {
	case r.rows == 0 || r.err != nil:
		return nil, r.err
	case r.read.words != nil:
		return r.read.scores(label)
	}
	other := func(number float64) bool { return number != 1 && number != 0 && number != -1 }
	if k := slices.IndexFunc(r.read.numbers, other); k >= 0 { // codes, of which somebody says which one is positive
		decided, err := r.read.scores(label)
		if err != nil || slices.ContainsFunc(decided, other) {
			return nil, fmt.Errorf("row %d: value %v, expected 1, and 0 or -1", k+1, r.read.numbers[k])
		}
		return decided, nil
	}
	if r.read.different() == nil {
		return nil, errors.New("three values, -1, 0 and 1, expected two: 0 or -1, and 1")
	}
	for i, number := range r.read.numbers { // 1 is positive whatever the labels are
		r.read.numbers[i] = max(0, number)
	}
	return r.read.numbers, nil
}

// threshold returns the threshold by which scores became the decisions; the usual one where there are no
// decisions, or where it makes the same of the scores.
func (r *decisionReader) threshold(scores []float64, label table.LabelSpec) (float64, error) {
	advise := func(err error) error {
		var hints []string
		if f, ok := errors.AsType[*command.Failure](err); ok {
			hints = f.Hints
		} else if r.read.many {
			hints = []string{adviceOnWords}
		}
		return command.Advise(err, append(hints, "--threshold T decides by the scores, --score-column "+DecisionColumn+" judges the decisions")...)
	}
	decided, err := r.decided(label)
	if err != nil {
		return 0, advise(err)
	}
	lowest, highest := math.Inf(1), math.Inf(-1) // positive, negative
	var low, high int                            // their rows
	for i, decision := range decided {
		if s := scores[i]; decision > 0 && s < lowest {
			lowest, low = s, i
		} else if decision == 0 && s > highest {
			highest, high = s, i
		}
	}
	switch {
	case lowest <= highest:
		return 0, advise(fmt.Errorf("no threshold makes them of the scores: row %d is positive with %v, row %d is not with %v", low+1, lowest, high+1, highest))
	case highest < UsualThreshold && UsualThreshold <= lowest:
		return UsualThreshold, nil
	case !math.IsInf(lowest, 1):
		return lowest, nil
	}
	return math.Nextafter(highest, math.Inf(1)), nil // nobody is decided positively
}
