package sparse

// index is a type of column indices.
type index interface{ uint8 | uint16 | uint32 }

// list has the columns of some entries of each row: ptr[i] to ptr[i+1]. If ptr is nil, every row
// has perRow of them.
type list[I index] struct {
	ptr    []int
	perRow int
	idx    []I
}

func listOf[I index](c *Columns, idx []I) list[I] { return list[I]{c.Ptr, c.PerRow, idx} }

func (l *list[I]) bounds(i int) (lo, hi int) {
	if l.ptr == nil {
		return i * l.perRow, (i + 1) * l.perRow
	}
	return l.ptr[i], l.ptr[i+1]
}

func (l *list[I]) row(i int) []I {
	lo, hi := l.bounds(i)
	return l.idx[lo:hi]
}

// csr holds the entries of a Matrix. Columns ascend in either list.
//
// Products of two numbers are converted to float64 before they are added. This forbids fused
// multiply-adds, which a compiler may use in one loop and not in another. So a row's product
// has the same bits everywhere.
type csr[I index] struct {
	ones   list[I] // entries that are 1
	valued list[I] // the others
	val    []float64
}

func (c csr[I]) binary() bool { return len(c.val) == 0 }

func (c csr[I]) nnz() int { return len(c.val) + len(c.ones.idx) }

// Methods for a row take a pointer: to copy a csr takes longer than to multiply a short row.

// entriesOf returns the entries of a row with a value, and the columns of those that are 1.
func (c *csr[I]) entriesOf(i int) (idx []I, val []float64, ones []I) {
	lo, hi := c.valued.bounds(i)
	return c.valued.idx[lo:hi], c.val[lo:hi], c.ones.row(i)
}

func (c csr[I]) row(i int, yield func(int, float64) bool) {
	idx, val, ones := c.entriesOf(i)
	next := 0 // of the ones
	for k, j := range idx {
		for ; next < len(ones) && ones[next] < j; next++ {
			if !yield(int(ones[next]), 1) {
				return
			}
		}
		if !yield(int(j), val[k]) {
			return
		}
	}
	for _, j := range ones[next:] {
		if !yield(int(j), 1) {
			return
		}
	}
}

// nth returns the k-th row of a list or, if that is nil, of the rows from lo on.
func nth(rows []int, lo, k int) int {
	if rows == nil {
		return lo + k
	}
	return rows[k]
}

func (c csr[I]) mul(dst, x []float64, lo int, rows []int) {
	for k := range dst {
		dst[k] = c.dot(x, nth(rows, lo, k))
	}
}

func (c csr[I]) addTrans(dst, coef []float64, lo int, rows []int) {
	for k, w := range coef {
		c.axpy(dst, w, nth(rows, lo, k))
	}
}

// dot returns a_i·x: the sum over the entries with values and the sum over the others. Four partial
// sums of either, each over every fourth entry, run side by side: a single sum would wait for each
// addition. The order of the additions is part of the result.
func (c *csr[I]) dot(x []float64, i int) float64 {
	values, ones := 0.0, c.ones.row(i)
	if len(c.val) > 0 {
		lo, hi := c.valued.bounds(i)
		values = dot(x, c.valued.idx[lo:hi], c.val[lo:hi])
	}
	var s0, s1, s2, s3 float64
	k := 0
	for ; k <= len(ones)-4; k += 4 {
		j := (*[4]I)(ones[k:])
		s0 += x[j[0]]
		s1 += x[j[1]]
		s2 += x[j[2]]
		s3 += x[j[3]]
	}
	if k <= len(ones)-2 {
		j := (*[2]I)(ones[k:])
		s0 += x[j[0]]
		s1 += x[j[1]]
		k += 2
	}
	if k < len(ones) {
		s2 += x[ones[k]]
	}
	return values + ((s0 + s1) + (s2 + s3))
}

// dot returns the sum of x at the given columns, each times its value.
func dot[I index](x []float64, idx []I, val []float64) float64 {
	idx = idx[:len(val)]
	var s0, s1, s2, s3 float64
	k := 0
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
func (c *csr[I]) axpy(dst []float64, w float64, i int) {
	ones := c.ones.row(i)
	if len(c.val) > 0 {
		lo, hi := c.valued.bounds(i)
		axpy(dst, w, c.valued.idx[lo:hi], c.val[lo:hi])
	}
	k := 0
	for ; k <= len(ones)-4; k += 4 {
		j := (*[4]I)(ones[k:])
		dst[j[0]] += w
		dst[j[1]] += w
		dst[j[2]] += w
		dst[j[3]] += w
	}
	for ; k < len(ones); k++ {
		dst[ones[k]] += w
	}
}

// axpy adds w times the values to dst at the given columns.
func axpy[I index](dst []float64, w float64, idx []I, val []float64) {
	idx = idx[:len(val)]
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
