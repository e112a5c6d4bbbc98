package sparse

// ends say where rows end.
type ends struct {
	most, rows int   // what all rows may have; so far
	ptr        []int // nil while every row has most; otherwise row i is from ptr[i] to ptr[i+1]
}

// of returns where row i ends.
func (e *ends) of(i int) int {
	if e.ptr == nil {
		return (i + 1) * e.most
	}
	return e.ptr[i+1]
}

// last returns where the last row ends.
func (e *ends) last() int { return e.of(e.rows - 1) }

// add notes where the next row ends.
func (e *ends) add(at int) {
	if e.ptr == nil && at != (e.rows+1)*e.most {
		e.ptr = make([]int, 1, 2*(e.rows+1))
		for i := range e.rows {
			e.ptr = append(e.ptr, (i+1)*e.most)
		}
	}
	if e.rows++; e.ptr != nil {
		e.ptr = append(e.ptr, at)
	}
}

// addFull notes where the next n rows end, which have the most.
func (e *ends) addFull(n int) {
	if e.ptr == nil {
		e.rows += n
		return
	}
	for at := e.last(); n > 0; n-- {
		at += e.most
		e.add(at)
	}
}

// append notes where the next n rows end, counted from the end of the last one; see Joiner.Append. None means that they
// are empty. The first row sets what all rows may have.
func (e *ends) append(next []int, n int, share float64) {
	if e.rows == 0 && len(next) > 0 {
		e.most = next[0]
	}
	if e.ptr != nil {
		e.ptr = grow(e.ptr, n, share)
	}
	before := e.last()
	for _, end := range next {
		e.add(before + end)
	}
	for range n - len(next) {
		e.add(before)
	}
}

// parts returns the ends as in Parts.
func (e *ends) parts() (perRow int, ptr []int) {
	if e.ptr != nil {
		return 0, e.ptr
	}
	return e.most, nil
}
