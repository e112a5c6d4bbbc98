// Package checks finds out what the values of a column may be besides what they look like:
// identifiers, days, or numbers that stand for missing values. Package tabular asks it about
// columns that no schema declares. Missing numbers are NaN.
package checks

import (
	"fmt"
	"iter"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
)

// A column of numbers is suspected by its first values: an identifier by more of them, which are
// read to the end only if there is one.
const forIdentifier, forStandIn = 1 << 17, 1 << 14

// Counts reports whether numbers ascend by one from row to row.
func Counts(numbers iter.Seq[float64]) bool {
	first, i := math.NaN(), 0.0
	for v := range numbers {
		if i == 0 {
			first = v
		}
		if v != first+i {
			return false
		}
		i++
	}
	return true
}

// Identifies reports whether numbers are those of an identifier: whole numbers that repeat less
// than a tenth as often as if they were drawn from their range at random. Whatever measures
// something repeats more often than that, as some values are more usual than others. n numbers from
// a range of m repeat about n²/2m times, which must be often enough to tell.
func Identifies(numbers iter.Seq[float64]) bool {
	const least, seldom = 9, 0.1
	seen, repeated, n := map[float64]bool{}, 0.0, 0.0
	low, high := math.Inf(1), math.Inf(-1)
	for v := range numbers {
		if math.IsNaN(v) {
			continue
		}
		if v != math.Trunc(v) || repeated > least && repeated > n*seldom/2 { // n²/2m is at most about n/2
			return false
		}
		if seen[v] {
			repeated++
		}
		seen[v] = true
		low, high = min(low, v), max(high, v)
		if high-low > forIdentifier*forIdentifier/(2*least) {
			return false // so many numbers can't tell
		}
		if n++; n == forIdentifier {
			break
		}
	}
	chance := n * (n - 1) / 2 / (high - low + 1)
	return n >= tooFew && chance >= least && repeated <= seldom*chance
}

// tooFew is the number of numbers that can't tell an identifier.
const tooFew = 200

// MayIdentify reports whether numbers are whole and all differ. From a large range these may be
// amounts as well.
func MayIdentify(numbers iter.Seq[float64]) bool {
	seen := map[float64]bool{}
	for v := range numbers {
		switch {
		case math.IsNaN(v):
			continue
		case v != math.Trunc(v) || seen[v]:
			return false
		}
		if seen[v] = true; len(seen) == forIdentifier {
			break
		}
	}
	return len(seen) >= tooFew
}

// StandIn is a number that may stand for a missing value. All others are from low to high.
type StandIn struct{ value, low, high float64 }

func (s StandIn) String() string {
	return fmt.Sprintf("%s, while all others are %s to %s", numparse.Format(s.value),
		numparse.Format(s.low), numparse.Format(s.high))
}

// FindStandIn finds the number of a column that may stand for a missing value, such as −1, 99, 999
// or 365243: its smallest or its largest one, if many rows have it and no other is near.
func FindStandIn(numbers iter.Seq[float64]) (s StandIn, found bool) {
	first := head(numbers, forStandIn)
	low, high := math.Inf(1), math.Inf(-1)
	ofLow, ofHigh := 0, 0 // rows
	for v := range first {
		if v < low {
			low, ofLow = v, 0
		}
		if v > high {
			high, ofHigh = v, 0
		}
		if v == low {
			ofLow++
		}
		if v == high {
			ofHigh++
		}
	}
	for _, extreme := range []struct {
		value float64
		rows  int
	}{{low, ofLow}, {high, ofHigh}} {
		if extreme.rows < leastRows || !isStandIn(extreme.value, first) {
			continue
		}
		s = StandIn{extreme.value, math.Inf(1), math.Inf(-1)}
		if s.extend(numbers); s.value < 0 && s.low >= 0 || s.isFar(leastFar) {
			return s, true
		}
	}
	return s, false
}

// head yields the first n numbers.
func head(numbers iter.Seq[float64], n int) iter.Seq[float64] {
	return func(yield func(float64) bool) {
		i := 0
		for v := range numbers {
			if i++; !yield(v) || i == n {
				return
			}
		}
	}
}

const (
	leastRows = 10 // have what stands for a missing value
	leastFar  = 1. / 3
	mostUsed  = 99 // stands for a missing value, also of what may nearly reach it, such as an age
)

// isStandIn reports whether the smallest or the largest of some numbers may stand for a missing
// value. It is never 0, which many amounts are. A number that is no usual mark must be so far away
// that no long tail reaches it, and the others must be more than a few codes.
func isStandIn(value float64, all iter.Seq[float64]) bool {
	const share, muchMore, long, steps = 0.01, 3, 3, 10 // one may go from −1 to steps
	s := StandIn{value, math.Inf(1), math.Inf(-1)}
	rows, others := s.extend(all)
	switch {
	case others == 0 || value == 0:
		return false
	case s.low >= 0 && slices.Contains([]float64{-1, -9, -99, -999, -9999, -99999}, value) && (value < -1 || s.high >= steps):
		return true
	case float64(rows) < share*float64(rows+others):
		return false
	case isNines(math.Abs(value)) && s.isFar(1):
		return true
	case value == mostUsed && s.isFar(leastFar):
		next := StandIn{value: s.high}
		neighbours, _ := next.extend(all)
		return rows > muchMore*neighbours
	case !s.isFar(long):
		return false
	}
	distinct := map[float64]bool{}
	for v := range all {
		if !math.IsNaN(v) {
			distinct[v] = true
		}
		if len(distinct) > steps {
			return true
		}
	}
	return false
}

// extend widens the range by numbers. It returns how many of them are the one that may be a
// stand-in, and how many are others.
func (s *StandIn) extend(numbers iter.Seq[float64]) (rows, others int) {
	for v := range numbers {
		switch {
		case v == s.value:
			rows++
		case !math.IsNaN(v):
			others++
			s.low, s.high = min(s.low, v), max(s.high, v)
		}
	}
	return rows, others
}

// isFar reports whether the number is further from all others than so many times their range.
func (s StandIn) isFar(ranges float64) bool {
	gap := max(s.low-s.value, s.value-s.high)
	return s.low < s.high && gap > 0 && gap >= ranges*(s.high-s.low)
}

// isNines reports whether a number is 99, 999 and so on.
func isNines(v float64) bool {
	return v >= 99 && v == math.Trunc(v) && strings.Trim(numparse.Format(v), "9") == ""
}

var (
	dateShape = regexp.MustCompile(`^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ].*)?$`)
	// dateForms are those of a day, without what is behind it.
	dateForms = []string{"2006-1-2", "2006/1/2", "2006.1.2", "2.1.2006", "2/1/2006", "1/2/2006", "2-1-2006", "1-2-2006", "2.1.06", "2/1/06", "1/2/06"}
)

// Days reports whether nearly all levels are days.
func Days(levels []string) bool {
	days := 0
	for k, level := range levels {
		if IsDay(level) {
			days++
		}
		if float64(days) < float64(k)/2 {
			return false
		}
	}
	return areDays(days, len(levels))
}

// DaysOfNumbers is Days for numbers of eight digits such as 20240131. Of other numbers between two
// years only one in 27 is a day, so that not even three distinct ones are likely to be.
func DaysOfNumbers(numbers iter.Seq[float64]) bool {
	days, others, last := map[float64]bool{}, map[float64]bool{}, math.NaN()
	for v := range head(numbers, forIdentifier) {
		if v == last || math.IsNaN(v) { // what is equal is often together, as 0 in most rows
			continue
		}
		if last = v; isDayNumber(v) {
			days[v] = true
		} else if others[v] = true; len(others) > 1+len(days) {
			return false
		}
	}
	return areDays(len(days), len(days)+len(others))
}

// areDays reports whether so many distinct values are those of a column of days.
func areDays(days, distinct int) bool {
	const least, nearly = 3, 0.95
	return distinct >= least && float64(days) >= nearly*float64(distinct)
}

// isDayNumber reports whether a number has the digits of a year, a month and a day from 1900 to
// 2100.
func isDayNumber(v float64) bool {
	if v < 1900_00_00 || v >= 2101_00_00 || !isWhole(v) {
		return false
	}
	_, err := time.Parse("20060102", numparse.Format(v))
	return err == nil
}

// IsDay reports whether a text is a day, perhaps with a time behind it.
func IsDay(text string) bool {
	if !dateShape.MatchString(text) {
		return false
	}
	day, _, _ := strings.Cut(strings.Replace(text, "T", " ", 1), " ")
	for _, form := range dateForms {
		if _, err := time.Parse(form, day); err == nil {
			return true
		}
	}
	return false
}
