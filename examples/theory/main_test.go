package main

import "testing"

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
