package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/report"
)

// evaluated is what the test reads of evaluate --json.
type evaluated struct {
	Rows        int                  `json:"rows"`
	Verdicts    []guarantee.Judgment `json:"verdicts"`
	Comparisons []struct {
		Group string `json:"group"`
		Frame struct {
			Metrics []struct {
				Name   string `json:"name"`
				Groups []struct {
					Name string `json:"name"`
					fairness.Estimate
				} `json:"groups"`
			} `json:"metrics"`
		} `json:"frame"`
	} `json:"comparisons"`
}

// writeScored writes a file of predictions with two columns of groups: its rates differ by sex, and
// not by race.
func writeScored(t *testing.T, path string, labels, weights, decisions bool) {
	r := rand.New(rand.NewPCG(7, 0))
	var b strings.Builder
	b.WriteString("sex,race,y_score")
	if labels {
		b.WriteString(",y_true")
	}
	if weights {
		b.WriteString(",w")
	}
	b.WriteString("\n")
	for range 1500 {
		sex := r.IntN(2)
		label := r.IntN(2)
		score := 0.2 + 0.3*float64(label) + 0.15*float64(sex) + 0.3*r.Float64()
		if decisions {
			score = float64(int(score + 0.5))
		}
		fmt.Fprintf(&b, "%s,%s,%.4g", []string{"f", "m"}[sex], []string{"a", "b", "c"}[r.IntN(3)], score)
		if labels {
			fmt.Fprintf(&b, ",%d", label)
		}
		if weights {
			fmt.Fprintf(&b, ",%d", 1+r.IntN(3))
		}
		b.WriteString("\n")
	}
	text := []byte(b.String())
	if strings.HasSuffix(path, ".parquet") {
		var err error
		if text, err = asParquet(b.String()); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestReportOfPredictions compares the numbers of a report with those of evaluate, and the exit codes: of
// scores and decisions, with and without labels and weights, in CSV and Parquet files.
func TestReportOfPredictions(t *testing.T) {
	t.Chdir(t.TempDir())
	read := func(value any, args ...string) int {
		var out, talk bytes.Buffer
		code := run(t.Context(), append([]string{"fairtrain"}, args...), nil, &out, &talk)
		if err := json.Unmarshal(out.Bytes(), value); err != nil {
			t.Fatalf("%v: code %d, %v: %s", args, code, err, talk.String())
		}
		return code
	}
	for k := range 16 {
		labels, weights, decisions, format := k&1 == 0, k&2 != 0, k&4 != 0, []string{"csv", "parquet"}[k>>3]
		if weights && !labels {
			continue
		}
		name := fmt.Sprintf("labels-%t-weights-%t-decisions-%t.%s", labels, weights, decisions, format)
		writeScored(t, name, labels, weights, decisions)
		flags := []string{
			"--predictions", name, "--quiet", "--group", "sex", "--group", "race", "--group", "sex*race",
			"--constraint", "demographic-parity:group=sex,bound=0.1,rate-ratio:group=race,min=0.5,max-selection:bound=0.9,min-rate:group=race,of=selection_rate,min=0.1",
		}
		metrics := []string{"selection_rate"}
		switch {
		case labels:
			flags = append(flags, "--constraint", "equalized-odds:group=race,bound=0.1")
			metrics = append(metrics, "accuracy", "tpr", "fpr")
		default:
			flags = append(flags, "--label-column", "none")
		}
		if weights {
			flags = append(flags, "--weight-column", "w")
		}
		var e evaluated
		var d *report.Document
		code := read(&e, append([]string{"evaluate", "--json", "--metric", strings.Join(metrics, ",")}, flags...)...)
		again := read(&d, append([]string{"report", "--out", "-", "--format", "json"}, flags...)...)
		if code != 3 || again != code {
			t.Errorf("%s: exit codes %d and %d, expected 3", name, code, again)
		}
		if diff := cmp.Diff(e.Verdicts, d.Verdicts); diff != "" || len(d.Verdicts) < 2 {
			t.Errorf("%s: verdicts differ: %s", name, diff)
		}
		if d.Verdicts[0].Verdict != guarantee.Violated || d.Verdicts[1].Verdict != guarantee.Satisfied {
			t.Errorf("%s: %s, %s", name, d.Verdicts[0].Verdict, d.Verdicts[1].Verdict)
		}
		for i, f := range d.Requirements {
			v := d.Verdicts[i]
			if got := f.Values[0]; math.Abs(float64(got.Value)-*v.Value) > 1e-12 || float64(got.Low) != *v.Lower || float64(got.High) != *v.Upper || got.Answer != v.Verdict {
				t.Errorf("%s: the value is %+v, the verdict %+v", name, got, v)
			}
		}
		if r := d.Rows[0]; d.Model != nil || len(d.Rows) != 1 || r.Role != report.Predicted || r.Rows != e.Rows || r.Labelled != labels || r.Weighted != weights || d.Decided != decisions {
			t.Errorf("%s: %+v", name, r)
		}
		if len(d.Comparison) != len(e.Comparisons) {
			t.Fatalf("%s: %d comparisons, expected %d", name, len(d.Comparison), len(e.Comparisons))
		}
		for _, c := range e.Comparisons {
			k := slices.IndexFunc(d.Comparison, func(other report.Comparison) bool { return other.Group == c.Group })
			for _, m := range c.Frame.Metrics {
				for i, want := range m.Groups {
					cell := d.Comparison[k].Tables[0].Groups[i]
					got, known := map[string]fairness.Estimate{"selection_rate": cell.SelectionRate, "accuracy": cell.Accuracy, "tpr": cell.TPR, "fpr": cell.FPR}[m.Name]
					if known && got != want.Estimate {
						t.Errorf("%s: %s of %s is %v, expected %v", name, m.Name, want.Name, got, want.Estimate)
					}
				}
			}
		}
	}
}
