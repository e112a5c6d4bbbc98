package words

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/fairness"
)

func TestWithBound(t *testing.T) {
	for _, test := range []struct {
		Form
		value, bound float64
		atLeast      bool
		to           Direction
		text, limit  string
	}{
		{Percent, 0.206765, 0.2066, false, Nearest, "20.68 %", "20.66 %"},
		{Percent, 0.20661, 0.2066, false, Nearest, "20.661 %", "20.660 %"},
		{Percent, 0.3312, 0.331234567891, true, Nearest, "33.120 %", "33.123 %"},
		{Percent, 0.5, 0.331234567891, true, Nearest, "50.0 %", "33.1 %"},
		{Points, 0.02, 0.02, false, Nearest, "2.00 percentage points", "2.00 percentage points"},
		// a sum's rounding
		{Points, 0.02 + 1e-17, 0.02, false, Nearest, "2.00 percentage points", "2.00 percentage points"},
		{Points, 0.00002, 0.00004, false, Nearest, "0.002 percentage points", "0.004 percentage points"},
		{Points, 0.0349158, 0.05, false, Upward, "3.50 percentage points", "5.00 percentage points"},
		{Points, 0.07, 0.07, false, Upward, "7.00 percentage points", "7.00 percentage points"}, // 100·0.07 > 7
		{Points, 0.0349158, 0.03492, false, Upward, "3.492 percentage points", "3.492 percentage points"},
		{Points, 0.0349158, 0.034911, false, Upward, "3.4916 percentage points", "3.4911 percentage points"},
		{Ratio, 0.8004, 0.8, true, Downward, "0.800", "0.800"},
		{Ratio, 0.79999, 0.8, true, Downward, "0.799", "0.800"},
		{Ratio, 0.7999, 0.8, true, Nearest, "0.7999", "0.8000"},
		{Ratio, math.NaN(), 0.8, true, Downward, Undefined, "0.800"},
	} {
		text, limit := test.WithBound(fairness.Value(test.value), fairness.Value(test.bound), test.atLeast, test.to)
		if text != test.text || limit != test.limit {
			t.Errorf("%v beside %v: %q and %q, expected %q and %q", test.value, test.bound, text,
				limit, test.text, test.limit)
		}
	}
}

// TestNoneOrAll: three decimals tell a share from none and all.
func TestNoneOrAll(t *testing.T) {
	for v, want := range map[float64]string{0: "0.0 %", 1: "100.0 %", 0.0004: "0.040 %", 0.9998: "99.980 %", 0.9999999: "100.000 %", 1e-9: "0.000 %", 0.1: "10.0 %"} {
		if got := Percent.Text(fairness.Value(v)); got != want {
			t.Errorf("%v is %q, expected %q", v, got, want)
		}
	}
}

// TestOutward: a rounded limit is never better than the limit, and at most one unit worse.
func TestOutward(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		v, decimals := r.Float64(), r.IntN(6)
		for _, to := range []Direction{Upward, Downward} {
			text := Points.number(v, decimals, to)
			got, err := strconv.ParseFloat(text, 64)
			off := got/100 - v
			if to == Downward {
				off = -off
			}
			if dot := strings.IndexByte(text+".", '.'); err != nil || off < -1e-16 ||
				off > math.Pow10(-decimals-2) || len(text)-dot > decimals+1 {
				t.Fatalf("%v with %d decimals: %s (%v)", v, decimals, text, err)
			}
		}
	}
}
