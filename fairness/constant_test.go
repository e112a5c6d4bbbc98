package fairness

import (
	"math"
	"testing"
)

// TestNoBetterThanConstant: of 10 000 rows 400 are decided unlike the majority. So the gain
// has a standard deviation of √400 rows; 1.645 standard deviations are 0.00329.
func TestNoBetterThanConstant(t *testing.T) {
	for _, test := range []struct {
		gained, selected, positives float64
		want                        bool
	}{
		{0.0032, 0.04, 0.3, true},
		{0.0034, 0.04, 0.3, false},
		{0.0032, 0.96, 0.7, true}, // the majority is positive
		{0.0034, 0.96, 0.7, false},
		{-0.1, 0.5, 0.5, true},
		{0, 0, 0.3, true},
		{math.NaN(), 0.5, 0.3, false}, // nothing is known
	} {
		if got := NoBetterThanConstant(test.gained, test.selected, test.positives, 10_000); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}

func TestNearlyConstant(t *testing.T) {
	for selected, want := range map[float64]bool{0: true, 0.01: true, 0.011: false, 0.989: false, 0.99: true, 1: true} {
		if got := NearlyConstant(selected, 10_000); got != want {
			t.Errorf("%v: %v", selected, got)
		}
	}
	// Of few decisions one may differ.
	for positives, want := range map[int]bool{0: true, 1: true, 2: false, 58: false, 59: true, 60: true} {
		if got := NearlyConstant(float64(positives)/60, 60); got != want {
			t.Errorf("%d of 60: %v", positives, got)
		}
	}
	if NearlyConstant(2.0/3, 3) || NearlyConstant(1.0/29, 29) || !NearlyConstant(1.0/30, 30) {
		t.Error("one of 3 or of 29 decisions is few, or one of 30 is not")
	}
}
