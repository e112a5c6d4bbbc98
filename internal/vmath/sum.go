package vmath

// Sum returns the sum of x. The order of the additions depends on the length of x only.
// In gonum's floats.Sum it also depends on where x lies in memory.
func Sum(x []float64) float64 {
	var s0, s1, s2, s3 float64
	for ; len(x) >= 4; x = x[4:] {
		s0 += x[0]
		s1 += x[1]
		s2 += x[2]
		s3 += x[3]
	}
	for _, v := range x {
		s0 += v
	}
	return (s0 + s1) + (s2 + s3)
}
