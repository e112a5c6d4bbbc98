package main

import (
	"math"
	"testing"
)

// TestCoverage measures few and small groups: exact intervals must hold, approximate ones in
// 93 % of all cases, to within two standard deviations.
func TestCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const trials, resamples = 40, 250
	numbers = []int{2, 5}
	shares, others, err := measure(trials, resamples, []int{12})
	if err != nil {
		t.Fatal(err)
	}
	check := func(cells []*cell, least float64, trials int) {
		slack := 2 * math.Sqrt(least*(1-least)/float64(trials))
		for _, c := range cells {
			for name, coverage := range c.coverage {
				if coverage < least-slack {
					t.Errorf("%d groups of %d rows, rate %v: %s is contained in %.3f of all cases", c.groups, c.rows, c.rate, name, coverage)
				}
			}
		}
	}
	check(shares, 0.945, 10*trials)
	check(others, 0.93, trials/4) // some cases have no positive row, and no AUC
}
