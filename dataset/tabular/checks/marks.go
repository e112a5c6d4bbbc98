package checks

import (
	"slices"
	"strings"
	"unicode"

	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
)

// absences are words for a missing value, without blanks, points and slashes.
var absences = []string{"ka", "keineangabe", "missing", "na", "nan", "nd", "none", "notavailable", "null", "unknown"}

var withoutPoints = strings.NewReplacer(" ", "", "\u00a0", "", ".", "", "/", "", "_", "", "-", "")

// IsMark reports whether a value looks like what stands for a missing one: a word for that, or a text without letters and
// digits.
func IsMark(value string) bool {
	return !strings.ContainsFunc(value, ofWord) || slices.Contains(absences, strings.ToLower(withoutPoints.Replace(value)))
}

func ofWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// FindMark finds the only level of a category that looks like what stands for a missing value and is no word, beside at least
// two others, of which none is a number: "." but not + and −.
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
