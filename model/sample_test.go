package model_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/shards"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
)

// sampleOf returns a sample of rows that has half of some groups and a fifth of others.
func sampleOf(d *dataset.Dataset) *dataset.Dataset {
	cell := func(i int) string {
		in := false
		for j := range d.X.Row(i) {
			in = in || j == 0
		}
		return fmt.Sprint(d.Y[i], d.Attributes[0].Codes.At(i), in)
	}
	var rows []int
	all, drawn := map[string]float64{}, map[string]float64{}
	for i := range d.Rows() {
		all[cell(i)]++
		if every := 2 + 3*(d.Attributes[0].Codes.At(i)%2); i%every == 0 {
			rows = append(rows, i)
			drawn[cell(i)]++
		}
	}
	s := d.Pick(rows, "sample")
	s.SampleOf = d.Rows()
	for _, i := range rows {
		s.Weights = append(s.Weights, all[cell(i)]/drawn[cell(i)]*float64(len(rows))/float64(d.Rows()))
	}
	return s
}

// TestSample states the problem on a sample. Exact values are those of all rows, and so is the mean
// of batches.
func TestSample(t *testing.T) {
	d := random(40_000, 5, 3)
	for _, specs := range [][]string{
		{"demographic-parity:group=g,bound=0.1"},
		{"share:group=1,omega=share"},
		{"bounded-group-loss:group=g,bound=0.4", "equalized-odds:group=1,bound=0.1"},
	} {
		var constraints []model.Constraint
		for _, spec := range specs {
			c, err := model.ParseConstraint(spec)
			if err != nil {
				t.Fatal(err)
			}
			constraints = append(constraints, c)
		}
		o := model.Options{Alpha: 2, Intercept: true}
		whole, err := model.New(d, d, constraints, o)
		if err != nil {
			t.Fatal(err)
		}
		s := sampleOf(d)
		o.Weights, o.Shards = s.Weights, shards.Cut(d, 0, 10_000)
		sampled, err := model.New(s, s, constraints, o)
		if err != nil {
			t.Fatal(err)
		}
		n, m := whole.Dims()
		x, want, got := make([]float64, n), problem.NewValues(n, m), problem.NewValues(n, m)
		for j := range x {
			x[j] = 0.5 - 0.2*float64(j)
		}
		whole.Evaluate(want, x, nil)
		sampled.Evaluate(got, x, nil)
		if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" || sampled.Err() != nil {
			t.Errorf("%s: %v (-all rows +sample):\n%s", specs, sampled.Err(), diff)
		}
		var b problem.Batch
		r := rand.New(rand.NewPCG(1, 2))
		const size = 400_000
		sampled.DrawObjective(&b, size, r)
		f := problem.Objective(sampled, x, &b)
		sampled.DrawConstraint(&b, size, r)
		c := make([]float64, m)
		sampled.Evaluate(&problem.Values{Constraint: c}, x, &b)
		// A standard deviation of means is at most 0.003, those of the sample and of the batch
		// together 0.01.
		if diff := cmp.Diff(want.Constraint, c, cmpopts.EquateApprox(0, 0.03)); diff != "" {
			t.Errorf("%s: constraints of a batch (-exact +batch):\n%s", specs, diff)
		}
		if diff := cmp.Diff(want.Objective, f, cmpopts.EquateApprox(0, 0.03)); diff != "" {
			t.Errorf("%s: f of a batch (-exact +batch):\n%s", specs, diff)
		}
	}
}
