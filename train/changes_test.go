package train_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/fairness/changes"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train"
)

// TestChanges compares what the constraints changed with the figures of the run, and with those of the
// model as its file has it: the decisions of both on the same rows.
func TestChanges(t *testing.T) {
	o := train.DefaultOptions()
	o.Data, o.TestData = census.Train(), census.Test()
	o.Constraints = []model.Constraint{model.DemographicParity.For("71", 0.02)}
	found, trained, err := train.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if found.People == nil || found.People.Role != changes.Held {
		t.Fatalf("changes %+v", found.People)
	}
	near := cmpopts.EquateApprox(0, 1e-12)
	all := &found.People.All
	free, test := found.Baselines.Unconstrained.Test, found.Test
	want := []float64{free.Accuracy, float64(test.Accuracy), float64(test.TPR)}
	got := []float64{float64(all.Before.Accuracy), float64(all.After.Accuracy), float64(all.After.TPR)}
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Errorf("everybody -figures +changes:\n%s", diff)
	}
	rates := func(m *fairness.Metrics) changes.Rates {
		precision := m.TruePositives / (m.TruePositives + m.FalsePositives)
		return changes.Rates{
			SelectionRate: m.SelectionRate, TPR: m.TPR, FPR: m.FPR, Precision: precision, Accuracy: m.Accuracy,
		}
	}
	for k := range found.People.Groups {
		if diff := cmp.Diff(rates(&found.Test.Groups[k].Metrics), found.People.Groups[k].After, near); diff != "" {
			t.Errorf("group %d -figures +changes:\n%s", k, diff)
		}
	}

	var file bytes.Buffer
	if err := trained.Write(&file); err != nil {
		t.Fatal(err)
	}
	read, err := classifier.Read(&file, "model.json")
	if err != nil {
		t.Fatal(err)
	}
	before, after := decisions(t, read.Before(), &o), decisions(t, read, &o)
	up, down := 0, 0
	var groups [2]struct{ before, after, positives float64 } // true positive rates of the group and the others
	strata, err := o.TestData.Strata("71")
	if err != nil {
		t.Fatal(err)
	}
	for i := range before {
		if before[i] < after[i] {
			up++
		} else if before[i] > after[i] {
			down++
		}
		if o.TestData.Y[i] > 0 {
			g := &groups[strata.Group(i)]
			g.positives++
			g.before += before[i]
			g.after += after[i]
		}
	}
	if up != all.ToPositive || down != all.ToNegative || up+down == 0 {
		t.Errorf("%d to positive and %d to negative, want %d and %d", all.ToPositive, all.ToNegative, up, down)
	}
	apart := func(rate func(k int) float64) float64 { return math.Abs(rate(0) - rate(1)) }
	want = []float64{
		apart(func(k int) float64 { return groups[k].before / groups[k].positives }),
		apart(func(k int) float64 { return groups[k].after / groups[k].positives }),
	}
	k := slices.IndexFunc(found.SideEffects, func(e changes.SideEffect) bool { return e.Measure == "tpr_difference" })
	e := found.SideEffects[k]
	if diff := cmp.Diff(want, []float64{float64(e.Before), float64(e.After)}, near); diff != "" {
		t.Errorf("difference of true positive rates -rows +changes:\n%s", diff)
	}
	for _, e := range found.SideEffects {
		if strings.HasPrefix(e.Measure, "selection_rate") {
			t.Errorf("%s is bounded", e.Measure)
		}
	}
}

// decisions are 0 or 1, for each test row.
func decisions(t *testing.T, c *classifier.Classifier, o *train.Options) []float64 {
	t.Helper()
	list := make([]float64, o.TestData.Rows())
	if err := c.Scores(list, o.TestData.X); err != nil {
		t.Fatal(err)
	}
	for i, score := range list {
		if list[i] = 0; score >= c.Threshold {
			list[i] = 1
		}
	}
	return list
}
