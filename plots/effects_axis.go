package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// numberAxis maps a number to a coordinate: evenly or, where most bins are in a small part of the
// range, by arsinh((v − middle)/scale), which is even there and logarithmic beyond.
type numberAxis struct {
	low, high, left, right float64
	middle, scale          float64 // scale 0: evenly
	below, above           float64 // room for values outside, so that narrow outer ranges are seen
}

// axis returns that of a column.
func (e Effects) axis(left, right float64) numberAxis {
	edges := make([]float64, len(e.Ranges)-1)
	for k := range edges {
		edges[k] = e.Ranges[k].To
	}
	known := slices.Clone(edges)
	for _, v := range []float64{e.Low, e.High} {
		if isFinite(v) {
			known = append(known, v)
		}
	}
	a := numberAxis{low: -1, high: 1, left: left, right: right}
	if len(known) > 0 {
		a.low, a.high = slices.Min(known), slices.Max(known)
	}
	if a.low == a.high {
		room := cmp.Or(math.Abs(a.low), 1)
		a.low, a.high = a.low-room, a.high+room
	}
	const tiny = 1e-9 // of the range
	const fewest, uneven, narrowest, widest = 4, 7, 6, 30
	if n := len(edges); n >= fewest {
		if middle := edges[3*n/4] - edges[n/4]; a.high-a.low > uneven*middle {
			a.middle, a.scale = edges[n/2], max(middle/2, tiny*(a.high-a.low))
		}
	}
	if n := len(edges); n > 0 {
		usual := (a.at(edges[n-1]) - a.at(edges[0])) / float64(max(n-1, 1))
		usual = min(max(usual, narrowest), widest)
		if a.at(edges[0])-left < narrowest {
			a.below = usual
		}
		if right-a.at(edges[n-1]) < narrowest {
			a.above = usual
		}
	}
	a.left, a.right = left+a.below, right-a.above
	return a
}

func (a numberAxis) bent(v float64) float64 {
	if a.scale == 0 {
		return v
	}
	return math.Asinh((v - a.middle) / a.scale)
}

// at returns the coordinate of a number; that of an open end is the end of the axis.
func (a numberAxis) at(v float64) float64 {
	switch {
	case v < a.low:
		return a.left - a.below
	case v > a.high:
		return a.right + a.above
	}
	low := a.bent(a.low)
	return a.left + (a.bent(v)-low)/(a.bent(a.high)-low)*(a.right-a.left)
}

// ticks returns round numbers, the roundest first, as many as there is room for.
func (a numberAxis) ticks() (list []float64) {
	var candidates []float64
	if a.scale == 0 {
		step := Step(a.high - a.low)
		for k := math.Ceil(a.low / step); k*step <= a.high; k++ {
			candidates = append(candidates, k*step)
		}
	} else {
		candidates = append(candidates, 0)
		for _, digit := range []float64{1, 5, 2} {
			for power := math.Floor(math.Log10(max(math.Abs(a.low), math.Abs(a.high)))); power >= -6; power-- {
				v := digit * math.Pow(10, power)
				candidates = append(candidates, v, -v)
			}
		}
	}
	for _, v := range candidates {
		if v < a.low || v > a.high {
			continue
		}
		from, to := a.label(v)
		overlap := func(other float64) bool { lo, hi := a.label(other); return lo < to && hi > from }
		if !slices.ContainsFunc(list, overlap) {
			list = append(list, v)
		}
	}
	return list
}

// anchor is that of the label of a tick, which it keeps inside the picture.
func (a numberAxis) anchor(v float64) string {
	near := max(12, 3.2*float64(utf8.RuneCountInString(short(v)))-4)
	switch at := a.at(v); {
	case at > a.right-near:
		return "end"
	case at < a.left+near:
		return "start"
	}
	return "middle"
}

// label returns where that of a tick begins and ends, with a gap.
func (a numberAxis) label(v float64) (from, to float64) {
	const rune, gap = 6.4, 5
	at, width := a.at(v), rune*float64(utf8.RuneCountInString(short(v)))
	switch a.anchor(v) {
	case "start":
		return at - gap, at + width + gap
	case "end":
		return at - width - gap, at + gap
	}
	return at - width/2 - gap, at + width/2 + gap
}

// valueAxis maps an effect to a coordinate.
type valueAxis struct{ low, high, from, to float64 }

// effectAxis has 0, all defined values and a little room.
func effectAxis(values []float64, from, to float64) valueAxis {
	a := valueAxis{from: from, to: to}
	for _, v := range values {
		if isFinite(v) {
			a.low, a.high = min(a.low, v), max(a.high, v)
		}
	}
	room := cmp.Or(0.04*(a.high-a.low), 0.01)
	a.low, a.high = a.low-room, a.high+room
	return a
}

func (a valueAxis) at(v float64) float64 { return a.from + (v-a.low)/(a.high-a.low)*(a.to-a.from) }

func (a valueAxis) ticks() (list []float64) {
	const apart, most = 24, 5 // coordinates between labels; steps of a range
	size := a.high - a.low
	step := Step(max(size, most*apart*size/math.Abs(a.to-a.from)))
	for k := math.Ceil(a.low / step); k*step <= a.high; k++ {
		list = append(list, k*step)
	}
	return list
}

// Step returns a round distance of about four ticks in a range.
func Step(size float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(size/4)))
	for _, times := range []float64{1, 2, 2.5, 5} {
		if size/(unit*times) <= 5 {
			return unit * times
		}
	}
	return unit * 10
}

// Signed writes an effect with a sign, zero without.
func Signed(v float64) string {
	text := strconv.FormatFloat(math.Abs(v), 'g', 3, 64)
	switch {
	case text == "0":
		return "0"
	case v < 0:
		return "−" + text
	}
	return "+" + text
}

// short writes a number of an axis: 40, −2500, 15k, 1.5M.
func short(v float64) string {
	if v < 0 {
		return "−" + short(-v)
	}
	size := v
	for _, unit := range []struct {
		size float64
		sign string
	}{{1e9, "G"}, {1e6, "M"}, {1e4, "k"}} {
		if size >= unit.size {
			per := unit.size
			if unit.sign == "k" {
				per = 1e3
			}
			return strconv.FormatFloat(v/per, 'g', 6, 64) + unit.sign
		}
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

func percent(share float64) string {
	if v := 100 * share; v >= 1 || v == 0 {
		return fmt.Sprintf("%.0f %%", v)
	}
	return "<1 %"
}

func cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
