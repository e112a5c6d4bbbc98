package sparse

// mixed is a csr of at most 256 columns with values. Like narrow, it copies the vector for several rows.
type mixed struct{ csr[uint8] }

func (c mixed) mulRange(dst, x []float64, lo int) {
	if len(dst) < worthCopying {
		c.csr.mulRange(dst, x, lo)
		return
	}
	var padded [256]float64
	copy(padded[:], x)
	for k := range dst {
		idx, val, ones := c.entriesOf(lo + k)
		dst[k] = dotMixed(&padded, idx, val) + dotPadded(&padded, ones)
	}
}

func (c mixed) mulRows(dst, x []float64, rows []int) {
	if len(rows) < worthCopying {
		c.csr.mulRows(dst, x, rows)
		return
	}
	var padded [256]float64
	copy(padded[:], x)
	for k, i := range rows {
		idx, val, ones := c.entriesOf(i)
		dst[k] = dotMixed(&padded, idx, val) + dotPadded(&padded, ones)
	}
}

func (c mixed) addTransRange(dst, coef []float64, lo int) {
	if len(coef) < worthCopying {
		c.csr.addTransRange(dst, coef, lo)
		return
	}
	var padded [256]float64
	copy(padded[:], dst)
	for k, w := range coef {
		idx, val, ones := c.entriesOf(lo + k)
		axpyMixed(&padded, w, idx, val)
		axpyPadded(&padded, w, ones)
	}
	copy(dst, padded[:])
}

func (c mixed) addTransRows(dst, coef []float64, rows []int) {
	if len(rows) < worthCopying {
		c.csr.addTransRows(dst, coef, rows)
		return
	}
	var padded [256]float64
	copy(padded[:], dst)
	for k, i := range rows {
		idx, val, ones := c.entriesOf(i)
		axpyMixed(&padded, coef[k], idx, val)
		axpyPadded(&padded, coef[k], ones)
	}
	copy(dst, padded[:])
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
