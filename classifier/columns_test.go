package classifier

import (
	"testing"

	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/tabular"
)

// TestNumbersInWords: a number is given as it stands in the row.
func TestNumbersInWords(t *testing.T) {
	for _, test := range []struct {
		mean, sd, v float64
		want        string
	}{
		{6.1e7, 2.7e7, 81234567, "x=81234567"},
		{6.1e7, 2.7e7, 100000000, "x=100000000"},
		{38.58, 13.64, 30.123456789, "x=30.123456789"},
		{38.58, 13.64, 0, "x=0"},
		{0.1, 0.3, -0.25, "x=-0.25"},
		{1e-9, 3e-9, 2.5e-9, "x=2.5e-09"},
		{1e20, 1e19, 3e20, "x=3e+20"},
	} {
		c := &Column{Name: "x", End: 1, Encoding: &encoding.Column{As: tabular.Standardise, Mean: test.mean, SD: test.sd}}
		if got := new(Features).value(c, []float64{(test.v - test.mean) / test.sd}); got != test.want {
			t.Errorf("%v with mean %v and deviation %v: %q, want %q", test.v, test.mean, test.sd, got, test.want)
		}
	}
}
