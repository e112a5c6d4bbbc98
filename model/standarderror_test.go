package model_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/model"
)

// TestStandardErrorOfWeightedRows compares standard errors with how much values vary from sample to
// sample: of rows of equal weights, of log-normal ones, and where heavy rows are decided otherwise.
func TestStandardErrorOfWeightedRows(t *testing.T) {
	const samples, rows = 600, 400
	for _, test := range []struct {
		name         string
		spread, tilt float64 // of the logarithms of weights; of decisions towards heavy rows
		spec         string
	}{
		{"equal weights", 0, 0, "demographic-parity:group=g,bound=0.05"},
		{"log-normal", 1, 0, "demographic-parity:group=g,bound=0.05"},
		{"heavy rows are accepted", 1, 0.15, "demographic-parity:group=g,bound=0.05"},
		{"a ratio", 1, 0, "rate-ratio:group=g,min=0.8"},
		{"errors, which count rows that are not accepted", 1, 0, "error-parity:group=g,bound=0.05"},
		{"accuracy", 1, 0, "min-rate:group=g,of=accuracy,min=0.3"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, err := model.ParseConstraint(test.spec)
			if err != nil {
				t.Fatal(err)
			}
			source := rand.New(rand.NewPCG(17, 1))
			var values, variances []float64
			for range samples {
				var b sparse.Builder
				d := &dataset.Dataset{Name: "drawn"}
				codes, decisions := make([]int, rows), make([]float64, rows)
				for i := range rows {
					codes[i] = i % 2
					z := source.NormFloat64()
					d.Weights = append(d.Weights, math.Exp(test.spread*z))
					if source.Float64() < 0.3+0.3*float64(codes[i])+test.tilt*math.Tanh(z) {
						decisions[i] = 1
					}
					label := int8(-1)
					if source.Float64() < 0.5+0.3*float64(codes[i]) == (decisions[i] == 1) {
						label = 1
					}
					b.Add(label, []int{0}, nil)
				}
				d.X, d.Y = b.Finish(1)
				d.Attributes = []dataset.Attribute{{Name: "g", Levels: []string{"a", "b"}, Codes: dataset.CodesOf(codes...)}}
				r, err := model.NewRequirement(c, d, model.Decisions)
				if err != nil {
					t.Fatal(err)
				}
				j := r.Judge(decisions)
				values, variances = append(values, j.Achieved), append(variances, j.SE*j.SE)
			}
			// Chance moves the ratio by about 3 %; error rates of two groups and the larger one of Kish's
			// and the rows' own variance, by some more.
			got, want := math.Sqrt(stat.Mean(variances, nil)), stat.StdDev(values, nil)
			if got < 0.92*want || got > 1.2*want {
				t.Errorf("standard error %v, values vary by %v", got, want)
			}
		})
	}
}
