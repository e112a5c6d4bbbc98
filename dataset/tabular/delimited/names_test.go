package delimited

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestDistinguish: names that repeat others differ from all others.
func TestDistinguish(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.SampledFrom([]string{"x", "x.1", "x.1.1", "y", "x.2"}), 1, 9).Draw(t, "names")
		distinct, first := slices.Clone(names), Repeats(names)
		Distinguish(distinct, first)
		seen := map[string]bool{}
		for k, name := range distinct {
			if seen[name] || names[first[k]] != names[k] || first[k] == k && name != names[k] {
				t.Fatalf("%q become %q", names, distinct)
			}
			seen[name] = true
		}
	})
}
