package table

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A column of numbers is suspected by its first values: an identifier by more of them, which are read to
// the end only if there is one.
const forIdentifier, forNegative = 1 << 17, 1 << 14

// counts reports whether the numbers ascend by one from row to row.
func (c *collector) counts() bool {
	first, i := math.NaN(), 0.0
	for v := range c.column().numbers() {
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

// identifies reports whether the numbers are those of an identifier: whole numbers that repeat less than a
// tenth as often as if they were drawn from their range at random. Whatever measures something
// repeats more often than that, as some values are more usual than others. n numbers from a range of m
// repeat about n²/2m times, which must be often enough to tell.
func (c *collector) identifies() bool {
	const least, seldom, tooFew = 9, 0.1, 200
	seen, repeated, n := map[float64]bool{}, 0.0, 0.0
	low, high := math.Inf(1), math.Inf(-1)
	for v := range c.column().numbers() {
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

// lonelyNegative returns a number below 0 such as −1, −99 or −999, which often stands for a missing value, if
// all others are 0 or more, and the number of rows that have it.
func (c *collector) lonelyNegative() (mark float64, rows int) {
	largest, n := 0.0, 0
	for v := range c.column().numbers() {
		switch {
		case v < 0 && rows > 0 && v != mark:
			return 0, 0
		case v < 0:
			mark = v
			rows++
		case v > largest:
			largest = v
		}
		if n++; n == forNegative {
			break
		}
	}
	const scale = 10 // one may go from −1 to this
	if rows < rareCount || !slices.Contains([]float64{-1, -9, -99, -999, -9999, -99999}, mark) || mark == -1 && largest < scale {
		return 0, 0
	}
	return mark, rows
}

// bareOfPercent returns the share of values without a percent sign, if others have one. It is 0 if they are few.
func (c *collector) bareOfPercent() float64 {
	const few, several = 0.05, 5
	if c.unit != "%" || c.withUnit == 0 {
		return 0
	}
	present := 0
	for v := range c.column().numbers() {
		if !math.IsNaN(v) {
			present++
		}
	}
	bare := present - c.withUnit
	if bare < several || float64(bare) <= few*float64(present) {
		return 0
	}
	return float64(bare) / float64(present)
}

// sameButCase returns two levels that differ only by case.
func (c *collector) sameButCase() (a, b string, found bool) {
	seen := map[string]string{}
	for _, level := range c.level {
		folded := strings.ToLower(level)
		if other, found := seen[folded]; found {
			return other, level, true
		}
		seen[folded] = level
	}
	return "", "", false
}

var (
	dateShape = regexp.MustCompile(`^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ].*)?$`)
	// dateForms are those of a day, without what is behind it.
	dateForms = []string{"2006-1-2", "2006/1/2", "2006.1.2", "2.1.2006", "2/1/2006", "1/2/2006", "2-1-2006", "1-2-2006", "2.1.06", "2/1/06", "1/2/06"}
)

// hasDates reports whether nearly all levels are days.
func (c *collector) hasDates() bool {
	const least, nearly = 3, 0.95
	days := 0
	for k, level := range c.level {
		if isDay(level) {
			days++
		}
		if float64(days) < float64(k)/2 {
			return false
		}
	}
	return len(c.level) >= least && float64(days) >= nearly*float64(len(c.level))
}

func isDay(text string) bool {
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
