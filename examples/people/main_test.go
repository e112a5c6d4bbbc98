package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// TestPeople makes the table for the smallest of the data sets.
func TestPeople(t *testing.T) {
	dir := os.Getenv("FAIRTRAIN_DATA")
	if dir == "" {
		t.Skip("FAIRTRAIN_DATA is not set")
	}
	if _, err := os.Stat(filepath.Join(dir, "german", "german.data")); err != nil {
		t.Skip("FAIRTRAIN_DATA has no german/german.data")
	}
	var table bytes.Buffer
	if err := run(t.Context(), &table, dir, []study{{
		name: "German credit", schema: "german", data: "german/german.data",
		constraints: []string{"demographic-parity:group=sex,bound=0.02"},
	}}); err != nil {
		t.Fatal(err)
	}
	disparity := regexp.MustCompile(`(?m)^\| German credit \| (?:none|demographic-parity:group=sex,bound=0.02) \| ([0-9.]+) \|`)
	rows := disparity.FindAllStringSubmatch(table.String(), -1)
	if len(rows) != 2 {
		t.Fatalf("the table has %d rows, want 2:\n%s", len(rows), &table)
	}
	free, _ := strconv.ParseFloat(rows[0][1], 64)
	fair, _ := strconv.ParseFloat(rows[1][1], 64)
	if !(fair <= 0.02 && free > 0.05) {
		t.Errorf("disparity %v without and %v with the constraint:\n%s", free, fair, &table)
	}
}
