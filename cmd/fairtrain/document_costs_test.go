package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/fairness"
)

// TestReportOfCosts: where decisions were chosen by costs, the report compares what wrong decisions
// cost with what constant decisions cost.
func TestReportOfCosts(t *testing.T) {
	dir := t.TempDir()
	data, model := filepath.Join(dir, "train.csv"), filepath.Join(dir, "m.json")
	writeHired(t, data, 600, 1)
	do(t, "train", "--data", data, "--label", "hired", "--constraint",
		"demographic-parity:group=sex,bound=0.1", "--threshold", "0.2", "--model", model, "--quiet")
	text, d := reportOf(t, "--model", model, "--data", data)
	scores, _ := do(t, "predict", "--model", model, "--data", data, "--id", "sex", "--id", "hired")
	people := readPeople(t, scores)
	cost := func(selected func(person) bool) (sum float64) {
		for _, p := range people {
			switch {
			case selected(p) && !p.hired:
				sum += 0.2
			case !selected(p) && p.hired:
				sum += 0.8
			}
		}
		return sum / float64(len(people))
	}
	want := []float64{cost(func(p person) bool { return p.selected }), cost(func(person) bool { return true }), cost(func(person) bool { return false })}
	paid := d.Cost[0].Costs
	for k, got := range []fairness.Value{paid.Classifier, paid.AllPositive, paid.AllNegative} {
		if math.Abs(float64(got)-want[k]) > 1e-12 {
			t.Errorf("cost %d is %v, expected %v", k, got, want[k])
		}
	}
	expect(t, "the report", text, fmt.Sprintf("| Training rows (600) | %.4f | %.4f | %.4f |",
		want[0], want[1], want[2]))
	if strings.Contains(text, "turned down") {
		t.Error("a negative decision is said to be bad for a person")
	}
	if strings.Contains(text, "must beat") || strings.Contains(text, "is not significantly above") {
		t.Error("a classifier that was chosen by costs is compared by accuracy")
	}
	// A classifier for which everybody is selected costs what that costs.
	file, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	constant := regexp.MustCompile(`"threshold": ?[^,\n]+`).ReplaceAll(file, []byte(`"threshold": 0`))
	if err := os.WriteFile(model, constant, 0o644); err != nil {
		t.Fatal(err)
	}
	text, _ = reportOf(t, "--model", model, "--data", data)
	expect(t, "the constant classifier", text, fmt.Sprintf("On the 600 training rows wrong decisions cost %.4f on average, no less than the %.4f of", want[1], min(want[1], want[2])))
}

// TestReportOfTheCommand: what the report says of the command of a certified training is what the
// command does.
func TestReportOfTheCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	writeHired(t, "train.csv", 1500, 1)
	train := func(model, ledger string, flags ...string) int {
		var out, talk bytes.Buffer
		return run(t.Context(), append([]string{
			"fairtrain", "train", "--data", "train.csv", "--label", "hired", "--constraint", "demographic-parity:group=sex,bound=0.12",
			"--use-group", "--certify", "0.4", "--model", model, "--report", model + ".md", "--ledger", ledger, "--quiet",
		}, flags...), nil, &out, &talk)
	}
	const failed, worse = command.ExitFailure, command.ExitNotReached
	if code := train("m.json", "ledger"); code != 0 && code != worse {
		t.Fatalf("code %d", code)
	}
	if code := train("refused.json", "ledger"); code != failed {
		t.Errorf("the same command again: code %d", code)
	}
	for name, flags := range map[string][]string{"same.json": {"--ledger", "empty"}, "other.json": {"--reuse"}} {
		if code := train(name, "ledger", flags...); code != 0 && code != worse {
			t.Fatalf("%s: code %d", name, code)
		}
	}
	weights := func(model string) string {
		text, err := os.ReadFile(model)
		if err != nil {
			t.Fatal(err)
		}
		return regexp.MustCompile(`(?s)"weights":.*?\]`).FindString(string(text))
	}
	if weights("same.json") != weights("m.json") || weights("other.json") == weights("m.json") {
		t.Error("an empty ledger gives other weights, or --reuse the same")
	}
	text, err := os.ReadFile("m.json.md")
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "the report", string(text), "this trains a model of the same weights:",
		"a ledger that does not have them, such as an empty folder",
		"A model file also notes its tests and their times")
	do(t, "train", "--data", "train.csv", "--label", "hired", "--constraint", "none", "--model",
		"plain.json", "--quiet")
	if strings.Contains(string(text), "could not be checked") ||
		strings.Contains(string(text), "only on whether earlier tests") {
		t.Error("the test of a training run has a condition")
	}
	if text, err = os.ReadFile("other.json.md"); err != nil {
		t.Fatal(err)
	}
	expect(t, "the report of --reuse", string(text), "only on whether earlier tests were passed")
	plain, _ := reportOf(t, "--model", "plain.json", "--data", "train.csv")
	expect(t, "the other report", plain, "the same kind of processor, this trains a model of the same weights:")
	if strings.Contains(plain, "ledger") || strings.Contains(plain, "its tests") {
		t.Error("a model without a test has a ledger")
	}
}
