package shards

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fairtrain/fairtrain/dataset"
)

// TestExact adds up numbers of any size, in two parts.
func TestExact(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		want := new(big.Float).SetPrec(3000)
		parts := [2]Exact{{}, {}}
		for i := range random.IntN(50) {
			v := math.Ldexp(random.Float64(), random.IntN(2000)-1070)
			want.Add(want, new(big.Float).SetFloat64(v))
			parts[i%2].add(v)
		}
		parts[0].merge(parts[1])
		if nearest, _ := want.Float64(); parts[0].value() != nearest {
			t.Fatalf("sum %v, want %v", parts[0].value(), nearest)
		}
	}
}

// TestUnits makes weights multiples of a unit, so that sums do not depend on the order.
func TestUnits(t *testing.T) {
	whole := []float64{3, 0, 1 << 40}
	if got := inUnits(whole, unitOf(1<<40+3)); &got[0] != &whole[0] {
		t.Errorf("whole numbers became %v", got)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		sum, weights := Exact{}, make([]float64, 100)
		for i := range weights {
			weights[i] = math.Ldexp(random.Float64(), -random.IntN(40))
			sum.add(weights[i])
		}
		rounded := inUnits(weights, unitOf(sum.value()))
		for i, w := range rounded {
			if math.Abs(w-weights[i]) > sum.value()*0x1p-52 {
				t.Fatalf("%v became %v", weights[i], w)
			}
		}
		up := sumOf(rounded)
		slices.Reverse(rounded)
		if down := sumOf(rounded); up != down {
			t.Fatalf("sums %v and %v", up, down)
		}
	}
}

// TestWeightedSample draws from rows with weights in 1, 3 and 7 shards. Of a stratum, however small, the
// sample knows the number of rows, their weight and the largest one.
func TestWeightedSample(t *testing.T) {
	d := people()
	for i := range d.Rows() {
		w := math.Sqrt(float64(i % 10))
		if i%1000 == 7 {
			w = 1e4
		}
		d.Weights = append(d.Weights, w)
	}
	whole, err := d.Strata("g")
	if err != nil {
		t.Fatal(err)
	}
	var one *dataset.Dataset
	for _, count := range []int{1, 3, 7} {
		pattern, err := Write(t.TempDir(), d, count)
		if err != nil {
			t.Fatal(err)
		}
		_, in, err := Sample{Rows: 6000, Groups: []string{"g", "71"}, Seed: 1, Dir: t.TempDir()}.Open(pattern, here{})
		if err != nil {
			t.Fatal(err)
		}
		got := in.Rows
		if one == nil {
			one = got
		}
		if !sameRows(got.X, one.X) || !slices.Equal(got.Weights, one.Weights) || !slices.Equal(got.Stands(), one.Stands()) {
			t.Errorf("%d shards have another sample than one", count)
		}
		strata, err := got.Strata("g")
		if err != nil {
			t.Fatal(err)
		}
		each := float64(got.Rows()) / float64(d.Rows())
		near := func(what string, k int, got, want float64) {
			if math.Abs(got/each-want) > 1e-9*want {
				t.Errorf("stratum %d has the %s %v, want %v", k, what, got/each, want)
			}
		}
		for k := range whole.Len() {
			near("weight", k, strata.Total(k), whole.Total(k))
			near("number of rows", k, strata.Unweighted().Total(k), whole.Unweighted().Total(k))
			near("largest weight", k, strata.Largest(k), whole.Largest(k))
			near("weight of a row", k, strata.Unweighted().Largest(k), whole.Unweighted().Largest(k))
		}
		heavy := 0
		for _, w := range got.OfWeights.Largest {
			if w == 1e4 {
				heavy++
			}
		}
		if sum := math.Abs(got.Total()/sumOf(d.Weights) - 1); got.Rows() < 5000 || got.Rows() > 12_000 || heavy == 0 || sum > 1e-12 {
			t.Errorf("%d rows, %d with a heavy one in their cell, of the weight %v", got.Rows(), heavy, got.Total())
		}
	}
}

// TestProbabilities draws rows half by their number and half by their weight.
func TestProbabilities(t *testing.T) {
	d := &Draw{Share: map[string]float64{"cell": 0.1}, Mean: map[string]float64{"cell": 2}}
	weights := []float64{0, 1, 1, 6}
	var sum float64
	for _, w := range weights {
		p := d.probability("cell", w)
		sum += p
		if w == 6 && p != 0.2 || w == 0 && p != 0.05 {
			t.Errorf("a row of the weight %v is drawn with the probability %v", w, p)
		}
	}
	if math.Abs(sum-0.4) > 1e-15 {
		t.Errorf("%v rows are drawn, want 0.4", sum)
	}
}

func sumOf(weights []float64) (sum float64) {
	for _, w := range weights {
		sum += w
	}
	return sum
}
