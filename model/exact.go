package model

import (
	"runtime"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

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
	// A pass is cut into tasks of at least minTask rows, about maxTasks in all. The cuts
	// depend on the data only and the results are added in the order of the tasks, so
	// that every number of workers gives the same bits.
	maxTasks = 16
	minTask  = 2048
	// workers beyond this many would wait for memory.
	maxWorkers = maxTasks
)

// pass evaluates all rows on all cores without allocating.
type pass struct {
	p       *Fair
	tasks   []task
	workers [maxWorkers]func()
	scratch [maxWorkers]*block
	next    atomic.Int64
	done    sync.WaitGroup

	x    []float64
	want want

	objective float64
	gradient  []float64
	cellSum   []float64   // per cell Σ factor·σ
	cellGrad  [][]float64 // per cell Σ factor·σ′·a
}

// task is a part of D or of a cell of S with room for its result.
type task struct {
	cell int // −1 for D
	rows span
	sum  float64
	grad []float64
}

func newPass(p *Fair) *pass {
	q := &pass{p: p, gradient: make([]float64, p.n), cellSum: make([]float64, len(p.cells.tuple))}
	q.cut(-1, span{hi: len(p.sign)}, len(p.sign))
	for k, rows := range p.cells.rows {
		q.cellGrad = append(q.cellGrad, make([]float64, p.n))
		s := span{rows: rows}
		if len(rows) == p.cells.population {
			s = span{hi: len(rows)} // all rows, in order
		}
		q.cut(k, s, p.cells.population)
	}
	for w := range q.workers {
		q.scratch[w] = newBlock()
		q.workers[w] = func() {
			q.work(q.scratch[w])
			q.done.Done()
		}
	}
	return q
}

// cut makes tasks of the rows of s, which is a part of population rows.
func (q *pass) cut(cell int, s span, population int) {
	size := max(minTask, (population+maxTasks-1)/maxTasks)
	for lo := 0; lo < s.len(); lo += size {
		q.tasks = append(q.tasks, task{cell: cell, rows: s.part(lo, min(lo+size, s.len())), grad: make([]float64, q.p.n)})
	}
}

// run evaluates what is wanted at x.
func (q *pass) run(x []float64, w want) {
	q.x, q.want = x, w
	q.next.Store(0)
	workers := min(runtime.GOMAXPROCS(0), maxWorkers, len(q.tasks))
	q.done.Add(workers - 1)
	for i := 1; i < workers; i++ {
		go q.workers[i]()
	}
	q.work(q.scratch[0])
	q.done.Wait()
	q.x = nil
	q.reduce()
}

// work takes tasks until there are none.
func (q *pass) work(b *block) {
	for {
		i := int(q.next.Add(1)) - 1
		if i >= len(q.tasks) {
			return
		}
		t := &q.tasks[i]
		if t.cell < 0 {
			q.objectiveTask(b, t)
		} else {
			q.cellTask(b, t)
		}
	}
}

func (q *pass) objectiveTask(b *block, t *task) {
	value := q.want&wantObjective != 0
	var grad []float64
	if q.want&wantGradient != 0 {
		grad = t.grad
		clear(grad)
	}
	t.sum = 0
	if !value && grad == nil {
		return
	}
	for s := range blocks(t.rows) {
		t.sum += q.p.loss(b, grad, q.x, s, value)
	}
}

func (q *pass) cellTask(b *block, t *task) {
	if q.want&(wantConstraint|wantJacobian) == 0 {
		return
	}
	p, gradient := q.p, q.want&wantJacobian != 0
	t.sum = 0
	clear(t.grad)
	for s := range blocks(t.rows) {
		value, slope := p.scores(b, q.x, s)
		for k, sigma := range value {
			factor := p.cells.factor[s.row(k)]
			t.sum += factor * sigma
			slope[k] *= factor
		}
		if gradient {
			scatter(t.grad, p.s, slope, s, p.options.Intercept)
		}
	}
}

// reduce adds the tasks' results in their order.
func (q *pass) reduce() {
	q.objective = 0
	clear(q.gradient)
	clear(q.cellSum)
	for k := range q.cellGrad {
		clear(q.cellGrad[k])
	}
	for i := range q.tasks {
		t := &q.tasks[i]
		switch {
		case t.cell >= 0 && q.want&(wantConstraint|wantJacobian) != 0:
			q.cellSum[t.cell] += t.sum
			floats.Add(q.cellGrad[t.cell], t.grad)
		case t.cell < 0:
			q.objective += t.sum
			if q.want&wantGradient != 0 {
				floats.Add(q.gradient, t.grad)
			}
		}
	}
	rows := float64(len(q.p.sign))
	q.objective /= rows
	floats.Scale(1/rows, q.gradient)
}

// constraint stores c after a pass that wanted it.
func (q *pass) constraint(dst []float64) {
	c := q.p.cells
	clear(dst)
	for k, sum := range q.cellSum {
		floats.AddScaled(dst, sum, c.tuple[k])
	}
	floats.Scale(1/float64(c.population), dst)
	floats.Add(dst, c.constant)
}

// jacobian stores J after a pass that wanted it.
func (q *pass) jacobian(dst blas64.General) {
	c := q.p.cells
	for j := range c.m {
		out := jacobianRow(dst, j)
		clear(out)
		for k, tuple := range c.tuple {
			if tuple[j] != 0 {
				floats.AddScaled(out, tuple[j]/float64(c.population), q.cellGrad[k])
			}
		}
	}
}

// Exact stores f, ∇f, c and J at x in v, in one pass over D and S.
func (p *Fair) Exact(v *problem.Values, x []float64) {
	p.pass.run(x, wantObjective|wantGradient|wantConstraint|wantJacobian)
	copy(v.Gradient, p.pass.gradient)
	v.Objective = p.pass.objective + p.addPenalty(v.Gradient, x)
	p.pass.constraint(v.Constraint)
	p.pass.jacobian(v.Jacobian)
}
