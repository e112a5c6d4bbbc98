package checks

import (
	"iter"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
)

// fewKeys is the number of values from which on a column may number people.
const fewKeys = 20

// rowNames are names of columns that number rows, as programs write them, without blanks and the
// like.
var rowNames = []string{"", "index", "indexlevel0", "row", "rowid", "rowname", "rownames", "rownumber", "unnamed:0"}

// keyNames are names of columns that number people, without blanks and the like; ofKey finds them
// in longer names.
var (
	keyNames = []string{"id", "ids", "uid", "uuid", "guid", "pid", "idno", "idnumber", "caseid", "subject", "subj", "person", "patient", "participant", "respondent"}
	ofKey    = regexp.MustCompile(`(?i:(^|[-_. ])(id|uid|uuid|guid)$)|[a-z]I[Dd]$|(?i:^id[-_. ])`)
)

var withoutBlanks = strings.NewReplacer("_", "", "-", "", ".", "", " ", "")

func nameOf(column string) string { return strings.ToLower(withoutBlanks.Replace(column)) }

// IsKey reports whether a column numbers rows or people by its name and its whole numbers, of which
// no two are equal.
func IsKey(name string, numbers iter.Seq[float64]) bool {
	if !slices.Contains(rowNames, nameOf(name)) && !isOfPeople(name) {
		return false
	}
	people, rows := Wholes(numbers)
	return people >= fewKeys && people == rows
}

// isOfPeople reports whether a column numbers people, or other units that may have several rows, by
// its name.
func isOfPeople(name string) bool {
	return slices.Contains(keyNames, nameOf(name)) || ofKey.MatchString(name)
}

// People returns the number of distinct values, in so many rows, of a column that numbers people
// with several rows each by its name; 0 for any other column. count returns both numbers.
func People(name string, count func() (distinct, rows int)) (people, rows int) {
	const several = 1.1
	if !isOfPeople(name) {
		return 0, 0
	}
	distinct, rows := count()
	if distinct < fewKeys || float64(rows) < several*float64(distinct) || rows > mostTimes*distinct {
		return 0, 0
	}
	return distinct, rows
}

// Wholes returns the number of distinct values of some numbers, of the first 131 072 if there are
// more, and how many numbers have one of these; 0 if one of the numbers is not whole.
func Wholes(numbers iter.Seq[float64]) (distinct, n int) {
	seen := map[float64]bool{}
	for v := range numbers {
		switch {
		case math.IsNaN(v):
			continue
		case v != math.Trunc(v):
			return 0, 0
		case !seen[v]:
			if len(seen) == forIdentifier {
				continue
			}
			seen[v] = true
		}
		n++
	}
	return len(seen), n
}

// absences are words for a missing value, without blanks, points and slashes.
var absences = []string{"ka", "keineangabe", "missing", "na", "nan", "nd", "none", "notavailable", "null", "unknown"}

var withoutPoints = strings.NewReplacer(" ", "", "\u00a0", "", ".", "", "/", "", "_", "", "-", "")

// IsMark reports whether a value looks like what stands for a missing one: a word for that, or a
// text without letters and digits.
func IsMark(value string) bool {
	return !strings.ContainsFunc(value, ofWord) || slices.Contains(absences,
		strings.ToLower(withoutPoints.Replace(value)))
}

func ofWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// FindMark finds the only level of a category that looks like what stands for a missing value and
// is no word, beside at least two others, of which none is a number: "." but not + and −.
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
