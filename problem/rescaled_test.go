package problem_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/problem/problemtest"
)

// TestRescaled runs the suite in the new variables, and goes there and back.
func TestRescaled(t *testing.T) {
	inner := problemtest.NewQuadratic(5, 2, 20, 3, 0.1, rand.New(rand.NewPCG(1, 2)))
	scale := []float64{0.5, 1, 2, 4, 0.25}
	q, err := problem.NewRescaled(inner, scale)
	if err != nil {
		t.Fatal(err)
	}
	problemtest.Check(t, q, problemtest.DefaultOptions())

	z, x := []float64{1, -2, 3, 0.5, -4}, make([]float64, 5)
	q.X(x, z)
	if diff := cmp.Diff([]float64{0.5, -2, 6, 2, -1}, x); diff != "" {
		t.Errorf("x (-want +got):\n%s", diff)
	}
	want, got := problem.NewValues(5, 2), problem.NewValues(5, 2)
	inner.Evaluate(want, x, nil)
	q.Evaluate(got, z, nil)
	floats.Div(got.Gradient, scale)
	for i := range got.Jacobian.Rows {
		floats.Div(got.Jacobian.Data[i*5:(i+1)*5], scale)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-14, 0)); diff != "" {
		t.Errorf("values (-inner +rescaled and back):\n%s", diff)
	}
}

func TestNewRescaledRefuses(t *testing.T) {
	inner := problemtest.NewQuadratic(2, 1, 20, 3, 0.1, rand.New(rand.NewPCG(1, 2)))
	for _, scale := range [][]float64{nil, {1}, {1, 0}, {1, -1}} {
		if _, err := problem.NewRescaled(inner, scale); err == nil {
			t.Errorf("scales %v are accepted", scale)
		}
	}
}
