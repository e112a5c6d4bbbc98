package input

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
)

// DecisionColumn is the column of decisions in the output of predict. They are made from the scores
// beside them, by the threshold of the model.
const DecisionColumn = "decision"

// decisionReader takes the values of the column of decisions.
type decisionReader struct {
	values []int8
	other  bool // there is another value than 1 and −1 or 0, so they mean something else
}

// add takes the next value.
func (r *decisionReader) add(value string) error {
	number, err := strconv.ParseFloat(value, 64)
	switch {
	case err == nil && number == 1 || strings.EqualFold(value, "true"):
		r.values = append(r.values, 1)
	case err == nil && (number == -1 || number == 0) || strings.EqualFold(value, "false"):
		r.values = append(r.values, 0)
	default:
		r.other = true
	}
	return nil
}

// threshold returns the threshold by which scores became the decisions; the usual one where there are no
// decisions, or where it makes the same of the scores.
func (r *decisionReader) threshold(scores []float64) (float64, error) {
	if r.other {
		return UsualThreshold, nil
	}
	lowest, highest := math.Inf(1), math.Inf(-1) // positive, negative
	var low, high int                            // their rows
	for i, decision := range r.values {
		if s := scores[i]; decision > 0 && s < lowest {
			lowest, low = s, i
		} else if decision == 0 && s > highest {
			highest, high = s, i
		}
	}
	switch {
	case lowest <= highest:
		return 0, command.Advise(fmt.Errorf("no threshold makes them of the scores: row %d is positive with %v, row %d is not with %v", low+1, lowest, high+1, highest),
			"--threshold T decides by the scores, --score-column "+DecisionColumn+" judges the decisions")
	case highest < UsualThreshold && UsualThreshold <= lowest:
		return UsualThreshold, nil
	case !math.IsInf(lowest, 1):
		return lowest, nil
	}
	return math.Nextafter(highest, math.Inf(1)), nil // nobody is decided positively
}
