package sparse

// uniform is a binary csr of at most 256 columns in which every row has the same number of non-zeros.
// It needs no row pointers. One type for both kinds of rows, whose loops ask where each row ends,
// took 22 % longer for products with the rows of a9a and 12 % for their sums, and 4 and 10 % with
// these rows (best of 1200 runs each, November 2026).
type uniform struct{ csr[uint8] }

func (c uniform) mulRange(dst, x []float64, lo int) {
	if len(dst) < worthCopying {
		c.csr.mulRange(dst, x, lo)
		return
	}
	var padded [256]float64
	copy(padded[:], x)
	from := lo * c.perRow
	for k := range dst {
		dst[k] = dotPadded(&padded, c.idx[from:from+c.perRow])
		from += c.perRow
	}
}

func (c uniform) mulRows(dst, x []float64, rows []int) {
	if len(rows) < worthCopying {
		c.csr.mulRows(dst, x, rows)
		return
	}
	var padded [256]float64
	copy(padded[:], x)
	for k, i := range rows {
		dst[k] = dotPadded(&padded, c.idx[i*c.perRow:(i+1)*c.perRow])
	}
}

func (c uniform) addTransRange(dst, coef []float64, lo int) {
	if len(coef) < worthCopying {
		c.csr.addTransRange(dst, coef, lo)
		return
	}
	var padded [256]float64
	copy(padded[:], dst)
	from := lo * c.perRow
	for _, w := range coef {
		axpyPadded(&padded, w, c.idx[from:from+c.perRow])
		from += c.perRow
	}
	copy(dst, padded[:])
}

func (c uniform) addTransRows(dst, coef []float64, rows []int) {
	if len(rows) < worthCopying {
		c.csr.addTransRows(dst, coef, rows)
		return
	}
	var padded [256]float64
	copy(padded[:], dst)
	for k, i := range rows {
		axpyPadded(&padded, coef[k], c.idx[i*c.perRow:(i+1)*c.perRow])
	}
	copy(dst, padded[:])
}
