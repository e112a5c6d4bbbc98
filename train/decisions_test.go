package train_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/decide"
)

// TestHardCases are commands that once ended infeasible, at the budget, or far below the
// accuracy that is possible. Accuracies are on the training rows, where the decisions
// keep every bound.
func TestHardCases(t *testing.T) {
	adult := func(t testing.TB) train.Options { return people(t, "adult", "adult/adult.data", "") }
	crossed := func(t testing.TB) train.Options {
		s, err := tabular.LoadSchema("adult")
		if err != nil {
			t.Fatal(err)
		}
		return peopleOf(t, s.Expose([]string{"sex*race"}), "adult/adult.data", "")
	}
	for _, test := range []struct {
		name        string
		data        func(testing.TB) train.Options
		specs       []string
		on          string
		temperature float64
		accuracy    float64 // at least
		passes      float64 // at most, of one run of the method; 0 for many
		tiny        bool    // groups are held to within one decision
		long        bool    // see skipUnlessLong
	}{
		{name: "Dutch EO", data: dutch, specs: []string{"equalized-odds:group=sex,bound=0.03"}, accuracy: 0.803, long: true},
		{name: "Dutch EO T=0.1", data: dutch, specs: []string{"equalized-odds:group=sex,bound=0.03"}, temperature: 0.1, accuracy: 0.801, long: true},
		{name: "Dutch DP and EOpp", data: dutch, specs: []string{"demographic-parity:group=sex,bound=0.05", "equal-opportunity:group=sex,bound=0.05"}, accuracy: 0.714, long: true},
		{name: "Dutch with a loss", data: dutch, specs: []string{"demographic-parity:group=sex,bound=0.05", "demographic-parity:group=marital_status,bound=0.05", "bounded-group-loss:group=sex,bound=0.6"}, accuracy: 0.7, long: true},
		{name: "Dutch four fifths", data: dutch, specs: []string{"rate-ratio:group=sex,min=0.8"}, accuracy: 0.792, long: true},
		{name: "Dutch FPR and errors", data: dutch, specs: []string{"predictive-equality:group=sex,bound=0.03", "error-parity:group=sex,bound=0.02"}, accuracy: 0.79},
		{name: "Dutch cap and within", data: dutch, specs: []string{"max-selection:bound=0.4", "min-rate:group=sex,of=tpr,min=0.6", "demographic-parity:group=sex,bound=0.1,within=marital_status"}, accuracy: 0.78},
		{name: "Adult DP twice", data: adult, specs: []string{"demographic-parity:group=race,bound=0.05", "demographic-parity:group=race,bound=0.02"}, on: train.Scores, passes: 100},
		{name: "Adult DP twice on decisions", data: adult, specs: []string{"demographic-parity:group=race,bound=0.05", "demographic-parity:group=race,bound=0.02"}, accuracy: 0.84, long: true},
		{name: "Adult tiny groups", data: crossed, specs: []string{"equalized-odds:group=sex*race,bound=0.05"}, accuracy: 0.857, tiny: true, long: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			if testing.Short() {
				t.Skip("takes some seconds")
			}
			if test.long {
				skipUnlessLong(t)
			}
			o := test.data(t)
			o.Constraints, o.On, o.Model.Temperature = parse(t, test.specs...), test.on, test.temperature
			r, _, err := train.Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			accuracy := float64(r.Train.Accuracy)
			t.Logf("%s by %s loss and %s, %.0f passes in %d rounds, %.1f s, KKT %.1e, accuracy %.4f", r.Status, r.Loss, r.MadeBy, r.Passes, r.Rounds, r.Seconds, r.KKTResidual, accuracy)
			if r.Status != solver.Converged || !(accuracy >= test.accuracy) || test.passes > 0 &&
				!(r.Passes <= test.passes) {
				t.Errorf("%s, accuracy %v, %v passes", r.Status, accuracy, r.Passes)
			}
			tiny := 0
			for _, q := range r.Requirements {
				t.Logf("%s: %.4f %v", q.Spec, *q.Train, q.WithinOneDecision)
				tolerance := 0.0
				if q.On == train.Scores {
					tolerance = r.Tolerance
				}
				if len(q.WithinOneDecision) == 0 && *q.Train > q.Bound+tolerance != q.AtLeast && *q.Train != q.Bound {
					t.Errorf("%s achieved %v", q.Spec, *q.Train)
				}
				tiny += len(q.WithinOneDecision)
			}
			if (tiny > 0) != test.tiny {
				t.Errorf("%d groups to within one decision", tiny)
			}
		})
	}
}

// TestThreshold: if a wrong positive decision costs T and a missed one 1 − T, the fair classifier
// for the threshold T costs hardly more than the one without requirements, which is nearly fair
// here.
func TestThreshold(t *testing.T) {
	rows := make([]int, 1500)
	for i := range rows {
		rows[i] = i
	}
	d := census.Train().Pick(rows, "a part")
	for _, threshold := range []float64{0.15, 0.5, 0.85} {
		cost := func(spec string) float64 {
			o := train.DefaultOptions()
			o.Data, o.Threshold, o.Constraints = d, threshold, parse(t, spec)
			r, _, err := train.Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != solver.Converged {
				t.Errorf("threshold %v, %s: %s", threshold, spec, r.Status)
			}
			positive := float64(r.Train.Positives) / float64(r.Train.Rows)
			return threshold*(1-positive)*float64(r.Train.FPR) + (1-threshold)*positive*(1-float64(r.Train.TPR))
		}
		fair, free := cost("demographic-parity:group=71,bound=0.03"), cost("none")
		if !(fair <= free+0.005) {
			t.Errorf("threshold %v: cost %v, without requirements %v", threshold, fair, free)
		}
	}
}

// TestManySmallRows: from decide.Many rows on, no margins are kept for them, however few values
// they have.
func TestManySmallRows(t *testing.T) {
	o := train.DefaultOptions()
	var b sparse.Builder
	random := rand.New(rand.NewPCG(1, 2))
	for range decide.Many {
		member, other := random.Float64() < 0.2, random.Float64()
		odds := 0.2 + 0.5*other
		if member {
			b.Push(0, 1)
			odds += 0.2
		}
		b.Push(1, math.Round(16*other))
		label := int8(-1)
		if random.Float64() < odds {
			label = 1
		}
		b.EndRow(label)
	}
	o.Data = &dataset.Dataset{Name: "small rows"}
	o.Data.X, o.Data.Y = b.Finish(2)
	o.Constraints, o.Model.Intercept, o.Loss, o.Tolerance = parse(t,
		"demographic-parity:group=1,bound=0.01"), true, train.Logistic, 0.05
	o.Model.Temperature = 1 // a single smooth problem makes all kinds of candidates
	r, _, err := train.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != solver.Converged || !(*r.Requirements[0].Train <= 0.01) {
		t.Errorf("%s, disparity %v", r.Status, r.Requirements[0].Train)
	}
}

// TestProbabilitiesOfWeightedClasses: scores have the share of positive labels as their mean,
// whatever the classes weigh and however weights are penalised.
func TestProbabilitiesOfWeightedClasses(t *testing.T) {
	o := train.DefaultOptions()
	o.Data = census.Test()
	o.Constraints, o.Model.Intercept = []model.Constraint{model.Unconstrained()}, true
	for _, o.Loss = range []string{train.Logistic, train.Robust} {
		for _, o.Model.L2 = range []float64{0, 0.1} {
			for _, positive := range []float64{1, 10} {
				o.ClassWeight = positive
				r, _, err := train.Run(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				share := float64(r.Train.Positives / (r.Train.Positives + r.Train.Negatives))
				if mean := float64(r.Train.MeanScore); math.Abs(mean-share) > 1e-3 {
					t.Errorf("%s, l2 %v, positives count %v times: mean score %v, %v are positive",
						o.Loss, o.Model.L2, positive, mean, share)
				}
			}
		}
	}
}

// TestScoresAreProbabilities checks that the mean score is the base rate for either loss,
// and that the logistic loss stands for an open choice.
func TestScoresAreProbabilities(t *testing.T) {
	for _, test := range []struct{ schema, data string }{
		{"credit-default", "credit-default/credit-card-clients.csv"},
		{"german", "german/german.data"},
		{"compas", "compas/compas-two-years.csv"},
	} {
		t.Run(test.schema, func(t *testing.T) {
			o := people(t, test.schema, test.data, "")
			o.Constraints = parse(t, "none")
			accuracy := map[string]float64{}
			for _, loss := range []string{train.Logistic, train.Robust, ""} {
				o.Loss = loss
				r, _, err := train.Run(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				accuracy[loss] = float64(r.Train.Accuracy)
				base := float64(r.Train.Positives) / float64(r.Train.Rows)
				if r.Status != solver.Converged || !(math.Abs(float64(r.Train.MeanScore)-base) <= 5e-4) {
					t.Errorf("loss %q: %s, mean score %v, base rate %v", loss, r.Status, r.Train.MeanScore, base)
				}
			}
			if accuracy[""] != accuracy[train.Logistic] || accuracy[train.Robust] < accuracy[""]-5e-3 {
				t.Errorf("accuracies %v", accuracy)
			}
		})
	}
}
