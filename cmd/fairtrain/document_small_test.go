package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/report"
)

// TestReportOfFewLabels: no figure reveals the labels of a group of 66 people, few of them
// hired, nor of another group, by which the difference from all would reveal the first.
func TestReportOfFewLabels(t *testing.T) {
	for _, few := range []int{0, 3} {
		dir := t.TempDir()
		data, out := filepath.Join(dir, "d.csv"), filepath.Join(dir, "r.json")
		writeHired(t, data, 600, 5)
		text, err := os.ReadFile(data)
		if err != nil {
			t.Fatal(err)
		}
		for k := range 66 {
			text = fmt.Appendf(text, "f,seldom,%.2f,%d,%s\n", float64(k)/40, 1+k%20,
				map[bool]string{true: "yes", false: "no"}[k >= 66-few])
		}
		if err := os.WriteFile(data, text, 0o644); err != nil {
			t.Fatal(err)
		}
		command := []string{"train", "--data", data, "--label", "hired", "--model", filepath.Join(dir, "m.json"), "--report", out, "--quiet", "--constraint", "demographic-parity:group=age,bound=0.5"}
		if few > 0 {
			command = append(command, "--constraint", "equal-opportunity:group=age,bound=0.9")
		}
		said, _ := do(t, command...)
		expect(t, "the verdict", strings.Join(strings.Fields(said), " "),
			"Furthest apart on the 666 training rows: age=seldom (")
		var d report.Document
		if text, err = os.ReadFile(out); err == nil {
			err = json.Unmarshal(text, &d)
		}
		if err != nil {
			t.Fatal(err)
		}
		var silent []string
		for _, g := range d.Comparison[0].Tables[0].Groups {
			if g.Rows < 5 || !g.SelectionRate.Value.Defined() {
				t.Errorf("%s has %d people and the selection rate %v", g.Name, g.Rows, g.SelectionRate.Value)
			}
			told := 0
			for _, v := range []fairness.Value{
				g.BaseRate.Value, g.TPR.Value, g.FPR.Value, g.Accuracy.Value, g.AUC, g.ECE,
				g.BaseRate.High, g.TPR.High, g.FPR.High, g.Accuracy.High,
			} {
				if v.Defined() {
					told++
				}
			}
			if told == 0 {
				silent = append(silent, g.Name)
			}
		}
		if !slices.Contains(silent, "seldom") || len(silent) != 2 {
			t.Errorf("%d positive labels: the labels of %v are not told, expected seldom and one more", few, silent)
		}
		if e := d.Requirements[0].Values[0].Extremes; e == nil || e.Lowest.Group != "age=seldom" ||
			e.Lowest.Rows != 66 {
			t.Errorf("the extremes of the selection rate are %+v, expected seldom first", e)
		}
		if few > 0 {
			if e := d.Requirements[1].Values[0].Extremes; e != nil {
				t.Errorf("a rate of seldom is told: %+v", e)
			}
		}
	}
}
