package thresholds

import (
	"container/heap"
	"math"
	"slices"
	"sort"

	"github.com/fairtrain/fairtrain/model"
)

// mostBoxes bounds the search. It takes far fewer unless several rates are bounded tightly and the
// worth hardly depends on the thresholds.
const mostBoxes = 1 << 18

// exact returns the best options, found in so many boxes at most for each part, and by how much others may
// be better. Cells whose groups are not compared with each other are parts that are solved by themselves;
// failed are those in which no options were found that satisfy the comparisons.
func (s *solver) exact(boxes int) (options []int, gap float64, failed []*bounding) {
	options = s.simple()
	part := make([]int, len(s.cells)) // of each cell
	for at := range part {
		part[at] = at
	}
	join := func(from, to int) {
		for at := range part {
			if part[at] == from {
				part[at] = to
			}
		}
	}
	first := make([]int, len(s.comparisons)) // cell of each
	for k := range first {
		first[k] = -1
	}
	for at := range s.cells {
		for _, r := range s.cells[at].rates {
			if k := r.comparison; first[k] < 0 {
				first[k] = at
			} else {
				join(part[at], part[first[k]])
			}
		}
	}
	for name := range s.cells {
		b := &bounding{solver: s, options: options, boxes: boxes, dim: make([]int, len(s.comparisons))}
		for at := range s.cells {
			if part[at] == name {
				b.cells = append(b.cells, at)
			}
		}
		for k, at := range first {
			if at >= 0 && part[at] == name {
				b.dim[k], b.dims = len(b.dims), append(b.dims, k)
			}
		}
		if len(b.cells) > 0 {
			gap += b.search()
			if !b.known {
				failed = append(failed, b)
			}
		}
	}
	return options, gap, failed
}

// nearest finds the options of the part that violate its comparisons least: the smallest violation that
// is to be allowed to all for some to satisfy them.
func (b *bounding) nearest() {
	const boxes, steps, close = 1 << 11, 40, 1e-9
	wider := *b.solver
	wider.comparisons = slices.Clone(b.comparisons)
	low, high := 0.0, b.excess(b.options, b.dims...)
	for n := 0; n < steps && high-low > close && !b.done(); n++ {
		allowed := low + (high-low)/2
		for _, k := range b.dims {
			wider.comparisons[k].wider = allowed
		}
		search := &bounding{solver: &wider, cells: b.cells, dims: b.dims, dim: b.dim, options: b.options, boxes: boxes}
		search.search()
		if !search.known {
			low = allowed
			continue
		}
		high = min(allowed, b.excess(b.options, b.dims...))
	}
}

// bounding is the search for the best options of some cells by branch and bound. What is branched is
// where the intervals begin that have the rates of a comparison. In a box of such beginnings every
// rate may be anywhere in the union of the intervals: the best options there are a bound. Where they
// satisfy the comparisons, nothing in the box is better. Otherwise two rates of a comparison are too
// far apart, and the box is parted so that each half excludes one of them.
type bounding struct {
	*solver
	cells   []int // of the part
	dims    []int // its comparisons
	dim     []int // of each comparison
	boxes   int   // to be looked at
	ended   bool  // the search, for want of boxes that may have better ones
	options []int // the best ones so far

	known bool // that they satisfy the comparisons
	best  float64
	far   float64
}

// box is beginnings of intervals, and the best options there.
type box struct {
	low, high []float64 // by dimension
	options   []int     // by cell of the part
	bound     float64
}

// search finds the best options of the part, and returns by how much others may be better.
func (b *bounding) search() (gap float64) {
	whole := box{low: make([]float64, len(b.dims)), high: make([]float64, len(b.dims))}
	for d := range b.dims {
		whole.low[d], whole.high[d] = math.Inf(1), math.Inf(-1)
	}
	for _, at := range b.cells {
		for _, r := range b.solver.cells[at].rates {
			d, slack := b.dim[r.comparison], b.comparisons[r.comparison].slack[r.group]
			whole.low[d] = min(whole.low[d], slices.Min(r.values)-slack)
			whole.high[d] = max(whole.high[d], slices.Max(r.values)+slack)
		}
	}
	for d, k := range b.dims {
		if c := &b.comparisons[k]; c.Kind == model.AtLeast {
			whole.low[d], whole.high[d] = c.Bound-c.wider, c.Bound-c.wider
		}
	}
	open := &boxes{}
	b.add(open, whole)
	for n := 0; open.Len() > 0; n++ {
		next := heap.Pop(open).(box)
		if b.closed(next.bound) {
			return 0
		}
		if n >= b.boxes || b.done() {
			return next.bound - b.best
		}
		d, low, high := b.farthest(next.options)
		if d < 0 {
			b.offer(next.options)
			continue
		}
		at := b.comparisons[b.dims[d]].part(low, high)
		left, right := next.clone(), next.clone()
		left.high[d], right.low[d] = at, at
		b.add(open, left)
		b.add(open, right)
	}
	b.ended = true
	return 0
}

// closed reports whether nothing within a bound is better than the best options.
func (b *bounding) closed(bound float64) bool {
	const rounding = 1e-12
	return b.known && bound <= b.best+rounding*b.scale
}

func (x box) clone() box {
	return box{slices.Clone(x.low), slices.Clone(x.high), nil, 0}
}

// add adds a box, unless nothing in it is better, and offers the options of an interval in it.
func (b *bounding) add(open *boxes, x box) {
	var ok bool
	if x.options, x.bound, ok = b.bestIn(x); !ok || b.closed(x.bound) {
		return
	}
	heap.Push(open, x)
	middle := x.clone()
	for d := range x.low {
		middle.low[d] = x.low[d] + (x.high[d]-x.low[d])/2
		middle.high[d] = middle.low[d]
	}
	if inside, _, ok := b.bestIn(middle); ok {
		if d, _, _ := b.farthest(inside); d < 0 {
			b.offer(inside)
		}
	}
}

// offer takes options that satisfy the comparisons if they are better.
func (b *bounding) offer(options []int) {
	right, far := 0.0, 0.0
	for n, k := range options {
		c := &b.solver.cells[b.cells[n]]
		right, far = right+c.right[k], far+c.far[k]
	}
	if b.known && (right < b.best || right == b.best && far >= b.far) {
		return
	}
	b.known, b.best, b.far = true, right, far
	for n, k := range options {
		b.options[b.cells[n]] = k
	}
}

// bestIn returns the best options in a box and their worth; false if a cell has none.
func (b *bounding) bestIn(x box) (options []int, worth float64, ok bool) {
	options = make([]int, len(b.cells))
	for n, at := range b.cells {
		c := &b.solver.cells[at]
		lo, hi := 0, len(c.at)-1
		var others []limit
		for _, r := range c.rates {
			d := b.dim[r.comparison]
			of := &b.comparisons[r.comparison]
			slack := of.slack[r.group]
			l := limit{r.values, x.low[d] - slack - roundoff, of.top(x.high[d]) + slack}
			if !r.rises {
				others = append(others, l)
				continue
			}
			lo = max(lo, sort.SearchFloat64s(r.values, l.least))
			hi = min(hi, sort.Search(len(r.values), func(k int) bool { return r.values[k] > l.most })-1)
		}
		if lo > hi {
			return nil, 0, false
		}
		k := -1
		if others == nil {
			k = c.best.in(lo, hi)
		} else {
			for j := lo; j <= hi; j++ {
				if !slices.ContainsFunc(others, func(l limit) bool { return l.values[j] < l.least || l.values[j] > l.most }) &&
					(k < 0 || c.best.better(int32(k), int32(j)) == int32(j)) {
					k = j
				}
			}
		}
		if k < 0 {
			return nil, 0, false
		}
		options[n], worth = k, worth+c.right[k]
	}
	return options, worth, true
}

// limit is what a rate may be.
type limit struct {
	values      []float64
	least, most float64
}

// farthest returns the comparison, as a dimension, that options violate most, and the two rates that
// do; −1 for none.
func (b *bounding) farthest(options []int) (dim int, low, high float64) {
	least, largest := make([]float64, len(b.dims)), make([]float64, len(b.dims))
	for d := range least {
		least[d], largest[d] = math.Inf(1), math.Inf(-1)
	}
	for n, at := range b.cells {
		for _, r := range b.solver.cells[at].rates {
			d, v, slack := b.dim[r.comparison], r.values[options[n]], b.comparisons[r.comparison].slack[r.group]
			least[d], largest[d] = min(least[d], v+slack), max(largest[d], v-slack)
		}
	}
	dim = -1
	most := roundoff
	for d, k := range b.dims {
		if apart := b.comparisons[k].apart(least[d], largest[d]); apart > most {
			dim, low, high, most = d, least[d], largest[d], apart
		}
	}
	return dim, low, high
}

// boxes are a heap, the one of the largest bound first.
type boxes []box

func (b boxes) Len() int           { return len(b) }
func (b boxes) Less(i, j int) bool { return b[i].bound > b[j].bound }
func (b boxes) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }
func (b *boxes) Push(x any)        { *b = append(*b, x.(box)) }

// Pop is heap.Interface.
func (b *boxes) Pop() any {
	last := len(*b) - 1
	x := (*b)[last]
	(*b)[last] = box{} // whose slices are free then
	*b = (*b)[:last]
	return x
}
