package train

import (
	"math"
	"testing"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/model"
)

// marginsAsRows returns rows of one feature, their margin for the weight 1.
func marginsAsRows(margins []float64, labels []int8) *dataset.Dataset {
	var b sparse.Builder
	for i, m := range margins {
		b.Add(labels[i], []int{0}, []float64{m})
	}
	d := new(dataset.Dataset)
	d.X, d.Y = b.Finish(1)
	return d
}

// TestThresholdOfShrunkMargins decides by the margins of rows of two kinds, k and −k: whatever k
// is, the centre is where the line through the log-odds of the kinds reaches those of the
// threshold.
func TestThresholdOfShrunkMargins(t *testing.T) {
	kinds := [4]int{60, 40, 1, 9} // positive and negative rows of the one kind, and of the other one
	var margins []float64
	var labels []int8
	for k, rows := range kinds {
		for range rows {
			margins, labels = append(margins, float64(1-k/2*2)), append(labels, int8(1-k%2*2))
		}
	}
	o := DefaultOptions()
	o.Data = marginsAsRows(margins, labels)
	o.Constraints = []model.Constraint{model.Unconstrained()}
	o.ConstraintData, o.Loss, o.Model.L2 = o.Data, Logistic, 1
	for _, positive := range []float64{1, 3} {
		o.ClassWeight = positive
		first, last := math.Log(60*positive/40), math.Log(1*positive/9)
		for _, o.Threshold = range []float64{0.5, 0.3, 0.9} {
			want := (2*math.Log(o.Threshold/(1-o.Threshold)) - first - last) / (first - last)
			for _, k := range []float64{1e-3, 0.5, 1, 20} {
				got, err := (&task{Options: o}).stage(Logistic, 0).calibratedCentre([]float64{k})
				if err != nil || math.Abs(got/k-want) > 1e-6 {
					t.Errorf("weight %v, threshold %v: centre %v of margins ±%v, expected %v (%v)",
						positive, o.Threshold, got, k, k*want, err)
				}
			}
		}
	}
}

// TestPenaltyLeavesDecisions trains with penalties: rows of the kind of which most are positive are
// selected, and no others, at a score of exactly the threshold; a fair classifier of the same
// accuracy selects them too.
func TestPenaltyLeavesDecisions(t *testing.T) {
	var b sparse.Builder
	for k, rows := range [4]int{60, 40, 30, 300} {
		for i := range rows {
			features, values := []int{1}, []float64{1} // the groups, alike in both kinds
			if i%2 == 0 {
				features, values = nil, nil
			}
			if k/2 == 0 {
				features, values = append([]int{0}, features...), append([]float64{1}, values...)
			}
			b.Add(int8(1-k%2*2), features, values)
		}
	}
	d := new(dataset.Dataset)
	d.X, d.Y = b.Finish(2)
	for _, spec := range []string{"none", "demographic-parity:group=2,bound=0.05"} {
		for _, l2 := range []float64{0.01, 1, 100} {
			o := DefaultOptions()
			o.Data, o.Model.L2, o.Model.Intercept = d, l2, true
			c, err := model.ParseConstraint(spec)
			if err != nil {
				t.Fatal(err)
			}
			o.Constraints = []model.Constraint{c}
			r, trained, err := Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if rate := float64(r.Train.SelectionRate); math.Abs(rate-100./430) > 1e-9 {
				t.Errorf("%s, penalty %v: selection rate %v, expected %v", spec, l2, rate, 100./430)
			}
			if free := r.Baselines.Unconstrained.Train.Accuracy; free != float64(r.Train.Accuracy) {
				t.Errorf("%s, penalty %v: accuracy %v, of the unconstrained classifier %v", spec,
					l2, r.Train.Accuracy, free)
			}
			if spec == "none" && trained.Threshold != o.Threshold {
				t.Errorf("penalty %v: threshold %v", l2, trained.Threshold)
			}
		}
	}
}
