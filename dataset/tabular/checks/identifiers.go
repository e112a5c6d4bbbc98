package checks

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
)

// fewKeys is the least number of values of an identifier.
const fewKeys = 20

// rowNames are names of columns that number rows, as programs write them, without blanks and the
// like.
var rowNames = []string{"", "index", "indexlevel0", "row", "rowid", "rowname", "rownames", "rownumber", "unnamed0"}

// keyNames are names of columns that number people, without blanks and the like; ofKey finds them
// in longer names.
var (
	keyNames = []string{
		"id", "ids", "uid", "uuid", "guid", "pid", "idno", "idnumber", "caseid", "subject", "subj",
		"person", "patient", "participant", "respondent", "individual", "customer", "client", "applicant",
		"employee", "borrower", "passenger", "ssn",
	}
	ofKey = regexp.MustCompile(`(?i:(^|[-_. ])(id|uid|uuid|guid)$)|[a-z]I[Dd]$|(?i:^id[-_. ])|` +
		`(?i:^(person|people|patient|customer|client|member|account|acct|applicant|employee|student|pupil|user|` +
		`passenger|borrower|worker|household|hh|family|policy|loan|case|record)[-_. ]?(no|nr|num|number|key|ref)$)`)
)

func ofWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// nameOf is the name of a column in small letters, without blanks and the like.
func nameOf(column string) string {
	return strings.Map(func(r rune) rune {
		if !ofWord(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, column)
}

// isOfPeople reports whether a column numbers people, or other units that may have several rows, by
// its name.
func isOfPeople(name string) bool {
	return slices.Contains(keyNames, nameOf(name)) || ofKey.MatchString(name)
}

// isKey reports whether a column numbers rows or people by its name, if no two of its whole numbers
// are equal.
func isKey(name string) bool { return slices.Contains(rowNames, nameOf(name)) || isOfPeople(name) }

// Repetition says that an identifier has values in several rows each, so that rows may not be
// independent.
type Repetition struct {
	Values int `toml:"values" json:"values"`                 // that differ
	Rows   int `toml:"rows,omitempty" json:"rows,omitempty"` // that have one of these
	Each   int `toml:"each,omitempty" json:"each,omitempty"` // rows of each value; 0 if they differ
}

// String describes it.
func (r *Repetition) String() string {
	if r.Each == 0 {
		return fmt.Sprintf("its %d values are in %d rows", r.Values, r.Rows)
	}
	return fmt.Sprintf("each of its %d values occurs in exactly %d rows", r.Values, r.Each)
}

// The values of an identifier that nothing but their repetition gives away: how many there are, in
// how many rows each, and in how many rows on average.
const (
	leastPeople = 100
	mostRows    = 10
	mostOnMean  = 2
)

// FindRepetition finds out by the number of rows of every distinct value whether a column numbers
// people who have several rows each, of which some may lack a value. Either each has as many rows,
// or the name of the column says so. It returns nil if not.
func FindRepetition(name string, counts []int, missing bool) *Repetition {
	const mostTimes = 100
	r := repetition(counts)
	alike := !slices.ContainsFunc(counts, func(n int) bool { return n != counts[0] })
	switch {
	case r.Rows > mostTimes*r.Values:
		return nil
	case alike && !missing && r.Values >= leastPeople && counts[0] > 1: // less is balanced by design, as months are
		r.Each = counts[0]
		return r
	case isOfPeople(name) && r.Values >= fewKeys && r.Rows > r.Values:
		return r
	}
	return nil
}

func repetition(counts []int) *Repetition {
	r := &Repetition{Values: len(counts)}
	for _, n := range counts {
		r.Rows += n
	}
	return r
}

// RepeatsLittle returns the repetition of values that are in one or two rows each on average, some
// in several and none in many, as those of people are; nil for others. Of numbers see
// Findings.Repeats.
func RepeatsLittle(counts []int) *Repetition {
	r := repetition(counts)
	if r.Values < leastPeople || r.Rows == r.Values || r.Rows > mostOnMean*r.Values || slices.Max(counts) > mostRows {
		return nil
	}
	return r
}

// repeats is RepeatsLittle for whole numbers that repeat otherwise than what is measured does: equal
// ones are much more, or much less, usual than neighbours, and no rounder than the others, and all are
// spread evenly.
func (p *profile) repeats() *Repetition {
	const fewest, least, muchMore, enough, less, window = 200, 9, 10, 50, 0.6, 10
	r := RepeatsLittle(p.rows)
	if r == nil || r.Rows < fewest {
		return nil
	}
	var equal, near float64
	first, within := 0, 0.0 // rows of the numbers from the first one to this one, which are near
	for k, v := range p.values {
		n := float64(p.rows[k])
		for ; v-p.values[first] > window; first++ {
			within -= float64(p.rows[first])
		}
		equal, near, within = equal+n*(n-1)/2, near+n*within, within+n
	}
	chance := near / window / 2 // pairs that are equal as others are neighbours
	unusual := equal >= max(least, muchMore*chance) || chance >= enough && equal <= less*chance
	if !unusual || !p.isEven() || p.repeatsRound(10) || p.repeatsRound(100) {
		return nil
	}
	return r
}

// repeatsRound reports whether multiples of a number repeat more often than other numbers do.
func (p *profile) repeatsRound(of float64) bool {
	const rounder, deviations = 1.5, 2
	var round, repeated, both float64
	for k, v := range p.values {
		if isRound := math.Mod(v, of) == 0; isRound {
			round++
			both += min(float64(p.rows[k]-1), 1)
		}
		repeated += min(float64(p.rows[k]-1), 1)
	}
	all := float64(len(p.values))
	return round == all || both/repeated > rounder*round/all+deviations/math.Sqrt(repeated)
}

// isEven reports whether the numbers are spread over their range about evenly, as those that count
// something are and amounts are not: the distance of Kolmogorov and Smirnov is small.
func (p *profile) isEven() bool {
	const small = 0.2
	n, lowest := float64(len(p.values)), p.values[0]
	for k, v := range p.values {
		if math.Abs((v-lowest)/p.span()-float64(k)/n) > small {
			return false
		}
	}
	return true
}

// ofAmounts finds the names of columns of small whole numbers that are amounts, times or scores.
var ofAmounts = regexp.MustCompile(`(?i)(?:^|[-_. ])(?:age|alter|year|yr|jahr|hours?|days?|weeks?|months?|count|cnt|size|score|rating|` +
	`rank)s?\d*(?:$|[-_. ])`)

// ofCodes finds the names of columns of codes: of places, occupations, industries.
var ofCodes = regexp.MustCompile(`(?i)(?:^|[-_. \d])(?:zip|zip_?code|postal|post_?code|plz|fips|state_?fip|county|puma|tract|msa|cbsa|` +
	`occp?|occup|occupation|occ_?code|naicsp?|indp|ind_?code|industry|sic|isco|isic|soc|socp|icd|pobp|nace|` +
	`region|district|state|country|nationality|dept|department|code|cd)(?:$|[-_. \d])|[a-z](?:Code|Zip|Cd)$`)

// codes reports whether whole numbers, of which there are more than fewCodes finds, may be codes: by
// the name of their column, or because they are of as many digits, in several rows each, and lie so
// far apart that amounts would lie in between.
func (p *profile) codes(name string) bool {
	const few, most, rows, gaps, digits = 20, 5000, 5, 10, 3
	distinct := len(p.values)
	lowest, highest := p.values[0], p.values[distinct-1]
	switch {
	case distinct <= few || lowest < 0:
		return false
	case ofCodes.MatchString(name):
		return true
	}
	width := len(numparse.Format(lowest))
	step := p.values[1] - lowest
	for k, v := range p.values[1:] {
		for other := v - p.values[k]; other != 0; {
			step, other = other, math.Mod(step, other)
		}
	}
	return distinct <= most && width >= digits && width == len(numparse.Format(highest)) && p.n >= rows*distinct &&
		(highest-lowest)/step >= gaps*float64(distinct)
}
