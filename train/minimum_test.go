package train_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train"
)

// TestRowSpace trains on rows with far more features, in their row space and, with an L2 term that is too
// small to count, in the features. Both lead to the same solution; the certificate is computed in the
// features.
func TestRowSpace(t *testing.T) {
	const rows, features, entries = 2500, 160_000, 120
	r := rand.New(rand.NewPCG(1, 0))
	var b sparse.Builder
	g := dataset.Attribute{Name: "g", Levels: []string{"a", "b", "c"}, Codes: dataset.MakeCodes(rows, 2)}
	for i := range rows {
		level := r.IntN(3)
		g.Codes.Put(i, level)
		columns, margin := make([]int, entries), float64(level)+2*r.NormFloat64()
		for k := range columns {
			columns[k] = r.IntN(features)
			margin += float64(columns[k]%5 - 2)
		}
		slices.Sort(columns)
		label := int8(-1)
		if margin > 0 {
			label = 1
		}
		columns = slices.Compact(columns)
		values := make([]float64, len(columns))
		for k, c := range columns {
			values[k] = math.Pow10(c%7 - 3) // features in several units
		}
		b.Add(label, columns, values)
	}
	x, y := b.Finish(features)
	c, err := model.ParseConstraint("demographic-parity:group=g,bound=0.05")
	if err != nil {
		t.Fatal(err)
	}
	o := train.DefaultOptions()
	o.Data = &dataset.Dataset{Name: "texts", X: x, Y: y, Attributes: []dataset.Attribute{g}}
	o.Constraints, o.Model.Intercept, o.Tolerance = []model.Constraint{c}, true, 1e-3
	for _, kind := range []struct {
		on string
		l2 []float64
	}{{train.Scores, []float64{0, 1e-300}}, {train.Decisions, []float64{0}}} {
		o.On = kind.on
		var objectives []float64
		for _, o.Model.L2 = range kind.l2 {
			report, _, err := train.Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if report.Status != "converged" || !(report.ScaledResidual <= o.Tolerance) || !report.Requirements[0].Satisfied {
				t.Errorf("%s: %s with a residual of %v, %v", o.On, report.Status, report.ScaledResidual, report.Requirements[0])
			}
			objectives = append(objectives, report.Objective)
		}
		if len(objectives) < 2 {
			continue
		}
		switch got, want := objectives[0], objectives[1]; {
		case got == want:
			t.Errorf("%s: the objective has the same bits: the row space was not used", o.On)
		case !(math.Abs(got-want) <= 0.05*want):
			t.Errorf("%s: the objective is %v, in the features %v", o.On, got, want)
		}
	}

	// With a small tolerance the row space is not used.
	o.On, o.Tolerance, o.MaxPasses = train.Scores, 1e-7, 3
	var objectives []float64
	for _, o.Model.L2 = range []float64{0, 1e-300} {
		report, _, err := train.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		objectives = append(objectives, report.Objective)
	}
	if objectives[0] != objectives[1] {
		t.Errorf("with a small tolerance, objectives are %v", objectives)
	}
}

// TestPenaltyOnRareFeatures trains with an L2 term on rows whose features are in many or in few of them. The curvature
// along a rare feature is mostly that of the term: as long as steps did not know that, the strong one took 107 passes.
func TestPenaltyOnRareFeatures(t *testing.T) {
	const rows, features, entries = 5000, 20_000, 30
	r := rand.New(rand.NewPCG(3, 0))
	var b sparse.Builder
	for range rows {
		columns, margin := make([]int, entries), r.NormFloat64()
		for k := range columns {
			columns[k] = int(math.Pow(features, r.Float64())) - 1
			margin += float64(columns[k]%3 - 1)
		}
		slices.Sort(columns)
		label := int8(-1)
		if margin > 0 {
			label = 1
		}
		columns = slices.Compact(columns)
		b.Add(label, columns, slices.Repeat([]float64{1}, len(columns)))
	}
	o := train.DefaultOptions()
	o.Data = &dataset.Dataset{Name: "rare"}
	o.Data.X, o.Data.Y = b.Finish(features)
	o.Loss, o.On, o.Model.Intercept = train.Logistic, train.Scores, true
	converges(t, o, 60, 1e-5, 1e-3, 0.1)
}

// converges fails unless training does so within the passes for every factor of the L2 term.
func converges(t *testing.T, o train.Options, passes float64, l2 ...float64) {
	t.Helper()
	for _, o.Model.L2 = range l2 {
		report, _, err := train.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if report.Status != "converged" || report.Passes > passes {
			t.Errorf("l2 %v: %s after %.0f passes", o.Model.L2, report.Status, report.Passes)
		}
	}
}

// TestPenaltyOnRawFeatures trains with an L2 term on numbers in units from 1e-6 to 1e6. The curvature along the small
// ones is that of the term: where steps went only half way to its size, they took 50 to 78 passes.
func TestPenaltyOnRawFeatures(t *testing.T) {
	const rows, features = 2000, 13
	r := rand.New(rand.NewPCG(4, 0))
	columns, values := make([]int, features), make([]float64, features)
	for j := range columns {
		columns[j] = j
	}
	var b sparse.Builder
	for range rows {
		margin, label := r.NormFloat64(), int8(-1)
		for j := range values {
			v := r.NormFloat64()
			margin += v
			values[j] = v * math.Pow(10, float64(j-features/2))
		}
		if margin > 0 {
			label = 1
		}
		b.Add(label, columns, values)
	}
	o := train.DefaultOptions()
	o.Data = &dataset.Dataset{Name: "raw"}
	o.Data.X, o.Data.Y = b.Finish(features)
	o.Loss, o.On, o.Model.Intercept = train.Logistic, train.Scores, true
	converges(t, o, 30, 1e-6, 1e-3, 1)
}
