package numparse

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Decimals finds out which mark the decimals of a column's numbers follow. The first value
// that is a number for one mark only decides. An earlier value is in doubt if the two marks make
// two numbers of it: 1,200 may be 1200 or 1.2.
type Decimals struct {
	Mark    byte // 0 while both marks are possible
	Doubts  []Doubt
	Example string // the first text in doubt
	Scaled  bool   // a number was multiplied, as 4.5k is
	Commas  bool   // a text before the mark was known had a comma and no unit
}

// Doubt is a number in doubt: its index, and its value if decimals follow a comma. Until that
// is known, the column has its value as if decimals followed a point.
type Doubt struct {
	At    int
	Value float64
}

// Parse reads a number, which the caller stores in values[at].
func (d *Decimals) Parse(text string, at int) (value float64, unit string, ok bool) {
	if value, whole, ok := ParseDecimal(text); ok && (whole || d.Mark == Point) {
		return value, "", true // most values end here
	}
	defer func() { d.Scaled = d.Scaled || ok && unit == Scaled }()
	if d.Mark != 0 {
		return Parse(text, d.Mark)
	}
	value, unit, ok = Parse(text, Point)
	other, otherUnit, otherOK := Parse(text, Comma)
	d.Commas = d.Commas || unit == "" && strings.IndexByte(text, ',') >= 0
	switch {
	case ok && !otherOK:
		d.Mark, d.Doubts = Point, nil
	case otherOK && !ok:
		d.Mark = Comma
		return other, otherUnit, true
	case ok && value != other:
		if d.Example == "" {
			d.Example = strings.Clone(text) // which is part of a row
		}
		d.Doubts = append(d.Doubts, Doubt{at, other})
	}
	return value, unit, ok
}

// Settle corrects the values that were in doubt, if the mark is a comma.
func (d *Decimals) Settle(values []float64) {
	if d.Mark != Comma {
		return
	}
	for _, doubt := range d.Doubts {
		values[doubt.At] = doubt.Value
	}
	d.Doubts = nil
}

// Fits returns the mark with which the values in doubt lie among the others, 0 if that is not so with
// exactly one.
func (d *Decimals) Fits(values []float64) byte {
	low, high, doubt := math.Inf(1), math.Inf(-1), 0
	for i, v := range values {
		if doubt < len(d.Doubts) && d.Doubts[doubt].At == i {
			doubt++
		} else if !math.IsNaN(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	beyond := func(v float64) bool { return v < low || v > high }
	point := !slices.ContainsFunc(d.Doubts, func(d Doubt) bool { return beyond(values[d.At]) })
	comma := !slices.ContainsFunc(d.Doubts, func(d Doubt) bool { return beyond(d.Value) })
	switch {
	case point == comma:
		return 0
	case point:
		return Point
	}
	return Comma
}

// ReadAll returns the levels of a column as numbers, of which that of missing values is the first,
// their unit and their decimals, which follow the mark if it is not 0. It is not ok unless all
// levels are numbers.
func ReadAll(levels []string, mark byte) (values []float64, unit string, d Decimals, ok bool) {
	d.Mark = mark
	values = make([]float64, 1+len(levels))
	values[0] = math.NaN() // of missing values
	for k, level := range levels {
		v, u, ok := d.Parse(level, 1+k)
		if !ok {
			return nil, "", d, false
		}
		switch {
		case unit == "" && u != Scaled:
			unit = u
		case !Fits(u, unit):
			return nil, "", d, false
		}
		values[1+k] = v
		d.Settle(values)
	}
	return values, unit, d, len(levels) > 0 && (unit == "" || !d.Scaled)
}

// SeveralUnits returns the units of numbers, as those of lengths in cm and in m; nil for one unit, and for
// what numbers of seats and houses have in its place.
func SeveralUnits(texts []string) (units []string) {
	const most, letters = 4, 2 // at least in one of them
	long := false
	for _, text := range texts {
		unit, _ := Unit(text)
		if unit == Scaled {
			return nil
		}
		long = long || utf8.RuneCountInString(unit) >= letters
		units = append(units, unit)
	}
	slices.Sort(units)
	if units = slices.DeleteFunc(slices.Compact(units), func(unit string) bool { return unit == "" }); !long || len(units) < 2 ||
		len(units) > most {
		return nil
	}
	return units
}
