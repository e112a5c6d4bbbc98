package train_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
)

// people returns the options for training on a CSV file of $FAIRTRAIN_DATA, with test
// rows unless that is empty, or skips.
func people(t testing.TB, schema, data, test string) train.Options {
	t.Helper()
	dir := os.Getenv("FAIRTRAIN_DATA")
	if dir == "" {
		t.Skip("FAIRTRAIN_DATA is not set")
	}
	s, err := dataset.LoadSchema(schema)
	if err != nil {
		t.Fatal(err)
	}
	table := func(name string, s *dataset.Schema) *dataset.Table {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err != nil {
			t.Skipf("FAIRTRAIN_DATA has no %s", name)
		}
		table, err := dataset.LoadTable(path, nil, s, dataset.CSVOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	o := train.DefaultOptions()
	o.Model.Intercept = true
	rows := table(data, s)
	if o.Encoding, err = dataset.Learn(rows, nil); err != nil {
		t.Fatal(err)
	}
	if o.Data, err = o.Encoding.Apply(rows, nil); err != nil {
		t.Fatal(err)
	}
	if test != "" {
		if o.TestData, err = o.Encoding.Apply(table(test, o.Encoding.Schema), nil); err != nil {
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
	o.Decisions = true
	for _, test := range []struct {
		spec       string
		difference func(r *train.Report) (onTrain, onTest float64)
		bound      float64
		onTest     float64
	}{
		{"demographic-parity:group=sex,bound=0.02", parityOf, 0.02, 0.03},
		{"equalized-odds:group=sex,bound=0.05", oddsOf, 0.05, 0.06},
		// Of the smallest race there are 135 test rows.
		{"demographic-parity:group=race,bound=0.02", parityOf, 0.02, 0.15},
		{"demographic-parity:group=sex*race,bound=0.02", parityOf, 0.02, 0.2},
		// The smallest groups have 6 and 12 positive rows, in the test 5.
		{"equalized-odds:group=sex*race,bound=0.05", oddsOf, 0.05, 1},
	} {
		t.Run(test.spec, func(t *testing.T) {
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
			for _, c := range r.Constraints {
				if !c.Satisfied || c.Test == nil {
					t.Errorf("constraint %+v", c)
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

// TestOptimaOnPeople compares objectives with those of the deterministic method.
func TestOptimaOnPeople(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
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
			o.Constraints = parse(t, test.spec)
			r, trained, err := train.Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			fair, err := model.New(o.Data, o.Data, o.Constraints, o.Model)
			if err != nil {
				t.Fatal(err)
			}
			_, m := fair.Dims()
			inequality := make([]bool, m)
			for i := range inequality {
				inequality[i] = true
			}
			start := append(append([]float64{}, trained.Weights...), trained.Intercept)
			reference, err := solver.ALM(t.Context(), fair, inequality, 1e-4, start)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("objective %.6f, reference %.6f (residual %.1e), KKT %.1e, %.0f passes", r.Objective, reference.Objective, reference.Residual, r.KKTResidual, r.Passes)
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
	o.Constraints = parse(t, "equal-opportunity:group=race,bound=0.05")
	_, trained, err := train.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]float64, o.Data.Rows())
	if err := trained.Scores(want, o.Data.X); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := trained.Write(&file); err != nil {
		t.Fatal(err)
	}
	loaded, err := classifier.Read(&file, "model.json")
	if err != nil {
		t.Fatal(err)
	}
	e := loaded.Features.Encoding
	table, err := dataset.LoadTable(filepath.Join(os.Getenv("FAIRTRAIN_DATA"), "compas/compas-two-years.csv"), nil, e.Schema, dataset.CSVOptions{AnyLabels: true})
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

// TestContradictionIsInfeasible asks for fewer errors in two groups than any weights
// allow, and for shares that add up to more than 1, which all scores near 0 would satisfy
// to any tolerance.
func TestContradictionIsInfeasible(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	for _, test := range []struct {
		passes    float64
		conflicts int
		specs     []string
	}{
		{50, 2, []string{"bounded-group-loss:group=72,bound=0.05", "bounded-group-loss:group=73,bound=0.05"}},
		{50, 2, []string{"share:group=72,omega=0.6", "share:group=73,omega=0.6"}},
		{1, 0, []string{"share:group=72,omega=0.33", "demographic-parity:group=71,bound=0"}}, // too few passes
	} {
		o := train.DefaultOptions()
		o.Data, _ = dataset.Synthetic()
		o.MaxPasses = test.passes
		o.Constraints = parse(t, test.specs...)
		r, _, err := train.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		conflicts := 0
		if r.Conflict != nil {
			conflicts = len(r.Conflict.Constraints)
		}
		if want := test.conflicts > 0; conflicts != test.conflicts || (r.Status == train.Infeasible) != want {
			t.Errorf("%v: %s, conflict %+v, want %d constraints in conflict", test.specs, r.Status, r.Conflict, test.conflicts)
		}
	}
}

// TestDecisionsThatHoldAreNotInfeasible bounds the errors of a group's decisions by less
// than those of its scores can be.
func TestDecisionsThatHoldAreNotInfeasible(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	o := train.DefaultOptions()
	o.Data, _ = dataset.Synthetic()
	o.MaxPasses = 200
	o.Constraints = parse(t, "bounded-group-loss:group=72,bound=0.084")
	onScores, _, err := train.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	o.Decisions = true
	onDecisions, _, err := train.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if onScores.Status != train.Infeasible || !onDecisions.Satisfied() || onDecisions.Status != solver.Exhausted {
		t.Errorf("on scores %s; on decisions %s, satisfied is %v", onScores.Status, onDecisions.Status, onDecisions.Satisfied())
	}
}
