package train_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/classifier"
	invented "github.com/fairtrain/fairtrain/dataset/people"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/internal/datatest"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
)

// TestScorecards: decisions counted anew from the points of the rows satisfy the constraint, and are
// those of the report; the rounded model is nearly as good as the exact one on rows held out.
func TestScorecards(t *testing.T) {
	real := func(name string) func(testing.TB) []byte {
		return func(t testing.TB) []byte { return datatest.Read(t, name) }
	}
	for _, test := range []struct {
		schema string
		read   func(testing.TB) []byte
		group  string
		bound  float64
		scale  classifier.Scale
		long   bool
	}{
		{"people", func(testing.TB) []byte { return invented.Table(invented.TrainName) }, "sex", 0.02, classifier.DefaultScale(), false},
		{"german", real("german/german.data"), "sex", 0.05, classifier.Scale{Base: 500, Odds: 1, PDO: 20}, false},
		{"credit-default", real("credit-default/credit-card-clients.csv"), "SEX", 0.01, classifier.DefaultScale(), true},
	} {
		t.Run(test.schema, func(t *testing.T) {
			if test.long {
				skipUnlessLong(t)
			}
			schema, err := tabular.LoadSchema(test.schema)
			if err != nil {
				t.Fatal(err)
			}
			rows, err := tabular.Read(bytes.NewReader(test.read(t)), schema, tabular.Options{Name: test.schema})
			if err != nil {
				t.Fatal(err)
			}
			o := train.DefaultOptions()
			o.Class, o.ChooseL2, o.Aim, o.Model.Intercept = train.Additive, true, train.AimTraining, true
			o.Constraints = parse(t, fmt.Sprintf("demographic-parity:group=%s,bound=%v", test.group, test.bound))
			if err := o.Learn(rows, 0.3); err != nil {
				t.Fatal(err)
			}
			exact, _, err := train.Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			o.Points = &test.scale
			r, c, err := train.Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Validate(); err != nil {
				t.Fatal(err)
			}
			groups, err := o.Data.Strata(test.group)
			if err != nil {
				t.Fatal(err)
			}
			right, positive, all := 0, make([]float64, len(groups.Names)+1), make([]float64, len(groups.Names)+1)
			for i, y := range o.Data.Y {
				decision := c.RowPoints(o.Data.X, i) >= r.Points.Cutoff
				if all[groups.Group(i)]++; decision {
					positive[groups.Group(i)]++
				}
				if decision == (y > 0) {
					right++
				}
			}
			gap := math.Abs(positive[0]/all[0] - positive[1]/all[1])
			if len(groups.Names) != 2 || r.Status != solver.Converged || !(gap <= test.bound) || math.Abs(gap-*r.Requirements[0].Train) > 1e-12 {
				t.Errorf("%s, a difference of %v of the points, %v of the report, bound %v", r.Status, gap, *r.Requirements[0].Train, test.bound)
			}
			if accuracy := float64(right) / float64(len(o.Data.Y)); math.Abs(accuracy-float64(r.Train.Accuracy)) > 1e-12 {
				t.Errorf("accuracy %v of the points, %v of the report", accuracy, r.Train.Accuracy)
			}
			lines := 0
			for _, column := range r.Points.Columns {
				lines += len(column.Lines)
			}
			t.Logf("%d lines of %d columns; AUC %v, %v before rounding; accuracy %v, %v", lines, len(r.Points.Columns), r.Validation.AUC, exact.Validation.AUC, r.Validation.Accuracy, exact.Validation.Accuracy)
			noise := fairness.Value(1 / math.Sqrt(all[0]+all[1])) // two standard errors
			if r.Train.Accuracy < exact.Train.Accuracy-noise || r.Validation.AUC < exact.Validation.AUC-5e-3 || lines > 4*o.Encoding.Width()/5 {
				t.Errorf("accuracy %v in place of %v, AUC %v in place of %v on rows held out, %d lines for %d features", r.Train.Accuracy, exact.Train.Accuracy, r.Validation.AUC, exact.Validation.AUC, lines, o.Encoding.Width())
			}
		})
	}
}

// TestScorecardOutOfReach: points that can't satisfy a bound are not called satisfied; numbers that
// are no bins are refused by name.
func TestScorecardOutOfReach(t *testing.T) {
	schema, err := tabular.LoadSchema("people")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := tabular.Read(bytes.NewReader(invented.Table(invented.TrainName)), schema, tabular.Options{})
	if err != nil {
		t.Fatal(err)
	}
	run := func(class string, pdo float64) (*train.Report, error) {
		o := train.DefaultOptions()
		o.Class, o.Aim, o.Points = class, train.AimTraining, &classifier.Scale{Base: 600, Odds: 19, PDO: pdo}
		o.Constraints = parse(t, "demographic-parity:group=sex,bound=0.001")
		if err := o.Learn(rows, 0); err != nil {
			t.Fatal(err)
		}
		r, _, err := train.Run(t.Context(), o)
		return r, err
	}
	if _, err := run(train.Linear, 50); err == nil || !strings.Contains(err.Error(), "weights: age, years_experience") {
		t.Errorf("standardised numbers: %v", err)
	}
	r, err := run(train.Additive, 1) // a weight of 1 is one point
	if err != nil {
		t.Fatal(err)
	}
	q := r.Requirements[0]
	t.Logf("%s: %v", r.Status, *q.Train)
	if q.Satisfied != (*q.Train <= q.Bound) || (r.Status == solver.Converged) != q.Satisfied {
		t.Errorf("%s: %v of a bound of %v", r.Status, *q.Train, q.Bound)
	}
}
