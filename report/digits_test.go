package report

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/fairness"
)

func TestBeside(t *testing.T) {
	for _, test := range []struct {
		form
		value, bound float64
		atLeast      bool
		to           direction
		text, asked  string
	}{
		{inPercent, 0.206765, 0.2066, false, nearest, "20.68 %", "20.66 %"},
		{inPercent, 0.20661, 0.2066, false, nearest, "20.661 %", "20.660 %"},
		{inPercent, 0.3312, 0.331234567891, true, nearest, "33.120 %", "33.123 %"},
		{inPercent, 0.5, 0.331234567891, true, nearest, "50.0 %", "33.1 %"},
		{inPoints, 0.02, 0.02, false, nearest, "2.00 points", "2.00 points"},
		{inPoints, 0.02 + 1e-17, 0.02, false, nearest, "2.00 points", "2.00 points"}, // a sum's rounding
		{inPoints, 0.00002, 0.00004, false, nearest, "0.002 points", "0.004 points"},
		{inPoints, 0.0349158, 0.05, false, upward, "3.50 points", "5.00 points"},
		{inPoints, 0.07, 0.07, false, upward, "7.00 points", "7.00 points"}, // 100·0.07 > 7
		{inPoints, 0.0349158, 0.03492, false, upward, "3.492 points", "3.492 points"},
		{inPoints, 0.0349158, 0.034911, false, upward, "3.4916 points", "3.4911 points"},
		{asRatio, 0.8004, 0.8, true, downward, "0.800", "0.800"},
		{asRatio, 0.79999, 0.8, true, downward, "0.799", "0.800"},
		{asRatio, 0.7999, 0.8, true, nearest, "0.7999", "0.8000"},
		{asRatio, math.NaN(), 0.8, true, downward, undefined, "0.800"},
	} {
		text, asked := test.beside(fairness.Value(test.value), fairness.Value(test.bound), test.atLeast, test.to)
		if text != test.text || asked != test.asked {
			t.Errorf("%v beside %v: %q and %q, expected %q and %q", test.value, test.bound, text, asked, test.text, test.asked)
		}
	}
}

// TestOutward: a rounded limit is never better than the limit, and at most one unit worse.
func TestOutward(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		v, decimals := r.Float64(), r.IntN(6)
		for _, to := range []direction{upward, downward} {
			text := inPoints.number(v, decimals, to)
			got, err := strconv.ParseFloat(text, 64)
			off := got/100 - v
			if to == downward {
				off = -off
			}
			if dot := strings.IndexByte(text+".", '.'); err != nil || off < -1e-16 || off > math.Pow10(-decimals-2) || len(text)-dot > decimals+1 {
				t.Fatalf("%v with %d decimals: %s (%v)", v, decimals, text, err)
			}
		}
	}
}
