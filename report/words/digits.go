package words

import (
	"math"
	"strconv"
	"strings"

	"github.com/fairtrain/fairtrain/fairness"
)

// Form is how figures of a kind are written.
type Form struct {
	Times    int64 // what a figure is multiplied by
	Decimals int   // at least
	Unit     string
}

// Undefined stands for a figure that is not defined.
const Undefined = "–"

// The forms of figures.
var (
	Points  = Form{100, 2, " percentage points"}
	Percent = Form{100, 1, " %"}
	Ratio   = Form{1, 3, ""}
	Decimal = Form{1, 4, ""}
)

// Direction is how a figure is rounded. What was shown about people must not become more by
// rounding: upper limits are rounded up, lower limits down.
type Direction int

const (
	Nearest Direction = iota
	Upward
	Downward
)

// Text writes a figure, rounded to the nearest.
func (f Form) Text(v fairness.Value) string { return f.Write(v, f.enough(v), Nearest) }

// Write writes a figure with so many decimals.
func (f Form) Write(v fairness.Value, decimals int, to Direction) string {
	if !v.Defined() {
		return Undefined
	}
	return f.number(float64(v), decimals, to) + f.Unit
}

// enough is the number of decimals with which a share does not look like none or all.
func (f Form) enough(v fairness.Value) int {
	text := f.number(float64(v), f.Decimals, Nearest)
	const roundoff = 1e-12 // of sums of weights
	if f == Percent && math.Abs(float64(v)) > roundoff && math.Abs(float64(v)-1) > roundoff && (text == "0.0" || text == "100.0") {
		return 3
	}
	return f.Decimals
}

// number is the figure without its unit. A figure that is rounded to 0 has no sign.
func (f Form) number(v float64, decimals int, to Direction) string {
	x := float64(f.Times) * v
	if to != Nearest {
		x = outward(x, decimals, to)
	}
	text := strconv.FormatFloat(x, 'f', decimals, 64)
	if strings.Trim(text, "-0.") == "" {
		text = strings.TrimPrefix(text, "-")
	}
	return text
}

// outward rounds up or down, but for the rounding errors of a machine: 0.07 is 7 % and no more,
// although 100 times the nearest number is more.
func outward(x float64, decimals int, to Direction) float64 {
	const roundoff = 4e-16
	unit := math.Pow10(decimals)
	whole := math.Round(x * unit)
	if off := x*unit - whole; math.Abs(off) > roundoff*math.Abs(whole) {
		if whole = math.Ceil(x * unit); to == Downward {
			whole = math.Floor(x * unit)
		}
	}
	return whole / unit
}

// Bound writes a bound with all of the digits that a person has given it.
func (f Form) Bound(v fairness.Value) string { return f.Write(v, f.digitsOf(v), Nearest) }

// digitsOf is the number of decimals of a bound; the least one if it has very many, as computed
// bounds have.
func (f Form) digitsOf(v fairness.Value) int {
	const most, same = 6, 1e-9
	exact := float64(f.Times) * float64(v)
	for decimals := f.Decimals; decimals <= most; decimals++ {
		if written, _ := strconv.ParseFloat(f.number(float64(v), decimals, Nearest),
			64); math.Abs(written-exact) < same {
			return decimals
		}
	}
	return f.Decimals
}

// WithBound writes a figure and its bound with so many decimals that the texts compare as the numbers
// do: what is beyond its bound is not shown as equal to it.
func (f Form) WithBound(v, bound fairness.Value, atLeast bool, to Direction) (text, limit string) {
	if !v.Defined() || !bound.Defined() {
		return f.Write(v, f.Decimals, to), f.Bound(bound)
	}
	const most, same = 9, 1e-12 // sums of many rates are not more exact
	side := 1.0
	if atLeast {
		side = -1
	}
	isBeyond := side*float64(v) > side*float64(bound)+same
	decimals := max(f.enough(v), f.digitsOf(bound))
	for ; decimals < most; decimals++ {
		written, _ := strconv.ParseFloat(f.number(float64(v), decimals, to), 64)
		limit, _ := strconv.ParseFloat(f.number(float64(bound), decimals, Nearest), 64)
		if (side*written > side*limit) == isBeyond {
			break
		}
	}
	return f.Write(v, decimals, to), f.Write(bound, max(f.digitsOf(bound), decimals), Nearest)
}

// Limits writes the ends of a confidence interval, rounded outward, and its bound, without their unit.
func (f Form) Limits(low, high, bound fairness.Value, atLeast bool) (from, to, limit string) {
	f.Unit = ""
	from, limit = f.WithBound(low, bound, atLeast, Downward)
	to, also := f.WithBound(high, bound, atLeast, Upward)
	if len(also) > len(limit) {
		limit = also
	}
	return from, to, limit
}
