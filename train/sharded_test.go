package train_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/scoring"
	"github.com/fairtrain/fairtrain/train/scoring/scoringtest"
)

// TestSampledDecisions trains on a sample for constraints on decisions, which places count on all
// rows, and for none.
func TestSampledDecisions(t *testing.T) {
	d := census.Train()
	for _, specs := range [][]string{
		{"demographic-parity:group=71,bound=0.02"},
		{"demographic-parity:group=71,bound=0.02", "bounded-group-loss:group=71,bound=0.4"},
		{"none"},
	} {
		t.Run(fmt.Sprint(specs), func(t *testing.T) {
			o := train.DefaultOptions()
			for _, spec := range specs {
				c, err := model.ParseConstraint(spec)
				if err != nil {
					t.Fatal(err)
				}
				o.Constraints = append(o.Constraints, c)
			}
			o.Data = d
			want, _, err := train.Run(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			o.Data, o.Model.Shards = scoringtest.Sampled(d), scoringtest.InShards(d)
			got, trained, err := train.Run(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			scored, err := scoring.New(trained, d)
			if err != nil {
				t.Fatal(err)
			}
			values := map[string][]float64{} // scores and decisions
			right := 0
			_ = scored.Each(func(lo int, scores []float64) error {
				for k, score := range scores {
					decision := 0.0
					if score >= trained.Threshold {
						decision = 1
					}
					if (decision == 1) == (d.Y[lo+k] > 0) {
						right++
					}
					values[train.Decisions] = append(values[train.Decisions], decision)
				}
				values[train.Scores] = append(values[train.Scores], scores...)
				return nil
			})
			if accuracy := float64(right) / float64(d.Rows()); accuracy != float64(got.Train.Accuracy) {
				t.Errorf("accuracy %v, the report says %v", accuracy, got.Train.Accuracy)
			}
			const tolerance = 1e-3 // of accuracy, two ties
			if got.Status != solver.Converged || float64(want.Train.Accuracy-got.Train.Accuracy) > tolerance {
				t.Errorf("%s with accuracy %v, of all rows %v", got.Status, got.Train.Accuracy, want.Train.Accuracy)
			}
			base := float64(got.Train.Positives) / float64(d.Rows())
			if mean := stat.Mean(values[train.Scores], nil); trained.Training.Calibration != nil &&
				math.Abs(mean-base) > 1e-6 {
				t.Errorf("the mean score is %v, the base rate %v", mean, base)
			}
			for k, reported := range got.Requirements {
				r, err := model.NewRequirement(o.Constraints[k], d, reported.On)
				if err != nil {
					t.Fatal(err)
				}
				j := r.Judge(values[r.On])
				if !reported.Satisfied || j.Excess > 0 && r.On == train.Decisions ||
					math.Abs(j.Achieved-*reported.Train) > 1e-12 {
					t.Errorf("%s: %v, the report says %v", r.Spec, j.Achieved, *reported.Train)
				}
			}
		})
	}
}
