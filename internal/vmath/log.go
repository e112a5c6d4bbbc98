package vmath

import "math"

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
		p := float64(r2 * (-1.0/2 + float64(r*(1.0/3)) + float64(r2*(-1.0/4+float64(r*(1.0/5))+float64(r2*(-1.0/6+float64(r*(1.0/7))))))))
		dst[i] = (float64(e*math.Ln2) + c.log) + (r + p)
	}
}
