package evaluate

import (
	"context"
	"errors"
	"io"
	"testing"

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
