package evaluate

import (
	"context"
	"errors"
	"io"
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset/census"
)

// TestWritingStops: an interrupt ends the output, whose rows may be very many.
func TestWritingStops(t *testing.T) {
	d := census.Test()
	m := &classifier.Classifier{Weights: make([]float64, d.Features()), Threshold: 0.5}
	var r predictions
	if err := r.judge(t.Context(), m, d); err != nil || r.positives != d.Rows() {
		t.Fatalf("%d positive decisions, want %d: %v", r.positives, d.Rows(), err)
	}
	r.stopped = func() error { return context.Canceled }
	for name, write := range map[string]func(io.Writer) error{"CSV": r.writeCSV, "JSON": r.writeJSON} {
		if err := write(io.Discard); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want %v", name, err, context.Canceled)
		}
	}
}

// TestOutward: an interval as it is shown contains the interval, and ends with 1 only if that does.
func TestOutward(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.OneOf(rapid.Float64Range(-1, 1), rapid.Float64Range(0.99, 1),
			rapid.Float64Range(1e-7, 1e-3), rapid.SampledFrom([]float64{0, 1, -1, 0.07, 0.5})).Filter(func(x float64) bool { return x == 0 || math.Abs(x) > 1e-300 }).Draw(t, "x")
		for _, towards := range []float64{math.Inf(-1), math.Inf(1)} {
			rounded, digits := outward(x, towards)
			shown, err := strconv.ParseFloat(strconv.FormatFloat(rounded, 'g', digits, 64), 64)
			if shown != rounded {
				t.Errorf("%v is %v in CSV and %v in print", x, rounded, shown)
			}
			if err != nil || towards < 0 && shown > x || towards > 0 && shown < x {
				t.Errorf("%v is shown as %v", x, shown)
			}
			if math.Abs(shown-x) > 0.011*math.Abs(x) {
				t.Errorf("%v is shown as %v, far away", x, shown)
			}
			if shown == 1 && x < 1-1e-8 {
				t.Errorf("%v is shown as 1", x)
			}
		}
	})
}
