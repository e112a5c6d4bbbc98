package vmath

import "math"

// The tables of exp.go and log.go are correctly rounded, as the tests prove. They are computed
// with pairs of float64: a value as rounded, and what the rounding took away.
var (
	expTable = makeExpTable()
	logTable = makeLogTable()
)

// makeExpTable multiplies by the 64th root of 2 again and again.
func makeExpTable() (table [expSteps]uint64) {
	const (
		root     = 1.01088928605170046002040979056186052439
		rootHigh = 0x1.02c9a3e778061p0 // root, rounded
		rootLow  = root - rootHigh
	)
	high, low := 1.0, 0.0
	for j := range table {
		table[j] = math.Float64bits(high) - uint64(j)<<52/expSteps
		product := float64(high * rootHigh)
		rest := lostProduct(high, rootHigh, product) + float64(high*rootLow) + float64(low*rootHigh)
		high, low = pair(product, rest)
	}
	return table
}

// makeLogTable adds up the differences of the logarithms of 256, 257, …, which are
//
//	log(k+1) − log k = 2 artanh(1/n) = 2 (1/n + 1/(3n³) + 1/(5n⁵) + …),   n = 2k+1.
func makeLogTable() (table [logSteps]node) {
	high, low := 0.0, 0.0
	for j := range table {
		table[j] = node{inverse: logSteps / float64(logSteps+j), log: high}
		n := float64(2*(logSteps+j) + 1)
		first := 2 / n
		square := 1 / float64(n*n)
		series := float64(first * square * (1.0/3 + float64(square*(1.0/5+float64(square*(1.0/7))))))
		rest := series - lostProduct(first, n, 2)/n
		sum, lost := pair(max(high, first), min(high, first))
		high, low = pair(sum, lost+low+rest)
	}
	return table
}

// pair returns x + y, |x| ≥ |y|, as rounded, and what the rounding took away.
func pair(x, y float64) (sum, lost float64) {
	sum = x + y
	return sum, y - (sum - x)
}

// lostProduct returns x·y − rounded, exactly, for a product that was rounded.
func lostProduct(x, y, rounded float64) float64 {
	return math.FMA(x, y, -rounded)
}
