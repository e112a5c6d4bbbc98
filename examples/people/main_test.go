package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/examples/realdata"
	"github.com/fairtrain/fairtrain/internal/datatest"
)

// TestPeople makes the table for the smallest of the data sets.
func TestPeople(t *testing.T) {
	datatest.Path(t, realdata.German.File)
	german := study{realdata.German, "sex"}
	var table bytes.Buffer
	if err := run(t.Context(), &table, os.Getenv("FAIRTRAIN_DATA"), []study{german}, requirements[:1], []float64{0.25}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(table.String(), "\n")
	if len(lines) < 6 || !strings.HasPrefix(lines[2], "| German credit | demographic-parity:group=sex,bound=0.02 | true | 0.0") {
		t.Fatalf("unexpected table:\n%s", &table)
	}
	for _, want := range []string{"2 cells, 0 in which the bound is not kept", "thresholds: +", "scan: +", "more than 0.001 behind in 0."} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("no %q in the table:\n%s", want, &table)
		}
	}
}
