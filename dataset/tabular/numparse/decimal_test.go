package numparse

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestParseDecimal: ParseDecimal reads the same number as strconv, to the last bit, and it
// reads every short decimal.
func TestParseDecimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.StringMatching(`[-+]?[0-9]{0,9}(\.[0-9]{0,8})?`),
			rapid.StringOfN(rapid.RuneFrom([]rune("0123456789./-+e,_xé")), 0, 20, -1),
		).Draw(t, "text")
		value, whole, ok := ParseDecimal(text)
		want, err := strconv.ParseFloat(text, 64)
		digits := strings.TrimLeft(text, "+-")
		short := err == nil && len(digits) <= 15 && !strings.ContainsAny(text, "eEx_nN")
		switch {
		case ok && (err != nil || math.Float64bits(value) != math.Float64bits(want)):
			t.Fatalf("%q is read as %v, want %v (%v)", text, value, want, err)
		case ok != short && len(digits) != 16:
			t.Fatalf("%q: ok is %v", text, ok)
		case ok && whole == strings.Contains(text, "."):
			t.Fatalf("%q: whole is %v", text, whole)
		}
	})
}
