package quantity

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/internal/swar"
	"github.com/fairtrain/fairtrain/internal/wide"
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
		behind := rapid.SampledFrom([]string{"", ",", ".5,-6,7.8,9,10.11", "0000000000000000"}).Draw(t, "behind")
		if v, w, o := DecimalIn(text+behind, len(text)); o != ok || w != whole || math.Float64bits(v) != math.Float64bits(value) {
			t.Fatalf("%q before %q is read as %v, %v, %v; want %v, %v, %v", text, behind, v, w, o, value, whole, ok)
		}
		if short, isShort := swar.ShortOf(text); isShort {
			if short.String() != text {
				t.Fatalf("%q is %q as words", text, short)
			}
			for _, n := range []int{1, wide.Texts} { // which are read in different ways
				var to [wide.Texts]uint64
				read, points := Decimals(to[:n], slices.Repeat([]swar.Short{short}, n))
				want := ok && text[0] != '+'
				if read&1 == 1 != want || want && (to[n-1] != math.Float64bits(value) || points&1 == 1 == whole) {
					t.Fatalf("%q is read as %v, %b, %b; want %v, %v, %v", text, math.Float64frombits(to[n-1]), read, points, value, whole, want)
				}
			}
		}
		long := swar.ShortAt((*[16]byte)([]byte(text + "0123456789012345"))).First(16)
		if read, _ := Decimals(make([]uint64, 1), []swar.Short{long}); read != 0 {
			t.Fatalf("%q and more is read, which is too long", text)
		}
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

func BenchmarkDecimal(b *testing.B) {
	for _, text := range []string{"12.5", "-0.123456", "0.0123456", "-73.98130416"} {
		b.Run(text, func(b *testing.B) {
			short, _ := swar.ShortOf(text)
			texts := slices.Repeat([]swar.Short{short}, wide.Texts)
			var to [wide.Texts]uint64
			for b.Loop() {
				Decimals(to[:], texts)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/wide.Texts, "ns/text")
		})
	}
}
