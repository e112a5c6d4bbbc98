package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/report"
)

// people is the census with two columns of groups. One level has few people.
func people() *dataset.Dataset {
	d := census.Train()
	for k, levels := range [][]string{{"few", "many", "most"}, {"left", "right"}} {
		a := dataset.Attribute{Name: "ab"[k : k+1], Levels: levels, Codes: dataset.MakeCodes(d.Rows(), len(levels)-1)}
		for i := range d.Rows() {
			switch {
			case k == 1:
				a.Codes.Put(i, i/7%2)
			case i%4001 > 0:
				a.Codes.Put(i, min(i%5, 1)+1)
			}
		}
		d.Attributes = append(d.Attributes, a)
	}
	return d
}

// TestSampledReport compares the report of a run that holds a sample with the report of the same
// model by all rows in memory. All counts are the same. Workers count scores in intervals, as the
// plain program does from 2²⁰ rows on.
func TestSampledReport(t *testing.T) {
	d := people()
	pattern, dir := inShards(t, d, 3), t.TempDir()
	path, model := filepath.Join(dir, "report.json"), filepath.Join(dir, "model.json")
	args := strings.Fields("fairtrain-beam train --quiet --tol 0.1 --on scores --sample 4000 --group a --group a*b --constraint demographic-parity:group=71,bound=0.02")
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), append(args, "--data", pattern, "--report", path, "--model", model),
		nil, &stdout, &stderr); code != 0 {
		t.Fatalf("code %d: %s", code, &stderr)
	}
	c, err := classifier.Load(model)
	if err != nil {
		t.Fatal(err)
	}
	if c.Reference.Sample == 0 || c.Reference.Sample > 10_000 {
		t.Errorf("a sample of %d rows", c.Reference.Sample)
	}
	all, err := c.Features.Measure(d, []string{"71"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(all.Mean, c.Reference.Mean); diff != "" || all.Rows != c.Reference.Rows {
		t.Errorf("means (-all rows +sample):\n%s", diff)
	}
	d.Name = pattern
	d.Hash = c.Training.Data.SHA256
	want, err := report.Build(report.Source{Model: c, Sets: []report.Set{{Role: report.Training, Data: d}}, MinGroup: report.DefaultMinGroup, Groups: []string{"a", "a*b"}})
	if err != nil {
		t.Fatal(err)
	}
	whole := filepath.Join(dir, "whole.json")
	f, err := os.Create(whole)
	if err == nil {
		err = errors.Join(want.WriteJSON(f), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(handedOver(t, whole), handedOver(t, path), exceptTies); diff != "" {
		t.Errorf("(-in memory +sample):\n%s", diff)
	}
}

// handedOver reads the JSON form of a report, without what names files.
func handedOver(t *testing.T, path string) (report map[string]any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &report)
	}
	if err != nil {
		t.Fatal(err)
	}
	delete(report, "command")
	delete(report["model"].(map[string]any), "data")
	delete(report["model"].(map[string]any), "sha256")
	for _, rows := range report["rows"].([]any) {
		delete(rows.(map[string]any), "name")
		delete(rows.(map[string]any), "sha256")
	}
	if g, ok := report["guarantee"].(map[string]any); ok {
		delete(g, "data")
	}
	return report
}

// exceptTies compares reports to rounding, but for curves, and for figures that count scores in the
// same interval as ties.
var exceptTies = cmp.Options{
	cmpopts.IgnoreMapEntries(func(key string, _ any) bool { return key == "calibration" || key == "roc" }),
	cmp.FilterPath(hasTies, cmpopts.EquateApprox(0, 1e-3)),
	cmp.FilterPath(func(p cmp.Path) bool { return !hasTies(p) }, cmpopts.EquateApprox(0, 1e-12)),
}

func hasTies(p cmp.Path) bool {
	key, ok := p.Index(-2).(cmp.MapIndex)
	return ok && slices.Contains([]string{"auc", "ece", "gini", "ks"}, key.Key().String())
}
