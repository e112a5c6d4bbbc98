package model

import (
	"runtime"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/problem"
)

// want selects what a pass computes.
type want int

const (
	wantObjective want = 1 << iota
	wantGradient
	wantConstraint
	wantJacobian
)

// wantOf is what out has room for.
func wantOf(out *problem.Values) (w want) {
	if out.WantObjective {
		w |= wantObjective
	}
	if out.Gradient != nil {
		w |= wantGradient
	}
	if out.Constraint != nil {
		w |= wantConstraint
	}
	if out.WantJacobian() {
		w |= wantJacobian
	}
	return w
}

const (
	// A pass has at most so many tasks in each of D and S.
	maxTasks = 32
	// A leaf of their trees has at least LeafRows rows, and about so many entries for each of the
	// n of its gradient.
	leastEntries = 4
	// Workers beyond this many would wait for memory.
	maxWorkers = 16
)

// pass evaluates all rows on all cores without allocating.
type pass struct {
	p       *Fair
	tasks   []task
	workers [maxWorkers]worker
	next    atomic.Int64 // the next task to be taken
	done    sync.WaitGroup

	// Arguments of run.
	x    []float64
	want want

	// What the sums have, and at which point: methods and their certificates ask for the same points.
	has want
	at  []float64

	total
	addsToFirst bool  // the total has the memory of the first task, which saves a copy
	err         error // of Options.Shards
}

// worker is what a goroutine needs to evaluate rows.
type worker struct {
	start   func()
	scratch block
	right   []total // of the right halves of nodes, by their depth
}

// task is a node of rows of D, of S or, where they are the same, of both, with room for its
// results.
type task struct {
	order order
	rows  span // of a
	want  want // all that the rows are good for
	a     *sparse.Matrix
	total
}

const (
	ofD = wantObjective | wantGradient
	ofS = wantConstraint | wantJacobian
)

func newPass(p *Fair) *pass {
	q := newWorkers(p)
	switch {
	case p.options.Shards != nil:
	case p.s == p.d:
		q.cut(p.d, ofD|ofS, p.orderOf(p.d), 0)
		q.tasks[0].total, q.addsToFirst = q.total, true
	default:
		q.cut(p.d, ofD, p.orderOf(p.d), 0)
		q.cut(p.s, ofS, p.orderOf(p.s), 0)
	}
	return q
}

// newWorkers returns a pass without tasks.
func newWorkers(p *Fair) *pass {
	q := &pass{p: p, total: newTotal(p, ofD|ofS)}
	for i := range q.workers {
		w := &q.workers[i]
		w.start = func() {
			q.work(w)
			q.done.Done()
		}
	}
	return q
}

// orderOf returns the order of sums over the rows of a. Where n is large, leaves are large too:
// their gradients must not cost more than their rows, to hold, clear and add. They have a power of
// two times LeafRows rows, so that rows can be cut where the leaves of many problems are.
func (p *statement) orderOf(a *sparse.Matrix) order {
	rows, _ := a.Dims()
	perRow, entries := float64(a.NNZ())/float64(rows), leastEntries*float64(p.n)*float64(max(1, len(p.cells)))
	leaf := LeafRows
	for leaf < rows && perRow*float64(2*leaf) <= entries {
		leaf *= 2
	}
	return order{rows, leaf}
}

// cut makes tasks of the rows of a, before which there are first others.
func (q *pass) cut(a *sparse.Matrix, want want, o order, first int) {
	if want&ofS != 0 && len(q.p.cells) == 0 {
		want &^= ofS
	}
	if want == 0 {
		return
	}
	rows, _ := a.Dims()
	for _, node := range o.within(span{lo: first, hi: first + rows}) {
		node.lo, node.hi = node.lo-first, node.hi-first
		q.tasks = append(q.tasks, task{order: o, rows: node, want: want, a: a, total: newTotal(q.p, want)})
	}
}

// run evaluates what is wanted at x.
func (q *pass) run(x []float64, w want) {
	if w&^q.has == 0 && floats.Equal(x, q.at) {
		return
	}
	if q.p.options.Shards != nil {
		q.fetch(x, w)
		return
	}
	q.x, q.want = x, w
	q.evaluate()
	q.reduce()
	q.has, q.at = w, append(q.at[:0], x...)
}

// evaluate does the tasks.
func (q *pass) evaluate() {
	q.next.Store(0)
	workers := max(1, min(runtime.GOMAXPROCS(0), maxWorkers, len(q.tasks)))
	q.done.Add(workers - 1)
	for i := 1; i < workers; i++ {
		go q.workers[i].start()
	}
	q.work(&q.workers[0])
	q.done.Wait()
	q.x = nil
}

// work takes tasks until there are none.
func (q *pass) work(w *worker) {
	for {
		i := int(q.next.Add(1)) - 1
		if i >= len(q.tasks) {
			return
		}
		if t := &q.tasks[i]; t.want&q.want != 0 {
			q.node(w, t, &t.total, t.rows, 0)
		}
	}
}

// node evaluates a node of a task.
func (q *pass) node(w *worker, t *task, dst *total, rows span, depth int) {
	middle, halves := t.order.middle(rows)
	if !halves {
		q.leaf(&w.scratch, t, dst, rows)
		return
	}
	if depth == len(w.right) {
		w.right = append(w.right, newTotal(q.p, ofD|ofS))
	}
	q.node(w, t, dst, span{lo: rows.lo, hi: middle}, depth+1)
	right := &w.right[depth]
	q.node(w, t, right, span{lo: middle, hi: rows.hi}, depth+1)
	dst.add(right, t.want&q.want)
}

// leaf evaluates rows one after the other.
func (q *pass) leaf(b *block, t *task, dst *total, rows span) {
	w := t.want & q.want
	dst.clear(w)
	var gradient []float64
	if w&wantGradient != 0 {
		gradient = dst.gradient
	}
	for s := range rows.blocks() {
		margin := q.p.margins(b, t.a, q.x, s)
		if w&ofS != 0 {
			q.p.addCells(b, &dst.sums, margin, s, &drawn{}, w)
		}
		if w&ofD != 0 {
			dst.objective += q.p.loss(b, gradient, margin, s, w&wantObjective != 0)
		}
	}
}

// reduce adds the tasks' results in their order.
func (q *pass) reduce() {
	tasks := q.tasks
	if q.addsToFirst {
		q.objective, tasks = tasks[0].objective, tasks[1:]
	} else {
		q.clear(ofD | ofS)
	}
	for i := range tasks {
		t := &tasks[i]
		q.total.add(&t.total, t.want&q.want)
	}
	q.objective /= float64(q.p.among(len(q.p.labels)))
}

// among is the number of rows that exact values are means of, given the number of rows here.
func (p *Fair) among(here int) int {
	if p.options.Shards != nil {
		return p.all
	}
	return here
}
