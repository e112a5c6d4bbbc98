package model

import "github.com/fairtrain/fairtrain/dataset"

// The penalty is (λ/2)·wᵀΩw. wᵀΩw sums the squares of the weights, and in a chain of neighbouring
// bins the squared differences of neighbours in place of the squares: the function of a number that
// has a weight for each bin becomes smooth, not small.

// Penalty returns wᵀΩw. The first n entries of x are the weights.
func Penalty(x []float64, n int, chains []dataset.Chain) float64 {
	sum := 0.0
	EachPenalised(n, chains, func(j, next int) {
		d := x[j]
		if next > j {
			d -= x[next]
		}
		sum += float64(d * d)
	})
	return sum
}

// AddPenalty adds λΩw to dst.
func AddPenalty(dst, x []float64, n int, chains []dataset.Chain, lambda float64) {
	EachPenalised(n, chains, func(j, next int) {
		if next == j {
			dst[j] += float64(lambda * x[j])
			return
		}
		d := float64(lambda * (x[j] - x[next]))
		dst[j] += d
		dst[next] -= d
	})
}

// EachPenalised calls each for every term of the penalty of n weights: the square of weight j where
// next is j, and otherwise of its difference to weight next, which is j+1.
func EachPenalised(n int, chains []dataset.Chain, each func(j, next int)) {
	j := 0
	for k := 0; k <= len(chains); k++ {
		c := dataset.Chain{First: n, End: n}
		if k < len(chains) {
			c = chains[k]
		}
		for ; j < c.First; j++ {
			each(j, j)
		}
		for ; j+1 < c.End; j++ {
			each(j, j+1)
		}
		j = c.End
	}
}
