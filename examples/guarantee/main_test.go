package main

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/model"
)

// TestRun prints a line for each number of rows.
func TestRun(t *testing.T) {
	s := study{
		constraint: model.DemographicParity.For("72", 0.1),
		runs:       2, confidence: 0.95, held: 0.3, power: 0.85, seed: 1,
	}
	var b bytes.Buffer
	if err := run(t.Context(), &b, s, "500,2000"); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[2], "| 500 | ") || !strings.HasPrefix(lines[3], "| 2000 | ") {
		t.Errorf("%s", &b)
	}
}

// TestTruth: a classifier without weights decides alike for everybody.
func TestTruth(t *testing.T) {
	rows := merge(census.Synthetic())
	s := study{population: rows, constraint: model.DemographicParity.For("72", 0.1)}
	trained, err := fit(t.Context(), rows.Pick([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}, "few"), model.Without(s.constraint))
	if err != nil {
		t.Fatal(err)
	}
	clear(trained.Weights)
	trained.Intercept = -1
	got, err := s.truth(trained)
	negatives := 0.0
	for _, y := range rows.Y {
		if y < 0 {
			negatives++
		}
	}
	if err != nil || got.gap != 0 || math.Abs(got.accuracy-negatives/float64(rows.Rows())) > 1e-12 {
		t.Errorf("%+v (%v)", got, err)
	}
}
