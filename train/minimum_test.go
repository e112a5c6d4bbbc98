package train_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/train"
)

// TestPenaltyOnRareFeatures trains with an L2 term on rows whose features are in many or in few of
// them. The curvature along a rare feature is mostly that of the term: as long as steps did not
// know that, the strong one took 107 passes.
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

// TestPenaltyOnRawFeatures trains with an L2 term on numbers in units from 1e-6 to 1e6. The
// curvature along the small ones is that of the term: where steps went only half way to its size,
// they took 50 to 78 passes.
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
