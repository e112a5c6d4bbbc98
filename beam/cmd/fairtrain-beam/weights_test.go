package main

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// weighted is the census with weights, of which few are large.
func weighted() *dataset.Dataset {
	d := census.Train()
	for i := range d.Rows() {
		w := math.Sqrt(float64(1 + i%7))
		if i%100 == 0 {
			w *= 30
		}
		d.Weights = append(d.Weights, w)
	}
	return d
}

// TestSampledWeights trains on shards of rows that have weights, of which the program holds some: the
// same classifier however they are cut, about as good as with all rows, and reported as it is on all rows.
func TestSampledWeights(t *testing.T) {
	d := weighted()
	for _, test := range []struct {
		on        string
		flags     []string
		tolerance float64 // of objective and accuracy
		counts    []int   // of shards
	}{
		{train.Scores, []string{"--on", "scores"}, 1e-3, []int{1, 3}},
		{train.Decisions, []string{"--loss", "logistic", "--tol", "1e-2"}, 5e-3, []int{3}},
	} {
		t.Run(test.on, func(t *testing.T) {
			flags := append(test.flags, "--constraint", "demographic-parity:group=71,bound=0.02")
			want := inMemory(t, d, flags)
			var one trained
			for k, count := range test.counts {
				got := command(t, inProcess(t.Context()), append(flags, "--data", inShards(t, d, count), "--sample", "4000")...)
				if k == 0 {
					one = got
				}
				if diff := cmp.Diff(one, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
					t.Errorf("%d shards (-other +these):\n%s", count, diff)
				}
			}
			if a, b := one.Certificate, want.Certificate; math.Abs(a.Objective-b.Objective) > test.tolerance || math.Abs(a.Train.Accuracy-b.Train.Accuracy) > test.tolerance {
				t.Errorf("f = %v and accuracy %v, with all rows %v and %v", a.Objective, a.Train.Accuracy, b.Objective, b.Train.Accuracy)
			}
			majority := func(r trained) any { return r.Certificate.Baselines.(map[string]any)["majority"] }
			if diff := cmp.Diff(majority(want), majority(one), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Errorf("the same answer for everybody (-all rows +sample):\n%s", diff)
			}
			checkReported(t, one, d, test.on)
		})
	}
}

// checkReported judges a classifier on all rows.
func checkReported(t *testing.T, got trained, d *dataset.Dataset, on string) {
	t.Helper()
	c := &classifier.Classifier{Features: classifier.Features{Count: d.Features()}, Weights: got.Classifier.Weights, Intercept: got.Classifier.Intercept, Threshold: got.Classifier.Threshold}
	s, err := scoring.New(c, d)
	if err != nil {
		t.Fatal(err)
	}
	judged, err := s.Judge(new(scoring.Grouping))
	if err != nil {
		t.Fatal(err)
	}
	figures, err := judged.Evaluate()
	if err != nil {
		t.Fatal(err)
	}
	r, err := model.NewRequirement(model.DemographicParity.For("71", 0.02), d, on)
	if err != nil {
		t.Fatal(err)
	}
	j, err := s.Meets(r)
	if err != nil {
		t.Fatal(err)
	}
	reported := *got.Certificate.Requirements[0].Train
	if accuracy := float64(figures.Accuracy); math.Abs(accuracy-got.Certificate.Train.Accuracy) > 1e-12 || math.Abs(j.Achieved-reported) > 1e-12 {
		t.Errorf("accuracy %v and difference %v, reported %v and %v", accuracy, j.Achieved, got.Certificate.Train.Accuracy, reported)
	}
	if on == train.Decisions && j.Excess > 0 {
		t.Errorf("the requirement is broken by %v", j.Excess)
	}
}
