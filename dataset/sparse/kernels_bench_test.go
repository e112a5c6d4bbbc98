package sparse

import (
	"fmt"
	"testing"

	"github.com/fairtrain/fairtrain/internal/rng"
)

// censusLike draws a binary matrix shaped like a9a: 14 one-hot attributes over 123
// columns, 7 % of the rows with an attribute missing.
func censusLike(rows int) *Matrix {
	levels := []int{5, 8, 5, 16, 5, 7, 14, 6, 5, 2, 2, 2, 5, 41}
	r := rng.New(1, "bench")
	var b Builder
	index := make([]int, 0, len(levels))
	for range rows {
		index = index[:0]
		missing := r.IntN(len(levels) * 14)
		first := 0
		for k, n := range levels {
			if k != missing {
				// Squaring makes the low levels frequent, as they are in a census.
				u := r.Float64()
				index = append(index, first+int(u*u*float64(n)))
			}
			first += n
		}
		b.Add(1, index, nil)
	}
	m, _ := b.Finish(123)
	return m
}

// BenchmarkKernels compares each kernel with the loop anyone would write first, on the
// same matrix.
func BenchmarkKernels(b *testing.B) {
	const rows = 32561
	m := censusLike(rows)
	c := m.store.(csr[uint8])
	x := make([]float64, 123)
	z := make([]float64, rows)
	r := rng.New(1, "bench", "x")
	for j := range x {
		x[j] = r.NormFloat64()
	}
	type kernel struct {
		name string
		rows int
		run  func()
	}
	kernels := []kernel{
		{"MulRange/loop=plain", rows, func() {
			for i := range z {
				var s float64
				for _, j := range c.ones.row(i) {
					s += x[j]
				}
				z[i] = s
			}
		}},
		{"MulRange/loop=kernel", rows, func() { m.MulRange(z, x, 0, rows) }},
		{"AddTransRange/loop=plain", rows, func() {
			for i, w := range z {
				for _, j := range c.ones.row(i) {
					x[j] += w
				}
			}
		}},
		{"AddTransRange/loop=kernel", rows, func() { m.AddTransRange(x, z, 0, rows) }},
	}
	for _, size := range []int{12, 64, 256} {
		batch := make([]int, size)
		for k := range batch {
			batch[k] = r.IntN(rows)
		}
		kernels = append(kernels,
			kernel{fmt.Sprintf("MulRows/rows=%d", size), size, func() { m.MulRows(z, x, batch) }},
			kernel{fmt.Sprintf("AddTransRows/rows=%d", size), size, func() { m.AddTransRows(x, z, batch) }})
	}
	for _, k := range kernels {
		b.Run(k.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				k.run()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(k.rows), "ns/row")
		})
	}
}

// surveyLike draws a matrix of rows with 6 numbers and 8 one-hot attributes, over 108 columns.
func surveyLike(rows int) *Matrix {
	const numbers = 6
	levels := []int{9, 16, 7, 15, 6, 5, 2, 42}
	r := rng.New(1, "survey")
	var b Builder
	for range rows {
		first := uint32(numbers)
		for j := range first {
			b.Push(j, r.NormFloat64())
		}
		for _, n := range levels {
			u := r.Float64()
			b.Push(first+uint32(u*u*float64(n)), 1)
			first += uint32(n)
		}
		b.EndRow(1)
	}
	m, _ := b.Finish(108)
	return m
}

// BenchmarkMixed measures the kernels for rows with values and ones, of a matrix that is in the
// cache and of one that is not.
func BenchmarkMixed(b *testing.B) {
	for _, rows := range []int{30_000, 1_000_000} {
		m, x, z, batch := surveyLike(rows), make([]float64, 108), make([]float64, rows), make([]int, 256)
		r := rng.New(1, "survey", "x")
		for j := range x {
			x[j] = r.NormFloat64()
		}
		for _, k := range []struct {
			name string
			rows int
			run  func()
		}{
			{"MulRange", rows, func() { m.MulRange(z, x, 0, rows) }},
			{"AddTransRange", rows, func() { m.AddTransRange(x, z, 0, rows) }},
			{"MulRows", len(batch), func() { m.MulRows(z, x, batch) }},
			{"AddTransRows", len(batch), func() { m.AddTransRows(x, z, batch) }},
		} {
			b.Run(fmt.Sprintf("%s/rows=%d", k.name, rows), func(b *testing.B) {
				for b.Loop() {
					for i := range batch { // other rows each time
						batch[i] = (batch[i] + 7919*(i+1)) % rows
					}
					k.run()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(k.rows), "ns/row")
			})
		}
	}
}
