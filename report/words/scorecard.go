package words

import (
	"fmt"

	"github.com/fairtrain/fairtrain/classifier"
)

// Scorecard says what a scorecard is: its size, its scale and its cutoff.
func Scorecard(c *classifier.Scorecard) string {
	lines := 0
	for _, column := range c.Columns {
		lines += len(column.Lines)
	}
	return fmt.Sprintf("Scorecard: %d lines for %d columns, from %d to %d points. A decision is positive from %d points on. %g points stand for odds of %g to 1, and %g more double them.",
		lines, len(c.Columns), c.Constant, c.Most, c.Cutoff, c.Base, c.Odds, c.PDO)
}

// InformationValues says how an information value is counted.
const InformationValues = "IV (information value): the sum of (p − n)·ln(p/n) over the values of a column, neighbouring bins of fewer than a twentieth of the people merged; p and n are their shares of the people with a positive and with a negative label, half a person added to each value. Below 0.02 a column says next to nothing about the label, from 0.3 on a lot."
