package checks

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
)

// Findings are what the numbers of a column may be other than amounts.
type Findings struct {
	Days       bool        // dates, in digits or in seconds
	CountsRows bool        // they ascend by one from row to row
	Identifies bool        // whole, and repeat less than what is measured does
	AllDiffer  bool        // whole, all different, and at least 20
	Many       bool        // AllDiffer, so many and so evenly that one may doubt that they are measured
	Several    *Repetition // nil unless they number people, by the name of the column or as each has as many rows
	Repeats    *Repetition // nil unless they repeat as numbers of people do, whatever the column is called
	FewCodes   bool        // a few whole numbers, each in several rows, that are no counts
	Codes      bool        // more of them, as codes of places or occupations are
	StandIns   []StandIn   // numbers that may stand for missing values
}

// Key returns why the numbers of a column of some name, which may be none, are an identifier of rows or
// people; "" if they do not seem to be.
func (f *Findings) Key(name string) string {
	but := "and its name"
	if name == "" {
		but = "and it has no name"
	}
	switch {
	case f.CountsRows:
		return "it counts the rows"
	case f.Identifies:
		return "whole numbers that hardly repeat: an identifier (--numeric keeps it)"
	case f.AllDiffer && isKey(name):
		return "whole numbers that all differ, " + but + ": an identifier (--numeric keeps it)"
	}
	return ""
}

// StandIn is what may stand for missing values: numbers that are far from all others, or one that is
// their mean, or a mean of others.
type StandIn struct {
	Values   []float64
	Rows     int     // that have one of them
	From, To float64 // of all others
	Mean     bool    // the value is the mean of all others
	Fraction bool    // the value is none, but all others are whole
}

// String describes it.
func (s StandIn) String() string {
	var list []string
	for _, v := range s.Values {
		list = append(list, numparse.Format(v))
	}
	others := ""
	switch {
	case s.Mean:
		others = "as much on average, "
	case s.Fraction:
		others = "whole, "
	}
	last := len(list) - 1
	values := strings.Join(append(list[:max(last-1, 0)], strings.Join(list[max(last-1, 0):], " and ")), ", ")
	return fmt.Sprintf("%s, while all others are %s%s to %s (%d rows)", values, others,
		numparse.Format(s.From), numparse.Format(s.To), s.Rows)
}

// profile is the distinct numbers of a column, ascending, and the rows of each.
type profile struct {
	values    []float64
	rows      []int
	n         int // rows that have a number
	missing   bool
	countsRow bool
	whole     bool
}

// newProfile reads the numbers of a column, NaN where missing.
func newProfile(numbers []float64) *profile {
	p := &profile{countsRow: true, whole: true}
	sorted := make([]float64, 0, len(numbers))
	for i, v := range numbers {
		p.countsRow = p.countsRow && v == numbers[0]+float64(i)
		if !math.IsNaN(v) {
			sorted = append(sorted, v)
			p.whole = p.whole && v == math.Trunc(v)
		}
	}
	p.n, p.missing = len(sorted), len(sorted) < len(numbers)
	slices.Sort(sorted)
	for k := 0; k < len(sorted); {
		end := k + 1
		for end < len(sorted) && sorted[end] == sorted[k] {
			end++
		}
		p.rows = append(p.rows, end-k)
		sorted[len(p.values)] = sorted[k] // no number behind it is needed any more
		p.values = sorted[:len(p.values)+1]
		k = end
	}
	return p
}

// Numbers finds out what the numbers of a column of some name may be, NaN where missing.
func Numbers(name string, numbers []float64) Findings {
	p := newProfile(numbers)
	f := Findings{Days: days(p.values), StandIns: p.standIns()}
	if !p.whole || p.n == 0 {
		return f
	}
	const many = 200
	f.CountsRows, f.Identifies = p.countsRow, p.identifies()
	f.AllDiffer = p.n == len(p.values) && p.n >= fewKeys
	f.Many = f.AllDiffer && p.n >= many && p.isEven()
	f.Several, f.Repeats = FindRepetition(name, p.rows, p.missing), p.repeats()
	f.FewCodes, f.Codes = p.fewCodes() && !ofAmounts.MatchString(name), p.codes(name)
	return f
}

// span is the number of whole numbers from the least to the largest one.
func (p *profile) span() float64 { return p.values[len(p.values)-1] - p.values[0] + 1 }

// identifies reports whether the numbers are those of an identifier: whole numbers that repeat less
// than a tenth as often as if they were drawn from their range at random. Whatever measures
// something repeats more often than that, as some values are more usual than others. n numbers from
// a range of m repeat about n²/2m times, which must be often enough to tell.
func (p *profile) identifies() bool {
	const least, seldom, fewest = 9, 0.1, 200
	n, repeated := float64(p.n), float64(p.n-len(p.values))
	chance := n * (n - 1) / 2 / p.span()
	return n >= fewest && chance >= least && repeated <= seldom*min(chance, n/2)
}

// fewCodes reports whether the numbers are a few whole ones, each in several rows on average, that
// may be codes. Years are none, and neither are counts.
func (p *profile) fewCodes() bool {
	const least, most, rows = 3, 20, 10
	n := len(p.values)
	return n >= least && n <= most && n*rows <= p.n && !p.isCount() && (p.values[0] < 1900 || p.values[n-1] > 2100)
}

// isCount reports whether numbers that begin with 0, each in fewer rows than the one before, or six
// or more neighbours of which the upper ones are ever more seldom, count something.
func (p *profile) isCount() bool {
	const tail, seldom, deviations = 6, 0.1, 2
	falls, n := p.values[0] == 0 && p.rows[0] > 2*p.rows[len(p.rows)-1], len(p.values)
	for k := range p.values[1:] {
		before := float64(p.rows[k])
		falls = falls && float64(p.rows[k+1]) <= before+deviations*math.Sqrt(before)
	}
	mode := slices.Index(p.rows, slices.Max(p.rows))
	isTail := n >= tail && 2*mode <= n && float64(p.rows[n-1]) < seldom*float64(p.rows[mode])
	return falls || isTail && p.values[n/2]-p.values[0] == float64(n/2)
}

// standIns finds the numbers that may stand for missing values.
func (p *profile) standIns() (found []StandIn) {
	const most = 6 // codes
	rest := *p
	for _, below := range []bool{true, false} {
		for k := 1; k <= min(most, len(rest.values)-1); k++ {
			codes, others := rest, rest
			if below {
				codes.values, codes.rows = rest.values[:k], rest.rows[:k]
				others.values, others.rows = rest.values[k:], rest.rows[k:]
			} else {
				at := len(rest.values) - k
				codes.values, codes.rows = rest.values[at:], rest.rows[at:]
				others.values, others.rows = rest.values[:at], rest.rows[:at]
			}
			if s, ok := standIn(codes, others, p.n); ok {
				found, rest = append(found, s), others
				break
			}
		}
	}
	if s, ok := rest.mean(); ok {
		found = append(found, s)
	}
	return found
}

// standIn reports whether some numbers may stand for missing values beside the others of a column
// of n numbers. They are never 0, which many amounts are. Others are so far away that no long tail
// reaches them, unless it is usual to write them so.
func standIn(codes, others profile, n int) (s StandIn, ok bool) {
	const leastRows, share, steps, farAway = 10, 0.01, 10, 100 // one may go from −1 to steps
	s = StandIn{Values: codes.values, From: others.values[0], To: others.values[len(others.values)-1]}
	for _, rows := range codes.rows {
		s.Rows += rows
	}
	lowest, highest := codes.values[0], codes.values[len(codes.values)-1]
	isFar := func(ranges float64) bool { // at least as far as the steps of a scale
		return s.From < s.To && max(s.From-highest, lowest-s.To) >= max(ranges*(s.To-s.From), steps)
	}
	all := func(is func(v float64) bool) bool {
		return !slices.ContainsFunc(codes.values, func(v float64) bool { return !is(v) })
	}
	one := len(codes.values) == 1
	if s.Rows < leastRows || slices.Contains(codes.values, 0) {
		return s, false
	}
	if highest < 0 && s.From >= 0 && all(isRefusal) {
		const gap = 4 // between several codes and the others, where a scale has its next step
		usual := !one || slices.Contains([]float64{-1, -9, -99, -999, -9999, -99999}, lowest)
		if usual && (one && (lowest < -1 || s.To >= steps) || !one && (s.From-highest >= gap || s.To >= -farAway*lowest)) {
			return s, true
		}
	}
	if float64(s.Rows) < share*float64(n) {
		return s, false
	}
	digits := len(numparse.Format(lowest))
	isMark := func(v float64) bool { return isNines(math.Abs(v)) && len(numparse.Format(v)) == digits }
	switch {
	case all(isMark) && isFar(1):
		return s, true
	case all(isMark) && lowest > 0 && digits == 2 && isFar(1./3): // of what may nearly reach it, such as an age
		const muchMore = 3
		nearest := others.rows[len(others.rows)-1]
		return s, s.Rows > muchMore*nearest*len(codes.values) && slices.Max(codes.rows) > muchMore*nearest
	}
	return s, one && isFar(3) && len(others.values) >= steps
}

// isRefusal reports whether surveys write a number in place of an answer: −1 to −9, −77, −98, −999.
func isRefusal(v float64) bool {
	return v == math.Trunc(v) && (v < 0 && v >= -9 || isNines(-v) && v < 0)
}

// isNines reports whether a number is 99, 999 and so on, the one to three numbers before it, 77, 88, or
// a longer one of equal digits.
func isNines(v float64) bool {
	text := numparse.Format(v)
	const least, long, last = 2, 3, "6789"
	if len(text) < least {
		return false
	}
	return strings.Trim(text[:len(text)-1], "9") == "" && strings.ContainsAny(text[len(text)-1:], last) ||
		strings.Trim(text, text[:1]) == "" && (len(text) >= long || strings.ContainsAny(text, "78"))
}

// mean finds the number that may be the mean of all others, written in place of missing values: to the
// digits that it has. Two decimals are enough if it is the only number that is not whole, which may be
// the mean of other rows, too.
func (p *profile) mean() (s StandIn, ok bool) {
	const leastRows, share, decimals, many, few = 10, 0.005, 2, 4, 4
	n, sum, fractions := 0.0, 0.0, 0 // distinct numbers that are not whole
	for k, v := range p.values {
		n, sum = n+float64(p.rows[k]), sum+v*float64(p.rows[k])
		if v != math.Trunc(v) {
			fractions++
		}
	}
	for k, v := range p.values {
		rows := float64(p.rows[k])
		if v == math.Trunc(v) || rows < leastRows || rows < share*n {
			continue
		}
		_, digits, _ := strings.Cut(numparse.Format(v), ".")
		mean := (sum - v*rows) / (n - rows)
		near := math.Abs(v-mean) <= math.Pow(10, -float64(len(digits)))+1e-9*math.Abs(mean)
		s = StandIn{Values: p.values[k : k+1], Rows: p.rows[k], From: p.values[0], To: p.values[len(p.values)-1]}
		s.Mean = near && (len(digits) >= many || len(digits) >= decimals && fractions == 1)
		s.Fraction = !s.Mean && fractions == 1 && len(digits) >= decimals && len(p.values) > few && s.From < v && v < s.To
		if s.Mean || s.Fraction {
			return s, true
		}
	}
	return s, false
}
