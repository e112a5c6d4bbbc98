package train

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/model"
)

// TestCosts: a threshold and class weights say what wrong decisions cost.
func TestCosts(t *testing.T) {
	parity, err := model.ParseConstraint("demographic-parity:group=1,bound=0.1")
	if err != nil {
		t.Fatal(err)
	}
	d := &dataset.Dataset{Y: []int8{-1, 1, -1, 1}, Weights: []float64{2, 0, 1, 0.5}}
	for _, c := range []struct {
		threshold, weight float64
		on                string
		want              *classifier.Costs
	}{
		{0.5, 1, Decisions, nil},
		{0.3, 1, Decisions, &classifier.Costs{WrongPositive: 0.3, Missed: 0.7}},
		{0.5, 3, Decisions, &classifier.Costs{WrongPositive: 0.25, Missed: 0.75}},
		{0.75, 3, Decisions, nil},
		{0.3, 3, Decisions, &classifier.Costs{WrongPositive: 0.125, Missed: 0.875}},
		{0.3, 3, Scores, nil},
	} {
		o := DefaultOptions()
		o.Data, o.Threshold, o.On, o.Constraints = d, c.threshold, c.on, []model.Constraint{parity}
		o.ClassWeight = c.weight
		if diff := cmp.Diff(c.want, (&task{Options: o}).costs()); diff != "" {
			t.Errorf("threshold %v, class weight %v, on %s: %s", c.threshold, c.weight, c.on, diff)
		}
	}
}
