package results

import (
	"math"
	"strconv"
	"strings"
)

// notation is how the numbers of a column are shown: each with its own digits, or all
// with the same decimals.
type notation struct {
	equal      bool // all alike
	scientific bool // with the digits of each part
	decimals   int  // otherwise
}

// finer is the number of decimals that deviations and the smallest number may add to the
// decimals of the largest number.
const finer = 3

// notation chooses the notation in which the largest number of column j has its digits, and
// if possible its largest deviation; whole numbers don't count. It is scientific for very
// large and very small numbers, and where the smallest one would be left without a digit.
func (t Table) notation(j int) notation {
	if !t.EqualDigits {
		return notation{}
	}
	var largest [maxParts]float64 // of the first numbers of the entries, the second, …
	var digits [maxParts]int
	smallest, whole := math.Inf(1), true // smallest of the first numbers
	for _, row := range t.Rows {
		for k, p := range row[j].Parts {
			x := math.Abs(p.Value)
			if math.IsNaN(x) || math.IsInf(x, 0) {
				continue
			}
			if x == math.Trunc(x) && x < 1e9 {
				if k == 0 || x == 0 {
					continue // it has digits enough
				}
			} else {
				whole = false
			}
			largest[k], digits[k] = max(largest[k], x), max(digits[k], p.Digits)
			if k == 0 {
				smallest = min(smallest, x)
			}
		}
	}
	if whole { // counts keep their digits
		return notation{equal: true}
	}
	needed := func(k int) int {
		if largest[k] == 0 {
			return 0
		}
		return digits[k] - 1 - int(math.Floor(math.Log10(largest[k])))
	}
	decimals := max(0, needed(0))
	most := decimals + finer
	for k := 1; k < maxParts; k++ {
		decimals = max(decimals, min(needed(k), most))
	}
	if largest[0] == 0 { // only deviations have decimals
		return notation{equal: true, decimals: decimals}
	}
	first := int(math.Ceil(-math.Log10(smallest))) // decimal at which the smallest number begins
	return notation{
		equal:      true,
		scientific: largest[0] >= 1e6 || largest[0] < 1e-3 || first > most,
		decimals:   max(decimals, first),
	}
}

// text is a number of the column: – if unknown.
func (n notation) text(p Part) string {
	switch {
	case math.IsNaN(p.Value):
		return "–"
	case math.IsInf(p.Value, 1):
		return "∞"
	case !n.equal && p.Value == math.Trunc(p.Value) && math.Abs(p.Value) < 1e9:
		return strconv.FormatFloat(p.Value, 'f', 0, 64) // counts keep their digits
	case !n.equal:
		return strconv.FormatFloat(p.Value, 'g', p.Digits, 64)
	case n.scientific && p.Value == 0:
		return "0"
	case n.scientific:
		return strconv.FormatFloat(p.Value, 'e', p.Digits-1, 64)
	}
	return strconv.FormatFloat(p.Value, 'f', n.decimals, 64)
}

// plainNumber is the text of a number with a short exponent: 1.5e-5 for 1.5e-05.
func plainNumber(text string) string {
	mantissa, exponent, ok := strings.Cut(text, "e")
	if !ok {
		return text
	}
	n, err := strconv.Atoi(exponent)
	if err != nil {
		panic(err) // strconv wrote it
	}
	return mantissa + "e" + strconv.Itoa(n)
}
