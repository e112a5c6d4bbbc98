package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/report"
)

// TestSomeLevels: groups of some levels of a column are compared with each other, by every command,
// and the people of other levels are counted.
func TestSomeLevels(t *testing.T) {
	const groups, bound = "age=young|old", 0.03
	dir := t.TempDir()
	data, model := filepath.Join(dir, "d.csv"), filepath.Join(dir, "m.json")
	writeHired(t, data, 900, 3)
	said, _ := do(t, "train", "--data", data, "--label", "hired", "--constraint",
		fmt.Sprintf("demographic-parity:group=%s,bound=%v", groups, bound), "--model", model, "--json", "--quiet")
	var trained struct {
		Requirements []struct{ Train float64 }
		Warnings     []string
	}
	if err := json.Unmarshal([]byte(said), &trained); err != nil {
		t.Fatal(err)
	}
	scores, _ := do(t, "predict", "--model", model, "--data", data, "--id", "age", "--id", "hired")
	people := readPeople(t, scores)
	others := 0
	rate := func(age string) float64 {
		return share(people, func(p person) bool { return p.sex == age }, func(p person) bool { return p.selected })
	}
	for _, p := range people {
		if p.sex == "middle" {
			others++
		}
	}
	gap := math.Abs(rate("young") - rate("old"))
	if q := trained.Requirements[0]; math.Abs(q.Train-gap) > 1e-12 || gap > bound {
		t.Errorf("training says that rates differ by %v, decisions by %v", q.Train, gap)
	}
	left := fmt.Sprintf("the groups of %s leave out %d of the 900 rows: the comparison is not about these people", groups, others)
	expect(t, "the warnings", strings.Join(trained.Warnings, "\n"), left+".")

	var judged struct {
		Groups []struct {
			Name string
			Rate float64 `json:"selection_rate"`
		}
		Gap float64 `json:"demographic_parity_difference"`
	}
	said, remarks := do(t, "evaluate", "--model", model, "--data", data, "--json")
	if err := json.Unmarshal([]byte(said), &judged); err != nil {
		t.Fatal(err)
	}
	expect(t, "the remarks", remarks, left)
	if g := judged.Groups; len(g) != 2 || g[0].Name != "age=old" || g[1].Name != "age=young" ||
		g[0].Rate != rate("old") || math.Abs(judged.Gap-gap) > 1e-12 {
		t.Errorf("evaluate finds %+v, want rates %v and %v", judged, rate("old"), rate("young"))
	}
	page, _ := reportOf(t, "--model", model, "--data", data)
	expect(t, "the report", page, `Selection rates of age=young\|old differ by`,
		`age=young\|old does not name all groups: the constraint is not about other people.`, "| middle |")
}

// TestLevelsElsewhere: what a specification of some levels means does not depend on the levels of a
// file, and a file that lacks one of the groups shows nothing about it.
func TestLevelsElsewhere(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	write := func(name string, seed uint64, from, to string) {
		writeHired(t, file(name), 900, seed)
		people, err := os.ReadFile(file(name))
		if err == nil {
			err = os.WriteFile(file(name), []byte(strings.ReplaceAll(string(people), from, to)), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write("train.csv", 1, "", "")
	write("bar.csv", 2, ",middle,", ",old|young,")
	write("no.csv", 3, ",old,", ",middle,")
	do(t, "train", "--data", file("train.csv"), "--label", "hired", "--constraint",
		"demographic-parity:group=age=old|young,bound=0.9", "--model", file("m.json"), "--quiet")
	scores, _ := do(t, "predict", "--model", file("m.json"), "--data", file("no.csv"), "--id", "age", "--id", "hired")
	if err := os.WriteFile(file("scores.csv"), []byte(scores), 0o644); err != nil {
		t.Fatal(err)
	}
	foreign := " --predictions " + file("scores.csv") + " --label-column hired --positive yes "
	for args, want := range map[string]string{
		"certify --model m --data no --ledger l": "no row has age=old",
		"certify --ledger l --constraint demographic-parity:group=age=middle|young|old,bound=0.9" +
			foreign: `age has no value "old"`,
		"certify --ledger l --constraint demographic-parity:group=age=middle|young|Zzz,bound=0.9" +
			foreign: `age has no value "Zzz"`,
		"evaluate --group age=old|young --model m --data no": `age has no value "old"`,
		"evaluate --model m --data bar":                      `age=old|young may be the value "old|young" of age`,
		"certify --model m --data bar --ledger l":            `age=old|young may be the value "old|young" of age`,
	} {
		args = strings.NewReplacer("--model m", "--model "+file("m.json"), "--data no",
			"--data "+file("no.csv"), "--data bar", "--data "+file("bar.csv"), "--ledger l", "--ledger "+file("ledger")).Replace(args)
		var out, talk bytes.Buffer
		if code := run(t.Context(), strings.Fields("fairtrain "+args), nil, &out,
			&talk); code == 0 || !strings.Contains(talk.String(), want) {
			t.Errorf("%s: code %d: %s", args, code, &talk)
		}
	}
	page, d := reportOf(t, "--model", file("m.json"), "--data", file("train.csv"), "--test", file("no.csv"))
	if a := d.Requirements[0].Value(report.Held); a == nil || a.Value.Defined() || a.Extremes != nil {
		t.Errorf("the report judges rows of one group: %+v", a)
	}
	expect(t, "the report", page, "### By age")
}

// TestPanelIsNotSplit: people who have several rows each are trained on or tested, by one row of each,
// whether the column of their numbers is dropped or not, unless a flag says that they are none; a
// schema that was made of a panel says nothing about other rows.
func TestPanelIsNotSplit(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	writeHired(t, file("d.csv"), 600, 7)
	people, err := os.ReadFile(file("d.csv"))
	if err != nil {
		t.Fatal(err)
	}
	var panel, others strings.Builder
	for k, line := range slices.Collect(strings.Lines(string(people))) {
		if k == 0 {
			panel.WriteString("person," + line)
			others.WriteString("person," + line)
			continue
		}
		fmt.Fprintf(&panel, "%d,%s", 1000+37*(k%120), line)
		fmt.Fprintf(&others, "%d,%s", 1000+k*k%7919, line)
	}
	for name, text := range map[string]string{"panel.csv": panel.String(), "others.csv": others.String()} {
		if err := os.WriteFile(file(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	do(t, "data", "describe", file("panel.csv"), "--label", "hired", "--write-schema", file("s.toml"))
	const together = "rows of equal person are trained on or tested together, and one of each is tested"
	for args, want := range map[string]string{
		"panel.csv":                               "420 36 " + together, // of 84 and of 36 people
		"panel.csv --drop person":                 "420 36 " + together,
		"panel.csv --categorical person":          "420 180 ",
		"others.csv --schema " + file("s.toml"):   "420 180 ",
		"others.csv --drop person --min-count 10": "420 180 ",
	} {
		given := strings.Fields("fairtrain train --json --quiet --force --label hired --certify 0.3 --reuse --constraint demographic-parity:group=sex,bound=0.5 --ledger " +
			file("ledger") + " --model " + file("m.json") + " --report " + file("r.md") + " --data " + file(args))
		var out, talk bytes.Buffer
		run(t.Context(), given, nil, &out, &talk)
		var found struct {
			Train     struct{ Rows int }
			Guarantee struct {
				Rows    int
				Remarks []string
			}
		}
		if err := json.Unmarshal(out.Bytes(), &found); err != nil {
			t.Errorf("%s: %v: %s", args, err, &talk)
		}
		got := fmt.Sprintln(found.Train.Rows, found.Guarantee.Rows, strings.Join(found.Guarantee.Remarks, "; "))
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
		if page, err := os.ReadFile(file("r.md")); err != nil || strings.Contains(string(page), "occurs in exactly") {
			t.Errorf("%s: the report says that people have several rows (%v)", args, err)
		}
	}
}
