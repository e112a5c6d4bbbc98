package dataset_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/dataset"
)

// TestClassWeights weighs 3 rows of one class against 1 of the other, with and without
// weights of their own.
func TestClassWeights(t *testing.T) {
	d := &dataset.Dataset{Y: []int8{-1, 1, -1, -1}}
	if w := d.BalancedWeight(); w != 3 {
		t.Errorf("balanced by %v, want 3", w)
	}
	if diff := cmp.Diff([]float64{1, 2, 1, 1}, d.ClassWeights(2)); diff != "" {
		t.Error(diff)
	}
	d.Weights = []float64{1, 4, 0.5, 0.5}
	if w := d.BalancedWeight(); w != 0.5 {
		t.Errorf("balanced by %v, want 0.5", w)
	}
	if diff := cmp.Diff([]float64{1, 2, 0.5, 0.5}, d.ClassWeights(0.5)); diff != "" {
		t.Error(diff)
	}
	d.Weights[1] = 0
	if w := d.BalancedWeight(); !math.IsInf(w, 1) {
		t.Errorf("balanced by %v without a row of the class +1, want +∞", w)
	}
}
