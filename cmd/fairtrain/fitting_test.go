package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/internal/memory"
)

// TestTooLargeForMemory: data that are too large for --memory are refused by name with the way to
// train on them, and this way leads to the same model.
func TestTooLargeForMemory(t *testing.T) {
	t.Chdir(t.TempDir())
	defer memory.SetBudget(0)
	r := rand.New(rand.NewPCG(1, 1))
	var text strings.Builder
	for range 4000 {
		x := r.NormFloat64()
		fmt.Fprintf(&text, "%d", r.IntN(2))
		if x > 0 {
			text.WriteString(" 1:1")
		}
		for j := 2; j <= 300; j++ {
			fmt.Fprintf(&text, " %d:%.2f", j, x+r.NormFloat64())
		}
		text.WriteString("\n")
	}
	if err := os.WriteFile("rows.libsvm", []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	command := func(args string) (code int, stderr string) {
		var out, errs bytes.Buffer
		code = run(t.Context(), append([]string{"fairtrain"}, strings.Fields(args)...), nil, &out, &errs)
		return code, errs.String()
	}
	const train = "train --tol 0.1 --on scores --quiet --force --constraint demographic-parity:group=1,bound=0.05"
	code, said := command(train + " --memory 25MB --data rows.libsvm")
	for _, want := range []string{"rows.libsvm", "the budget is 25 MB", "  hint: data pack --out rows.fpk rows.libsvm packs"} {
		if code != 1 || !strings.Contains(said, want) {
			t.Errorf("code %d, %s; want %s", code, said, want)
		}
	}
	for _, step := range []string{
		"data pack --memory 25MB --out rows.fpk rows.libsvm", train +
			" --memory 25MB --data rows.fpk --model small.json",
		train + " --data rows.libsvm --model large.json",
	} {
		if code, said := command(step); code != 0 {
			t.Fatalf("%s: code %d, %s", step, code, said)
		}
	}
	weights := func(path string) string {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, after, found := strings.Cut(string(content), `"weights"`)
		if !found {
			t.Fatalf("%s has no weights", path)
		}
		return after[:2000]
	}
	if weights("small.json") != weights("large.json") {
		t.Error("the models differ")
	}
}
