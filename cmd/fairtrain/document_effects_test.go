package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// tabled is a model's table of effects, as a reader has it: the effects by column and value, and
// what numbers are counted from.
type tabled struct {
	constant float64
	effect   map[string]float64 // "age", "sex=f"
	from     map[string]float64 // of numbers
}

// effectsIn reads the table of effects of a report.
func effectsIn(t *testing.T, report string) tabled {
	t.Helper()
	table := tabled{math.NaN(), map[string]float64{}, map[string]float64{}}
	line := regexp.MustCompile(`^\| (.*?)(?: \((per unit above .*?)\))? \| \\?([-+][-+.e0-9]+) \| .*\|$`)
	counted := regexp.MustCompile(`^per unit above (.*)$`)
	_, text, _ := strings.Cut(report, "of the model**\n")
	for row := range strings.Lines(text) {
		m := line.FindStringSubmatch(strings.TrimSuffix(row, "\n"))
		if m == nil {
			continue
		}
		feature := strings.NewReplacer(`\`, "", "&lt;", "<", "&gt;", ">").Replace(m[1])
		effect, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			t.Fatal(err)
		}
		if from := counted.FindStringSubmatch(m[2]); from != nil {
			if table.from[feature], err = strconv.ParseFloat(from[1], 64); err != nil {
				t.Fatal(err)
			}
		}
		if table.effect[feature] = effect; feature == "(everybody)" {
			table.constant = effect
			break
		}
	}
	return table
}

// logOdds adds up what a table has of the values of a row, by columns.
func (e tabled) logOdds(row map[string]string) float64 {
	sum := e.constant
	for column, value := range row {
		if effect, isNumber := e.effect[column]; isNumber {
			if v, err := strconv.ParseFloat(value, 64); err == nil {
				sum += effect * (v - e.from[column])
			}
			continue
		}
		if v, err := strconv.ParseFloat(value, 64); err == nil {
			if effect, binned := e.bin(column, v); binned {
				sum += effect
				continue
			}
		}
		effect, known := e.effect[column+"="+value]
		if !known {
			effect = e.effect[column+"=(other)"]
		}
		sum += effect
	}
	return sum
}

// bin is the effect of the bin of a number, if the column has bins.
func (e tabled) bin(column string, v float64) (effect float64, binned bool) {
	for feature, effect := range e.effect {
		var low, high float64
		bounds, is := strings.CutPrefix(feature, column+" ")
		switch {
		case !is:
		case bounds == "in (-inf, inf)":
			return effect, true
		case strings.HasPrefix(bounds, "in "):
			if fmt.Sscanf(bounds, "in [%g, %g)", &low, &high); low <= v && v < high {
				return effect, true
			}
		case strings.HasPrefix(bounds, "< "):
			if fmt.Sscanf(bounds, "< %g", &high); v < high {
				return effect, true
			}
		default:
			if fmt.Sscanf(bounds, ">= %g", &low); low <= v {
				return effect, true
			}
		}
	}
	return 0, false
}

// TestPrintedEffectsAddUp: who adds the numbers that the report prints has the scores
// of predict.
func TestPrintedEffectsAddUp(t *testing.T) {
	dir := t.TempDir()
	data, people := filepath.Join(dir, "train.csv"), filepath.Join(dir, "people.csv")
	writeHired(t, data, 600, 1)
	text, err := os.ReadFile(data)
	if err != nil {
		t.Fatal(err)
	}
	// A number that is far from 0, as years are, and values that training has not seen.
	years := regexp.MustCompile(`,([0-9]+),(yes|no)\n`)
	withYears := years.ReplaceAllFunc(text, func(end []byte) []byte {
		m := years.FindSubmatch(end)
		since, _ := strconv.Atoi(string(m[1]))
		return fmt.Appendf(nil, ",%d,%s\n", 2000+since, m[2])
	})
	rows := slices.Collect(strings.Lines(string(withYears)))[:200]
	rows = append(rows, "x,young,0.1,2005,yes\n", "f,ancient,0.3,1995,no\n")
	for path, text := range map[string][]byte{data: withYears, people: []byte(strings.Join(rows, ""))} {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	model := filepath.Join(dir, "m.json")
	do(t, "train", "--data", data, "--label", "hired", "--constraint",
		"demographic-parity:group=sex,bound=0.1", "--use-group", "--model", model, "--quiet")
	checkPrinted(t, model, data, people, []string{"sex", "age", "skill", "years"})
	if compas := filepath.Join(realData(), "compas", "compas-two-years.csv"); realData() != "" {
		model := filepath.Join(dir, "compas.json")
		do(t, "train", "--schema", "compas", "--data", compas, "--constraint", "none", "--model", model, "--quiet")
		checkPrinted(t, model, compas, compas, []string{"sex", "race", "juv_fel_count", "juv_misd_count", "juv_other_count", "c_charge_degree", "priors_count", "age"})
	}
}

// checkPrinted compares the scores of rows with those that the printed table gives.
func checkPrinted(t *testing.T, model, data, people string, columns []string) {
	t.Helper()
	report, d := reportOf(t, "--model", model, "--data", data, "--min-group", "1")
	args := []string{"predict", "--model", model, "--data", people}
	for _, column := range columns {
		args = append(args, "--id", column)
	}
	scores, _ := do(t, args...)
	records, err := csv.NewReader(strings.NewReader(scores)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(records) < 100 {
		t.Fatalf("%d rows", len(records))
	}
	table := effectsIn(t, report)
	if want := d.Model.Uses.Constant; math.Abs(table.constant-want) > 1e-3*max(1, math.Abs(want)) {
		t.Errorf("the constant %v, in JSON %v", table.constant, want)
	}
	worst := 0.0
	for _, record := range records[1:] {
		row := map[string]string{}
		for k, column := range columns {
			row[column] = level(table, column, record[k])
		}
		score, err := strconv.ParseFloat(record[len(columns)], 64)
		if err != nil {
			t.Fatal(err)
		}
		worst = max(worst, math.Abs(table.logOdds(row)-math.Log(score/(1-score))))
	}
	if !(worst < 0.01) { // four digits of each number
		t.Errorf("the numbers printed miss the log-odds of a score by %v", worst)
	}
}

// level is the value of a column as a table names it: of a bin, its interval.
func level(table tabled, column, value string) string {
	v, err := strconv.ParseFloat(value, 64)
	if _, isNumber := table.effect[column]; isNumber || err != nil {
		return value
	}
	bin := regexp.MustCompile(`^(?:` + column + `=)?` + column +
		` (?:< ([-0-9.]+)|in \[([-0-9.]+), ([-0-9.]+)\)|>= ([-0-9.]+))$`)
	number := func(text string, otherwise float64) float64 {
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			return v
		}
		return otherwise
	}
	for feature, effect := range table.effect {
		if m := bin.FindStringSubmatch(feature); m != nil {
			low, high := number(m[2]+m[4], math.Inf(-1)), number(m[1]+m[3], math.Inf(1))
			if v >= low && v < high {
				name := strings.TrimPrefix(feature, column+"=")
				table.effect[column+"="+name] = effect
				return name
			}
		}
	}
	return value
}
