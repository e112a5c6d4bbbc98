package sparse

// index is a type of column indices.
type index interface{ uint8 | uint16 | uint32 }

// rows say which entries a row has: ptr[i] to ptr[i+1]. If ptr is nil, every row has the same
// number of entries.
type rows struct {
	ptr    []int
	perRow int
}

func (r rows) of(i int) (lo, hi int) {
	if r.ptr == nil {
		return i * r.perRow, (i + 1) * r.perRow
	}
	return r.ptr[i], r.ptr[i+1]
}

// csr holds the entries of a Matrix; val is nil if all are 1.
//
// Products of two numbers are converted to float64 before they are added. This forbids fused
// multiply-adds, which a compiler may use in one loop and not in another. So a row's product
// has the same bits everywhere.
type csr[I index] struct {
	rows
	idx []I
	val []float64
}

func (c csr[I]) nnz() int     { return len(c.idx) }
func (c csr[I]) binary() bool { return c.val == nil }

func (c csr[I]) row(i int, yield func(int, float64) bool) {
	lo, hi := c.of(i)
	for k := lo; k < hi; k++ {
		v := 1.0
		if c.val != nil {
			v = c.val[k]
		}
		if !yield(int(c.idx[k]), v) {
			return
		}
	}
}

func (c csr[I]) mulRange(dst, x []float64, lo, hi int) {
	for k := range dst {
		dst[k] = c.dot(x, lo+k)
	}
}

func (c csr[I]) mulRows(dst, x []float64, rows []int) {
	for k, i := range rows {
		dst[k] = c.dot(x, i)
	}
}

func (c csr[I]) addTransRange(dst, coef []float64, lo, hi int) {
	for k, w := range coef {
		c.axpy(dst, w, lo+k)
	}
}

func (c csr[I]) addTransRows(dst, coef []float64, rows []int) {
	for k, i := range rows {
		c.axpy(dst, coef[k], i)
	}
}

// dot returns a_i·x. Four partial sums, each over every fourth entry, run side by side: a
// single sum would wait for each addition. The order of the additions is part of the result.
func (c csr[I]) dot(x []float64, i int) float64 {
	lo, hi := c.of(i)
	idx := c.idx[lo:hi]
	var s0, s1, s2, s3 float64
	k := 0
	if c.val == nil {
		for ; k <= len(idx)-4; k += 4 {
			j := (*[4]I)(idx[k:])
			s0 += x[j[0]]
			s1 += x[j[1]]
			s2 += x[j[2]]
			s3 += x[j[3]]
		}
		if k <= len(idx)-2 {
			j := (*[2]I)(idx[k:])
			s0 += x[j[0]]
			s1 += x[j[1]]
			k += 2
		}
		if k < len(idx) {
			s2 += x[idx[k]]
		}
		return (s0 + s1) + (s2 + s3)
	}
	val := c.val[lo:hi]
	for ; k <= len(idx)-4; k += 4 {
		j, v := (*[4]I)(idx[k:]), (*[4]float64)(val[k:])
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

// axpy adds w a_i to dst.
func (c csr[I]) axpy(dst []float64, w float64, i int) {
	lo, hi := c.of(i)
	idx := c.idx[lo:hi]
	if c.val == nil {
		k := 0
		for ; k <= len(idx)-4; k += 4 {
			j := (*[4]I)(idx[k:])
			dst[j[0]] += w
			dst[j[1]] += w
			dst[j[2]] += w
			dst[j[3]] += w
		}
		for ; k < len(idx); k++ {
			dst[idx[k]] += w
		}
		return
	}
	val := c.val[lo:hi]
	k := 0
	for ; k <= len(idx)-4; k += 4 {
		j, v := (*[4]I)(idx[k:]), (*[4]float64)(val[k:])
		dst[j[0]] += float64(w * v[0])
		dst[j[1]] += float64(w * v[1])
		dst[j[2]] += float64(w * v[2])
		dst[j[3]] += float64(w * v[3])
	}
	for ; k < len(idx); k++ {
		dst[idx[k]] += float64(w * val[k])
	}
}

// narrow is a csr of at most 256 columns. An array of 256 numbers needs no bounds checks for a
// one-byte index. So for several binary rows, narrow copies the vector into such an array.
// narrow has row pointers, uniform has none.
type narrow struct{ csr[uint8] }

// worthCopying is the number of rows that make the copy worth its time.
const worthCopying = 32

func (c narrow) mulRange(dst, x []float64, lo, hi int) {
	if c.val != nil || len(dst) < worthCopying {
		c.csr.mulRange(dst, x, lo, hi)
		return
	}
	var padded [256]float64
	copy(padded[:], x)
	start := c.ptr[lo]
	for k, end := range c.ptr[lo+1:][:len(dst)] {
		dst[k] = dotPadded(&padded, c.idx[start:end])
		start = end
	}
}

func (c narrow) mulRows(dst, x []float64, rows []int) {
	if c.val != nil || len(rows) < worthCopying {
		c.csr.mulRows(dst, x, rows)
		return
	}
	var padded [256]float64
	copy(padded[:], x)
	for k, i := range rows {
		dst[k] = dotPadded(&padded, c.idx[c.ptr[i]:c.ptr[i+1]])
	}
}

func (c narrow) addTransRange(dst, coef []float64, lo, hi int) {
	if c.val != nil || len(coef) < worthCopying {
		c.csr.addTransRange(dst, coef, lo, hi)
		return
	}
	var padded [256]float64
	copy(padded[:], dst)
	start := c.ptr[lo]
	for k, end := range c.ptr[lo+1:][:len(coef)] {
		axpyPadded(&padded, coef[k], c.idx[start:end])
		start = end
	}
	copy(dst, padded[:])
}

func (c narrow) addTransRows(dst, coef []float64, rows []int) {
	if c.val != nil || len(rows) < worthCopying {
		c.csr.addTransRows(dst, coef, rows)
		return
	}
	var padded [256]float64
	copy(padded[:], dst)
	for k, i := range rows {
		axpyPadded(&padded, coef[k], c.idx[c.ptr[i]:c.ptr[i+1]])
	}
	copy(dst, padded[:])
}

// dotPadded is csr.dot for a binary row. The order of the additions is the same.
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

// axpyPadded is csr.axpy for a binary row.
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
