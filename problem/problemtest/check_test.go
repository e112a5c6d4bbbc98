package problemtest_test

import (
	"math/rand/v2"
	"testing"

	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/problem/problemtest"
)

// TestCheck runs the suite on the problem whose solution other tests rely on, as it is
// and behind both decorators.
func TestCheck(t *testing.T) {
	q := problemtest.NewQuadratic(6, 3, 50, 10, 0.5, rand.New(rand.NewPCG(1, 2))).AtMost(0, 2)
	problemtest.Check(t, q, problemtest.DefaultOptions())

	t.Run("standard", func(t *testing.T) {
		s, err := problem.NewStandard(q, []float64{1, 7, 0.5})
		if err != nil {
			t.Fatal(err)
		}
		problemtest.Check(t, s, problemtest.DefaultOptions())
	})
	t.Run("counted", func(t *testing.T) { problemtest.Check(t, problem.NewCounted(q), problemtest.DefaultOptions()) })
}
