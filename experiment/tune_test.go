package experiment

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTuneTriesAll gives a tuning more candidates than its grids have. Each is tried once, the
// method's own options among them, also where they are written as other numbers than in the grid.
func TestTuneTriesAll(t *testing.T) {
	p, err := Parse("p.toml", tiny+`
options = { h = 3 }
[method.grid]
h = [1.0, 3.0, 10.0]
scale = [1, 10]
[[method]]
method = "slqpm"
[method.grid]
eta = [0.1, 0.3]
`)
	if err != nil {
		t.Fatal(err)
	}
	p.Methods[0].Scale = 10
	p.Tune.Candidates, p.Tune.Seeds = 12, 1
	tunings, err := Tune(t.Context(), p, nil, Settings{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	var tried []string
	for _, c := range tunings[0].Candidates {
		tried = append(tried, fmt.Sprint(c.Options["h"], " ", c.Options["scale"]))
	}
	slices.Sort(tried)
	if diff := cmp.Diff([]string{"1 1", "1 10", "10 1", "10 10", "3 1", "3 10"}, tried); diff != "" {
		t.Errorf("h and scale of the candidates (-want +got)\n%s", diff)
	}
	text, err := Tuned(p, tunings)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"over seeds from 1001 to 1005, none of them reported.\n#   ssqp ", ", the best of 6 candidates (with the given options ",
		"\n#   slqpm ", ", the best of 3 candidates (", "tuned from at most 12 candidates of its grid.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}

	if tunings, err = Tune(t.Context(), p, []string{"slqpm"},
		Settings{Dir: t.TempDir()}); err != nil || len(tunings) != 1 {
		t.Fatalf("%d methods are tuned (%v)", len(tunings), err)
	}
	if text, err = Tuned(p, tunings); err != nil || strings.Contains(text, "#   ssqp") ||
		!strings.Contains(text, "options of slqpm tuned") {
		t.Errorf("error %v, text\n%s", err, text)
	}
	tuned, err := Parse("p.toml", text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p.Methods[0], tuned.Methods[0]); diff != "" || tuned.Methods[1].Label != "slqpm" {
		t.Errorf("methods that are not tuned (-want +got)\n%s", diff)
	}
	if _, err := Tune(t.Context(), p, []string{"none"}, Settings{Dir: t.TempDir()}); err == nil {
		t.Error("a label that no method has")
	}
}

// TestTuneCantRun: own options that leave the step to a problem that can't tell it count as
// the worst, with the reason, and do not end the tuning.
func TestTuneCantRun(t *testing.T) {
	p, err := Parse("p.toml", tiny+`
[[method]]
method = "fsfo"
options = { normal = "gauss-newton" }
[method.grid]
eta = [0.1, 0.5]
`)
	if err != nil {
		t.Fatal(err)
	}
	p.Tune.Seeds = 1
	dir := t.TempDir()
	tunings, err := Tune(t.Context(), p, []string{"fsfo"}, Settings{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	candidates := tunings[0].Candidates
	if last := candidates[len(candidates)-1]; len(candidates) != 3 || !last.Given ||
		!math.IsInf(last.Score, 1) || candidates[0].Fault != "" {
		t.Errorf("candidates %+v, want the given options last with +Inf", candidates)
	}
	text, err := Tuned(p, tunings)
	if want := " candidates (the given options can't run: fsfo, seed "; err != nil || !strings.Contains(text, want) {
		t.Errorf("%q is not in\n%s (%v)", want, text, err)
	}
	if tuned, err := Parse("p.toml", text); err != nil || tuned.Methods[1].Options["eta"] == nil {
		t.Errorf("the tuned preset has no step (%v):\n%s", err, text)
	}
	// What is in the folder is not done again.
	_, err = Tune(t.Context(), p, []string{"fsfo"},
		Settings{Dir: dir, Progress: func(Progress) { t.Error("a candidate is done again") }})
	if err != nil {
		t.Error(err)
	}
}

// TestTuneNoneRuns: a preset with options that can't run is no result.
func TestTuneNoneRuns(t *testing.T) {
	p, err := Parse("p.toml", tiny+"\n[[method]]\nmethod = \"fsfo\"\noptions = { normal = \"gauss-newton\" }\n")
	if err != nil {
		t.Fatal(err)
	}
	p.Tune.Seeds = 1
	tunings, err := Tune(t.Context(), p, nil, Settings{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := Tuned(p, tunings); err == nil || !strings.Contains(err.Error(), "fsfo: no candidate can run: ") {
		t.Errorf("error %v, text %s", err, text)
	}
}

// A whole number of an option that takes fractions is a fraction.
func TestSettledGrid(t *testing.T) {
	p, err := Parse("p.toml", tiny+"options = { h = 1, batch_f = 8.0 }\n[method.grid]\nh = [1, 4]\nbatch_f = [4, 8.0]\n")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]any{"h": {1.0, 4.0}, "batch_f": {int64(4), int64(8)}}
	if diff := cmp.Diff(want, p.Methods[0].Grid); diff != "" {
		t.Errorf("grid (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"batch_f", "h"}, atEnds(p.Methods[0])); diff != "" {
		t.Errorf("at an end (-want +got)\n%s", diff)
	}
}
