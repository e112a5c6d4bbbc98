package train_test

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/internal/datatest"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/solver/reference"
	"github.com/fairtrain/fairtrain/train"
)

// people returns the options for training on a CSV file of $FAIRTRAIN_DATA, read by the
// built-in schema of the given name, with test rows unless that is empty, or skips.
func people(t testing.TB, schema, data, test string) train.Options {
	t.Helper()
	s, err := tabular.LoadSchema(schema)
	if err != nil {
		t.Fatal(err)
	}
	return peopleOf(t, s, data, test)
}

// dutch returns the options for the Dutch census.
func dutch(t testing.TB) train.Options {
	t.Helper()
	schema := &tabular.Schema{Label: tabular.LabelSpec{Column: "occupation"}}
	return peopleOf(t, schema.WithGroups([]string{"sex", "marital_status"}), "dutch/dutch.csv", "")
}

func peopleOf(t testing.TB, schema *tabular.Schema, data, test string) train.Options {
	t.Helper()
	load := func(name string, s *tabular.Schema) *tabular.Table {
		rows, err := tabular.Read(bytes.NewReader(datatest.Read(t, name)), s, tabular.Options{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	o := train.DefaultOptions()
	o.Model.Intercept = true
	rows := load(data, schema)
	var err error
	if o.Encoding, err = encoding.Learn(rows, nil); err != nil {
		t.Fatal(err)
	}
	if o.Data, err = o.Encoding.Apply(rows, nil); err != nil {
		t.Fatal(err)
	}
	if test != "" {
		if o.TestData, err = o.Encoding.Apply(load(test, o.Encoding.Schema), nil); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

func parse(t testing.TB, specs ...string) []model.Constraint {
	t.Helper()
	var constraints []model.Constraint
	for _, spec := range specs {
		c, err := model.ParseConstraint(spec)
		if err != nil {
			t.Fatal(err)
		}
		constraints = append(constraints, c)
	}
	return constraints
}

// TestDecisionsOnAdult trains on the raw UCI Adult files so that decisions satisfy the
// constraints on the training rows, and judges the price on the test rows.
func TestDecisionsOnAdult(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	o := people(t, "adult", "adult/adult.data", "adult/adult.test")
	o.Constraints = parse(t, "none")
	free, _, err := train.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	o.On = train.Decisions
	for _, test := range []struct {
		spec       string
		difference func(r *train.Report) (onTrain, onTest float64)
		bound      float64
		onTest     float64
		long       bool
	}{
		{"demographic-parity:group=sex,bound=0.02", parityOf, 0.02, 0.03, false},
		{"equalized-odds:group=sex,bound=0.05", oddsOf, 0.05, 0.06, true},
		// The smallest race has 135 test rows.
		{"demographic-parity:group=race,bound=0.02", parityOf, 0.02, 0.15, true},
		{"demographic-parity:group=sex*race,bound=0.02", parityOf, 0.02, 0.2, true},
	} {
		t.Run(test.spec, func(t *testing.T) {
			if test.long {
				skipUnlessLong(t)
			}
			o.Constraints = parse(t, test.spec)
			r, _, err := train.Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			onTrain, onTest := test.difference(r)
			t.Logf("%d rounds, %.0f passes, %.2f s: %.4f on the training rows, %.4f on the test rows, test accuracy %.4f (%.4f without)",
				r.Rounds, r.Passes, r.Seconds, onTrain, onTest, float64(r.Test.Accuracy), float64(free.Test.Accuracy))
			if r.Status != solver.Converged || !(onTrain <= test.bound) || !(onTest <= test.onTest) {
				t.Errorf("%s, difference %v on the training rows and %v on the test rows", r.Status, onTrain, onTest)
			}
			if !(r.Test.Accuracy >= free.Test.Accuracy-0.03) {
				t.Errorf("test accuracy %v, %v without the constraint", r.Test.Accuracy, free.Test.Accuracy)
			}
			for _, q := range r.Requirements {
				const rounding = 1e-12
				if !q.Satisfied || math.Abs(*q.Train-onTrain) > rounding || math.Abs(*q.Test-onTest) > rounding {
					t.Errorf("requirement %s: %v on the training rows, %v on the test rows", q.Spec, *q.Train, *q.Test)
				}
			}
		})
	}
}

func parityOf(r *train.Report) (onTrain, onTest float64) {
	return float64(r.Train.DemographicParityDifference), float64(r.Test.DemographicParityDifference)
}

func oddsOf(r *train.Report) (onTrain, onTest float64) {
	return float64(r.Train.EqualizedOddsDifference), float64(r.Test.EqualizedOddsDifference)
}

// TestOptimaOnPeople compares objectives, with constraints on scores, with the objectives of the
// deterministic method.
func TestOptimaOnPeople(t *testing.T) {
	skipUnlessLong(t)
	for _, test := range []struct{ schema, data, spec string }{
		{"adult", "adult/adult.data", "demographic-parity:group=sex,bound=0.02"},
		{"adult", "adult/adult.data", "equalized-odds:group=sex,bound=0.05"},
		{"adult", "adult/adult.data", "demographic-parity:group=race,bound=0.02"},
		{"adult", "adult/adult.data", "demographic-parity:group=sex*race,bound=0.02"},
		{"adult", "adult/adult.data", "equalized-odds:group=sex*race,bound=0.05"},
		{"compas", "compas/compas-two-years.csv", "equal-opportunity:group=race,bound=0.05"},
		{"german", "german/german.data", "demographic-parity:group=sex,bound=0.02"},
		{"credit-default", "credit-default/credit-card-clients.csv", "rate-ratio:group=SEX,min=0.95"},
	} {
		t.Run(test.schema+" "+test.spec, func(t *testing.T) {
			o := people(t, test.schema, test.data, "")
			o.Constraints, o.On = parse(t, test.spec), train.Scores
			r, trained, err := train.Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			o.Model.Intercept = true
			o.Model.Start = append(slices.Clone(trained.Weights), trained.Intercept)
			fair, err := model.New(o.Data, o.Data, o.Constraints, o.Model)
			if err != nil {
				t.Fatal(err)
			}
			n, _ := fair.Dims()
			start := make([]float64, n)
			fair.Start(start)
			reference, err := reference.Solve(t.Context(), fair, 1e-4, start)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("objective %.6f, reference %.6f (residual %.1e), KKT %.1e, %.0f passes",
				r.Objective, reference.Objective, reference.Residual, r.KKTResidual, r.Passes)
			if r.Status != solver.Converged || math.Abs(r.Objective-reference.Objective) > 0.005*reference.Objective {
				t.Errorf("%s with objective %v, the reference has %v", r.Status, r.Objective, reference.Objective)
			}
			for _, c := range r.Constraints {
				if c.Value > 1e-3 {
					t.Errorf("%s is %v", c.Name, c.Value)
				}
			}
		})
	}
}

// TestPredictsRawRows reads the model back and scores the file that it was trained on.
func TestPredictsRawRows(t *testing.T) {
	o := people(t, "compas", "compas/compas-two-years.csv", "")
	o.Constraints, o.Tolerance = parse(t, "none"), 0.1 // any model will do
	_, trained, err := train.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]float64, o.Data.Rows())
	if err := trained.Scores(want, o.Data.X); err != nil {
		t.Fatal(err)
	}
	loaded := written(t, trained)
	e := loaded.Features.Encoding
	table, err := tabular.Read(bytes.NewReader(datatest.Read(t, "compas/compas-two-years.csv")),
		e.Schema, tabular.Options{AnyLabels: true})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := e.Apply(table, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float64, raw.Rows())
	if err := loaded.Scores(got, raw.X); err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("row %d scores %v, in training %v", i, got[i], want[i])
		}
	}
}

// TestHardConstraint bounds the errors of a group's decisions by a value that is hardly possible,
// if at all.
func TestHardConstraint(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	o := train.DefaultOptions()
	o.Data = census.Test()
	o.MaxPasses = 200
	o.Constraints = parse(t, "bounded-group-loss:group=72,bound=0.084")
	for on, status := range map[string][]solver.Status{
		train.Scores:    {solver.Converged, train.NotReached, solver.Exhausted},
		train.Decisions: {solver.Converged, solver.Exhausted},
	} {
		o.On = on
		r, _, err := train.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(status, r.Status) {
			t.Errorf("on %s: %s, achieved %v", on, r.Status, *r.Requirements[0].Train)
		}
	}
}
