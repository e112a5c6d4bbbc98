package report

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/fairtrain/fairtrain/fairness"
)

// form is how figures of a kind are written.
type form struct {
	times    int64 // what a figure is multiplied by
	decimals int   // at least
	unit     string
}

// The forms of figures.
var (
	inPoints  = form{100, 2, " points"}
	inPercent = form{100, 1, " %"}
	asRatio   = form{1, 3, ""}
	asValue   = form{1, 4, ""}
)

// direction is how a figure is rounded. What was shown about people must not become more by
// rounding: upper limits are rounded up, lower limits down.
type direction int

const (
	nearest direction = iota
	upward
	downward
)

// text writes a figure, rounded to the nearest.
func (f form) text(v fairness.Value) string { return f.write(v, f.enough(v), nearest) }

// write writes a figure with so many decimals.
func (f form) write(v fairness.Value, decimals int, to direction) string {
	if !v.Defined() {
		return undefined
	}
	return f.number(float64(v), decimals, to) + f.unit
}

// enough is the number of decimals with which a share does not look like none or all, but for
// those that are.
func (f form) enough(v fairness.Value) int {
	const more = 3
	if text := f.number(float64(v), f.decimals, nearest); f == inPercent && (text == "0.0" && v != 0 || text == "100.0" && v != 1) {
		return more
	}
	return f.decimals
}

// number is the figure without its unit. A figure that is rounded to 0 has no sign.
func (f form) number(v float64, decimals int, to direction) string {
	text := strconv.FormatFloat(float64(f.times)*v, 'f', decimals, 64)
	if to != nearest && !math.IsInf(v, 0) && !math.IsNaN(v) {
		text = f.outward(v, decimals, to)
	}
	if strings.Trim(text, "-0.") == "" {
		text = strings.TrimPrefix(text, "-")
	}
	return text
}

// outward rounds up or down the decimal number by which the figure is known: 0.07 is 7 % and no
// more, although 100 times the nearest number of a machine is more.
func (f form) outward(v float64, decimals int, to direction) string {
	x, _ := new(big.Rat).SetString(strconv.FormatFloat(v, 'g', -1, 64))
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)
	x.Mul(x, new(big.Rat).SetInt(new(big.Int).Mul(unit, big.NewInt(f.times))))
	whole, rest := new(big.Int).DivMod(x.Num(), x.Denom(), new(big.Int))
	if to == upward && rest.Sign() != 0 {
		whole.Add(whole, big.NewInt(1))
	}
	return new(big.Rat).SetFrac(whole, unit).FloatString(decimals)
}

// bound writes a bound with all of the digits that a person has given it.
func (f form) bound(v fairness.Value) string { return f.write(v, f.digitsOf(v), nearest) }

// digitsOf is the number of decimals of a bound; the least one if it has very many, as computed
// bounds have.
func (f form) digitsOf(v fairness.Value) int {
	const most, same = 6, 1e-9
	exact := float64(f.times) * float64(v)
	for decimals := f.decimals; decimals <= most; decimals++ {
		if written, _ := strconv.ParseFloat(f.number(float64(v), decimals, nearest), 64); math.Abs(written-exact) < same {
			return decimals
		}
	}
	return f.decimals
}

// beside writes a figure and its bound with so many decimals that the texts compare as the numbers
// do: what is beyond its bound is not shown as equal to it.
func (f form) beside(v, bound fairness.Value, atLeast bool, to direction) (text, asked string) {
	if !v.Defined() || !bound.Defined() {
		return f.write(v, f.decimals, to), f.bound(bound)
	}
	const most, same = 9, 1e-12 // sums of many rates are not more exact
	decimals := max(f.enough(v), f.digitsOf(bound))
	for ; decimals < most; decimals++ {
		written, _ := strconv.ParseFloat(f.number(float64(v), decimals, to), 64)
		limit, _ := strconv.ParseFloat(f.number(float64(bound), decimals, nearest), 64)
		if beyond(written, limit, atLeast) == beyond(float64(v), float64(bound)+sign(atLeast)*same, atLeast) {
			break
		}
	}
	return f.write(v, decimals, to), f.write(bound, max(f.digitsOf(bound), decimals), nearest)
}

// beyond reports whether a figure breaks a bound.
func beyond(v, bound float64, atLeast bool) bool {
	if atLeast {
		return v < bound
	}
	return v > bound
}

// sign is the direction in which a bound is made easier.
func sign(atLeast bool) float64 {
	if atLeast {
		return -1
	}
	return 1
}
