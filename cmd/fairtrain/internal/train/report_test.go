package train

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/report/words"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
)

func exampleReport(t *testing.T) *train.Report {
	t.Helper()
	rows, err := fairness.Predictions{
		Scores: []float64{0.9, 0.2, 0.6, 0.4}, Threshold: 0.5, Labels: []int8{1, -1, -1, -1},
	}.By([]fairness.Group{{Name: "2", Member: []bool{true, true, false, false}}})
	if err != nil {
		t.Fatal(err)
	}
	judged := rows.Evaluate()
	achieved, unfair := 0.3012, 0.1
	baseline := func(accuracy float64) train.Baseline {
		f := &train.BaselineFigures{Accuracy: accuracy, Requirements: []*float64{&unfair}}
		return train.Baseline{Train: f, Test: f}
	}
	return &train.Report{
		Status: solver.Converged, Method: "finite-sum", SolvedBy: "finite-sum", Seed: 7, Loss: train.Robust,
		Objective: 0.3278253, KKTResidual: 5e-4, ScaledResidual: 5e-4, Tolerance: 1e-3, Temperature: 1,
		KKT:    train.KKT{Stationarity: 4e-4, Feasibility: 3e-4},
		Passes: 12.5, Samples: 50, Iterations: 3, Rounds: 1, Seconds: 0.25,
		Requirements: []train.Requirement{{
			Spec: "share:group=2,omega=0.3", On: train.Scores, Measure: "share", Bound: 0.3, AtLeast: true,
			Train: &achieved, Test: &achieved, Satisfied: true,
		}},
		Baselines:   &train.Baselines{Majority: baseline(0.75), Unconstrained: baseline(0.8)},
		Constraints: []train.Constraint{{Name: "share(2)", Value: 3e-4, Raw: 1.2e-3, Multiplier: 2.5, Satisfied: true}},
		Problem:     train.Size{Variables: 2, Constraints: 1, Rows: 4, ConstraintRows: 4},
		Train:       &train.Figures{Name: "rows", Report: judged},
		Test:        &train.Figures{Name: "more", Report: judged},
		Model:       "model.json",
	}
}

func TestReport(t *testing.T) {
	var got bytes.Buffer
	writeReport(&got, exampleReport(t), settings{
		again:    " --data rows",
		features: classifier.Features{Kind: classifier.LIBSVM, Names: []string{"age<30", "minority"}},
		verbose:  true,
	})
	want, err := os.ReadFile("testdata/report.golden")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("report differs from testdata/report.golden (-want +got):\n%s\n%s", diff, &got)
	}
	for line := range strings.Lines(got.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > command.ReportWidth {
			t.Errorf("%d columns, at most %d: %s", n, command.ReportWidth, line)
		}
	}
}

// TestReportIsShort: without --verbose the report has at most 16 lines, 20 with a test, whatever
// there is to say, the verdict first and two notes at most.
func TestReportIsShort(t *testing.T) {
	what := settings{again: " --data rows", features: classifier.Features{Kind: classifier.LIBSVM}}
	for _, test := range []struct {
		name, first, want string
		change            func(*train.Report)
	}{
		{"converged", "Satisfied: ", "Next:  fairtrain report --data rows --out report.html", func(*train.Report) {}},
		{"violated", "Not reached: ", "Violated: ", func(r *train.Report) { r.Status, r.Requirements[0].Satisfied = train.NotReached, false }},
		{"diverged", "Diverged: ", "", func(r *train.Report) { r.Status, r.Model = solver.Diverged, "" }},
		{"a test not passed", "Not guaranteed: ", "\nAssumes new people come from the same population; docs/guarantee.md\n", func(r *train.Report) {
			estimate := 0.28
			tested := &guarantee.Report{Rows: 1200, Requirements: []guarantee.Verdict{{Spec: r.Requirements[0].Spec, Measure: "group_share", Estimate: &estimate, Lower: &estimate, Bound: 0.3}}}
			r.Guarantee = &train.Guarantee{Certificate: guarantee.Certificate{Report: tested, Data: "rows", Assumption: strings.Repeat("a", 200), TestedAt: 0.95}}
			r.Guarantee.Statement = words.Statement(&r.Guarantee.Certificate)
			r.Warnings = []string{"one", "two", "three"}
		}},
		{"many notes", "Satisfied: ", "4 more notes: --verbose", func(r *train.Report) {
			r.Warnings, r.UsesGroups = []string{"one", "two", "three", "four"}, []string{"2"}
			r.Costs = &classifier.Costs{WrongPositive: 0.2, Missed: 0.8}
		}},
	} {
		r := exampleReport(t)
		test.change(r)
		var b bytes.Buffer
		writeReport(&b, r, what)
		text := b.String()
		if lines := strings.Count(text, "\n"); lines > 16 && (r.Guarantee == nil || lines > 20) {
			t.Errorf("%s: %d lines:\n%s", test.name, lines, text)
		}
		if notes := strings.Count(text, "Note: "); notes > 2 {
			t.Errorf("%s: %d notes", test.name, notes)
		}
		if !strings.HasPrefix(text, test.first) || !strings.Contains(text, test.want) {
			t.Errorf("%s: expected %q and %q:\n%s", test.name, test.first, test.want, text)
		}
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > command.ReportWidth {
				t.Errorf("%d columns, at most %d: %s", n, command.ReportWidth, line)
			}
		}
	}
}

// TestNoReportNoModel: where there can be no report an old model is not replaced.
func TestNoReportNoModel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.json")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	p := program{Program: command.NewProgram("fairtrain", nil, &stdout, &stderr)}
	p.JSON = true
	err := p.conclude(&train.Report{Status: solver.Converged, Objective: math.Inf(1)},
		&classifier.Classifier{}, nil, trainOptions{model: path}, settings{}, nil)
	if err == nil || !strings.Contains(err.Error(), "a number of the result is not finite") || stdout.Len() > 0 {
		t.Errorf("error %v, stdout %q", err, &stdout)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "old" {
		t.Errorf("the old model is %q (%v)", text, err)
	}
}
