package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// limits is the range of an axis.
type limits struct{ lo, hi float64 }

// contain reports whether x is within the limits.
func (l limits) contain(x float64) bool { return l.lo <= x && x <= l.hi }

// linearLimits returns a range for values on a linear axis, with a margin. It contains
// them all, but for extreme ones that would flatten the others: beyond the central 96 % of
// the values it extends at most by their extent. For early values, which may come from a
// wild first step, it extends at most by half of it. Points in always are contained.
func linearLimits(values, early []float64, always ...float64) limits {
	l := robustRange(values, early)
	for _, x := range always {
		l.lo, l.hi = min(l.lo, x), max(l.hi, x)
	}
	const rounding = 1e-9 // of values: a range as small as this is none, and has no numbers for ticks
	size := max(math.Abs(l.lo), math.Abs(l.hi))
	margin := 0.04 * (l.hi - l.lo)
	if l.hi-l.lo <= rounding*size {
		margin = max(0.1*size, 1e-9)
	}
	return limits{l.lo - margin, l.hi + margin}
}

// logLimits is linearLimits in the logarithm, of the positive values alone. Values that
// are not positive are to be drawn at its lower end.
func logLimits(values, early []float64) limits {
	values, early = logarithms(values), logarithms(early)
	if len(values) == 0 {
		values = early
	}
	if len(values) == 0 {
		return limits{0.1, 1}
	}
	l := robustRange(values, early)
	// At least a factor of 2 from end to end, so that there is a tick in between.
	margin := max(0.04*(l.hi-l.lo), (0.302-(l.hi-l.lo))/2)
	return limits{math.Pow(10, l.lo-margin), math.Pow(10, l.hi+margin)}
}

func logarithms(values []float64) []float64 {
	var logs []float64
	for _, x := range values {
		if x > 0 {
			logs = append(logs, math.Log10(x))
		}
	}
	return logs
}

func robustRange(values, early []float64) limits {
	sorted := slices.Sorted(slices.Values(values))
	last := len(sorted) - 1
	lo, hi := sorted[last/50], sorted[last-last/50]
	extent := cmp.Or(hi-lo, sorted[last]-sorted[0])
	l := limits{max(sorted[0], lo-extent), min(sorted[last], hi+extent)}
	if len(early) == 0 {
		return l
	}
	return limits{
		min(l.lo, max(slices.Min(early), lo-extent/2)),
		max(l.hi, min(slices.Max(early), hi+extent/2)),
	}
}

// logTicks marks powers of ten, and the multiples in between where the range hasn't too
// many. Labels are at the powers, where there are few of them also at 2 and 5 times them,
// and within half a decade at as many multiples as there is room for.
type logTicks struct{}

// Ticks implements plot.Ticker.
func (logTicks) Ticks(lo, hi float64) []plot.Tick {
	decades := math.Log10(hi) - math.Log10(lo) // hi / lo may overflow
	every := int(math.Ceil(decades / 6))       // powers of ten between two labels
	between := 9
	if every > 1 {
		between = 1
	}
	var ticks []plot.Tick
	var labelled []bool
	for e := int(math.Floor(math.Log10(lo))); e <= int(math.Ceil(math.Log10(hi))); e++ {
		for factor := 1; factor <= between; factor++ {
			x, err := strconv.ParseFloat(fmt.Sprintf("%de%d", factor, e), 64)
			if err != nil || x < lo || x > hi {
				continue
			}
			ticks = append(ticks, plot.Tick{Value: x})
			usual := factor == 1 && e%every == 0 || decades < 2 && (factor == 2 || factor == 5)
			labelled = append(labelled, usual || decades < 0.5 && (factor == 3 || factor == 7))
		}
	}
	const room = 4
	for i := range ticks {
		if labelled[i] || decades < 0.5 && len(ticks) <= room {
			ticks[i].Label = scientific(ticks[i].Value)
		}
	}
	return ticks
}

// scientific is x in the shorter of the decimal and the exponential form.
func scientific(x float64) string {
	text := strconv.FormatFloat(x, 'g', 4, 64)
	return strings.NewReplacer("e-0", "e-", "e+0", "e").Replace(text)
}
