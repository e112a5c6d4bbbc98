package problem_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/problem"
)

// all has a different number for every constant.
var all = problem.Constants{G: 2, M: 3, Lf: 5, Lc: 7, LJ: 11, Lhf: 13, Lhc: 17, SigmaF: 19, SigmaC: 23, SigmaJ: 29, Nu: 31}

// TestBoundsOfRescaled: a derivative of order k by z = x/s is s^k times that by x.
func TestBoundsOfRescaled(t *testing.T) {
	const s, least = 3, 0.5
	q, err := problem.NewRescaled(known{quadratic(3, 2), all}, []float64{1, s, least})
	if err != nil {
		t.Fatal(err)
	}
	want := problem.Constants{
		M: all.M, SigmaC: all.SigmaC, // values
		G: s * all.G, SigmaF: s * all.SigmaF, Lc: s * all.Lc, SigmaJ: s * all.SigmaJ, // first derivatives
		Lf: s * s * all.Lf, LJ: s * s * all.LJ, // second ones
		Lhf: s * s * s * all.Lhf, Lhc: s * s * s * all.Lhc, // third ones
		Nu: least * all.Nu,
	}
	if diff := cmp.Diff(want, q.Bounds()); diff != "" {
		t.Error(diff)
	}
}

// TestBoundsOfStandard: constraints and their derivatives are multiplied by κ, and a slack adds a
// column of length 1.
func TestBoundsOfStandard(t *testing.T) {
	const largest, least = 4, 0.5
	want := all
	want.M, want.SigmaC = largest*all.M, largest*all.SigmaC
	want.Lc, want.SigmaJ = largest*all.Lc, largest*all.SigmaJ
	want.LJ, want.Lhc = largest*all.LJ, largest*all.Lhc
	want.Nu = least * all.Nu
	for _, inequalities := range [][]int{nil, {0}} {
		q, err := problem.NewStandard(known{quadratic(5, 2).AtMost(inequalities...), all}, []float64{least, largest})
		if err != nil {
			t.Fatal(err)
		}
		want := want
		if inequalities != nil {
			want.Lc = math.Hypot(want.Lc, 1)
		}
		if diff := cmp.Diff(want, q.Bounds()); diff != "" {
			t.Errorf("inequalities %v:\n%s", inequalities, diff)
		}
	}
}

// TestOr takes every constant from where it is known.
func TestOr(t *testing.T) {
	if got := all.Or(problem.Constants{G: 100, Nu: 100}); got != all {
		t.Errorf("all are known, but they become %+v", got)
	}
	if got := (problem.Constants{}).Or(all); got != all {
		t.Errorf("none is known, and they become %+v", got)
	}
	for k := range reflect.TypeFor[problem.Constants]().NumField() {
		c := all
		reflect.ValueOf(&c).Elem().Field(k).SetFloat(0)
		if got := c.Or(all); got != all {
			t.Errorf("one is unknown, and they become %+v", got)
		}
		if got := len(c.Known()); got != len(all.Known())-1 {
			t.Errorf("%d constants of %+v are known", got, c)
		}
	}
}
