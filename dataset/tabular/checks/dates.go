package checks

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// form is a way in which a text or a number may be a date. A column of dates has one form.
type form int

const (
	separated    form = iota // 2024-01-31, 31.1.2024, 1/31/24, 2024-01, 1/2024, perhaps with a time behind it
	named                    // 31-Jan-24, Jan 31, 2024, 31JAN2024, Jan 2024
	yearFirst                // 20240131
	dayFirst                 // 31012024
	monthFirst               // 01312024
	shortYear                // 240131
	shortDay                 // 310124
	shortMonth               // 013124
	months                   // 202401
	seconds                  // since 1970, as computers count them, or thousandths and so on of them
	formsOfDates             // their number
)

// leastDates is how many distinct values of a form make a column of dates. Of numbers between two
// years one in 27 is a day, of six digits as many; one in eight is a month.
var leastDates = [formsOfDates]int{3, 3, 3, 5, 5, 10, 10, 10, 12, 10}

// nearly is the share of the distinct values that have the form of their column.
const nearly = 0.95

// findDates reports whether nearly all of n distinct values have one form; of returns the forms of
// one of them.
func findDates(n int, of func(k int, has *[formsOfDates]bool)) bool {
	var count [formsOfDates]int
	possible := false
	for k := range n {
		var has [formsOfDates]bool
		of(k, &has)
		possible = false
		for f := range has {
			if has[f] {
				count[f]++
			}
			possible = possible || float64(k+1-count[f]) <= (1-nearly)*float64(n)
		}
		if !possible {
			return false
		}
	}
	for f, found := range count {
		if found >= leastDates[f] && float64(found) >= nearly*float64(n) {
			return true
		}
	}
	return false
}

// Days reports whether nearly all levels are dates of one form.
func Days(levels []string) bool {
	return findDates(len(levels), func(k int, has *[formsOfDates]bool) {
		if text := levels[k]; len(text) == 6 || len(text) == 8 {
			if v, err := strconv.ParseUint(text, 10, 64); err == nil {
				ofDigits(float64(v), len(text), has)
				return
			}
		}
		has[separated] = dateShape.MatchString(levels[k])
		has[named] = !has[separated] && isNamed(levels[k])
	})
}

// days reports whether nearly all of some distinct numbers are dates of one form.
func days(numbers []float64) bool {
	if len(numbers) < slices.Min(leastDates[:]) {
		return false
	}
	least, most := numbers[0], numbers[len(numbers)-1]
	return findDates(len(numbers), func(k int, has *[formsOfDates]bool) {
		v := numbers[k]
		switch {
		case v != math.Trunc(v):
		case v >= 1e6 && v < 1e8:
			ofDigits(v, 8, has)
		case v >= 1e4 && v < 1e6: // 050131 has lost its first digit
			ofDigits(v, 6, has)
			wide := most >= 1e5 && most-least >= 3e4 // or they may be amounts near each other
			has[shortYear] = has[shortYear] && most >= 1e5
			has[shortDay], has[shortMonth] = has[shortDay] && wide, has[shortMonth] && wide
		case v > 0:
			const from, to = 631_152_000, 2_145_916_800 // 1990 to 2037
			for unit := 1.0; unit <= 1e9; unit *= 1e3 {
				has[seconds] = has[seconds] || from*unit <= v && v < to*unit
			}
		}
	})
}

// ofDigits finds the forms of a number of six or eight digits.
func ofDigits(v float64, digits int, has *[formsOfDates]bool) {
	n := int(v)
	first, second, third := n/10_000, n/100%100, n%100
	if digits == 8 {
		has[yearFirst] = isDay(first, second, third)
		has[dayFirst] = isDay(n%10_000, n/10_000%100, n/1_000_000)
		has[monthFirst] = isDay(n%10_000, n/1_000_000, n/10_000%100)
		return
	}
	const century = 2000 // whose years leap as those of the last one do
	has[shortYear] = isDay(century+first, second, third)
	has[shortDay] = isDay(century+third, second, first)
	has[shortMonth] = isDay(century+third, first, second)
	has[months] = isDay(n/100, third, 1)
}

// isDay reports whether there is such a day between 1900 and 2100.
func isDay(year, month, day int) bool {
	d := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC) // 30 February is another day
	return year >= 1900 && year <= 2100 && int(d.Month()) == month && d.Day() == day
}

const (
	timeShape = `(?:[T ,:].*)?$`
	// in English, and in German, French, Spanish and Italian where they differ
	monthShape = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|` +
		`sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|` +
		`januar|jänner|jän|februar|märz|mär|mrz|mai|juni|juli|okt(?:ober)?|dez(?:ember)?|` +
		`janv(?:ier)?|f[ée]vr?(?:ier)?|mars|avr(?:il)?|juin|juil(?:let)?|ao[ûu]t|septembre|octobre|novembre|` +
		`d[ée]c(?:embre)?|enero|ene|febrero|marzo|abr(?:il)?|mayo|junio|julio|ago(?:sto)?|septiembre|octubre|` +
		`noviembre|dic(?:iembre)?|gen(?:naio)?|febbraio|aprile|mag(?:gio)?|giu(?:gno)?|lug(?:lio)?|set(?:tembre)?|` +
		`ott(?:obre)?|dicembre)\.?`
	dayShape  = `(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th|\.)?`
	yearShape = `(?:\d{4}|'?\d{2})`
	weekday   = `^(?i)(?:(?:mon|tue|wed|thu|fri|sat|sun|mo|di|mi|do|fr|sa|so)\pL*\.?,? +)?`
)

var (
	dateShape = regexp.MustCompile(`^(?:(?:0?[1-9]|1[0-2])[-/](?:19|20)\d\d|(?:19|20)\d\d[-/](?:0[1-9]|1[0-2])|` +
		`\d{4}[-/.](?:0?[1-9]|1[0-2])[-/.](?:0?[1-9]|[12]\d|3[01])|` +
		`(?:0?[1-9]|[12]\d|3[01])[-/.](?:0?[1-9]|[12]\d|3[01])[-/.](?:\d{4}|\d{2}))` + timeShape)
	namedShapes = []*regexp.Regexp{
		regexp.MustCompile(weekday + dayShape + `[-/. ]*` + monthShape + `[-/., ]*` + yearShape + timeShape),
		regexp.MustCompile(weekday + monthShape + `[-/. ]+` + dayShape + `(?: [\d:.]+)?(?: [A-Z]+)?[-/., ]+` + yearShape + timeShape),
		regexp.MustCompile(`^(?i)\d{4}[-/. ]*` + monthShape + `[-/. ]*` + dayShape + timeShape),
		regexp.MustCompile(`^(?i)` + monthShape + `[-/., ]*` + yearShape + `$`),
	}
)

// isNamed reports whether a text is a date with the name of a month.
func isNamed(text string) bool {
	const longest = 60 // bytes, with a weekday, a time and a zone
	if len(text) > longest || !strings.ContainsAny(text, "0123456789") {
		return false
	}
	return slices.ContainsFunc(namedShapes, func(shape *regexp.Regexp) bool { return shape.MatchString(text) })
}
