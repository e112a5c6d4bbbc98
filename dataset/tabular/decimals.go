package tabular

import (
	"math"
	"strings"

	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
)

// decimals finds out which mark the decimals of a column's numbers follow. The first value
// that is a number for one mark only tells. An earlier value is in doubt if the two marks make
// two numbers of it: 1,200 may be 1200 or 1.2.
type decimals struct {
	mark    byte // 0 while both marks are possible
	doubts  []doubt
	example string // the first text in doubt
	commas  bool   // a text before the mark was known had a comma and no unit
}

// doubt is a number in doubt: its index, and its value if decimals follow a comma. Until that
// is known, the column has its value as if decimals followed a point.
type doubt struct {
	at    int
	value float64
}

// parse reads a number, which the caller stores in values[at].
func (d *decimals) parse(text string, at int) (value float64, unit string, ok bool) {
	if value, whole, ok := numparse.ParseDecimal(text); ok && (whole || d.mark == numparse.Point) {
		return value, "", true // most values end here
	}
	if d.mark != 0 || !strings.ContainsAny(text, ".,") {
		return numparse.Parse(text, d.likely())
	}
	value, unit, ok = numparse.Parse(text, numparse.Point)
	other, otherUnit, otherOK := numparse.Parse(text, numparse.Comma)
	d.commas = d.commas || unit == "" && strings.IndexByte(text, ',') >= 0
	switch {
	case ok && !otherOK:
		d.mark, d.doubts = numparse.Point, nil
	case otherOK && !ok:
		d.mark = numparse.Comma
		return other, otherUnit, true
	case ok && value != other:
		if d.example == "" {
			d.example = strings.Clone(text) // which is part of a row
		}
		d.doubts = append(d.doubts, doubt{at, other})
	}
	return value, unit, ok
}

// likely returns the mark if it is known, or else the point.
func (d *decimals) likely() byte {
	if d.mark == numparse.Comma {
		return numparse.Comma
	}
	return numparse.Point
}

// settle corrects the values that were in doubt, if the mark is a comma.
func (d *decimals) settle(values []float64) {
	if d.mark != numparse.Comma {
		return
	}
	for _, doubt := range d.doubts {
		values[doubt.at] = doubt.value
	}
	d.doubts = nil
}

// separateThousands reports whether the points of the numbers in doubt separate thousands. values are those of the column.
//
// They do if whole numbers without a point stand beside them, all below 1000, and one of two signs shows that
// these are no decimals. One is a zero at the end: who writes 3.280 and not 3.28 would write 7.000 and not 7.
// The other is that most whole numbers are larger than what would be the largest decimal, as in 3.283 and 525.
func (d *decimals) separateThousands(values []float64) bool {
	const seldom, several, thousand = 0.01, 3, 1000
	largest, zero := 0.0, false
	for _, doubt := range d.doubts {
		value := math.Abs(values[doubt.at])
		if math.Abs(doubt.value) < value {
			return false // a comma
		}
		largest = max(largest, value)
		zero = zero || math.Mod(doubt.value, 10) == 0
	}
	present, whole, beyond := 0, 0, 0
	doubts := d.doubts // in the order of the values
	for at, v := range values {
		if len(doubts) > 0 && doubts[0].at == at {
			doubts = doubts[1:]
			present++
			continue
		}
		if math.IsNaN(v) {
			continue
		}
		if v != math.Trunc(v) || math.Abs(v) >= thousand {
			return false
		}
		present++
		whole++
		if math.Abs(v) > largest {
			beyond++
		}
	}
	return whole >= several && float64(whole) >= seldom*float64(present) && (zero || 2*beyond > whole)
}
