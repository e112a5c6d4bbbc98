package train_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/kkt"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
)

// multiplied returns the data with the values of feature j multiplied by factor(j).
func multiplied(d *dataset.Dataset, factor func(j int) float64) *dataset.Dataset {
	var b sparse.Builder
	for i := range d.Rows() {
		var columns []int
		var values []float64
		for j, v := range d.X.Row(i) {
			columns, values = append(columns, j), append(values, v*factor(j))
		}
		b.Add(d.Y[i], columns, values)
	}
	other := *d
	other.X, other.Y = b.Finish(d.Features())
	return &other
}

// TestSameInAllUnits trains on the same people with their features in other units: all must
// converge, and at the same point. By gradients in the units of the data, the problem at
// 1e-3 would be solved at its start. The residual printed is still the paper's.
func TestSameInAllUnits(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	people := randomPeople(rand.New(rand.NewPCG(7, 400)))
	all := func(factor float64) func(int) float64 { return func(int) float64 { return factor } }
	first := func(factor float64) func(int) float64 {
		return func(j int) float64 {
			if j == 0 {
				return factor
			}
			return 1
		}
	}
	units := []struct {
		name   string
		factor func(j int) float64
	}{
		{"all 1e-3", all(1e-3)},
		{"all 1e-4", all(1e-4)},
		{"all 1e3", all(1e3)},
		{"first 1e-4", first(1e-4)},
		{"first 1e3", first(1e3)},
		{"mixed", func(j int) float64 { return []float64{1e-6, 1e6, 1, 1e3}[j%4] }},
	}
	const share = "share:group=g=a,omega=0.5"
	for _, asked := range []struct{ spec, on string }{
		{share, train.Scores},
		{"demographic-parity:group=g,bound=0.02", train.Scores},
		{"demographic-parity:group=g,bound=0.02", train.Decisions},
	} {
		t.Run(asked.spec+" on "+asked.on, func(t *testing.T) {
			o := train.DefaultOptions()
			o.Data, o.Model.Intercept = people, true
			o.Constraints, o.On = parse(t, asked.spec), asked.on
			want, _, err := train.Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if want.Status != solver.Converged {
				t.Fatalf("%s in units as they are", want.Status)
			}
			for k, u := range units {
				if o.On == train.Decisions && k%5 > 0 && !*long { // all in other units, and mixed ones
					continue
				}
				o.Data = multiplied(people, u.factor)
				got, trained, err := train.Run(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%s: %s, f %.6f (%.6f), KKT %.1e, scaled %.1e, %.0f passes (%.0f)",
					u.name, got.Status, got.Objective, want.Objective, got.KKTResidual, got.ScaledResidual, got.Passes, want.Passes)
				if got.Status != solver.Converged || !(got.ScaledResidual <= got.Tolerance) ||
					!(math.Abs(got.Objective-want.Objective) <= 1e-3*want.Objective) {
					t.Errorf("%s: %s, f %v, scaled residual %v; want converged at f %v", u.name,
						got.Status, got.Objective, got.ScaledResidual, want.Objective)
				}
				if asked.spec == share { // its problem has no variables but these
					x := append(slices.Clone(trained.Weights), trained.Intercept)
					if r := residualAt(t, o, x); !(math.Abs(r-got.KKTResidual) <= 1e-6*r) {
						t.Errorf("%s: the report's residual is %v, the paper's %v", u.name, got.KKTResidual, r)
					}
				}
			}
		})
	}
}

// residualAt is the paper's residual at x.
func residualAt(t *testing.T, o train.Options, x []float64) float64 {
	t.Helper()
	fair, err := model.New(o.Data, o.Data, o.Constraints, o.Model)
	if err != nil {
		t.Fatal(err)
	}
	v := problem.NewValues(fair.Dims())
	fair.Evaluate(v, x, nil)
	return kkt.NewEvaluator(fair).Residual(v).Norm()
}
