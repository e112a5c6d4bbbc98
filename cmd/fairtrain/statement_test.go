package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
