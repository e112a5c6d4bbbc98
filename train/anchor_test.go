package train

import (
	"math"
	"testing"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/model"
)

// family bounds the differences between groups of consecutive rows by bound.
type family struct {
	sizes []int
	bound float64
}

func (family) String() string { return "family" }

func (f family) Rows(s *dataset.Dataset) ([]model.Row, error) {
	all := 0
	for _, size := range f.sizes {
		all += size
	}
	var rows []model.Row
	first := 0
	for _, size := range f.sizes {
		for _, side := range []int{1, -1} {
			w := make([]float64, s.Rows())
			for i := range all {
				w[i] = -float64(side*s.Rows()) / float64(all)
				if i >= first && i < first+size {
					w[i] += float64(side*s.Rows()) / float64(size)
				}
			}
			rows = append(rows, model.Row{Name: "group", Weight: w, Constant: -f.bound / 2, Family: "family", Side: side})
		}
		first += size
	}
	return rows, nil
}

// TestFindAnchors has groups of 4 and 100 rows, whose rates are quarters and hundredths.
func TestFindAnchors(t *testing.T) {
	for _, test := range []struct {
		bound, positive float64 // the share of positive decisions
		want            float64 // 0 for no anchor
	}{
		{0.05, 0.42, 0.49}, // a fifth of the bound below the half
		{0.05, 0.30, 0.26},
		{0.05, 0.38, 0}, // more than 0.1 from either
		{0.3, 0.42, 0},  // one decision changes less than the bound
	} {
		data, _ := dataset.Synthetic()
		fair, err := model.New(data, data, []model.Constraint{family{[]int{100, 4, 100}, test.bound}}, model.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		a := &attempt{fair: fair, asked: len(fair.Rows()), shift: make([]float64, len(fair.Rows()))}
		decisions, excess := make([]float64, data.Rows()), make([]float64, len(fair.Rows()))
		for i := range 204 {
			if math.Floor(float64(i+1)*test.positive) > math.Floor(float64(i)*test.positive) {
				decisions[i] = 1
			}
		}
		for j := range excess {
			excess[j] = 0.01
		}
		found := findAnchors(a, decisions, excess)
		switch {
		case test.want == 0:
			if len(found.rows) > 0 {
				t.Errorf("bound %v, rate %v: anchors %+v, want none", test.bound, test.positive, found.rates)
			}
		case len(found.rates) != 1 || math.Abs(found.rates[0].Rate-test.want) > 0.005:
			t.Errorf("bound %v, rate %v: anchors %+v, want one at %v", test.bound, test.positive, found.rates, test.want)
		default:
			// The row holds where the rate has come as far as the anchor, not before.
			if before := found.rows[0].Value(decisions); !(before > 0) {
				t.Errorf("the anchor's value is %v, want it violated", before)
			}
		}
	}
}
