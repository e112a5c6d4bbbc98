package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/program"
	"github.com/fairtrain/fairtrain/internal/jobs"
	"github.com/fairtrain/fairtrain/internal/jobs/jobstest"
)

// secondsLine is what differs from run to run.
var secondsLine = regexp.MustCompile(`"seconds": ?[^,\n]*`)

// TestFrontierByWorkers traces frontiers here and by other processes, which know encodings only.
func TestFrontierByWorkers(t *testing.T) {
	dir := t.TempDir()
	people := filepath.Join(dir, "people.csv")
	var rows strings.Builder
	rows.WriteString("age,city,sex,hired\n")
	for i := range 400 {
		rows.WriteString(strings.Join([]string{
			[]string{"31", "47", "25", "58", "39"}[i*i%5], []string{"Bonn", "Köln", "Ulm"}[i*7%3],
			[]string{"f", "m"}[i*i*i%7%2], []string{"no", "yes", "yes"}[i*i%11%3],
		}, ",") + "\n")
	}
	if err := os.WriteFile(people, []byte(rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{
		{"--bounds", "0.05,0.1", "--on", "scores", "--tol", "0.01", "--seed", "3"},
		{"--data", people, "--label", "hired", "--validation", "0.25", "--constraint", "demographic-parity:group=sex,bound=0.1", "--bounds", "0.05", "--intercept=false"},
	} {
		var printed, stored [2]string
		for i, executor := range []jobs.Executor{nil, jobstest.Encoded{}} {
			out := filepath.Join(dir, "out")
			args := append([]string{"fairtrain", "--json", "frontier", "--force", "--out", out}, flags...)
			var stdout, stderr bytes.Buffer
			work := program.Workers{Executor: func(*cli.Context) (jobs.Executor, error) { return executor, nil }}
			if code := program.Run(t.Context(), args[0], args, nil, &stdout, &stderr, work); code != 0 && code != 3 {
				t.Fatalf("code %d: %s", code, &stderr)
			}
			text, err := os.ReadFile(filepath.Join(out, "frontier.json"))
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), filepath.Dir(people)) {
				t.Error("frontier.json says where the machine keeps the data")
			}
			printed[i], stored[i] = secondsLine.ReplaceAllString(stdout.String(),
				""), secondsLine.ReplaceAllString(string(text), "")
		}
		if diff := cmp.Diff(printed[0], printed[1]); diff != "" {
			t.Errorf("%s: printed (-here +there):\n%s", flags, diff)
		}
		if diff := cmp.Diff(stored[0], stored[1]); diff != "" {
			t.Errorf("%s: stored (-here +there):\n%s", flags, diff)
		}
	}
}

// TestFrontierByWorkersOtherRows has a process find other rows than those of the frontier.
func TestFrontierByWorkersOtherRows(t *testing.T) {
	job := program.FrontierJob{Arguments: []string{"fairtrain", "frontier"}, Rows: []string{"3 rows of people"}}
	if _, err := job.Do(t.Context(), 0); err == nil ||
		!strings.HasPrefix(err.Error(), "other rows are here (4000 rows of people (SHA-256 ") {
		t.Errorf("error %v", err)
	}
}
