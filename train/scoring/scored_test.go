package scoring

import (
	"math"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/train/decide"
)

// sines returns a classifier for the features of d.
func sines(d *dataset.Dataset) *classifier.Classifier {
	c := &classifier.Classifier{Weights: make([]float64, d.Features()), Intercept: -1, Threshold: 0.4}
	for j := range c.Weights {
		c.Weights[j] = math.Sin(float64(j)) / 2
	}
	return c
}

// TestInParts: rows that are many times those of the census have its figures, whose bits don't
// depend on the number of processors.
func TestInParts(t *testing.T) {
	few := census.Train()
	rows := make([]int, 33*few.Rows())
	for i := range rows {
		rows[i] = i % few.Rows()
	}
	many := few.Pick(rows, "many")
	c := sines(few)
	figures := func(d *dataset.Dataset, processors int) *fairness.Report {
		t.Helper()
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		s, err := New(c, d)
		if err != nil {
			t.Fatal(err)
		}
		groups, err := NewGrouping(d, "72", "64")
		if err != nil {
			t.Fatal(err)
		}
		judged, err := s.Judge(groups)
		if err != nil {
			t.Fatal(err)
		}
		r := judged.Evaluate()
		return r
	}
	got := figures(many, 4)
	if diff := cmp.Diff(figures(many, 1), got); diff != "" {
		t.Errorf("-one processor +four:\n%s", diff)
	}
	if got.Rows != len(rows) {
		t.Errorf("%d rows, want %d", got.Rows, len(rows))
	}
	near := cmp.Comparer(func(a, b fairness.Value) bool { return math.Abs(float64(a-b)) <= 1e-9*math.Abs(float64(a)) })
	// counts, and what ties change
	apart := cmpopts.IgnoreFields(fairness.Metrics{}, "Rows", "Positives", "Negatives",
		"TruePositives", "FalsePositives", "TrueNegatives", "FalseNegatives", "AUC", "ECE", "Calibration")
	if diff := cmp.Diff(figures(few, 1), got, near, apart, cmpopts.IgnoreFields(fairness.Report{}, "Gini", "KS")); diff != "" {
		t.Errorf("-census +33 times:\n%s", diff)
	}
}

// TestManyScored compares rows whose scores are not kept with the same rows whose scores are.
func TestManyScored(t *testing.T) {
	d := census.Train()
	c := sines(d)
	if s, err := New(c, &dataset.Dataset{X: d.X, Y: make([]int8, decide.Many)}); err != nil || s.scores != nil {
		t.Errorf("scores of many rows are kept: %v", err)
	}
	many := &Scored{by: c, data: d}
	kept, err := New(c, d)
	if err != nil {
		t.Fatal(err)
	}
	groups, err := NewGrouping(d, "72", "64", "72")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"72", "64", "others than 72", "others than 64"}, groups.Names); diff != "" {
		t.Error(diff)
	}
	judged := func(s *Scored) *fairness.Judged {
		t.Helper()
		j, err := s.Judge(groups)
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	want := judged(kept).Evaluate()
	got := judged(many).Evaluate()
	// Scores in the same interval are ties, and bins of the reliability table end elsewhere.
	near := cmp.Comparer(func(a, b fairness.Value) bool { return math.Abs(float64(a-b)) <= 1e-3*math.Abs(float64(a))+5e-4 })
	if diff := cmp.Diff(want, got, near, cmpopts.IgnoreFields(fairness.Metrics{}, "Calibration")); diff != "" {
		t.Errorf("-kept +many:\n%s", diff)
	}

	requirements := []guarantee.Requirement{
		{Spec: "decisions", Group: "72", Bound: 0.2},
		{Spec: "scores", Group: "72", Scores: true, Bound: 0.2},
		{Spec: "loss", Kind: guarantee.MaxRate, Rate: guarantee.Wrong, Scores: true, Group: "64", Bound: 0.5},
	}
	var reports []*guarantee.Report
	for _, s := range []*Scored{kept, many} {
		e, err := s.Evidence(requirements)
		if err != nil {
			t.Fatal(err)
		}
		r, err := guarantee.Test(requirements, e, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		reports = append(reports, r)
	}
	if diff := cmp.Diff(reports[0], reports[1], cmpopts.EquateApprox(1e-9, 1e-9)); diff != "" {
		t.Errorf("-kept +many:\n%s", diff)
	}
}
