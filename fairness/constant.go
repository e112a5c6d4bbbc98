package fairness

import "math"

// NearlyConstant tells whether decisions about so many rows with this selection rate are nearly the same
// answer for everybody: 99 % of them or more, or all but one.
func NearlyConstant(selectionRate float64, rows int) bool {
	const few = 0.01
	others := min(selectionRate, 1-selectionRate)
	return others <= few+1e-12 || others*float64(rows) <= 1+1e-9 // more is rounding
}

// NoBetterThanConstant tells whether chance explains the gain in accuracy of decisions on
// some rows over the same answer for everybody, the majority's. The gain is the number of
// rows won minus the number of rows lost, among the rows on which the two answers differ.
func NoBetterThanConstant(gained, selectionRate, baseRate float64, rows int) bool {
	const surely = 1.645 // standard deviations that chance exceeds one time in twenty
	differ := selectionRate
	if baseRate > 0.5 {
		differ = 1 - selectionRate
	}
	return gained <= surely*math.Sqrt(differ/float64(rows))
}
