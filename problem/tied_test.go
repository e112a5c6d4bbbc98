package problem_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/problem/problemtest"
)

// TestTied runs the suite in the variables that are left, and compares values with the inner ones.
func TestTied(t *testing.T) {
	inner := problemtest.NewQuadratic(5, 2, 20, 3, 0.1, rand.New(rand.NewPCG(1, 2)))
	ties := &problem.Ties{Of: []int{0, 1, 1, -1, 0}, Count: 2}
	q, err := problem.NewTied(inner, ties)
	if err != nil {
		t.Fatal(err)
	}
	problemtest.Check(t, q, problemtest.DefaultOptions())

	z, x := []float64{2, -3}, make([]float64, 5)
	ties.Spread(x, z)
	if diff := cmp.Diff([]float64{2, -3, -3, 0, 2}, x); diff != "" {
		t.Errorf("x (-want +got):\n%s", diff)
	}
	want, got := problem.NewValues(5, 2), problem.NewValues(2, 2)
	inner.Evaluate(want, x, nil)
	q.Evaluate(got, z, nil)
	if want.Objective != got.Objective || !cmp.Equal(want.Constraint, got.Constraint) {
		t.Errorf("objective %v and constraints %v, want %v and %v", got.Objective, got.Constraint, want.Objective, want.Constraint)
	}
	if _, err := problem.NewTied(inner, &problem.Ties{Of: []int{0}, Count: 1}); err == nil {
		t.Error("ties of one variable are accepted")
	}
}
