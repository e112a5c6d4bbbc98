package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/report"
	"github.com/fairtrain/fairtrain/report/words"
	"github.com/fairtrain/fairtrain/train"
)

// TestReportOfConditions: what a guarantee rests on and nobody could check stands in the verdict,
// in the section about the guarantee and in the numbers.
func TestReportOfConditions(t *testing.T) {
	t.Chdir(t.TempDir()) // certify looks for the training rows where the model file says
	writeHired(t, "train.csv", 300, 1)
	writeHired(t, "fresh.csv", 300, 2)
	const model = "m.json"
	do(t, "train", "--data", "train.csv", "--label", "hired", "--constraint",
		"demographic-parity:group=sex,bound=0.5", "--model", model, "--quiet")
	certified := func(name string, flags ...string) {
		text, _ := do(t, append([]string{"certify", "--model", model, "--data", "fresh.csv", "--ledger", "ledger", "--json", "--quiet"}, flags...)...)
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename("train.csv", "elsewhere.csv"); err != nil {
		t.Fatal(err)
	}
	certified("unchecked")
	if err := os.Rename("elsewhere.csv", "train.csv"); err != nil {
		t.Fatal(err)
	}
	certified("reused", "--reuse")
	const unchecked, reused = "if none of these rows was used in training, which could not be checked", "if the choice of a test of these rows depended only on whether earlier tests were passed"
	for _, test := range []struct{ certificate, condition, other string }{{"unchecked", unchecked, reused}, {"reused", reused, unchecked}} {
		text, d := reportOf(t, "--model", model, "--data", "train.csv", "--certificate", test.certificate)
		expect(t, test.certificate, text,
			"**Guaranteed on a condition.** Guaranteed with 95 % confidence: ", "in sex=f and sex=m, "+test.condition+".",
			"✓ guaranteed (on a condition)", "✓ yes (on a condition)")
		limit := fmt.Sprintf("at most %.2f percentage points",
			math.Ceil(1e4*float64(d.Requirements[0].Value(report.Certified).High))/100)
		expect(t, test.certificate, text, "confidence limit: "+limit, "| "+limit+" | at most 50.00 percentage points |")
		if strings.Contains(text, test.other) {
			t.Errorf("%s: also on the condition %q", test.certificate, test.other)
		}
		if g := d.Guarantee; d.Verdict.Outcome != words.GuaranteedIf ||
			!slices.Equal(g.Conditions, []string{test.condition}) ||
			g.TrainingRowsChecked != (test.condition == reused) {
			t.Errorf("%s: %s, on the conditions %q", test.certificate, d.Verdict.Outcome, g.Conditions)
		}
	}
}

// trainedAs is what train says about a requirement that it prints, and the report of its model.
func trainedAs(t *testing.T, constraint, data, test string, flags ...string) (r *train.Report, talk, text string, d *report.Document) {
	t.Helper()
	model := filepath.Join(t.TempDir(), "m.json")
	args := append([]string{"train", "--data", data, "--test", test, "--label", "hired", "--constraint", constraint, "--model", model, "--quiet"}, flags...)
	talk, _ = do(t, args...)
	numbers, _ := do(t, append(args, "--json", "--force")...)
	if err := json.Unmarshal([]byte(numbers), &r); err != nil {
		t.Fatal(err)
	}
	text, d = reportOf(t, "--model", model, "--data", data, "--test", test)
	return r, strings.Join(strings.Fields(talk), " "), text, d
}

// TestReportOfShares: where the bound is the share of a group in the rows, the report judges
// held-out rows as train does, by its share in the training rows, and shows it.
func TestReportOfShares(t *testing.T) {
	dir := t.TempDir()
	writeHired(t, filepath.Join(dir, "train.csv"), 600, 1)
	writeHired(t, filepath.Join(dir, "all.csv"), 600, 2)
	text, err := os.ReadFile(filepath.Join(dir, "all.csv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(string(text)))
	for few, broken := range map[string]bool{"f,": true, "m,": false} {
		rows, people := lines[0], 0
		for k, line := range lines[1:] {
			if k%3 == 0 || !strings.HasPrefix(line, few) {
				rows += line
				people++
			}
		}
		test := filepath.Join(dir, "few.csv")
		if err := os.WriteFile(test, []byte(rows), 0o644); err != nil {
			t.Fatal(err)
		}
		r, talk, text, d := trainedAs(t, "share:group=sex=f,omega=share", filepath.Join(dir, "train.csv"), test)
		q, asked := r.Requirements[0], d.Requirements[0]
		if asked.Bound != q.Bound || asked.BoundFrom != report.Training {
			t.Errorf("few %s: the bound %v of the %s rows, train has %v", few, asked.Bound, asked.BoundFrom, q.Bound)
		}
		for k, value := range []float64{*q.Train, *q.Test} {
			if a := asked.Values[k]; float64(a.Bound) != q.Bound || float64(a.Value) != value {
				t.Errorf("few %s: %v for %v in %s rows, train has %v for %v", few, a.Value, a.Bound,
					a.Role, value, q.Bound)
			}
		}
		if asked.Values[1].Met == broken || strings.Contains(talk,
			"NOT met on test data") != broken || (d.Verdict.Outcome == words.NotOnNewRows) != broken {
			t.Errorf("few %s: kept is %v, the outcome %s, and train says %s", few,
				asked.Values[1].Met, d.Verdict.Outcome, talk)
		}
		expect(t, "few "+few, text, "omega=share names no share: the bound is the share of group sex=f among the 600 training rows.")
		if got := strings.Count(text, fmt.Sprintf("| at least %.1f %% |",
			100*q.Bound)) + strings.Count(text, fmt.Sprintf("| at least %.2f", 100*q.Bound)); got < 2 {
			t.Errorf("few %s: %d rows show the bound %v", few, got, q.Bound)
		}
		model := filepath.Join(t.TempDir(), "m.json")
		do(t, "train", "--data", filepath.Join(dir, "train.csv"), "--label", "hired",
			"--constraint", "share:group=sex=f,omega=share", "--model", model, "--quiet")
		_, alone := reportOf(t, "--model", model, "--data", test)
		women := float64(strings.Count(rows, "\nf,")) / float64(people)
		if a := alone.Requirements[0]; math.Abs(a.Bound-women) > 1e-12 || a.BoundFrom != report.Held {
			t.Errorf("few %s: alone these rows have the bound %v of the %s rows, expected %v", few,
				a.Bound, a.BoundFrom, women)
		}
	}
}

// TestReportOfTolerance: scores that are beyond their bound, within the tolerance of training, are
// said to be, as train does, and no text shows the figure as equal to the bound.
func TestReportOfTolerance(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	writeHired(t, file("train.csv"), 600, 1)
	writeHired(t, file("test.csv"), 600, 8)
	free, _, _, _ := trainedAs(t, "bounded-group-loss:group=sex,bound=0.9", file("train.csv"), file("test.csv"))
	bound := math.Round(*free.Requirements[0].Train*1e4)/1e4 - 1e-3
	r, talk, text, d := trainedAs(t, fmt.Sprintf("bounded-group-loss:group=sex,bound=%.4f", bound),
		file("train.csv"), file("test.csv"), "--tol", "0.02")
	q, asked := r.Requirements[0], d.Requirements[0]
	a := asked.Values[0]
	if q.Holds(*q.Train) || !q.Satisfied {
		t.Fatalf("not kept within the tolerance only: %v for %v", *q.Train, q.Bound)
	}
	if !a.Met || a.Tolerance != 0.02 {
		t.Errorf("kept is %v, within %v", a.Met, a.Tolerance)
	}
	if beyond := *q.Test - bound; !(beyond > 0 && beyond < 0.02) { // so that the rule matters
		t.Fatalf("on test rows the bound is missed by %v", beyond)
	}
	if want := q.Keeps(*q.Test, r.Tolerance); asked.Values[1].Met != want ||
		strings.Contains(talk, "NOT met on test data") == want {
		t.Errorf("on test rows kept is %v, expected %v; train says %s", asked.Values[1].Met, want, talk)
	}
	expect(t, "train", talk, "Satisfied within the tolerance: ")
	expect(t, "the report", text, "✓ within the tolerance", "beyond the bound by no more than 0.02")
	row := regexp.MustCompile(`\| Training rows \(600\) \| at most ([0-9.]+) % \| ([0-9.]+) %`).FindStringSubmatch(text)
	if row == nil || row[1] >= row[2] {
		t.Errorf("%v is shown beside %v as %q", a.Value, a.Bound, row)
	}
}

// TestReportWithinOneDecision: the rule is said, of groups of any size.
func TestReportWithinOneDecision(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "train.csv")
	writeHired(t, data, 601, 1)
	model := filepath.Join(dir, "m.json")
	do(t, "train", "--data", data, "--label", "hired", "--constraint",
		"demographic-parity:group=sex,bound=0.00004", "--model", model, "--quiet")
	text, d := reportOf(t, "--model", model, "--data", data)
	if d.Verdict.Outcome != words.NotOnNewRows || len(d.Requirements[0].WithinOneDecision) == 0 {
		t.Fatalf("%s, within one decision are %q", d.Verdict.Outcome, d.Requirements[0].WithinOneDecision)
	}
	expect(t, "the report", text, "Met within one decision of each group on training data; NOT met on unseen data: selection rates of sex differ by ",
		"such a small group may be beyond the bound by one of its decisions.", "at most 0.004 percentage points", "✓ within one decision")
	if strings.Contains(text, "tiny") {
		t.Error("a group of 300 is called tiny")
	}
}

// TestReportOfBrokenRequirements: all that are broken on held-out rows are in the verdict, and that
// this may be chance where the interval contains the bound; a test that no number of rows would
// pass says so, and of what its rows are.
func TestReportOfBrokenRequirements(t *testing.T) {
	t.Chdir(t.TempDir())
	writeHired(t, "train.csv", 1500, 1)
	writeHired(t, "test.csv", 60, 7)
	writeHired(t, "fresh.csv", 300, 4)
	do(t, "train", "--data", "train.csv", "--test", "test.csv", "--label", "hired", "--constraint",
		"equal-opportunity:group=sex,bound=0.01", "--constraint", "demographic-parity:group=age,bound=0.01", "--model", "m.json", "--quiet")
	text, d := reportOf(t, "--model", "m.json", "--data", "train.csv", "--test", "test.csv")
	expect(t, "the report", text, "NOT met on test data: true positive rates of sex differ by",
		"NOT met on test data: selection rates of age differ by",
		"demographic-parity:group=age,bound=0.01 is not met on the 60 test rows, which is not statistically significant: the confidence interval includes the bound.")
	if d.Verdict.Outcome != words.NotOnNewRows {
		t.Errorf("outcome %s", d.Verdict.Outcome)
	}
	var out, talk bytes.Buffer
	if code := run(t.Context(), []string{"fairtrain", "certify", "--model", "m.json", "--data", "fresh.csv", "--ledger", "ledger", "--json"}, nil, &out, &talk); code != command.ExitNotReached {
		t.Fatalf("code %d: %s", code, talk.String())
	}
	if err := os.WriteFile("test.json", out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	text, _ = reportOf(t, "--model", "m.json", "--data", "train.csv", "--certificate", "test.json")
	expect(t, "the report", text, "is too small: it has",
		"rows with the positive label, and needs about", "rows would probably show that equal-opportunity:group=sex,bound=0.01 is violated")
}
