// Package checks finds out what the values of a column may be other than what they look like:
// identifiers, days, or numbers that stand for missing values. Package tabular asks it about
// columns that no schema declares. Missing numbers are NaN.
//
// NewProfile reads the numbers of a column once; the checks of numbers are methods of Profile.
package checks

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
)

// mostCounted is the number of distinct values up to which rows are counted.
const mostCounted = 1 << 16

// Profile is what a column of numbers is like.
type Profile struct {
	// counts are the rows of each distinct number, up to the row that has the 65 536th; nil unless
	// these are whole.
	counts    map[float64]int
	n         int  // rows that have one of these
	missing   bool // in some row
	countsRow bool // the numbers ascend by one from row to row
	numbers   []float64

	low, nextLow, high, nextHigh extreme
}

// extreme is one of the smallest or largest numbers, and how many rows have it.
type extreme struct {
	value float64
	rows  int
}

// NewProfile reads the numbers of a column, NaN where missing.
func NewProfile(numbers []float64) *Profile {
	p := &Profile{counts: map[float64]int{}, countsRow: true, numbers: numbers}
	p.low.value, p.nextLow.value = math.Inf(1), math.Inf(1)
	p.high.value, p.nextHigh.value = math.Inf(-1), math.Inf(-1)
	for i, v := range numbers {
		p.countsRow = p.countsRow && v == numbers[0]+float64(i)
		if math.IsNaN(v) {
			p.missing = true
			continue
		}
		p.count(v)
		switch {
		case v < p.low.value:
			p.low, p.nextLow = extreme{v, 1}, p.low
		case v == p.low.value:
			p.low.rows++
		case v < p.nextLow.value:
			p.nextLow = extreme{v, 1}
		case v == p.nextLow.value:
			p.nextLow.rows++
		}
		switch {
		case v > p.high.value:
			p.high, p.nextHigh = extreme{v, 1}, p.high
		case v == p.high.value:
			p.high.rows++
		case v > p.nextHigh.value:
			p.nextHigh = extreme{v, 1}
		case v == p.nextHigh.value:
			p.nextHigh.rows++
		}
	}
	return p
}

func (p *Profile) count(v float64) {
	switch {
	case p.counts == nil:
	case v != math.Trunc(v):
		p.counts = nil
	case len(p.counts) < mostCounted:
		p.counts[v]++
		p.n++
	}
}

// CountsRows reports whether the numbers ascend by one from row to row.
func (p *Profile) CountsRows() bool { return p.countsRow && p.counts != nil }

// Identifies reports whether the numbers are those of an identifier: whole numbers that repeat less
// than a tenth as often as if they were drawn from their range at random. Whatever measures
// something repeats more often than that, as some values are more usual than others. n numbers from
// a range of m repeat about n²/2m times, which must be often enough to tell.
func (p *Profile) Identifies() bool {
	const least, seldom, fewest = 9, 0.1, 200
	n, repeated := float64(p.n), float64(p.n-len(p.counts))
	chance := n * (n - 1) / 2 / (p.high.value - p.low.value + 1)
	return n >= fewest && chance >= least && repeated <= seldom*min(chance, n/2)
}

// AllDiffer reports whether at least so many numbers are whole and all differ.
func (p *Profile) AllDiffer(least int) bool {
	return p.n >= least && p.n == len(p.counts)
}

// FewCodes reports whether the numbers are a few whole ones, each in several rows on average, that
// may be codes.
func (p *Profile) FewCodes() bool {
	const least, most, rows = 3, 20, 10
	return least <= len(p.counts) && len(p.counts) <= most && len(p.counts)*rows <= p.n
}

// Repetition is the repetition of whole numbers in a column of some name, nil for none.
func (p *Profile) Repetition(name string) *Repetition {
	if p.counts == nil || len(p.counts) == mostCounted {
		return nil
	}
	return FindRepetition(name, slices.Collect(maps.Values(p.counts)), p.missing)
}

// StandIn finds the number that may stand for a missing value, such as −1, 99, 999 or 365243: the
// smallest or the largest one, if many rows have it and no other is near. It returns a description, "" for none.
func (p *Profile) StandIn() string {
	for _, s := range []standIn{
		{p.low, p.nextLow.value, p.high.value, p.nextLow.rows},
		{p.high, p.low.value, p.nextHigh.value, p.nextHigh.rows},
	} {
		if p.isStandIn(s) {
			return fmt.Sprintf("%s, while all others are %s to %s", numparse.Format(s.value),
				numparse.Format(s.from), numparse.Format(s.to))
		}
	}
	return ""
}

// standIn is a number that may stand for a missing value. All others lie between two, and so many
// rows have the nearest of them.
type standIn struct {
	extreme
	from, to float64
	nearest  int
}

// isStandIn reports whether a number may stand for a missing value. It is never 0, which many
// amounts are. A number that is no usual mark must be so far away that no long tail reaches it, and
// the others must be more than a few codes.
func (p *Profile) isStandIn(s standIn) bool {
	const leastRows, share, muchMore, steps = 10, 0.01, 3, 10 // one may go from −1 to steps
	usual := slices.Contains([]float64{-1, -9, -99, -999, -9999, -99999}, s.value)
	isFar := func(ranges float64) bool {
		return s.from < s.to && max(s.from-s.value, s.value-s.to) >= ranges*(s.to-s.from)
	}
	switch {
	case s.rows < leastRows || s.value == 0 || s.from > s.to:
		return false
	case usual && s.from >= 0 && (s.value < -1 || s.to >= steps):
		return true
	case float64(s.rows) < share*float64(len(p.numbers)):
		return false
	case isNines(math.Abs(s.value)) && isFar(1):
		return true
	case s.value == 99 && isFar(1./3): // of what may nearly reach it, such as an age
		return s.rows > muchMore*s.nearest
	}
	return isFar(3) && p.moreThan(steps)
}

// isNines reports whether a number is 99, 999 and so on.
func isNines(v float64) bool { return v >= 99 && strings.Trim(numparse.Format(v), "9") == "" }

// moreThan reports whether there are more than so many distinct numbers.
func (p *Profile) moreThan(few int) bool {
	distinct := map[float64]bool{}
	for _, v := range p.numbers {
		if !math.IsNaN(v) {
			distinct[v] = true
		}
		if len(distinct) > few {
			return true
		}
	}
	return false
}

// Days reports whether nearly all distinct numbers are days of eight digits such as 20240131. Of
// other numbers between two years only one in 27 is a day, so that not even three distinct ones are
// likely to be.
func (p *Profile) Days() bool {
	days := 0
	for v := range p.counts {
		if v >= 1900_00_00 && v < 2101_00_00 {
			if _, err := time.Parse("20060102", numparse.Format(v)); err == nil {
				days++
			}
		}
	}
	return areDays(days, len(p.counts))
}

// areDays reports whether so many distinct values are those of a column of days.
func areDays(days, distinct int) bool {
	const least, nearly = 3, 0.95
	return distinct >= least && float64(days) >= nearly*float64(distinct)
}

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

var (
	dateShape = regexp.MustCompile(`^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ].*)?$`)
	// dateForms are those of a day, without what is behind it.
	dateForms = []string{
		"2006-1-2", "2006/1/2", "2006.1.2", "2.1.2006", "2/1/2006", "1/2/2006", "2-1-2006",
		"1-2-2006", "2.1.06", "2/1/06", "1/2/06",
	}
)

// IsDay reports whether a text is a day, perhaps with a time behind it.
func IsDay(text string) bool {
	if !dateShape.MatchString(text) {
		return false
	}
	day, _, _ := strings.Cut(strings.Replace(text, "T", " ", 1), " ")
	return slices.ContainsFunc(dateForms, func(form string) bool {
		_, err := time.Parse(form, day)
		return err == nil
	})
}

// FindMark finds the only level of a category that has no letter and no digit, among at least two
// others, of which none is a number: it may stand for a missing value, as "." does.
func FindMark(levels []string) (mark string, found bool) {
	if len(levels) < 3 || slices.ContainsFunc(levels, numparse.Is) {
		return "", false
	}
	for _, level := range levels {
		if strings.ContainsFunc(level, ofWord) {
			continue
		}
		if found {
			return "", false
		}
		mark, found = level, true
	}
	return mark, found
}
