package dataset

// index is a type of column indices.
type index interface{ uint8 | uint16 | uint32 }

// csr holds the entries of a Matrix; val is nil if all are 1.
type csr[I index] struct {
	ptr []int
	idx []I
	val []float64
}

func (c csr[I]) nnz() int     { return len(c.idx) }
func (c csr[I]) binary() bool { return c.val == nil }

func (c csr[I]) row(i int, yield func(int, float64) bool) {
	for k := c.ptr[i]; k < c.ptr[i+1]; k++ {
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

// dot returns a_i·x. Four partial sums, over every fourth entry, run side by side where
// one sum would wait for each addition; their order is part of the result.
func (c csr[I]) dot(x []float64, i int) float64 {
	lo, hi := c.ptr[i], c.ptr[i+1]
	idx := c.idx[lo:hi]
	var s0, s1, s2, s3 float64
	if c.val == nil {
		for ; len(idx) >= 4; idx = idx[4:] {
			s0 += x[idx[0]]
			s1 += x[idx[1]]
			s2 += x[idx[2]]
			s3 += x[idx[3]]
		}
		for _, j := range idx {
			s0 += x[j]
		}
		return (s0 + s1) + (s2 + s3)
	}
	// The conversions forbid fused multiply-adds, which a compiler may use in one
	// kernel and not in another.
	val := c.val[lo:hi]
	for ; len(idx) >= 4 && len(val) >= 4; idx, val = idx[4:], val[4:] {
		s0 += float64(val[0] * x[idx[0]])
		s1 += float64(val[1] * x[idx[1]])
		s2 += float64(val[2] * x[idx[2]])
		s3 += float64(val[3] * x[idx[3]])
	}
	for k, j := range idx {
		s0 += float64(val[k] * x[j])
	}
	return (s0 + s1) + (s2 + s3)
}

// axpy adds w a_i to dst.
func (c csr[I]) axpy(dst []float64, w float64, i int) {
	lo, hi := c.ptr[i], c.ptr[i+1]
	idx := c.idx[lo:hi]
	if c.val == nil {
		for _, j := range idx {
			dst[j] += w
		}
		return
	}
	val := c.val[lo:hi]
	for k, j := range idx {
		dst[j] += float64(w * val[k])
	}
}

// narrow is a csr of at most 256 columns.
type narrow struct{ csr[uint8] }
