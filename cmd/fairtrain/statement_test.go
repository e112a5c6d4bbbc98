package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
)

// writePredictions writes so many people of the groups A, B and none, whose scores fall short of a
// decision in A and exceed it in B, though not by much.
func writePredictions(t *testing.T, rows int) string {
	t.Helper()
	var text strings.Builder
	fmt.Fprintln(&text, "group,score,person")
	r := rand.New(rand.NewPCG(1, 1))
	for k := range rows {
		group, score := "A", 0.49
		switch k % 3 {
		case 1:
			group, score = "B", 0.51
		case 2:
			group = ""
		}
		fmt.Fprintf(&text, "%s,%v,%v\n", group, score, r.Float64())
	}
	file := filepath.Join(t.TempDir(), "predictions.csv")
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestStatement: a guarantee says that it is about scores, where one could think of decisions,
// which groups it is about, and how many people it leaves out; also where nobody reads more than
// the statement or the JSON.
func TestStatement(t *testing.T) {
	const rows, spec = 900, `demographic-parity:group=group=A|B,bound=0.1`
	data, ledger := writePredictions(t, rows), t.TempDir()
	said, _ := do(t, "certify", "--predictions", data, "--ledger", ledger, "--quiet", "--json",
		"--constraint", spec, "--on", "scores")
	var c struct {
		Statement    string
		Remarks      []string
		Requirements []struct {
			Compared []struct {
				Group string
				Rows  int
			}
			LeftOut int `json:"left_out"`
		}
	}
	if err := json.Unmarshal([]byte(said), &c); err != nil {
		t.Fatal(err)
	}
	q := c.Requirements[0]
	if len(q.Compared) != 2 || q.Compared[0].Rows != rows/3 || q.Compared[1].Group != "group=B" || q.LeftOut != rows/3 {
		t.Errorf("compared are %+v, left out %d", q.Compared, q.LeftOut)
	}
	expect(t, "the statement", c.Statement, "Guaranteed with 95 % confidence: "+spec+" (on mean scores, not decisions) is satisfied", "in group=A and group=B, if")
	again, _ := do(t, "certify", "--predictions", data, "--ledger", ledger, "--quiet", "--json",
		"--constraint", spec, "--on", "scores", "--reuse")
	if err := json.Unmarshal([]byte(again), &c); err != nil {
		t.Fatal(err)
	}
	expect(t, "the statement of --reuse", c.Statement,
		", if none of these rows was used in training, which could not be checked, and if the choice of a test of these rows depended only on whether earlier tests were passed.")
	expect(t, "the remarks", strings.Join(c.Remarks, "\n"), "leave out 300 of the 900 rows")
}

// TestCertifyPredictionsAgain: of predictions with nothing but a group, rows look alike, and the
// ledger tells them apart by their scores. The same ones are known again, also a part of them;
// those of other people are not.
func TestCertifyPredictionsAgain(t *testing.T) {
	t.Chdir(t.TempDir())
	predictions := func(name string, seed uint64, rows int) {
		r := rand.New(rand.NewPCG(seed, 5))
		var b strings.Builder
		b.WriteString("score,sex\n")
		for k := range rows {
			fmt.Fprintf(&b, "%.9f,%s\n", r.Float64(), []string{"f", "m"}[k%2])
		}
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	predictions("first.csv", 1, 400)
	predictions("part.csv", 1, 200)
	predictions("others.csv", 2, 410)
	for _, test := range []struct {
		name string
		code int
	}{{"first.csv", 0}, {"others.csv", 0}, {"first.csv", command.ExitFailure}, {"part.csv", command.ExitFailure}} {
		var out, talk strings.Builder
		code := run(t.Context(), []string{"fairtrain", "certify", "--predictions", test.name, "--threshold", "0.5", "--ledger", "ledger", "--constraint", "demographic-parity:group=sex,bound=0.5"}, nil, &out, &talk)
		if code != test.code || code != 0 && !strings.Contains(talk.String(), "tested before") {
			t.Errorf("%s: code %d, expected %d: %s", test.name, code, test.code, talk.String())
		}
	}
}
