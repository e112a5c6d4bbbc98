package ridge

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/internal/rng"
	"github.com/fairtrain/fairtrain/model/penalty"
)

// drawn returns rows with a number in 6 bins, a category of 3 levels and, unless they are all 0 or
// 1, a number.
func drawn(rows int, binary bool, seed uint64) *Problem {
	r, b, n := rng.New(seed, "ridge"), new(sparse.Builder), 9
	for range rows {
		bin, level := r.IntN(6), r.IntN(3)
		cols, vals := []int{bin, 6 + level}, []float64{1, 1}
		margin := math.Sin(float64(bin)) + 0.3*float64(level) - 0.5
		if !binary {
			v := r.NormFloat64()
			cols, vals = append(cols, 9), append(vals, v)
			margin += v
			n = 10
		}
		label := int8(-1)
		if r.Float64() < 1/(1+math.Exp(-margin)) {
			label = 1
		}
		b.Add(label, cols, vals)
	}
	x, y := b.Finish(n)
	return &Problem{X: x, Y: y, Penalty: penalty.Penalty{L2: 1, Blocks: []dataset.Block{{First: 0, End: 6, Bins: true}}}}
}

// objective is what Fit minimises, by plain loops.
func (p *Problem) objective(lambda float64) func(x []float64) float64 {
	return func(x []float64) float64 {
		sum, total := 0.0, 0.0
		for i, y := range p.Y {
			m := x[len(x)-1]
			for j, v := range p.X.Row(i) {
				m += x[j] * v
			}
			sum += p.Weights[i] * math.Log1p(math.Exp(-float64(y)*m))
			total += p.Weights[i]
		}
		penalty := 0.0
		for j, w := range x[:len(x)-1] {
			switch {
			case j < 5:
				penalty += math.Sqrt(5) * (w - x[j+1]) * (w - x[j+1])
			case j > 5:
				penalty += w * w
			}
		}
		return sum/total + lambda/2*penalty
	}
}

// weigh gives the rows weights, some of them 0.
func (p *Problem) weigh() {
	p.Weights = make([]float64, len(p.Y))
	for i := range p.Weights {
		p.Weights[i] = float64(i % 3)
	}
}

func TestFit(t *testing.T) {
	for _, binary := range []bool{true, false} {
		p := drawn(500, binary, 1)
		p.weigh()
		for _, lambda := range []float64{1e-4, 1e-2, 1} {
			x := Fit(p, lambda)
			gradient := fd.Gradient(nil, p.objective(lambda), x, &fd.Settings{Formula: fd.Central})
			if norm := floats.Norm(gradient, 2); norm > 1e-3 {
				t.Errorf("binary %v, λ = %g: gradient of norm %g at the minimum", binary, lambda, norm)
			}
		}
	}
}

// TestMonotoneFit checks that weights keep their orders exactly, and that no direction that keeps
// them leads down: to raise the upper part of bins that are equal, or to move them together.
func TestMonotoneFit(t *testing.T) {
	const tolerance = 1e-3
	p := drawn(500, false, 1)
	p.weigh()
	for _, lambda := range []float64{1e-6, 1e-4, 1e-2, 1} {
		for _, falls := range []bool{false, true} {
			p.Orders = []dataset.Order{{First: 0, End: 6, Falls: falls}, {First: 9, End: 10, Falls: falls}}
			x, sign := Fit(p, lambda), p.Orders[0].Sign()
			g := fd.Gradient(nil, p.objective(lambda), x, &fd.Settings{Formula: fd.Central})
			floats.Scale(sign, g)
			bound := 0
			for lo := 0; lo < 6; {
				hi, sum := lo+1, 0.0
				for ; hi < 6 && math.Abs(x[hi]-x[hi-1]) < 1e-12; hi++ {
					bound++
				}
				if hi < 6 && sign*x[hi] < sign*x[hi-1] {
					t.Fatalf("λ = %g, falls %v: weights %v", lambda, falls, x)
				}
				for j := hi - 1; j >= lo; j-- {
					if sum += g[j]; sum < -tolerance || j == lo && sum > tolerance {
						t.Errorf("λ = %g, falls %v: derivative %g from bin %d on", lambda, falls, sum, j)
					}
				}
				lo = hi
			}
			if bound == 0 {
				t.Errorf("λ = %g, falls %v: no order binds", lambda, falls)
			}
			if at, slope := sign*x[9], g[9]; at < 0 || at == 0 && slope < -tolerance || at > 0 && math.Abs(slope) > tolerance {
				t.Errorf("λ = %g, falls %v: weight %g has the derivative %g", lambda, falls, at, slope)
			}
		}
	}
}

// TestChoose checks that the margins are those of rows held out, and that noise gets the intercept
// alone.
func TestChoose(t *testing.T) {
	const folds = 4
	p := drawn(600, true, 2)
	fold := make([]uint8, len(p.Y))
	for i := range fold {
		fold[i] = uint8(i % folds)
	}
	c := Choose(p, Folds{fold, folds}, 1)
	if math.IsInf(c.Lambda, 1) || c.Lambda == 1 {
		t.Errorf("λ is %g where a penalty of 0.01 or so is best", c.Lambda)
	}
	for k := range uint8(folds) {
		training := &Problem{X: p.X, Y: p.Y, Penalty: p.Penalty, Weights: make([]float64, len(p.Y))}
		for i := range fold {
			if fold[i] != k {
				training.Weights[i] = 1
			}
		}
		x := Fit(training, c.Lambda)
		for i := range fold {
			if fold[i] != k {
				continue
			}
			m := x[len(x)-1]
			for j, v := range p.X.Row(i) {
				m += x[j] * v
			}
			if math.Abs(m-c.Margins[i]) > 0.02 {
				t.Fatalf("row %d: margin %g, want %g, of the fit without its fold", i, c.Margins[i], m)
			}
		}
	}
	r := rng.New(3, "noise")
	for i := range p.Y {
		p.Y[i] = int8(2*r.IntN(2) - 1)
	}
	if c := Choose(p, Folds{fold, folds}, 1); !math.IsInf(c.Lambda, 1) {
		t.Errorf("λ is %g on labels that are noise", c.Lambda)
	}
}

// TestFreedom compares with the inverse of the whole matrix.
func TestFreedom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "features")
		hessian := rapid.SliceOfN(rapid.Float64Range(1e-3, 10), n, n).Draw(t, "Hessian")
		l2, bins := rapid.Float64Range(1e-3, 100).Draw(t, "λ"), rapid.Bool().Draw(t, "bins") && n > 1
		penalty := penalty.Penalty{L2: l2, Blocks: []dataset.Block{{End: n, Bins: bins}}, N: n}
		a, unit, column := mat.NewDense(n, n, nil), make([]float64, n), make([]float64, n)
		for j := range n {
			clear(unit)
			clear(column)
			unit[j] = 1
			penalty.AddGradient(column, unit)
			column[j] += hessian[j]
			a.SetCol(j, column)
		}
		if err := a.Inverse(a); err != nil {
			t.Fatal(err)
		}
		want := 0.0
		for j, h := range hessian {
			want += h * a.At(j, j)
		}
		if bins {
			want--
		}
		if got := freedom(hessian, penalty); math.Abs(got-want) > 1e-9*float64(n) {
			t.Errorf("%g weights are free, want %g", got, want)
		}
	})
}

// TestBlocks has a number that says much beside categories that say nothing: those get a larger
// penalty each, with less loss on rows held out.
func TestBlocks(t *testing.T) {
	const noisy, folds = 8, 5
	r, b := rng.New(4, "blocks"), new(sparse.Builder)
	for range 800 {
		bin := r.IntN(6)
		cols, vals, label := []int{bin}, []float64{1}, int8(-1)
		if r.Float64() < 1/(1+math.Exp(4-1.6*float64(bin))) {
			label = 1
		}
		for k := range noisy {
			cols, vals = append(cols, 6+5*k+r.IntN(5)), append(vals, 1)
		}
		b.Add(label, cols, vals)
	}
	x, y := b.Finish(6 + 5*noisy)
	p := &Problem{X: x, Y: y, Penalty: penalty.Penalty{L2: 1, Blocks: []dataset.Block{{First: 0, End: 6, Bins: true}}}}
	for k := range noisy {
		p.Penalty.Blocks = append(p.Penalty.Blocks, dataset.Block{First: 6 + 5*k, End: 11 + 5*k})
	}
	split := Folds{make([]uint8, len(y)), folds}
	for i := range split.Of {
		split.Of[i] = uint8(i % folds)
	}
	one := Choose(p, split, 1)
	each := Blocks(p, split, one)
	if !(each.Loss < one.Loss-0.002) {
		t.Errorf("log loss %g with a penalty for each block, %g with one", each.Loss, one.Loss)
	}
	for k, l2 := range each.Form.BlockL2[1:] {
		if !(l2 > 3*each.Form.BlockL2[0]) {
			t.Errorf("category %d says nothing, and has %g times the penalty, the number %g times", k, l2, each.Form.BlockL2[0])
		}
	}
}
