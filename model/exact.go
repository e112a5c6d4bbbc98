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
	workers [maxWorkers]func()
	scratch [maxWorkers]block
	next    atomic.Int64 // the next task to be taken
	done    sync.WaitGroup

	// What run was asked for.
	x    []float64
	want want

	// What is known, and where: methods and their certificates ask for the same points.
	known want
	at    []float64

	objective float64
	gradient  []float64
	sums      sums
	err       error // of Options.Remote
}

// task is a part of the rows of D, of S or, where they are the same, of both, with room for its
// results.
type task struct {
	rows span
	want want // all that the rows are good for
	a    *sparse.Matrix

	objective float64
	gradient  []float64
	sums      sums
}

const (
	ofD = wantObjective | wantGradient
	ofS = wantConstraint | wantJacobian
)

func newPass(p *Fair) *pass {
	q := newWorkers(p)
	switch {
	case p.options.Remote != nil:
	case p.s == p.d:
		q.cut(p.d, ofD|ofS, p.taskRows(p.d), 0)
	default:
		q.cut(p.d, ofD, p.taskRows(p.d), 0)
		q.cut(p.s, ofS, p.taskRows(p.s), 0)
	}
	return q
}

// newWorkers returns a pass without tasks.
func newWorkers(p *Fair) *pass {
	q := &pass{p: p, gradient: make([]float64, p.n), sums: newSums(p)}
	for w := range q.workers {
		q.workers[w] = func() {
			q.work(&q.scratch[w])
			q.done.Done()
		}
	}
	return q
}

// taskRows is the number of rows of a task. Where n is large, tasks are large too: their
// gradients must not cost more than their rows, to hold, clear and add.
func (p *statement) taskRows(a *sparse.Matrix) int {
	rows, _ := a.Dims()
	perRow, entries := float64(a.NNZ())/float64(rows), leastEntries*float64(p.n)*float64(max(1, len(p.cells)))
	return max(minTask, (rows+maxTasks-1)/maxTasks, int(min(entries/perRow, float64(rows))))
}

// cut makes tasks of the rows of a, before which there are first others. It cuts where size
// divides the number of rows before.
func (q *pass) cut(a *sparse.Matrix, want want, size, first int) {
	if want&ofS != 0 && len(q.p.cells) == 0 {
		want &^= ofS
	}
	rows, _ := a.Dims()
	for lo, hi := 0, 0; lo < rows && want != 0; lo = hi {
		hi = min(rows, ((first+lo)/size+1)*size-first)
		t := task{a: a, rows: span{lo: lo, hi: hi}, want: want}
		if want&ofD != 0 {
			t.gradient = make([]float64, q.p.n)
		}
		if want&ofS != 0 {
			t.sums = newSums(q.p)
		}
		q.tasks = append(q.tasks, t)
	}
}

// run evaluates what is wanted at x.
func (q *pass) run(x []float64, w want) {
	if w&^q.known == 0 && floats.Equal(x, q.at) {
		return
	}
	if q.p.options.Remote != nil {
		q.fetch(x, w)
		return
	}
	q.x, q.want = x, w
	q.p.closeWindows()
	q.evaluate()
	q.reduce()
	q.known, q.at = w, append(q.at[:0], x...)
}

// evaluate does the tasks.
func (q *pass) evaluate() {
	q.next.Store(0)
	workers := max(1, min(runtime.GOMAXPROCS(0), maxWorkers, len(q.tasks)))
	q.done.Add(workers - 1)
	for i := 1; i < workers; i++ {
		go q.workers[i]()
	}
	q.work(&q.scratch[0])
	q.done.Wait()
	q.x = nil
}

// work takes tasks until there are none.
func (q *pass) work(b *block) {
	for {
		i := int(q.next.Add(1)) - 1
		if i >= len(q.tasks) {
			return
		}
		if t := &q.tasks[i]; t.want&q.want != 0 {
			q.do(b, t)
		}
	}
}

// do evaluates the rows of a task.
func (q *pass) do(b *block, t *task) {
	w := t.want & q.want
	t.objective = 0
	var gradient []float64
	if w&wantGradient != 0 {
		gradient = t.gradient
		clear(gradient)
	}
	clear(t.sums.value)
	if w&wantJacobian != 0 {
		t.sums.clear(nil)
	}
	q.p.turn(b, t.a, t.rows)
	for s := range t.rows.blocks() {
		margin := q.p.margins(b, t.a, q.x, s)
		if w&ofS != 0 {
			q.p.addCells(b, &t.sums, margin, s, &drawn{}, w)
		}
		if w&ofD != 0 {
			t.objective += q.p.loss(b, gradient, margin, s, w&wantObjective != 0)
		}
	}
	b.unturn()
}

// reduce adds the tasks' results in their order.
func (q *pass) reduce() {
	q.objective = 0
	clear(q.gradient)
	q.sums.clear(nil)
	for i := range q.tasks {
		t := &q.tasks[i]
		w := t.want & q.want
		if w&ofD != 0 {
			q.objective += t.objective
		}
		if w&wantGradient != 0 {
			floats.Add(q.gradient, t.gradient)
		}
		for k := range t.sums.value {
			if w&wantConstraint != 0 {
				q.sums.value[k] += t.sums.value[k]
			}
			if w&wantJacobian != 0 {
				floats.Add(q.sums.grad[k], t.sums.grad[k])
			}
		}
	}
	rows := float64(len(q.p.labels))
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
