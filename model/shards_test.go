package model_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/dataset/shards"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
)

// TestShards evaluates rows in several shards, which must give the bits of one where they are cut
// between tasks.
func TestShards(t *testing.T) {
	small := random(9000, 5, 3)
	weighted := *small
	for i := range small.Rows() {
		weighted.Weights = append(weighted.Weights, float64(1+i%3))
	}
	var order []int // a shard may lack groups
	for code := range 4 {
		for i := range small.Rows() {
			if small.Attributes[0].Codes.At(i) == code {
				order = append(order, i)
			}
		}
	}
	for _, test := range []struct {
		name  string
		d     *dataset.Dataset
		specs []string
		first []int
	}{
		{"one shard", small, []string{"demographic-parity:group=1,bound=0.1"}, []int{0}},
		{"several groups", small, []string{"demographic-parity:group=g,bound=0.1", "equalized-odds:group=2,bound=0.1"}, []int{0, 2048, 6144}},
		{"groups apart", small.Pick(order, "sorted"), []string{"equal-opportunity:group=g,bound=0.1", "rate-ratio:group=1,min=0.8"}, []int{0, 2048, 8192}},
		{"a level", small, []string{"rate-ratio:group=g=b,min=0.5", "bounded-group-loss:group=1,bound=0.6"}, []int{0, 4096}},
		{"weights", &weighted, []string{"demographic-parity:group=g,bound=0.1"}, []int{0, 2048, 4096, 6144, 8192}},
		{"within", small.Pick(order, "sorted"), []string{"demographic-parity:group=1,bound=0.1,within=g", "min-rate:group=2,of=tnr,min=0.3,within=g"}, []int{0, 2048, 8192}},
		{"everyone", &weighted, []string{"max-selection:bound=0.1", "error-parity:group=g,bound=0.1"}, []int{0, 2048}},
		{"none", small, []string{"none"}, []int{0, 2048}},
		{"census", census.Train(), []string{"equal-opportunity:group=71,bound=0.01"}, []int{0, 12288, 22528}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var constraints []model.Constraint
			for k, spec := range test.specs {
				c, err := model.ParseConstraint(spec)
				if err != nil {
					t.Fatal(err)
				}
				if k == 0 {
					c = model.Tempered(c)
				}
				constraints = append(constraints, c)
			}
			o := model.Options{Alpha: math.Inf(1), L2: 0.1, Intercept: true, Temperature: 0.5, Weights: test.d.Weights}
			here, err := model.New(test.d, test.d, constraints, o)
			if err != nil {
				t.Fatal(err)
			}
			o.Shards = shards.Cut(test.d, test.first...)
			there, err := model.New(test.d, test.d, constraints, o)
			if err != nil {
				t.Fatal(err)
			}
			n, m := here.Dims()
			x := make([]float64, n)
			here.Start(x)
			for j := range x {
				x[j] += math.Sin(float64(j))
			}
			want, got := problem.NewValues(n, m), problem.NewValues(n, m)
			here.Evaluate(want, x, nil)
			there.Evaluate(got, x, nil)
			if diff := cmp.Diff(want, got); diff != "" || there.Err() != nil {
				t.Errorf("%v (-here +there):\n%s", there.Err(), diff)
			}
			x[0]++
			here.Evaluate(&problem.Values{Constraint: want.Constraint}, x, nil)
			there.Evaluate(&problem.Values{Constraint: got.Constraint}, x, nil)
			if diff := cmp.Diff(want.Constraint, got.Constraint); diff != "" {
				t.Errorf("constraints alone (-here +there):\n%s", diff)
			}
		})
	}
}

// TestShardsFailure loses rows, counts some twice, and asks for what can't be evaluated on shards.
func TestShardsFailure(t *testing.T) {
	d := random(5000, 4, 1)
	c := []model.Constraint{model.DemographicParity.For("1", 0.1)}
	twice, lost := shards.Cut(d, 0, 2048), shards.Cut(d, 0, 2048)
	twice.Shards, lost.Shards = append(twice.Shards, twice.Shards...), lost.Shards[:1]
	for name, rows := range map[string]*shards.Rows{
		"expected each row once":                       twice,
		"rows 1025 to 2048 were evaluated after row 0": shards.Cut(d, 1024),
		"2048 rows were evaluated, expected 5000":      lost,
	} {
		p, err := model.New(d, d, c, model.Options{Alpha: 2, Shards: rows})
		if err != nil {
			t.Fatal(err)
		}
		n, _ := p.Dims()
		if f := problem.Objective(p, make([]float64, n), nil); !math.IsNaN(f) || p.Err() == nil ||
			!strings.Contains(p.Err().Error(), name) {
			t.Errorf("f is %v and the error %v, want NaN and %q", f, p.Err(), name)
		}
	}
	for name, state := range map[string]func() (*model.Fair, error){
		"of the objective and of the constraints": func() (*model.Fair, error) {
			return model.New(d, random(5000, 4, 2), c, model.Options{Alpha: 2, Shards: new(shards.Rows)})
		},
		"count by the weights": func() (*model.Fair, error) {
			return model.New(d, d, c, model.Options{Alpha: 2, Weights: slices.Repeat([]float64{2}, 5000), Shards: new(shards.Rows)})
		},
		"by groups and labels only": func() (*model.Fair, error) {
			return model.New(d, d, []model.Constraint{perRow{"w", 1}},
				model.Options{Alpha: 2, Shards: new(shards.Rows)})
		},
	} {
		if _, err := state(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want %q", err, name)
		}
	}
}
