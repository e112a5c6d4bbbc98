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
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
)

// places are two places that have rows of a data set.
type places struct {
	parts []*dataset.Dataset
	lost  bool // the answer of one of them
}

func inPlaces(d *dataset.Dataset) places {
	const cut = 12_288
	rows := func(lo, hi int) (list []int) {
		for i := lo; i < hi; i++ {
			list = append(list, i)
		}
		return list
	}
	return places{parts: []*dataset.Dataset{d.Pick(rows(0, cut), d.Name), d.Pick(rows(cut, d.Rows()), d.Name)}}
}

func (p places) Evaluate(plan *model.Plan, x []float64) (parts []model.Part, err error) {
	first := 0
	for _, d := range p.parts {
		local, err := model.NewLocal(plan, d, first)
		if err != nil {
			return nil, err
		}
		parts, first = append(parts, local.Evaluate(x)...), first+d.Rows()
	}
	return parts, nil
}

func (p places) Judge(q *train.Question) ([]*train.Answer, error) { return answersOf(p, q.Answer) }

func answersOf[A any](p places, of func(*dataset.Dataset) (A, error)) (answers []A, err error) {
	for _, d := range p.parts {
		a, err := of(d)
		if err != nil {
			return nil, err
		}
		answers = append(answers, a)
	}
	if p.lost {
		answers = answers[1:]
	}
	return answers, nil
}

// sampled returns a fifth of the rows of each label and of feature 71, and half of the women with it.
func sampled(d *dataset.Dataset) *dataset.Dataset {
	strata, err := d.Strata("71")
	if err != nil {
		panic(err)
	}
	drawn, rows := map[int]int{}, []int{}
	for i := range d.Rows() {
		k := strata.Of(i)
		every := 5
		if k < 2 {
			every = 2
		}
		if i%every == 0 {
			rows = append(rows, i)
			drawn[k]++
		}
	}
	s := d.Pick(rows, d.Name)
	s.SampleOf = d.Rows()
	for _, i := range rows {
		k := strata.Of(i)
		s.Weights = append(s.Weights, float64(strata.Size(k))/float64(drawn[k])*float64(len(rows))/float64(d.Rows()))
	}
	return s
}

// TestSample trains on a sample. The solution is that of all rows, and the report is about all rows.
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
			o.Data, o.Model.Remote = sampled(d), inPlaces(d)
			got, trained, err := train.Run(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			if got.Status != solver.Converged || math.Abs(got.Objective-want.Objective) > 1e-4 || got.Problem != want.Problem || trained.Training.Data.Rows != d.Rows() {
				t.Errorf("%s at f = %v on %+v, want f = %v on %+v", got.Status, got.Objective, got.Problem, want.Objective, want.Problem)
			}
			scored, err := train.NewScored(trained, d)
			if err != nil {
				t.Fatal(err)
			}
			groups, err := train.NewGrouping(d, "71")
			if err != nil {
				t.Fatal(err)
			}
			judged, err := scored.Judge(groups)
			if err != nil {
				t.Fatal(err)
			}
			figures, err := judged.Evaluate()
			if err != nil {
				t.Fatal(err)
			}
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
			if diff := cmp.Diff(want.Baselines.Majority, got.Baselines.Majority, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Errorf("the same answer for everybody (-all rows +sample):\n%s", diff)
			}
		})
	}
}

// TestSampleErrors asks for what a sample does not tell, and loses rows.
func TestSampleErrors(t *testing.T) {
	d := census.Train()
	lost := inPlaces(d)
	lost.lost = true
	for want, change := range map[string]func(*train.Options){
		"nothing evaluates the rows":              func(o *train.Options) { o.Model.Remote = nil },
		"20273 rows were counted, expected 32561": func(o *train.Options) { o.Model.Remote = lost },
	} {
		o := train.DefaultOptions()
		o.Data, o.Model.Remote = sampled(d), inPlaces(d)
		o.Constraints, o.On = []model.Constraint{model.DemographicParity.For("71", 0.02)}, train.Scores
		change(&o)
		if _, _, err := train.Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	o := train.DefaultOptions()
	o.Data, o.Model.Remote, o.Constraints = sampled(d), inPlaces(d), []model.Constraint{model.DemographicParity.For("71", 0.02)}
	o.Data.OfWeights = &dataset.OfWeights{Stands: o.Data.Weights, Largest: o.Data.Weights, Total: float64(d.Rows())}
	if _, _, _, err := train.RunToPass(context.Background(), o, train.Exam{}); err == nil || !strings.Contains(err.Error(), "the rows have weights, but a test counts every row once") {
		t.Errorf("error %v for a test with weights", err)
	}
}
