package main

import (
	"encoding/json"
	"os"
	"path/filepath"
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
