package guarantee

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

// drawEvidence draws decisions of groups at levels, of few rows each.
func drawEvidence(t *rapid.T) Evidence {
	e := Evidence{Threshold: 0.5, Groups: map[string][]Group{}}
	rows := rapid.IntRange(20, 120).Draw(t, "rows")
	groups := make([]Group, 4)
	for k := range groups {
		groups[k] = Group{Name: fmt.Sprint(k), Member: make([]bool, rows), Place: Place{Level: k / 2}}
	}
	for i := range rows {
		e.Scores = append(e.Scores, float64(rapid.IntRange(0, 1).Draw(t, "decision")))
		e.Labels = append(e.Labels, int8(2*rapid.IntRange(0, 1).Draw(t, "label")-1))
		groups[rapid.IntRange(0, 3).Draw(t, "group")].Member[i] = true
	}
	e.Groups["cells"] = groups
	return e
}

// TestRatesAreDecisions: a rate of wrong, right or negative decisions is that of other decisions, and
// groups within levels are those of each level by themselves.
func TestRatesAreDecisions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawEvidence(t)
		r := Requirement{
			Kind: rapid.SampledFrom([]Kind{MaxDifference, MinRatio, MaxRate, MinRate}).Draw(t, "kind"), Bound: 0.4, Group: "cells",
			Rate:   rapid.SampledFrom([]Rate{Positive, Negative, Wrong, Right}).Draw(t, "rate"),
			Scores: rapid.Bool().Draw(t, "scores"),
		}
		turned, plain := e, r
		plain.Rate, turned.Scores = Positive, slices.Clone(e.Scores)
		for i, y := range e.Labels {
			if r.Rate.flips(y > 0) {
				turned.Scores[i] = 1 - turned.Scores[i]
			}
		}
		judge := func(r Requirement, e Evidence) Verdict {
			report, err := Test([]Requirement{r}, e, 0.9)
			if err != nil {
				t.Fatal(err)
			}
			v := report.Requirements[0]
			v.Measure, v.Compared, v.LeftOut = "", nil, 0
			return v
		}
		near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
		got := judge(r, e)
		if diff := cmp.Diff(judge(plain, turned), got, near); diff != "" {
			t.Fatalf("%+v (-of other decisions +got):\n%s", r, diff)
		}
		holds := true
		for level := range 2 {
			part := e
			part.Groups = map[string][]Group{"cells": e.Groups["cells"][2*level : 2*level+2]}
			holds = judge(r, part).Holds && holds
		}
		if got.Holds != holds {
			t.Fatalf("%+v holds: %v, and at each level: %v", r, got.Holds, holds)
		}
	})
}

// TestOneRateIsExact: over all outcomes of a group whose rate is the bound or just beyond it, a bound from
// above or below is said to hold with a probability of at most 1 − confidence, and to be violated if it
// is just within; and not much less often. The limits are those of Clopper and Pearson, by the beta
// distribution.
func TestOneRateIsExact(t *testing.T) {
	const confidence, beyond = 0.95, 1e-9
	for _, n := range []int{1, 9, 60} {
		for _, bound := range []float64{0.05, 0.3, 0.9} {
			for _, kind := range []Kind{MaxRate, MinRate} {
				toward := beyond // towards where the bound is broken
				if kind == MinRate {
					toward = -beyond
				}
				of := func(p float64) distuv.Binomial { return distuv.Binomial{N: float64(n), P: p} }
				var falselyHolds, falselyViolated float64
				for x := range n + 1 {
					e := Evidence{Scores: make([]float64, n), Threshold: 0.5, Groups: map[string][]Group{"all": {}}}
					for i := range x {
						e.Scores[i] = 1
					}
					report, err := Test([]Requirement{{Kind: kind, Cells: "all", Bound: bound}}, e, confidence)
					if err != nil {
						t.Fatal(err)
					}
					v := report.Requirements[0]
					if v.Holds {
						falselyHolds += of(bound + toward).Prob(float64(x))
					}
					if v.Answer == Violated {
						falselyViolated += of(bound - toward).Prob(float64(x))
					}
					if want := (distuv.Beta{Alpha: float64(x + 1), Beta: float64(n - x)}); kind == MaxRate && x < n {
						if upper := want.Quantile(confidence); math.Abs(upper-*v.Upper) > 1e-5 {
							t.Errorf("%d of %d: upper limit %v, want %v", x, n, *v.Upper, upper)
						}
					}
				}
				if falselyHolds > 1-confidence || falselyViolated > 1-confidence {
					t.Errorf("n=%d, bound %v, kind %v: false with %v and %v", n, bound, kind, falselyHolds, falselyViolated)
				}
			}
		}
	}
}
