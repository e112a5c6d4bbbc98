package main

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/problem/problemtest"
)

// TestPage compares docs/theory.md with the tables that the command prints.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/theory.md")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := write(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if line = strings.TrimSpace(line); !strings.Contains(string(page), line) {
			t.Errorf("the page lacks\n%s", line)
		}
	}
}

func TestSphere(t *testing.T) {
	problemtest.Check(t, newSphere(4, 16, 4, 0.3, rand.New(rand.NewPCG(1, 2))), problemtest.DefaultOptions())
}
