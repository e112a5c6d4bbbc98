package fairness

import "math"

// NearlyConstant tells whether decisions with this selection rate are nearly the same
// answer for everybody: 99 % of them, or more.
func NearlyConstant(selectionRate float64) bool {
	const nearlyAll = 0.99
	return selectionRate <= 1-nearlyAll || selectionRate >= nearlyAll
}

// NoBetterThanConstant tells whether chance explains what decisions on some rows gain in
// accuracy over the same answer for everybody, the majority's. On the rows on which the two
// answers differ, the gain is the rows won minus the rows lost.
func NoBetterThanConstant(gained, selectionRate, baseRate float64, rows int) bool {
	const surely = 1.645 // standard deviations that chance exceeds one time in twenty
	differ := selectionRate
	if baseRate > 0.5 {
		differ = 1 - selectionRate
	}
	return gained <= surely*math.Sqrt(differ/float64(rows))
}
