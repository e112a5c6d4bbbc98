package collection

import (
	"testing"

	"github.com/fairtrain/fairtrain/problem/problemtest"
)

// TestProblems checks the contract of problem.Problem, derivatives above all, and that names are
// distinct.
func TestProblems(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range All() {
		if seen[p.Name] || p.Source == "" {
			t.Errorf("%s: the name of two problems, or without a source", p.Name)
		}
		seen[p.Name] = true
		t.Run(p.Name, func(t *testing.T) { problemtest.Check(t, p, problemtest.DefaultOptions()) })
	}
}
