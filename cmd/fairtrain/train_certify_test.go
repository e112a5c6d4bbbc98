package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/internal/rng"
)

// TestCertifiedRowsTouchNothing changes all values of the rows that --certify sets aside,
// and finds the model unchanged: encoding, levels, weights, threshold.
func TestCertifiedRowsTouchNothing(t *testing.T) {
	const rows = 300
	_, aside, err := dataset.HoldOut(rows, nil, 0.3, 1)
	if err != nil {
		t.Fatal(err)
	}
	dealt := make([]bool, rows)
	for _, i := range aside {
		dealt[i] = true
	}
	trained := func(change bool) *classifier.Classifier {
		r := rng.New(1, "touch")
		var b strings.Builder
		b.WriteString("z,job,sex,hired\n")
		for i := range rows {
			z := r.NormFloat64()
			job, hired := []string{"a", "b", "c"}[r.IntN(3)], []string{"no", "yes"}[r.IntN(2)]
			if z > 0.3 {
				hired = "yes"
			}
			if change && dealt[i] {
				z, job, hired = 1e6+z, "z", []string{"no", "yes"}[i%2]
			}
			fmt.Fprintf(&b, "%v,%s,%s,%s\n", z, job, []string{"f", "m"}[i%2], hired)
		}
		dir := t.TempDir()
		data, model := filepath.Join(dir, "people.csv"), filepath.Join(dir, "model.json")
		if err := os.WriteFile(data, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		code := run(t.Context(), []string{
			"fairtrain", "train", "--data", data, "--model", model, "--ledger", filepath.Join(dir, "ledger"),
			"--constraint", "demographic-parity:group=sex,bound=0.1", "--certify", "0.3", "--verbose",
		}, strings.NewReader(""), &out, &errs)
		if code != 0 && code != command.ExitNotReached {
			t.Fatalf("code %d: %s", code, &errs)
		}
		if !regexp.MustCompile(`the probability to\s+pass\s+the\s+test\s+was\s+about\s+0\.\n`).MatchString(out.String()) {
			t.Errorf("of few rows nothing is said about the chance: %s", &out)
		}
		m, err := classifier.Load(model)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	before, after := trained(false), trained(true)
	if diff := cmp.Diff(before.Features, after.Features); diff != "" {
		t.Errorf("the encoding: %s", diff)
	}
	if diff := cmp.Diff(before.Weights, after.Weights); diff != "" ||
		before.Intercept != after.Intercept || before.Threshold != after.Threshold {
		t.Errorf("intercepts %v and %v, thresholds %v and %v, weights %s", before.Intercept,
			after.Intercept, before.Threshold, after.Threshold, diff)
	}
	if diff := cmp.Diff(before.Tests[0].Fingerprint, after.Tests[0].Fingerprint); diff == "" {
		t.Error("the rows that are tested have not changed")
	}
}
