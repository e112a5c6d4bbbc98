package textfile

import (
	"fmt"
	"strings"
)

// DidYouMean returns a hint ` (did you mean "…"?)` with the candidate that is most like name.
// A candidate with more than two typing errors is none; without one, the hint is "".
func DidYouMean(name string, candidates []string) string {
	best, fewest := "", 3
	for _, c := range candidates {
		if d := editDistance(strings.ToLower(name), strings.ToLower(c)); d < fewest && d < len(c) {
			best, fewest = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}

// editDistance is the number of bytes to insert, delete or replace to turn a into b
// (Levenshtein).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1) // distances of a[:i] to the prefixes of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
