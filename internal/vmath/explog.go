package vmath

import "math"

const (
	// expMax is the a from which on e^(−a) stays constant; e^(−708) is still a normal
	// number.
	expMax = 708

	expSteps = 64
	// ln2/64 = stepHi + stepLo, where the product of stepHi, which has 33 significant
	// bits, and an integer below 2²⁰ is exact.
	stepHi = 0x1.62e42fefp-1 / expSteps
	stepLo = math.Ln2/expSteps - stepHi
	// The low bits of the float64 integerAt + k are the integer k in two's complement.
	integerAt = 3 << 51
)

// expNegAbs stores e^(−|t|) in dst.
//
// Let a = |t|, k the integer nearest to −64a/ln2, and r = −a − k ln2/64, so that
//
//	e^(−a) = 2^(k/64) e^r,   |r| ≤ ln2/128 < 0.00542.
//
// The first product and difference of r are exact, and r carries an error below 1e-18.
// e^r − 1 is a Taylor polynomial of degree 5 with remainder |r|⁶/720·e^|r| < 3.6e-17.
// 2^(k/64) is 2^(j/64), j = k mod 64, from a table of rounded values (relative error
// 2⁻⁵³), with k div 64 added to its exponent. The last sum adds 2⁻⁵³, everything else
// less than 5e-18: together 2.7e-16.
func expNegAbs(dst, t []float64) {
	dst = dst[:len(t)]
	for i, a := range t {
		a = math.Abs(a)
		if a > expMax {
			a = expMax
		}
		shifted := float64(-expSteps/math.Ln2*a) + integerAt
		k := shifted - integerAt
		r := (-a - float64(k*stepHi)) - float64(k*stepLo)
		r2 := r * r
		p := r + float64(r2*(1.0/2+float64(r*(1.0/6))+float64(r2*(1.0/24+float64(r*(1.0/120))))))
		// expTable[j] holds the bits of 2^(j/64) less j·2⁵²/64, which the shift of all
		// of k puts back.
		bits := math.Float64bits(shifted)
		scale := math.Float64frombits(expTable[bits%expSteps] + bits*(1<<52/expSteps))
		dst[i] = scale + float64(scale*p)
	}
}

const (
	logBits  = 8
	logSteps = 1 << logBits
)

// node is 1/c and log c at c = 1 + j/256, rounded.
type node struct{ inverse, log float64 }

// log1p stores log(1+v) in dst, for v ≥ 0.
//
// Let w be 1+v as rounded, and w₀ = 2^e c, c = 1 + j/256, be w with all but the first 8
// bits of its fraction cut off. Then
//
//	log(1+v) = e ln2 + log c + log(1+r),   r = (v − (w₀−1))/w₀,   −2⁻⁵³ ≤ r ≤ 1/256,
//
// where v itself, not w, enters r: nothing of a small v is lost, and v < 1/256 has e = j
// = 0 and r = v. The difference is exact as long as w₀−1 is; beyond, it is wrong by less
// than 2⁻⁵³w₀ in a logarithm above 36. log(1+r) is a Taylor polynomial of degree 7 with
// remainder |r|⁸/8 ≤ 2⁻⁵⁹|r|.
//
// All three terms are non-negative (except r next to a node), so no error is magnified.
// Relative to the result, the last sum contributes 2⁻⁵³; the larger of the errors of its
// two terms at most 3·2⁻⁵³: of e ln2 + log c the rounded constants, the product and the
// sum, of r the rounded inverse and the product with it; the rest less than 2⁻⁵⁹.
// Together 4.5e-16.
func log1p(dst, v []float64) {
	dst = dst[:len(v)]
	for i, v := range v {
		const fraction = 1<<52 - 1
		bits := math.Float64bits(1 + v)
		w0 := math.Float64frombits(bits &^ (fraction >> logBits))
		c := &logTable[bits>>(52-logBits)%logSteps]
		// 2^(−e): the biased exponents e+1023 and −e+1023 add up to 2046.
		unscale := math.Float64frombits(2046<<52 - bits&^fraction)
		e := float64(int(bits>>52) - 1023)
		r := float64((v - (w0 - 1)) * unscale * c.inverse)
		r2 := r * r
		p := float64(r2 * (-1.0/2 + float64(r*(1.0/3)) +
			float64(r2*(-1.0/4+float64(r*(1.0/5))+float64(r2*(-1.0/6+float64(r*(1.0/7))))))))
		dst[i] = (float64(e*math.Ln2) + c.log) + (r + p)
	}
}

// The tables are correctly rounded, as the tests prove. They are computed
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
