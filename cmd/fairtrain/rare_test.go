package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/train"
)

// trained is a run of train on a file of writeHired with more lines, and what it says.
func trained(t *testing.T, rows int, more, constraint string, flags ...string) (r train.Report, text string) {
	t.Helper()
	dir := t.TempDir()
	data, model := filepath.Join(dir, "d.csv"), filepath.Join(dir, "m.json")
	writeHired(t, data, rows, 3)
	lines, err := os.ReadFile(data)
	if err == nil {
		err = os.WriteFile(data, append(lines, more...), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	flags = append([]string{"train", "--data", data, "--label", "hired", "--constraint", constraint, "--model", model}, flags...)
	said, _ := do(t, append(flags, "--json")...)
	if err := json.Unmarshal([]byte(said), &r); err != nil {
		t.Fatal(err)
	}
	text, _ = do(t, append(flags, "--verbose")...)
	return r, text
}

// TestGroupOfOneRow: a group without the label that a rate is about is left out by name, and so is one
// of a single fold on unseen rows. The others are compared as if it was not there.
func TestGroupOfOneRow(t *testing.T) {
	const other = "other,old,0.1,3,no\n"
	r, text := trained(t, 400, other, "equal-opportunity:group=sex,bound=0.05")
	q := r.Requirements[0]
	if want := []string{"sex=other"}; !cmp.Equal(q.TrainWithout, want) || q.Train == nil || q.Unseen == nil || !q.Satisfied {
		t.Errorf("left out %q, want %q; %+v", q.TrainWithout, want, q)
	}
	expect(t, "the text", text, "The 401 training rows have nobody of sex=other with the positive label:")

	r, text = trained(t, 400, other, "demographic-parity:group=sex,bound=0.05")
	q = r.Requirements[0]
	if want := []string{"sex=other"}; q.TrainWithout != nil || !cmp.Equal(q.UnseenWithout, want) || q.Unseen == nil {
		t.Errorf("left out %q, want %q; %+v", q.UnseenWithout, want, q)
	}
	expect(t, "the text", text, "sex=other: too few rows for cross-validation")
}

// TestNobodySelected: where a label is so rare that nobody is selected, that comes first, with what
// changes it, and it is true of these flags.
func TestNobodySelected(t *testing.T) {
	const constraint = "demographic-parity:group=sex,bound=0.05"
	more := ""
	for k := range 1500 {
		more += fmt.Sprintf("%c,old,%.2f,%d,%s\n", "fm"[k%2], float64(k%61)/10-2, 1+k%20, []string{"no", "yes"}[1/(1+k%53)])
	}
	r, text := trained(t, 2, more, constraint)
	if r.Train.SelectionRate != 0 {
		t.Fatalf("selected %v", r.Train.SelectionRate)
	}
	said := strings.Join(strings.Fields(text), " ")
	first, _, _ := strings.Cut(said, " Satisfied")
	expect(t, "the text", first, "Nobody is selected", "a lower --threshold, such as 0.019,")
	if strings.Count(said, "Nobody is selected") != 1 {
		t.Errorf("said more than once:\n%s", text)
	}
	for _, flags := range [][]string{{"--threshold", "0.019"}} {
		if r, _ := trained(t, 2, more, constraint, flags...); r.Train.SelectionRate == 0 {
			t.Errorf("%q selects nobody", flags)
		}
	}
}

// TestAlreadySatisfied: a bound that the unconstrained model meets, on unseen rows too, changes
// nothing, and the report says so.
func TestAlreadySatisfied(t *testing.T) {
	const loose, tight = "demographic-parity:group=sex,bound=0.9", "demographic-parity:group=sex,bound=0.02"
	for _, flags := range [][]string{nil, {"--class-weight", "balanced"}, {"--aim", "training"}, {"--on", "scores"}} {
		r, text := trained(t, 400, "", loose, flags...)
		free := r.Baselines.Unconstrained.Train
		if !r.AlreadySatisfied || float64(r.Train.Accuracy) != free.Accuracy || *r.Requirements[0].Train != *free.Requirements[0] || !r.Requirements[0].Satisfied {
			t.Errorf("%q: accuracy %v, %v unconstrained; %+v", flags, r.Train.Accuracy, free.Accuracy, r.Requirements)
		}
		if unseen := r.Requirements[0].Unseen; (unseen == nil) != slices.Contains(flags, "--on") || unseen != nil && *unseen > 0.9 {
			t.Errorf("%q: unseen %v", flags, unseen)
		}
		expect(t, "the text", text, "The constraint is already satisfied by the unconstrained model: it is kept.")
	}
	if r, text := trained(t, 400, "", tight); r.AlreadySatisfied || strings.Contains(text, "already satisfied") {
		t.Errorf("a tight bound is already satisfied:\n%s", text)
	}
}

// TestEverythingTwice: the commands of a monthly job run again, lists have commas or are repeated, and
// decisions in the words of the label are read back.
func TestEverythingTwice(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	writeHired(t, file("d.csv"), 300, 3)
	writeHired(t, file("new.csv"), 200, 4)
	var models []string
	for _, lists := range [][]string{{"--categorical", "years,age"}, {"--categorical", "years", "--categorical", "age"}} {
		do(t, append([]string{
			"train", "--data", file("d.csv"), "--label", "hired", "--model", file("m.json"), "--report", file("r.html"), "--quiet",
			"--constraint", "demographic-parity:group=sex,bound=0.3,equal-opportunity:group=age,bound=0.9",
		}, lists...)...)
		text, err := os.ReadFile(file("m.json"))
		if err != nil {
			t.Fatal(err)
		}
		var m struct{ Weights, Constraints json.RawMessage }
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatal(err)
		}
		models = append(models, string(m.Weights)+string(m.Constraints))
	}
	if models[0] != models[1] || !strings.Contains(models[0], "equal-opportunity") {
		t.Error("lists with commas lead to another model than repeated flags")
	}
	for _, format := range []string{"r.html", "r.md", "r.json"} {
		for range 2 {
			do(t, "report", "--model", file("m.json"), "--data", file("d.csv"), "--out", file(format), "--quiet")
		}
	}
	for _, words := range []string{"yes/no", "1/0"} {
		flags := []string{"predict", "--model", file("m.json"), "--data", file("new.csv"), "--id", "sex,hired", "--out", file("scores.csv"), "--quiet"}
		if words != "yes/no" { // those of the label
			flags = append(flags, "--decisions", words)
		}
		do(t, flags...)
		positive, negative, _ := strings.Cut(words, "/")
		text, err := os.ReadFile(file("scores.csv"))
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "the scores", string(text), "sex,hired,score,decision\n", ","+positive+"\n", ","+negative+"\n")
		model, _ := do(t, "evaluate", "--model", file("m.json"), "--data", file("new.csv"), "--group", "sex", "--metric", "accuracy,tpr", "--quiet")
		for _, labels := range [][]string{{"hired", "accuracy,tpr"}, {"none", "selection_rate"}} {
			judged, _ := do(t, "evaluate", "--predictions", file("scores.csv"), "--label-column", labels[0], "--group", "sex", "--metric", labels[1], "--quiet")
			if _, table, _ := strings.Cut(judged, "\n"); labels[0] == "hired" && !strings.HasSuffix(model, table) {
				t.Errorf("%s: the predictions are judged\n%s\nand the model\n%s", words, judged, model)
			}
		}
	}
	if err := os.WriteFile(file("r.md"), []byte("my notes"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, talk bytes.Buffer
	code := run(t.Context(), []string{"fairtrain", "report", "--model", file("m.json"), "--data", file("d.csv"), "--out", file("r.md")}, nil, &out, &talk)
	if code != 1 || !strings.Contains(talk.String(), "--force") {
		t.Errorf("code %d for notes of somebody: %s", code, &talk)
	}
}
