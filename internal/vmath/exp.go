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
