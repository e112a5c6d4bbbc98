package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSomeLevels: groups of some levels of a column are compared with each other, by every command, and
// the people of other levels are counted.
func TestSomeLevels(t *testing.T) {
	const groups, bound = "age=young|old", 0.03
	dir := t.TempDir()
	data, model := filepath.Join(dir, "d.csv"), filepath.Join(dir, "m.json")
	writeHired(t, data, 900, 3)
	said, _ := do(t, "train", "--data", data, "--label", "hired", "--constraint", fmt.Sprintf("demographic-parity:group=%s,bound=%v", groups, bound), "--model", model, "--json", "--quiet")
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
	left := fmt.Sprintf("%d of the 900 rows are in none of the groups of %s, which says nothing about them", others, groups)
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
	if g := judged.Groups; len(g) != 2 || g[0].Name != "age=old" || g[1].Name != "age=young" || g[0].Rate != rate("old") || math.Abs(judged.Gap-gap) > 1e-12 {
		t.Errorf("evaluate finds %+v, want rates %v and %v", judged, rate("old"), rate("young"))
	}
	page, _ := reportOf(t, "--model", model, "--data", data)
	expect(t, "the report", page, `Difference of selection rates of age=young\|old`, fmt.Sprintf("%d people are in none of these groups", others))
}

// TestBlankLevel: where a schema says that nothing stands for a missing value, a blank is a level like any other.
func TestBlankLevel(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	writeHired(t, file("d.csv"), 600, 4)
	people, err := os.ReadFile(file("d.csv"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(people), ",middle,", ",,")
	for name, content := range map[string]string{"d.csv": text, "s.toml": "missing = []\n"} {
		if err := os.WriteFile(file(name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	said, _ := do(t, "train", "--data", file("d.csv"), "--schema", file("s.toml"), "--label", "hired", "--constraint", "demographic-parity:group=age,bound=0.1", "--model", file("m.json"), "--quiet")
	expect(t, "the table", said, "\n  age= ", "\n  age=old", "\n  age=young")
	said, _ = do(t, "evaluate", "--model", file("m.json"), "--data", file("d.csv"), "--metric", "selection_rate")
	expect(t, "the table", said, fmt.Sprintf("\nage=         %d ", strings.Count(text, ",,")))
}
