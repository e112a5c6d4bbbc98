package problem_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/internal/rng"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/problem/problemtest"
)

// TestNoise checks that noise has the stated size and mean, cancels between points, and
// is absent from exact values.
func TestNoise(t *testing.T) {
	const level, size, draws = 0.1, 4, 4000
	o := problemtest.NewQuadratic(2, 2, 10, 3, 1, rng.New(1, "problem")) // its own samples vary
	q, err := problem.NewNoisy(o, level)
	if err != nil {
		t.Fatal(err)
	}
	x, y := []float64{0.5, 0.3}, []float64{-1, 2}
	exact, atX, atY, exactY := problem.NewValues(2, 2), problem.NewValues(2,
		2), problem.NewValues(2, 2), problem.NewValues(2, 2)
	q.Evaluate(exact, x, nil)
	o.Evaluate(exactY, y, nil)
	noisy := func(v *problem.Values, x []float64, b *problem.Batch) {
		v.Objective = problem.Objective(q, x, b)
		q.Evaluate(&problem.Values{Gradient: v.Gradient}, x, b)
		q.Evaluate(&problem.Values{Constraint: v.Constraint}, x, b)
		q.Evaluate(&problem.Values{Jacobian: v.Jacobian}, x, b)
	}
	noisy(atX, x, nil)
	if diff := cmp.Diff(exact, atX); diff != "" {
		t.Errorf("nil batch (-exact +got):\n%s", diff)
	}
	r := rng.New(1, "noise")
	var b problem.Batch
	var sum, square [8]float64
	for range draws {
		q.DrawObjective(&b, size, r)
		noisy(atX, x, &b)
		noisy(atY, y, &b)
		for k, noise := range differences(atX, exact) {
			sum[k] += noise
			square[k] += noise * noise
			if other := differences(atY, exactY)[k]; math.Abs(noise-other) > 1e-14 {
				t.Fatalf("noise %d is %g at one point and %g at another", k, noise, other)
			}
		}
	}
	sigma := level / math.Sqrt(size)
	for k := range sum {
		mean, sd := sum[k]/draws, math.Sqrt(square[k]/draws)
		if math.Abs(mean) > 5*sigma/math.Sqrt(draws) || math.Abs(sd/sigma-1) > 5/math.Sqrt(2*draws) {
			t.Errorf("entry %d has noise of mean %g and deviation %g, want 0 and %g", k, mean, sd, sigma)
		}
	}
	if _, err := problem.NewNoisy(o, math.NaN()); err == nil {
		t.Error("a noise level of NaN is accepted")
	}
}

// differences lists the noise in ∇f, c and ∇c.
func differences(v, exact *problem.Values) []float64 {
	var d []float64
	for k := range v.Gradient {
		d = append(d, v.Gradient[k]-exact.Gradient[k])
	}
	for k := range v.Constraint {
		d = append(d, v.Constraint[k]-exact.Constraint[k])
	}
	for k := range v.Jacobian.Data {
		d = append(d, v.Jacobian.Data[k]-exact.Jacobian.Data[k])
	}
	return d
}
