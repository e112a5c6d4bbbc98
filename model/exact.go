package model

import (
	"iter"
	"runtime"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/internal/vmath"
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

const (
	// A pass is cut into tasks of at least minTask rows, about maxTasks in each of D and
	// S. The cuts depend on the data only and the results are added in the order of the
	// tasks, so that every number of workers gives the same bits.
	maxTasks = 16
	minTask  = 2048
	// A task has at least so many entries for each of the n of its gradient.
	leastEntries = 4
	// Workers beyond this many would wait for memory.
	maxWorkers = maxTasks
)

// pass evaluates all rows on all cores without allocating.
type pass struct {
	p       *Fair
	tasks   []task
	ofD     int // the first tasks are those of D
	workers [maxWorkers]func()
	scratch [maxWorkers]block
	next    atomic.Int64 // the next task to be taken
	end     int          // where to stop
	done    sync.WaitGroup

	// What run was asked for.
	x    []float64
	want want

	// What is known, and where: methods and their certificates ask for the same points.
	known  want
	at     []float64
	margin []float64 // of the rows of D, where they are those of S too; nil otherwise

	objective float64
	gradient  []float64
	sums      sums
}

// task is a part of D or of a cell of S with room for its result.
type task struct {
	cell   int // −1 for D
	rows   span
	factor []float64 // of the rows of a cell
	sum    float64
	grad   []float64
}

func newPass(p *Fair) *pass {
	q := &pass{p: p, gradient: make([]float64, p.n), sums: newSums(p)}
	rows := span{hi: len(p.sign)}
	if p.s == p.d && len(p.cells) > 0 {
		q.margin = make([]float64, rows.len())
	}
	for part := range cut(rows, p.d, p.n) {
		q.ofD++
		q.tasks = append(q.tasks, task{cell: -1, rows: rows.part(part[0], part[1]), grad: make([]float64, p.n)})
	}
	for k, c := range p.cells {
		rows := span{rows: c.rows}
		if len(c.rows) == p.population {
			rows = span{hi: p.population} // all of them, in order
		}
		for part := range cut(rows, p.s, p.n) {
			q.tasks = append(q.tasks, task{
				cell: k, rows: rows.part(part[0], part[1]), factor: c.factor[part[0]:part[1]], grad: make([]float64, p.n),
			})
		}
	}
	for w := range q.workers {
		q.workers[w] = func() {
			q.work(&q.scratch[w])
			q.done.Done()
		}
	}
	return q
}

// cut yields the parts [lo, hi) of the rows of s, which are rows of a, that make tasks.
// Where n is large, tasks are large too: their gradients must not cost more than their
// rows, to hold, clear and add.
func cut(s span, a *sparse.Matrix, n int) iter.Seq[[2]int] {
	rows, _ := a.Dims()
	perRow := float64(a.NNZ()) / float64(rows)
	size := max(minTask, (rows+maxTasks-1)/maxTasks, int(min(leastEntries*float64(n)/perRow, float64(rows))))
	return func(yield func([2]int) bool) {
		for lo := 0; lo < s.len(); lo += size {
			if !yield([2]int{lo, min(lo+size, s.len())}) {
				return
			}
		}
	}
}

// run evaluates what is wanted at x.
func (q *pass) run(x []float64, w want) {
	if w&^q.known == 0 && floats.Equal(x, q.at) {
		return
	}
	q.x, q.want = x, w
	if q.margin == nil {
		q.share(0, len(q.tasks))
	} else { // the tasks of S need the margins of D
		q.share(0, q.ofD)
		q.share(q.ofD, len(q.tasks))
	}
	q.x = nil
	q.reduce()
	q.known, q.at = w, append(q.at[:0], x...)
}

// share has workers do the tasks from first to end−1.
func (q *pass) share(first, end int) {
	q.next.Store(int64(first))
	q.end = end
	workers := max(1, min(runtime.GOMAXPROCS(0), maxWorkers, end-first))
	q.done.Add(workers - 1)
	for i := 1; i < workers; i++ {
		go q.workers[i]()
	}
	q.work(&q.scratch[0])
	q.done.Wait()
}

// work takes tasks until there are none.
func (q *pass) work(b *block) {
	for {
		i := int(q.next.Add(1)) - 1
		if i >= q.end {
			return
		}
		t := &q.tasks[i]
		switch {
		case t.cell >= 0 && q.wants(t):
			q.cellTask(b, t)
		case t.cell < 0 && q.wants(t):
			q.lossTask(b, t)
		case t.cell < 0 && q.margin != nil:
			q.marginTask(b, t)
		}
	}
}

// wants reports whether the task contributes to what is wanted.
func (q *pass) wants(t *task) bool {
	if t.cell < 0 {
		return q.want&(wantObjective|wantGradient) != 0
	}
	return q.want&(wantConstraint|wantJacobian) != 0
}

// wantsGrad reports whether the task's gradient is wanted.
func (q *pass) wantsGrad(t *task) bool {
	if t.cell < 0 {
		return q.want&wantGradient != 0
	}
	return q.want&wantJacobian != 0
}

func (q *pass) lossTask(b *block, t *task) {
	var grad []float64
	if q.wantsGrad(t) {
		grad = t.grad
		clear(grad)
	}
	sum := 0.0
	for s := range t.rows.blocks() {
		margin := q.p.margins(b, q.p.d, q.x, s)
		q.keep(margin, s)
		sum += q.p.loss(b, grad, margin, s, q.want&wantObjective != 0)
	}
	t.sum = sum
}

// marginTask computes nothing but margins.
func (q *pass) marginTask(b *block, t *task) {
	for s := range t.rows.blocks() {
		q.keep(q.p.margins(b, q.p.d, q.x, s), s)
	}
}

// keep keeps the margins of rows of D for the cells.
func (q *pass) keep(margin []float64, s span) {
	if q.margin != nil {
		copy(q.margin[s.lo:s.hi], margin)
	}
}

// margins returns those of rows of S.
func (q *pass) margins(b *block, s span) []float64 {
	if q.margin == nil {
		return q.p.margins(b, q.p.s, q.x, s)
	}
	if s.rows == nil {
		return b.margin[:copy(b.margin[:], q.margin[s.lo:s.hi])]
	}
	return s.pick(b.margin[:], q.margin)
}

func (q *pass) cellTask(b *block, t *task) {
	grad := q.wantsGrad(t)
	if grad {
		clear(t.grad)
	}
	sum, factor := 0.0, t.factor
	for s := range t.rows.blocks() {
		margin, value, slope := q.margins(b, s), b.value[:s.len()], b.slope[:s.len()]
		if q.p.cells[t.cell].tempered {
			q.p.temper(margin)
		}
		if grad {
			vmath.SigmoidSlope(value, slope, margin)
			floats.Mul(slope, factor[:len(slope)])
			q.p.scatter(t.grad, q.p.s, slope, s)
		} else {
			vmath.Sigmoid(value, margin)
		}
		sum += floats.Dot(factor[:len(value)], value)
		factor = factor[len(value):]
	}
	t.sum = sum
}

// reduce adds the tasks' results in their order.
func (q *pass) reduce() {
	q.objective = 0
	clear(q.gradient)
	q.sums.clear(nil)
	for i := range q.tasks {
		t := &q.tasks[i]
		if !q.wants(t) {
			continue
		}
		sum, grad := &q.objective, q.gradient
		if t.cell >= 0 {
			sum, grad = &q.sums.value[t.cell], q.sums.grad[t.cell]
		}
		*sum += t.sum
		if q.wantsGrad(t) {
			floats.Add(grad, t.grad)
		}
	}
	rows := float64(len(q.p.sign))
	q.objective /= rows
	floats.Scale(1/rows, q.gradient)
}

// Exact stores f, ∇f, c and J at x in v, in one pass over D and S.
func (p *Fair) Exact(v *problem.Values, x []float64) {
	p.pass.run(x, wantObjective|wantGradient|wantConstraint|wantJacobian)
	copy(v.Gradient, p.pass.gradient)
	v.Objective = p.pass.objective + p.addPenalty(v.Gradient, x)
	p.constraint(v.Constraint, x, &p.pass.sums, p.population)
	p.jacobian(v.Jacobian, &p.pass.sums, p.population, nil)
}
