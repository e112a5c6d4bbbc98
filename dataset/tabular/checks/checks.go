// Package checks finds out what the values of a column may be other than what they look like:
// identifiers, dates, codes, or numbers that stand for missing values. Package tabular asks it about
// columns that no schema declares. All rows count, whatever their order.
//
// Numbers reads the numbers of a column, Days, FindRepetition, FindMark and FindAlike its texts.
package checks

import (
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
)

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

// FindAlike returns the first levels of a category that differ in capitals and blanks alone, as those
// of one group that several people wrote; nil if there are none.
func FindAlike(levels []string) (alike []string) {
	first := ""
	same := map[string][]string{}
	for _, level := range levels {
		plain := strings.ToLower(strings.Join(strings.Fields(level), " "))
		same[plain] = append(same[plain], level)
		if first == "" && len(same[plain]) > 1 {
			first = plain
		}
	}
	if first == "" {
		return nil
	}
	return same[first]
}
