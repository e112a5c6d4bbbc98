package sparse

// narrow is a csr of at most 256 columns. An array of 256 numbers needs no bounds checks for a
// one-byte index. So for several rows, narrow copies the vector into such an array. Binary rows have
// loops of their own: one that asks for values takes longer for one-hot data.
type narrow struct{ csr[uint8] }

// worthCopying is the number of rows that make the copy worth its time.
const worthCopying = 32

func (c narrow) mul(dst, x []float64, lo int, rows []int) {
	if len(dst) < worthCopying {
		c.csr.mul(dst, x, lo, rows)
		return
	}
	var padded [256]float64
	copy(padded[:], x)
	if c.binary() {
		for k := range dst {
			dst[k] = dotPadded(&padded, c.ones.row(nth(rows, lo, k)))
		}
		return
	}
	for k := range dst {
		idx, val, ones := c.entriesOf(nth(rows, lo, k))
		dst[k] = dotMixed(&padded, idx, val) + dotPadded(&padded, ones)
	}
}

func (c narrow) addTrans(dst, coef []float64, lo int, rows []int) {
	if len(coef) < worthCopying {
		c.csr.addTrans(dst, coef, lo, rows)
		return
	}
	var padded [256]float64
	copy(padded[:], dst)
	if c.binary() {
		for k, w := range coef {
			axpyPadded(&padded, w, c.ones.row(nth(rows, lo, k)))
		}
	} else {
		for k, w := range coef {
			idx, val, ones := c.entriesOf(nth(rows, lo, k))
			axpyMixed(&padded, w, idx, val)
			axpyPadded(&padded, w, ones)
		}
	}
	copy(dst, padded[:])
}

// dotPadded is csr.dot for a binary row and a padded vector. The order of the additions is the
// same.
func dotPadded(x *[256]float64, idx []uint8) float64 {
	var s0, s1, s2, s3 float64
	k := 0
	for ; k <= len(idx)-4; k += 4 {
		j := (*[4]uint8)(idx[k:])
		s0 += x[j[0]]
		s1 += x[j[1]]
		s2 += x[j[2]]
		s3 += x[j[3]]
	}
	if k <= len(idx)-2 {
		j := (*[2]uint8)(idx[k:])
		s0 += x[j[0]]
		s1 += x[j[1]]
		k += 2
	}
	if k < len(idx) {
		s2 += x[idx[k]]
	}
	return (s0 + s1) + (s2 + s3)
}

// axpyPadded is csr.axpy for a binary row and a padded vector.
func axpyPadded(dst *[256]float64, w float64, idx []uint8) {
	k := 0
	for ; k <= len(idx)-4; k += 4 {
		j := (*[4]uint8)(idx[k:])
		dst[j[0]] += w
		dst[j[1]] += w
		dst[j[2]] += w
		dst[j[3]] += w
	}
	if k <= len(idx)-2 {
		j := (*[2]uint8)(idx[k:])
		dst[j[0]] += w
		dst[j[1]] += w
		k += 2
	}
	if k < len(idx) {
		dst[idx[k]] += w
	}
}

// dotMixed is dot for a padded vector. The order of the additions is the same.
func dotMixed(x *[256]float64, idx []uint8, val []float64) float64 {
	var s0, s1, s2, s3 float64
	k := 0
	for ; k <= len(idx)-4; k += 4 {
		j, v := (*[4]uint8)(idx[k:]), (*[4]float64)(val[k:])
		s0 += float64(v[0] * x[j[0]])
		s1 += float64(v[1] * x[j[1]])
		s2 += float64(v[2] * x[j[2]])
		s3 += float64(v[3] * x[j[3]])
	}
	for ; k < len(idx); k++ {
		s0 += float64(val[k] * x[idx[k]])
	}
	return (s0 + s1) + (s2 + s3)
}

// axpyMixed is axpy for a padded vector.
func axpyMixed(dst *[256]float64, w float64, idx []uint8, val []float64) {
	val = val[:len(idx)]
	for k, j := range idx {
		dst[j] += float64(w * val[k])
	}
}
