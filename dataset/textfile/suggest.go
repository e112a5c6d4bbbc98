package textfile

import (
	"fmt"
	"strings"

	"github.com/xrash/smetrics"
)

// DidYouMean returns a hint ` (did you mean "…"?)` with the candidate that is most like name.
// A candidate with more than two typing errors is none; without one, the hint is "".
func DidYouMean(name string, candidates []string) string {
	best, fewest := "", 3
	for _, c := range candidates {
		d := smetrics.WagnerFischer(strings.ToLower(name), strings.ToLower(c), 1, 1, 1) // Levenshtein's distance
		if d < fewest && d < len(c) {
			best, fewest = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}
