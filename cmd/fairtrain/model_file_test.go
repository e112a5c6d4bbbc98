package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// modelFile is what docs/model-file.md needs of a model to score rows: nothing of this program's code.
type modelFile struct {
	Features struct {
		Count    int
		Encoding struct {
			Schema   struct{ Missing, Names []string }
			Features []modelColumn
			Crosses  []struct {
				Groups  string
				Columns []modelColumn
				At      [][2]int
			}
		}
	}
	Weights              []float64
	Intercept, Threshold float64
}

type modelColumn struct {
	Column, As    string
	Levels        []string
	Edges         []float64
	Rare, Missing bool
	Mean, SD      float64
	Median        *float64
}

// score follows the rules of docs/model-file.md.
func (m *modelFile) score(t *testing.T, row map[string]string) (score float64, decision int) {
	t.Helper()
	var features []float64
	for _, f := range m.Features.Encoding.Features {
		features = append(features, m.features(t, f, row)...)
	}
	for _, c := range m.Features.Encoding.Crosses {
		if c.Groups != "" {
			t.Fatalf("the features of the groups %s are not made here", c.Groups)
		}
		first, second := m.features(t, c.Columns[0], row), m.features(t, c.Columns[1], row)
		for _, at := range c.At {
			features = append(features, first[at[0]]*second[at[1]])
		}
	}
	if len(features) != m.Features.Count || len(m.Weights) != m.Features.Count {
		t.Fatalf("%d features, %d weights, count %d", len(features), len(m.Weights), m.Features.Count)
	}
	logOdds := m.Intercept
	for j, a := range features {
		logOdds += m.Weights[j] * a
	}
	score, decision = 1/(1+math.Exp(-logOdds)), -1
	if score >= m.Threshold {
		decision = 1
	}
	return score, decision
}

// features returns those that a column makes.
func (m *modelFile) features(t *testing.T, f modelColumn, row map[string]string) (made []float64) {
	t.Helper()
	text := strings.TrimSpace(row[f.Column])
	isMissing := text == "" || slices.Contains(m.Features.Encoding.Schema.Missing, text)
	value := 0.0
	if f.As != "one-hot" && !isMissing {
		var err error
		if value, err = strconv.ParseFloat(text, 64); err != nil {
			t.Fatal(err)
		}
	}
	switch f.As {
	case "one-hot":
		level := slices.Index(f.Levels, text)
		for k := range f.Levels {
			made = append(made, truth(k == level))
		}
		if f.Rare {
			made = append(made, truth(level < 0 && !isMissing))
		}
	case "shape", "bins":
		bin := -1
		if isMissing && !f.Missing && f.Median != nil {
			value, isMissing = *f.Median, false
		}
		if !isMissing {
			bin = len(slices.DeleteFunc(slices.Clone(f.Edges), func(edge float64) bool { return edge > value }))
		}
		for k := range len(f.Edges) + 1 {
			made = append(made, truth(k == bin))
		}
	case "standardise":
		if isMissing {
			value = f.Mean
		}
		made = append(made, (value-f.Mean)/f.SD)
	default:
		t.Fatalf("as is %q", f.As)
	}
	if f.Missing {
		made = append(made, truth(isMissing))
	}
	return made
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// checkRules compares the scores by the rules with those of predict. It returns the former.
func checkRules(t *testing.T, model, data string) (scores []float64, decisions []int) {
	t.Helper()
	m, text := new(modelFile), read(t, model)
	if err := json.Unmarshal([]byte(text), m); err != nil {
		t.Fatal(err)
	}
	rows := csv.NewReader(strings.NewReader(read(t, data)))
	rows.TrimLeadingSpace, rows.FieldsPerRecord, rows.Comment = true, -1, '|'
	records, err := rows.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	header := m.Features.Encoding.Schema.Names
	if header == nil {
		header, records = records[0], records[1:]
	}
	out, _ := do(t, "predict", "--model", model, "--data", data, "--decisions", "1/-1", "--quiet")
	predicted := slices.Collect(strings.Lines(out))[1:]
	if len(predicted) != len(records) {
		t.Fatalf("%d of %d rows are scored", len(predicted), len(records))
	}
	for i, record := range records {
		row := map[string]string{}
		for k, name := range header {
			row[name] = record[k]
		}
		score, decision := m.score(t, row)
		scores, decisions = append(scores, score), append(decisions, decision)
		var wantScore float64
		var wantDecision int
		if _, err := fmt.Sscanf(predicted[i], "%g,%d", &wantScore, &wantDecision); err != nil {
			t.Fatal(err)
		}
		if !(math.Abs(score-wantScore) <= 1e-12) || decision != wantDecision && math.Abs(score-m.Threshold) > 1e-12 {
			t.Fatalf("row %v: %v, %d by the rules; predict has %v, %d", record, score, decision, wantScore, wantDecision)
		}
	}
	return scores, decisions
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestModelFileRules: the rules of docs/model-file.md give the scores of its example, and those of
// predict: there, on the people and on real data, of additive models and of linear ones.
func TestModelFileRules(t *testing.T) {
	dir, doc := t.TempDir(), read(t, filepath.Join("..", "..", "docs", "model-file.md"))
	block := func(kind, name string) string {
		_, text, _ := strings.Cut(doc, "```"+kind+"\n")
		text, _, found := strings.Cut(text, "```")
		if !found {
			t.Fatalf("the page has no block of %s", kind)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	scores, decisions := checkRules(t, block("json", "m.json"), block("csv", "rows.csv"))
	for i, score := range scores {
		want := fmt.Sprintf("| %.6f | %d |\n", score, decisions[i])
		if !strings.Contains(doc, fmt.Sprintf("\n| %d | ", i+1)) || strings.Count(doc, want) != 1 {
			t.Errorf("the page does not have row %d: %s", i+1, want)
		}
	}
	model, rows := filepath.Join(dir, "people.json"), filepath.Join(dir, "people.csv")
	writeHired(t, rows, 500, 7)
	adult := filepath.Join(realData(), "adult")
	crossed, r := filepath.Join(dir, "crossed.csv"), rand.New(rand.NewPCG(1, 1))
	text := "pay,job,hired\n"
	for i := range 800 {
		pay, job := 20*r.Float64(), r.IntN(2)
		text += fmt.Sprintf("%.2f,%s,%t\n", pay, []string{"cook", "nurse"}[job], (pay > 10) == (job == 0) != (i%10 == 0))
	}
	if err := os.WriteFile(crossed, []byte(text+",cook,true\n3,,true\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	do(t, "train", "--data", crossed, "--constraint", "none", "--interactions", "1", "--model", model, "--quiet")
	if !strings.Contains(read(t, model), " × job=cook") {
		t.Error("the model has no pairs")
	}
	checkRules(t, model, crossed)
	for _, class := range []string{"additive", "linear"} {
		do(t, "train", "--data", rows, "--label", "hired", "--constraint", "demographic-parity:group=sex,bound=0.05",
			"--model-class", class, "--model", model, "--quiet")
		checkRules(t, model, rows)
		if realData() != "" {
			do(t, "train", "--schema", "adult", "--data", filepath.Join(adult, "adult.data"), "--constraint", "none",
				"--interactions", "auto", "--model-class", class, "--model", filepath.Join(dir, class+".json"), "--quiet")
			checkRules(t, filepath.Join(dir, class+".json"), filepath.Join(adult, "adult.test"))
		}
	}
}

// TestUnconstrainedWeights: what a model file keeps beside the model are the weights that training
// without the constraint gives, calibrated alike, to within the tolerance.
func TestUnconstrainedWeights(t *testing.T) {
	dir := t.TempDir()
	weights := func(constraint string) (of struct {
		Weights       []float64
		Unconstrained []float64 `json:"unconstrained_weights"`
	},
	) {
		path := filepath.Join(dir, "m.json")
		do(t, "train", "--data", "people", "--constraint", constraint, "--model", path, "--quiet")
		if err := json.Unmarshal([]byte(read(t, path)), &of); err != nil {
			t.Fatal(err)
		}
		return of
	}
	free, fair := weights("none"), weights("demographic-parity:group=sex,bound=0.02")
	if free.Unconstrained != nil || len(fair.Unconstrained) != len(free.Weights) {
		t.Fatalf("%d and %d weights beside %d", len(free.Unconstrained), len(fair.Unconstrained), len(free.Weights))
	}
	moved := 0.0
	for j, w := range free.Weights {
		if math.Abs(w-fair.Unconstrained[j]) > 0.01*max(1, math.Abs(w)) {
			t.Errorf("weight %d is %v, and %v without constraint", j, fair.Unconstrained[j], w)
		}
		moved = max(moved, math.Abs(w-fair.Weights[j]))
	}
	if moved < 0.1 {
		t.Errorf("the constraint moves no weight by more than %v", moved)
	}
}
