package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
)

// TestSamePeople: people that a model has seen can't certify it, also not from a file that lacks
// columns or has others, writes numbers in another way, or has its rows in another order. Other
// people can.
func TestSamePeople(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	writeHired(t, "seen.csv", 400, 1)
	writeHired(t, "test.csv", 400, 2)
	writeHired(t, "fresh.csv", 400, 3)
	const constraint = "demographic-parity:group=sex,bound=0.9"
	do(t, "train", "--data", "seen.csv", "--test", "test.csv", "--drop", "age", "--constraint", constraint, "--quiet")
	rewrite := func(name, from string, change func(cells []string) []string) string {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		for line := range strings.Lines(string(text)) {
			out.WriteString(strings.Join(change(strings.Split(strings.TrimSpace(line), ",")), ",") + "\n")
		}
		if err := os.WriteFile(name, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	whole := regexp.MustCompile(`^\d+$`)
	others := map[string]func([]string) []string{
		"unlabelled":  func(c []string) []string { return c[:4] },
		"without-age": func(c []string) []string { return append(c[:1], c[2:]...) },
		"with-another": func(c []string) []string {
			if c[0] == "sex" {
				return append(c, "town")
			}
			return append(c, "Ulm")
		},
		"in-floats": func(c []string) []string {
			for k := range c {
				c[k] = whole.ReplaceAllString(c[k], "$0.0")
			}
			return c
		},
	}
	refused := func(name string, args ...string) {
		t.Helper()
		var out, talk bytes.Buffer
		code := run(t.Context(), append([]string{"fairtrain"}, args...), nil, &out, &talk)
		if code != command.ExitFailure || !regexp.MustCompile("of the rows|tested before").MatchString(talk.String()) || out.Len() > 0 {
			t.Errorf("%s: code %d, %s%s", name, code, &out, &talk)
		}
	}
	for name, change := range others {
		same := rewrite(name+".csv", "seen.csv", change)
		refused(name, "certify", "--data", same)
		if name != "unlabelled" {
			refused(name, "train", "--data", "seen.csv", "--drop", "age", "--constraint",
				constraint, "--model", "other.json", "--certify", same)
		}
		refused("test, "+name, "certify", "--data", rewrite("test-"+name+".csv", "test.csv", change))
	}
	if _, err := os.Stat("other.json"); err == nil {
		t.Error("a model was written")
	}
	out, _ := do(t, "certify", "--data", filepath.Join(".", "fresh.csv"), "--json")
	if !strings.Contains(out, `"training_rows_checked":true`) {
		t.Error(out)
	}
	// The ledger knows tested rows again, too, and rows that were trained on if their file is gone.
	for name, change := range others {
		refused("tested, "+name, "certify", "--data", rewrite("again-"+name+".csv", "fresh.csv", change))
	}
	writeHired(t, "other.csv", 400, 4)
	do(t, "train", "--data", "seen.csv", "--drop", "age", "--constraint", constraint, "--certify",
		"other.csv", "--quiet")
	first, err := os.ReadFile("model.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("first.json", first, 0o644); err != nil {
		t.Fatal(err)
	}
	// A model with other features notes the same rows, and hides nothing.
	writeHired(t, "third.csv", 400, 5)
	do(t, "train", "--data", "seen.csv", "--constraint", constraint, "--certify", "third.csv", "--quiet")
	same := rewrite("seen-again.csv", "seen.csv", others["with-another"])
	if err := os.Remove("seen.csv"); err != nil {
		t.Fatal(err)
	}
	refused("trained on", "certify", "--data", same)
	refused("trained on, the first model", "certify", "--model", "first.json", "--data", same)
	refused("tested by train", "certify", "--model", "first.json", "--data",
		rewrite("other-again.csv", "other.csv", others["without-age"]))
}

// TestNumberedRows: three rows of each person are no three people, though each has a number.
func TestNumberedRows(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	writeHired(t, "people.csv", 300, 1)
	text, err := os.ReadFile("people.csv")
	if err != nil {
		t.Fatal(err)
	}
	header, rows, _ := strings.Cut(string(text), "\n")
	var files [3]strings.Builder // all rows, and two parts of them
	for k := range files {
		files[k].WriteString("case," + header + "\n")
	}
	n := 0
	for range 3 {
		for row := range strings.Lines(rows) {
			n++
			numbered := fmt.Sprintf("A-%d,%s", 1000+n*7919%900, row)
			files[0].WriteString(numbered)
			files[1+n%10/7].WriteString(numbered)
		}
	}
	for k, name := range []string{"all.csv", "most.csv", "others.csv"} {
		if err := os.WriteFile(name, []byte(files[k].String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const constraint = "demographic-parity:group=sex,bound=0.9"
	do(t, "train", "--data", "most.csv", "--constraint", constraint, "--quiet")
	for _, args := range [][]string{
		{"train", "--data", "all.csv", "--constraint", constraint, "--certify", "0.3", "--model", "none.json"},
		{"train", "--data", "most.csv", "--constraint", constraint, "--certify", "others.csv", "--model", "none.json"},
		{"certify", "--data", "others.csv"},
	} {
		var out, talk bytes.Buffer
		code := run(t.Context(), append([]string{"fairtrain"}, args...), nil, &out, &talk)
		if code != command.ExitFailure || !strings.Contains(talk.String(),
			"several rows of the same people") || out.Len() > 0 {
			t.Errorf("%s: code %d, %s%s", args, code, &out, &talk)
		}
	}
}

// TestSeenRows: rows that a model is judged on are compared with its training rows.
func TestSeenRows(t *testing.T) {
	t.Chdir(t.TempDir())
	writeHired(t, "people.csv", 400, 1)
	writeHired(t, "others.csv", 400, 2)
	text, err := os.ReadFile("people.csv")
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.SplitAfter(string(text), "\n")
	for name, content := range map[string]string{
		"half.csv":  strings.Join(append(rows[:1:1], rows[200:]...), ""),
		"twice.csv": string(text) + strings.Join(rows[1:], ""),
	} {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const some, repeated = "of the test rows are training rows", "repeat each other more evenly than by chance"
	for name, c := range map[string]struct {
		args []string
		want string // "" for nothing
	}{
		"others":       {[]string{"--data", "people.csv", "--test", "others.csv"}, ""},
		"the same":     {[]string{"--data", "people.csv", "--test", "people.csv"}, "About 100 % " + some},
		"a half":       {[]string{"--data", "people.csv", "--test", "half.csv"}, "About 100 % " + some},
		"held out":     {[]string{"--data", "people.csv", "--validation", "0.3"}, ""},
		"of the twice": {[]string{"--data", "twice.csv", "--validation", "0.3"}, "validation rows are training rows|" + repeated},
	} {
		out, _ := do(t, append([]string{"train", "--constraint", "demographic-parity:group=sex,bound=0.3", "--report", "report.md", "--force"}, c.args...)...)
		page, err := os.ReadFile("report.md")
		if err != nil {
			t.Fatal(err)
		}
		texts := []string{strings.Join(strings.Fields(out), " "), string(page)}
		if c.args[2] == "--test" && name != "the same" { // which the command report refuses
			do(t, append([]string{"report", "--out", "later.md", "--force"}, c.args...)...)
			later, err := os.ReadFile("later.md")
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(later))
		}
		for _, text := range texts {
			want := cmp.Or(c.want, some+"|"+repeated)
			if regexp.MustCompile(want).MatchString(text) != (c.want != "") {
				t.Errorf("%s: %q is not as it should be in\n%s", name, want, text)
			}
		}
	}
}
