package results

import (
	"math"
	"testing"
)

// TestNumber writes numbers as JSON and reads them back.
func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{0.1: "0.1", math.Inf(1): `"+Inf"`, math.Inf(-1): `"-Inf"`, math.NaN(): `"NaN"`} {
		text, err := Number(x).MarshalJSON()
		if err != nil || string(text) != want {
			t.Errorf("%v is %s (%v), want %s", x, text, err, want)
		}
		var back Number
		if err := back.UnmarshalJSON(text); err != nil ||
			math.Float64bits(float64(back)) != math.Float64bits(x) && !math.IsNaN(x) {
			t.Errorf("%s is read as %v (%v)", text, back, err)
		}
	}
}
