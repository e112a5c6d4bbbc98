package model_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
)

// straightforward is the yardstick for exact evaluation: one fused loop over []uint16
// indices with the standard library's functions.
type straightforward struct {
	d, s     [][]uint16
	y        []float64
	weight   []float64 // of the constraint
	gradient []float64
	jacobian []float64
}

func newStraightforward(d, s *dataset.Dataset, c model.Constraint) *straightforward {
	rows := func(x *sparse.Matrix) [][]uint16 {
		n, _ := x.Dims()
		all := make([][]uint16, n)
		for i := range all {
			for j := range x.Row(i) {
				all[i] = append(all[i], uint16(j))
			}
		}
		return all
	}
	p := &straightforward{d: rows(d.X), s: rows(s.X), gradient: make([]float64, d.Features()), jacobian: make([]float64, d.Features())}
	for _, y := range d.Y {
		p.y = append(p.y, float64(y))
	}
	r, err := c.Inequalities(s)
	if err != nil {
		panic(err)
	}
	for i := range s.Rows() {
		p.weight = append(p.weight, r[0].Of(i))
	}
	return p
}

func (p *straightforward) evaluate(x []float64) (f, c float64) {
	const alpha = 2
	clear(p.gradient)
	clear(p.jacobian)
	for i, row := range p.d {
		t := 0.0
		for _, j := range row {
			t += x[j]
		}
		t *= p.y[i]
		e := math.Exp(-t)
		ell := math.Log1p(e)
		f += alpha * math.Log1p(ell/alpha)
		slope := -p.y[i] * e / (1 + e) / (1 + ell/alpha)
		for _, j := range row {
			p.gradient[j] += slope
		}
	}
	for i, row := range p.s {
		t := 0.0
		for _, j := range row {
			t += x[j]
		}
		sigma := 1 / (1 + math.Exp(-t))
		c += p.weight[i] * sigma
		slope := p.weight[i] * sigma * (1 - sigma)
		for _, j := range row {
			p.jacobian[j] += slope
		}
	}
	floats.Scale(1/float64(len(p.d)), p.gradient)
	floats.Scale(1/float64(len(p.s)), p.jacobian)
	return f / float64(len(p.d)), c / float64(len(p.s))
}

// BenchmarkExact evaluates (f, ∇f, c, ∇c) exactly on data of the shape of a9a.
func BenchmarkExact(b *testing.B) {
	d, s := census.Train(), census.Test()
	constraint := model.Share.For("71", 0.3)
	p, err := model.New(d, s, []model.Constraint{constraint}, model.DefaultOptions())
	if err != nil {
		b.Fatal(err)
	}
	plain := newStraightforward(d, s, constraint)
	n, m := p.Dims()
	x := make([]float64, n)
	for i := range x {
		x[i] = rand.New(rand.NewPCG(1, uint64(i))).NormFloat64() / 4
	}
	v := problem.NewValues(n, m)
	p.Evaluate(v, x, nil)
	if f, c := plain.evaluate(x); math.Abs(f-v.Objective) > 1e-12 || math.Abs(c-v.Constraint[0]) > 1e-12 {
		b.Fatalf("the yardstick computes f = %v, c = %v, the model %v, %v", f, c, v.Objective, v.Constraint[0])
	}
	b.Run("loop=straightforward", func(b *testing.B) {
		for b.Loop() {
			plain.evaluate(x)
		}
	})
	for _, procs := range []int{1, 2} {
		b.Run(fmt.Sprintf("loop=ours/procs=%d", procs), func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			b.ReportAllocs()
			for b.Loop() {
				x[0] = -x[0] // values at the same point are known
				p.Evaluate(v, x, nil)
			}
		})
	}
}
