package fairness

import (
	"encoding/json"
	"math"
	"strconv"
)

// Value is a figure that may be undefined, such as the true positive rate of a group
// without positive labels. Undefined is NaN in memory, so that it spreads through
// arithmetic, null in JSON and "–" in print.
type Value float64

// Undefined returns the undefined value.
func Undefined() Value { return Value(math.NaN()) }

// Defined reports whether v is a number.
func (v Value) Defined() bool { return !math.IsNaN(float64(v)) }

// Text formats v with the given number of decimals.
func (v Value) Text(decimals int) string {
	if !v.Defined() {
		return "–"
	}
	return strconv.FormatFloat(float64(v), 'f', decimals, 64)
}

// String formats v with four decimals.
func (v Value) String() string { return v.Text(4) }

// MarshalJSON writes the number or null.
func (v Value) MarshalJSON() ([]byte, error) {
	if !v.Defined() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(v))
}

// UnmarshalJSON reads a number or null.
func (v *Value) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*v = Undefined()
		return nil
	}
	return json.Unmarshal(data, (*float64)(v))
}

// NearlyConstant reports whether decisions about so many rows with this selection rate are nearly
// the same answer for everybody: 99 % of them or more, or all but one of 30 rows or more.
func NearlyConstant(selectionRate float64, rows int) bool {
	const few, enough = 0.01, 30
	others := min(selectionRate, 1-selectionRate)
	return others <= few+1e-12 || rows >= enough && others*float64(rows) <= 1+1e-9 // more is rounding
}

// NoBetterThanConstant reports whether chance explains the gain in accuracy of decisions on
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
