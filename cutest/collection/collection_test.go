package collection

import (
	"testing"

	"github.com/fairtrain/fairtrain/problem/problemtest"
)

// small has the problems of All whose size is a parameter at a small size.
func small() []*Problem {
	return []*Problem{
		DTOC1L(4), DTOC1NB(4), DTOC1NC(4), DTOC6(4), ELEC(5), GENHS28(6),
		LUKVLE1(8), LUKVLE3(8), LUKVLE4C(8), LUKVLE7(8), LUKVLE10(8),
		ORTHREGA(1), ORTHREGD(5), ORTHRGDM(5),
	}
}

// TestProblems checks the contract of problem.Problem, derivatives above all.
func TestProblems(t *testing.T) {
	resized := make(map[string]*Problem)
	for _, p := range small() {
		resized[p.Name] = p
	}
	for _, p := range All() {
		if s, ok := resized[p.Name]; ok {
			p = s
		}
		t.Run(p.Name, func(t *testing.T) { problemtest.Check(t, p, problemtest.DefaultOptions()) })
	}
}

func TestNames(t *testing.T) {
	seen := make(map[string]bool)
	for _, p := range All() {
		if seen[p.Name] {
			t.Errorf("two problems are called %s", p.Name)
		}
		seen[p.Name] = true
		if p.Source == "" {
			t.Errorf("%s has no source", p.Name)
		}
	}
}
