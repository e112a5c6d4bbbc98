package solver

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/linalg"
	"github.com/fairtrain/fairtrain/problem"
)

// lazyWalk takes the steps of denseWalk if samples depend on few of very many variables. The
// cost of a step grows with the number of variables of its batches and with m³, not with n.
// lazyWalk rests on one observation. A step of length η is
//
//	x ← x − η (g + Jᵀu),   u = λ + w c,   λ = −(JJᵀ)†Jg,
//
// Let a be the sum of η over the steps since the last full pass, and b the sum of ηu. Then
//
//	x = y − a g − Jᵀb
//
// in every variable that has no bound, for a vector y that changes only where an estimate
// changes. If g_j grows by δ, then y_j grows by aδ, and x_j stays. If column j of J grows by
// δ, then y_j grows by bᵀδ, and x_j stays. So a step changes only the m + 1 numbers a and b.
// A recursion changes y, g and J only in the support of its batches (problem.Batch), and
// needs x only there. It also brings gᵀg, Jg and JJᵀ up to date, from which directions
// are computed. Before a full pass, x is completed.
//
// The few variables with bounds are slacks, and their values are in x. Up to rounding, the
// iterates are the iterates of denseWalk.
type lazyWalk struct {
	*spider
	workingSet
	free [][2]int  // the ranges of variables without bounds
	x    []float64 // y until it is complete

	a, lastA float64 // now, and before the last step
	b, lastB []float64

	// Sums over the variables without bounds.
	gg float64   // gᵀg
	jg []float64 // Jg
	jj []float64 // JJᵀ, row-major

	now, before []float64 // x after and before the last step, in the support of a batch
	beforeBound []float64 // x before the last step, for the variables with bounds
	step        []float64 // s̃ for the variables with bounds
	column, old []float64 // a column of J after and before a change
	working     []float64 // JJᵀ of the variables that are not fixed
	space       *linalg.Gram
	multipliers []float64
	sum         []float64 // u
}

func newLazyWalk(p problem.Problem, s Streams) *lazyWalk {
	n, m := p.Dims()
	bounds := p.NonNegative()
	w := &lazyWalk{
		spider: newSpider(p, s, unbounded), workingSet: newWorkingSet(p),
		b: make([]float64, m), lastB: make([]float64, m),
		jg: make([]float64, m), jj: make([]float64, m*m), working: make([]float64, m*m),
		now: make([]float64, n), before: make([]float64, n),
		beforeBound: make([]float64, len(bounds)), step: make([]float64, len(bounds)),
		column: make([]float64, m), old: make([]float64, m),
		space: linalg.NewGram(m), multipliers: make([]float64, m), sum: make([]float64, m),
	}
	w.f.Sparse, w.c.Sparse, w.j.Sparse = true, true, true
	from := 0
	for _, i := range append(bounds[:len(bounds):len(bounds)], n) { // ascending
		if from < i {
			w.free = append(w.free, [2]int{from, i})
		}
		from = i + 1
	}
	return w
}

func (w *lazyWalk) values() *problem.Values { return w.spider.values }
func (w *lazyWalk) lambda() []float64       { return w.multipliers }
func (w *lazyWalk) sigma() (norm, muMin float64) {
	return w.space.Norm, w.space.MuMin
}

// refresh begins an epoch at x, which is complete, with the exact values there.
func (w *lazyWalk) refresh(x []float64, v *problem.Values) {
	w.x = x
	w.refreshExact(v)
	w.a, w.lastA = 0, 0
	clear(w.b)
	clear(w.lastB)
	w.gg = 0
	clear(w.jg)
	clear(w.jj)
	m := len(w.b)
	w.blocks(func(lo, hi int) {
		g := v.Gradient[lo:hi]
		w.gg += floats.Dot(g, g)
		for i := range m {
			row := w.row(i)[lo:hi]
			w.jg[i] += floats.Dot(row, g)
			for k := range i + 1 {
				w.jj[i*m+k] += floats.Dot(row, w.row(k)[lo:hi])
			}
		}
	})
	for i := range m {
		for k := range i {
			w.jj[k*m+i] = w.jj[i*m+k]
		}
	}
}

// blocks goes through the variables without bounds in parts that fit into the cache.
func (w *lazyWalk) blocks(do func(lo, hi int)) {
	const size = 4096
	for _, r := range w.free {
		for lo := r[0]; lo < r[1]; lo += size {
			do(lo, min(lo+size, r[1]))
		}
	}
}

// row is the i-th row of the estimate of J.
func (w *lazyWalk) row(i int) []float64 { return linalg.Row(w.values().Jacobian, i).Data }

// complete makes x = y − a g − Jᵀb, and begins a and b anew.
func (w *lazyWalk) complete() {
	if w.a == 0 {
		return
	}
	w.blocks(func(lo, hi int) {
		floats.AddScaled(w.x[lo:hi], -w.a, w.values().Gradient[lo:hi])
		for i, b := range w.b {
			floats.AddScaled(w.x[lo:hi], -b, w.row(i)[lo:hi])
		}
	})
	w.lastA -= w.a
	floats.Sub(w.lastB, w.b)
	w.a = 0
	clear(w.b)
}

// update brings the estimates to the present point (eq. spider-k).
func (w *lazyWalk) update(sizes batchSizes) {
	f, c, j := w.draw(w.p, w.streams, sizes)
	for _, batch := range []*problem.Batch{f, c, j} {
		w.evaluateAt(batch)
	}
	v, s := w.values(), w.scratch
	w.p.gradient(s.Gradient, w.now, f)
	w.changeGradient(f, 1)
	w.p.gradient(s.Gradient, w.before, f)
	w.changeGradient(f, -1)

	w.p.constraint(s.Constraint, w.now, c)
	floats.Add(v.Constraint, s.Constraint)
	w.p.constraint(s.Constraint, w.before, c)
	floats.Sub(v.Constraint, s.Constraint)

	w.p.jacobian(s.Jacobian, w.now, j)
	w.changeJacobian(j, 1)
	w.p.jacobian(s.Jacobian, w.before, j)
	w.changeJacobian(j, -1)
}

// evaluateAt finds x in the support of a batch, now and before the last step.
func (w *lazyWalk) evaluateAt(batch *problem.Batch) {
	g := w.values().Gradient
	for _, j := range batch.Support {
		now, before := w.x[j]-float64(w.a*g[j]), w.x[j]-float64(w.lastA*g[j])
		for i, b := range w.b {
			entry := w.row(i)[j]
			now -= float64(b * entry)
			before -= float64(w.lastB[i] * entry)
		}
		w.now[j], w.before[j] = now, before
	}
	for k, i := range w.bounds {
		w.now[i], w.before[i] = w.x[i], w.beforeBound[k]
	}
}

// changeGradient adds the gradient in scratch, times a sign, to the estimate of ∇f.
func (w *lazyWalk) changeGradient(batch *problem.Batch, sign float64) {
	g := w.values().Gradient
	for _, j := range batch.Support {
		change := float64(sign * w.scratch.Gradient[j])
		w.gg += float64(change * (float64(2*g[j]) + change))
		for i := range w.jg {
			w.jg[i] += float64(change * w.row(i)[j])
		}
		w.x[j] += float64(w.a * change)
		g[j] += change
	}
}

// changeJacobian adds the Jacobian in scratch, times a sign, to the estimate of J.
func (w *lazyWalk) changeJacobian(batch *problem.Batch, sign float64) {
	g, m := w.values().Gradient, len(w.b)
	for _, j := range batch.Support {
		for i := range m {
			row := w.row(i)
			change := float64(sign * linalg.Row(w.scratch.Jacobian, i).Data[j])
			w.old[i] = row[j]
			row[j] += change
			w.column[i] = row[j]
			w.x[j] += float64(w.b[i] * change)
			w.jg[i] += float64(change * g[j])
		}
		for i, entry := range w.column {
			for k, other := range w.column {
				w.jj[i*m+k] += float64(entry*other) - float64(w.old[i]*w.old[k])
			}
		}
	}
}

// start computes the multiplier, and releases variables (workingSet.release).
func (w *lazyWalk) start() {
	w.release(w.x, w.project, func(j int) float64 { return w.values().Gradient[j] + w.normal(j, w.multipliers) })
}

// normal returns (Jᵀu)_i.
func (w *lazyWalk) normal(i int, u []float64) float64 {
	sum := 0.0
	for k, l := range u {
		sum += float64(w.row(k)[i] * l)
	}
	return sum
}

// project computes the multiplier of the variables that are not fixed.
func (w *lazyWalk) project() {
	copy(w.working, w.jj)
	copy(w.multipliers, w.jg)
	m := len(w.b)
	for k, i := range w.bounds {
		if w.fixed[k] {
			continue
		}
		for r := range m {
			entry := w.row(r)[i]
			w.multipliers[r] += float64(entry * w.values().Gradient[i])
			for c := range m {
				w.working[r*m+c] += float64(entry * w.row(c)[i])
			}
		}
	}
	w.space.Decompose(w.working)
	w.space.Solve(w.multipliers, 0)
	floats.Scale(-1, w.multipliers)
}

// move takes a step of length eta, and returns how far it goes.
func (w *lazyWalk) move(normal normalStep, eta float64) float64 {
	w.block(w.x, eta, w.project, func() { w.combine(normal) }, func(k int) float64 { return w.step[k] })
	m := len(w.b)
	square := w.gg // ‖g + Jᵀu‖²
	for i, u := range w.sum {
		square += float64(u * (float64(2*w.jg[i]) + floats.Dot(w.jj[i*m:(i+1)*m], w.sum)))
	}
	square = max(0, square) * eta * eta
	for k, i := range w.bounds {
		w.beforeBound[k] = w.x[i]
		w.x[i] += float64(eta * w.step[k])
		if w.fixed[k] {
			w.x[i] = 0
		}
		moved := w.x[i] - w.beforeBound[k]
		square += float64(moved * moved)
	}
	w.lastA = w.a
	copy(w.lastB, w.b)
	w.a += eta
	floats.AddScaled(w.b, eta, w.sum)
	return math.Sqrt(square)
}

// combine computes u and the direction of the variables with bounds.
func (w *lazyWalk) combine(normal normalStep) {
	copy(w.sum, w.values().Constraint)
	if normal.newton {
		w.space.Solve(w.sum, normal.damping)
	}
	for i, l := range w.multipliers {
		w.sum[i] = l + float64(normal.w*w.sum[i])
	}
	for k, i := range w.bounds {
		w.step[k] = 0
		if !w.fixed[k] {
			w.step[k] = -w.values().Gradient[i] - w.normal(i, w.sum)
		}
	}
}
