package rowspace

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/internal/linalg"
)

// products are those of vectors of the row space with the rows and with each other. Vectors of 0, and
// the opposites of others, cost nothing: the two sides of a bound have opposite gradients.
type products struct {
	rows     *sparse.Products
	number   int       // of rows
	squares  []float64 // of the scales of the features
	perUnits []float64 // squares of what brings the features to their units

	vectors [][]float64 // their coefficients
	through [][]float64 // their products with the rows
	like    []int       // the vector that each is a multiple of, of those whose products are computed
	factor  []float64   // 1, −1 or 0
	place   []int       // of a vector whose products are computed, among these
	inUnits []float64   // products of the vectors with each other where features are in their units

	coefficients, results [][]float64 // of those whose products are computed
	tasks                 [sparse.ProductTasks]task
}

// task has its part of the products of the computed vectors with each other.
type task struct{ inUnits, part []float64 }

// newProducts makes room for so many vectors, with so many entries in each half.
func newProducts(rows *sparse.Products, number, vectors, half int, scale, perUnit []float64) products {
	p := products{
		rows: rows, number: number, squares: slices.Clone(scale), perUnits: slices.Clone(perUnit),
		like: make([]int, vectors), factor: make([]float64, vectors), place: make([]int, vectors), inUnits: make([]float64, vectors*vectors),
	}
	floats.Mul(p.squares, scale)
	floats.Mul(p.perUnits, perUnit)
	for range vectors {
		p.through = append(p.through, make([]float64, half))
	}
	for k := range p.tasks {
		p.tasks[k].inUnits = make([]float64, vectors*vectors)
	}
	return p
}

// compute computes the products of vectors, given their coefficients, from which it drops traces.
func (p *products) compute(vectors ...[]float64) {
	p.vectors, p.coefficients, p.results = vectors, p.coefficients[:0], p.results[:0]
	for i, v := range vectors {
		dropTraces(v[:p.number])
		p.like[i], p.factor[i] = p.multiple(i)
		if p.like[i] == i && p.factor[i] != 0 {
			p.place[i] = len(p.coefficients)
			p.coefficients = append(p.coefficients, v[:p.number])
			p.results = append(p.results, p.through[i][:p.number])
		}
	}
	for k := range p.tasks {
		clear(p.tasks[k].inUnits)
	}
	p.rows.Do(p.results, p.coefficients, p.apply)
	for i, v := range vectors {
		copy(p.through[i][p.number:], v[p.number:])
		if through := p.through[i][:p.number]; p.factor[i] == 0 {
			clear(through)
		} else {
			floats.ScaleTo(through, p.factor[i], p.through[p.like[i]][:p.number])
		}
	}
	p.sumUnits()
}

// multiple returns the first vector that the i-th is the opposite of, or itself.
func (p *products) multiple(i int) (of int, factor float64) {
	v := p.vectors[i]
	if !slices.ContainsFunc(v, func(x float64) bool { return x != 0 }) {
		return i, 0
	}
	for k := range i {
		if slices.EqualFunc(v, p.vectors[k], func(a, b float64) bool { return a == -b }) {
			return p.like[k], -p.factor[k]
		}
	}
	return i, 1
}

// dropTraces makes coefficients 0 that are nothing, beside the largest or at all. Slopes of tempered scores
// vanish exponentially, of some rows or of all, and arithmetic with numbers close to the least ones takes a
// hundred times as long. Products of two of those that are left are not close to these.
func dropTraces(coefficients []float64) {
	const (
		trace = 0x1p-200 // of the largest; rounding is 2⁻⁵³
		none  = 0x1p-400
	)
	least := max(none, trace*floats.Norm(coefficients, math.Inf(1)))
	for i, c := range coefficients {
		if math.Abs(c) < least {
			coefficients[i] = 0
		}
	}
}

// apply multiplies entries of vectors of all features, from lo on, by the squares of their scales, and adds
// to the task's products in units.
func (p *products) apply(k, lo int, part [][]float64) {
	t := &p.tasks[k]
	for a, u := range part {
		hi := lo + len(u)
		t.part = append(t.part[:0], u...)
		floats.Mul(t.part, p.perUnits[lo:hi])
		for b, v := range part[:a+1] {
			t.inUnits[a*len(part)+b] += floats.Dot(t.part, v)
		}
	}
	for _, u := range part {
		floats.Mul(u, p.squares[lo:lo+len(u)])
	}
}

// sumUnits adds the tasks' products, for all vectors, and those of intercept and bases.
func (p *products) sumUnits() {
	n := len(p.coefficients)
	for i, u := range p.vectors {
		for k, v := range p.vectors[:i+1] {
			sum := 0.0
			if factor := p.factor[i] * p.factor[k]; factor != 0 {
				a, b := p.place[p.like[i]], p.place[p.like[k]]
				for t := range p.tasks {
					sum += p.tasks[t].inUnits[max(a, b)*n+min(a, b)]
				}
				sum *= factor
			}
			sum += floats.Dot(u[p.number:], v[p.number:])
			p.inUnits[i*len(p.vectors)+k], p.inUnits[k*len(p.vectors)+i] = sum, sum
		}
	}
}

// join stores a vector.
func (p *products) join(dst []float64, i int) { linalg.Join(dst, p.vectors[i], p.through[i]) }

// combine adds the combination of the rows with these coefficients, each feature times the square of its
// scale, to dst.
func (p *products) combine(dst, coefficients []float64) {
	p.rows.Do(nil, [][]float64{coefficients}, func(_, lo int, part [][]float64) {
		for j, x := range part[0] {
			dst[lo+j] += float64(x * p.squares[lo+j])
		}
	})
}
