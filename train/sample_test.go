package train_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/dataset/shards"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/scoring"
	"github.com/fairtrain/fairtrain/train/scoring/scoringtest"
)

// TestSample trains on a sample. The solution is that of all rows, and the report is about all
// rows.
func TestSample(t *testing.T) {
	d := census.Test()
	for _, spec := range []string{"share:group=71,omega=0.3", "demographic-parity:group=71,bound=0.02", "bounded-group-loss:group=71,bound=0.35"} {
		t.Run(spec, func(t *testing.T) {
			c, err := model.ParseConstraint(spec)
			if err != nil {
				t.Fatal(err)
			}
			o := train.DefaultOptions()
			o.Data, o.Constraints, o.On, o.Tolerance = d, []model.Constraint{c}, train.Scores, 1e-5
			want, _, err := train.Run(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			o.Data, o.Model.Shards = scoringtest.Sampled(d), scoringtest.InShards(d)
			got, trained, err := train.Run(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			if got.Status != solver.Converged || math.Abs(got.Objective-want.Objective) > 1e-4 ||
				got.Problem != want.Problem || trained.Training.Data.Rows != d.Rows() {
				t.Errorf("%s at f = %v on %+v, want f = %v on %+v", got.Status, got.Objective,
					got.Problem, want.Objective, want.Problem)
			}
			scored, err := scoring.New(trained, d)
			if err != nil {
				t.Fatal(err)
			}
			groups, err := scoring.NewGrouping(d, "71")
			if err != nil {
				t.Fatal(err)
			}
			judged, err := scored.Judge(groups)
			if err != nil {
				t.Fatal(err)
			}
			figures := judged.Evaluate()
			approximately := cmp.Options{
				cmp.Comparer(func(a, b fairness.Value) bool { return math.Abs(float64(a-b)) < 1e-3 }),
				cmpopts.IgnoreTypes([]fairness.CalibrationBin{}),
			}
			if diff := cmp.Diff(figures.Groups, got.Train.Groups, approximately); diff != "" {
				t.Errorf("figures (-all rows +report):\n%s", diff)
			}
			requirement, err := model.NewRequirement(c, d, train.Scores)
			if err != nil {
				t.Fatal(err)
			}
			var scores []float64
			_ = scored.Each(func(_ int, part []float64) error { scores = append(scores, part...); return nil })
			if achieved := requirement.Judge(scores).Achieved; math.Abs(achieved-*got.Requirements[0].Train) > 1e-12 {
				t.Errorf("achieved %v, the report says %v", achieved, *got.Requirements[0].Train)
			}
			if diff := cmp.Diff(want.Baselines.Majority, got.Baselines.Majority,
				cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Errorf("the same answer for everybody (-all rows +sample):\n%s", diff)
			}
		})
	}
}

// TestSampledValues evaluates rows, some of which are here: objective, constraints, and
// requirements on scores and decisions are those of all rows.
func TestSampledValues(t *testing.T) {
	d := census.Train()
	sample, all := scoringtest.Sampled(d), scoringtest.InShards(d)
	c := scoringtest.Classifier(d)
	here, err := scoring.New(c, d)
	if err != nil {
		t.Fatal(err)
	}
	there, err := scoring.Over(c, sample, all)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range []string{"share:group=71,omega=0.3", "equalized-odds:group=71,bound=0.02", "bounded-group-loss:group=71,bound=0.35"} {
		t.Run(spec, func(t *testing.T) {
			constraint, err := model.ParseConstraint(spec)
			if err != nil {
				t.Fatal(err)
			}
			values := func(d *dataset.Dataset, all *shards.Rows) *problem.Values {
				fair, err := model.New(d, d, []model.Constraint{constraint},
					model.Options{Alpha: 2, Weights: d.Weights, Shards: all})
				if err != nil {
					t.Fatal(err)
				}
				n, m := fair.Dims()
				v, x := problem.NewValues(n, m), make([]float64, n)
				copy(x, c.Weights)
				fair.Evaluate(v, x, nil)
				if err := fair.Err(); err != nil {
					t.Fatal(err)
				}
				return v
			}
			if diff := cmp.Diff(values(d, nil), values(sample, all), cmpopts.EquateApprox(1e-9, 1e-9)); diff != "" {
				t.Errorf("exact values (-all rows +sample):\n%s", diff)
			}
			for _, on := range []string{train.Scores, train.Decisions} {
				judged := func(s *scoring.Scored, d *dataset.Dataset) model.Judgement {
					r, err := model.NewRequirement(constraint, d, on)
					if err != nil {
						t.Fatal(err)
					}
					j, err := s.Meets(r)
					if err != nil {
						t.Fatal(err)
					}
					return j
				}
				if diff := cmp.Diff(judged(here, d), judged(there, sample),
					cmpopts.EquateApprox(0, 1e-12)); diff != "" {
					t.Errorf("on %s (-all rows +sample):\n%s", on, diff)
				}
			}
		})
	}
}

// TestSampleErrors asks for what a sample does not tell, and loses rows.
func TestSampleErrors(t *testing.T) {
	d := census.Train()
	lost := scoringtest.InShards(d)
	lost.Shards = lost.Shards[1:]
	for want, change := range map[string]func(*train.Options){
		"nothing evaluates the rows":                     func(o *train.Options) { o.Model.Shards = nil },
		"rows 12289 to 14336 were evaluated after row 0": func(o *train.Options) { o.Model.Shards = lost },
	} {
		o := train.DefaultOptions()
		o.Data, o.Model.Shards = scoringtest.Sampled(d), scoringtest.InShards(d)
		o.Constraints, o.On = []model.Constraint{model.DemographicParity.For("71", 0.02)}, train.Scores
		change(&o)
		if _, _, err := train.Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
