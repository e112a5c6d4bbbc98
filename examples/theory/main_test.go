package main

import (
	"math/rand/v2"
	"testing"

	"github.com/fairtrain/fairtrain/problem/problemtest"
)

// TestSampleGrowth checks the exponent between two targets and that both are reached.
func TestSampleGrowth(t *testing.T) {
	rows, err := table([]float64{0.4, 0.2})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if !(r.residual <= r.epsilon) {
			t.Errorf("ε = %g: mean residual %g", r.epsilon, r.residual)
		}
	}
	if growth := rows[1].samplesEpsilon / rows[0].samplesEpsilon; !(growth > 0.8 && growth < 1.25) {
		t.Errorf("samples·ε³ changes by a factor %.2f when ε halves, want about 1", growth)
	}
}

func TestSphere(t *testing.T) {
	problemtest.Check(t, newSphere(4, 16, 4, 0.3, rand.New(rand.NewPCG(1, 2))), problemtest.DefaultOptions())
}

// TestReach checks what docs/theory.md says of the second table, at its largest target.
func TestReach(t *testing.T) {
	var samples [2]float64
	for i, tau := range []int{3, 1} {
		r, err := reach(t.Context(), 0.4, tau, false)
		if err != nil {
			t.Fatal(err)
		}
		if r.stayed != seeds {
			t.Errorf("τ = %d: %d of %d runs stay below the target", tau, r.stayed, seeds)
		}
		samples[i] = r.quartiles[1]
	}
	if !(samples[0] < samples[1]) {
		t.Errorf("SPIDER takes %g samples, fresh batches %g", samples[0], samples[1])
	}
	r, err := reach(t.Context(), 0.4, 3, true)
	if err != nil {
		t.Fatal(err)
	}
	if r.stayed > 0 || r.eta > 1e-6 {
		t.Errorf("with the paper's step, %g, %d runs reach the target", r.eta, r.stayed)
	}
}
