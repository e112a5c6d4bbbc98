package train_test

import (
	"testing"

	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train"
)

// TestProgress: the shares that are told of a run never go back, come near the end, although few of
// the passes that it may take are needed, and come near the end of each stage before the next one
// begins.
func TestProgress(t *testing.T) {
	parity := model.DemographicParity.For("71", 0.05)
	for what, f := range map[string]struct {
		constraint model.Constraint
		holdout    *train.HoldoutTest
		stages     []float64 // where they end
	}{
		"no constraint":        {model.Unconstrained(), nil, []float64{1}},
		"a bound on scores":    {model.Share.For("71", 0.3), nil, []float64{0.5, 1}},
		"a bound on decisions": {parity, nil, []float64{0.5}}, // the search may end early
		"a holdout test":       {parity, &train.HoldoutTest{Rows: 10_000, Confidence: 0.95, Power: 0.9}, []float64{0.5}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			o := train.DefaultOptions()
			o.Data = census.Train()
			o.Constraints = []model.Constraint{f.constraint}
			if f.holdout != nil || what == "a bound on decisions" {
				o.Data = census.Test() // fewer rows
			}
			last, stages := 0.0, f.stages
			o.Progress = func(p train.Progress) {
				if p.Share < last || p.Share > 1 {
					t.Errorf("a share of %v after %v", p.Share, last)
				}
				if len(stages) > 0 && p.Share > stages[0] {
					if last < stages[0]-0.05 {
						t.Errorf("a share of %v after %v, but a stage ends at %v", p.Share, last, stages[0])
					}
					stages = stages[1:]
				}
				last = p.Share
			}
			var err error
			if f.holdout != nil {
				_, _, _, err = train.RunToPass(t.Context(), o, *f.holdout)
			} else {
				_, _, err = train.Run(t.Context(), o)
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(stages) > 1 || len(stages) == 1 && last < stages[0]-0.05 {
				t.Errorf("ended at %v, before the end %v of a stage", last, stages[0])
			}
		})
	}
}
