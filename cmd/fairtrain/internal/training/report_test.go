package training

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
)

func exampleReport(t *testing.T) *train.Report {
	t.Helper()
	judged, err := fairness.Evaluate(
		fairness.Predictions{Scores: []float64{0.9, 0.2, 0.6, 0.4}, Threshold: 0.5, Labels: []int8{1, -1, -1, -1}},
		[]fairness.Group{{Name: "2", Member: []bool{true, true, false, false}}})
	if err != nil {
		t.Fatal(err)
	}
	achieved, unfair := 0.3012, 0.1
	baseline := func(accuracy float64) train.Baseline {
		f := &train.BaselineFigures{Accuracy: accuracy, Requirements: []*float64{&unfair}}
		return train.Baseline{Train: f, Test: f}
	}
	return &train.Report{
		Status: solver.Converged, Method: "finite-sum", Seed: 7, Loss: train.Robust,
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
		Constants: []problem.Constant{
			{Name: "G", Value: 1.5},
			{Name: "M", Value: 2},
			{Name: "L_f", Value: 2.75},
			{Name: "L_c", Value: 123456},
			{Name: "L_J", Value: 1e-7},
			{Name: "L_h^f", Value: 10},
			{Name: "L_h^c", Value: 20},
			{Name: "σ_f", Value: 0.125},
		},
		Train: &train.Figures{Name: "rows", Report: judged},
		Test:  &train.Figures{Name: "more", Report: judged},
		Model: "model.json",
	}
}

func TestReport(t *testing.T) {
	var got bytes.Buffer
	writeReport(&got, exampleReport(t), settings{
		data: "rows", constraintData: "rows",
		objective:   []string{"plus (0.1/2)‖w‖²"},
		alpha:       2,
		constraints: []string{"share:group=2,omega=0.3"},
		method:      []string{"tau 20"},
		features:    classifier.Features{Kind: classifier.LIBSVM, Names: []string{"age<30", "minority"}},
		verbose:     true,
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

// exampleWithin makes the requirement of a report one that holds within one decision of each of two groups, of 21 and
// 19 rows.
func exampleWithin(r *train.Report) {
	achieved := 2. / 19
	r.Requirements[0] = train.Requirement{
		Spec: "demographic-parity:group=g,bound=0.01", On: train.Decisions, Measure: "selection_rate_difference", Bound: 0.01,
		Train: &achieved, Satisfied: true, WithinOneDecision: []string{"g=a", "g=b"}, Allowed: 0.01 + 1./21 + 1./19,
	}
}

// TestReportWithinOneDecision: one decision is not enough to keep such a bound, and no words say so.
func TestReportWithinOneDecision(t *testing.T) {
	r := exampleReport(t)
	exampleWithin(r)
	var b bytes.Buffer
	writeRequirements(&b, r)
	if want := "≤ 0.01  0.1053  to one decision each"; !strings.Contains(b.String(), want) {
		t.Errorf("the table lacks %q:\n%s", want, &b)
	}
}

func TestVerdict(t *testing.T) {
	for want, change := range map[string]func(*train.Report){
		"Holds: group 2 has the share 0.3012 on the training rows (at least 0.3)": func(*train.Report) {},
		"Holds, as there is nothing to share or compare: no decision on the training rows is positive": func(r *train.Report) {
			r.Requirements[0].On, r.Requirements[0].Train = train.Decisions, nil
		},
		"0.29996 on the test rows (broken there)": func(r *train.Report) {
			nearly := 0.29996
			r.Requirements[0].On, r.Requirements[0].Test = train.Decisions, &nearly
		},
		"Holds within one decision of each group: selection rates of g differ by 0.1053 on the training rows (bound 0.01, allowed 0.1103)": exampleWithin,
		"Does not hold: selection rates of g differ by 0.1053 on the training rows (bound 0.01). The test rows say nothing about it. One decision moves the rate of g=a, g=b": func(r *train.Report) {
			exampleWithin(r)
			r.Requirements[0].Satisfied = false
		},
		"Holds: mean scores of positives and of negatives of g differ by at most 0.3012 on the training rows (bound 0.4)": func(r *train.Report) {
			q := &r.Requirements[0]
			q.Spec, q.Measure, q.Bound, q.AtLeast = "equalized-odds:group=g,bound=0.4", "equalized_odds_difference", 0.4, false
		},
		"Holds: mean scores of positives of g differ by 0.3012 on the training rows (bound 0.4)": func(r *train.Report) {
			q := &r.Requirements[0]
			q.Spec, q.Measure, q.Bound, q.AtLeast = "equal-opportunity:group=g,bound=0.4", "mean_score_of_positives_difference", 0.4, false
		},
		"Holds: true and false positive rates of g differ by at most 0.3012 on the training rows (bound 0.4)": func(r *train.Report) {
			q := &r.Requirements[0]
			q.Spec, q.Measure, q.Bound, q.AtLeast = "equalized-odds:group=g,bound=0.4", "equalized_odds_difference", 0.4, false
			q.On = train.Decisions
		},
		"it was not chosen by its accuracy: a wrong positive decision costs 0.2 and a missed one 0.8": func(r *train.Report) {
			r.Costs = &classifier.Costs{WrongPositive: 0.2, Missed: 0.8}
		},
		"Not optimal: ": func(r *train.Report) { r.Status, r.ScaledResidual = solver.Exhausted, 2e-3 },
		"Not reached: ": func(r *train.Report) { r.Status, r.Requirements[0].Satisfied = train.NotReached, false },
		"Infeasible: no scores at all satisfy a and b together": func(r *train.Report) {
			r.Status, r.Conflict = train.Infeasible, []string{"a", "b"}
		},
		"Diverged: ":              func(r *train.Report) { r.Status, r.ScaledResidual = solver.Diverged, 2e-3 },
		"Interrupted: ":           func(r *train.Report) { r.Status, r.ScaledResidual = solver.Interrupted, 2e-3 },
		"Certified: ":             func(*train.Report) {},
		"Note: a word of warning": func(r *train.Report) { r.Warnings = []string{"a word of warning"} },
		"Price: accuracy 0.7500 on the training rows, 0.8000 without the requirements": func(*train.Report) {},
	} {
		r := exampleReport(t)
		change(r)
		if got := strings.Join(strings.Fields(verdict(r)), " "); !strings.Contains(got, want) {
			t.Errorf("verdict %q, want %q", got, want)
		}
		for line := range strings.Lines(verdict(r)) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > command.ReportWidth {
				t.Errorf("%d columns, at most %d: %s", n, command.ReportWidth, line)
			}
		}
	}
}
