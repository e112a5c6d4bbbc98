package sparse

import (
	"runtime"

	"github.com/fairtrain/fairtrain/internal/parallel"
)

// Products computes products AMAᵀc of the rows A of a matrix, for a diagonal M that a caller applies.
// The entries of Aᵀc are never held for all columns, but for some of them at a time: so it costs
// what the entries of the rows cost, however many columns there are.
type Products struct {
	rows, columns int
	parts         []TurnedPart
	tasks         [ProductTasks]productTask
}

// productTask is the work on some neighbouring groups of columns, and its memory.
type productTask struct {
	columns [][]float64 // Aᵀc of some groups
	rows    [][]float64 // the task's part of AMAᵀc
}

const (
	// ProductTasks is how many sums are added in the end, however many processors there are.
	ProductTasks = 8
	// groupsAtOnce is how many groups of columns have their entries of Aᵀc at a time: more, and these
	// are not in the cache; fewer, and the numbers of the rows are not.
	groupsAtOnce = 8
)

// Products returns nil where columns are so few that vectors of them are in the cache. It shares the rows
// by column with callers of Turned whose rows begin at multiples of TurnedRows.
func (m *Matrix) Products() *Products {
	if m.cols < manyColumns || m.rows == 0 {
		return nil
	}
	m.turned.Lock()
	defer m.turned.Unlock()
	return &Products{rows: m.rows, columns: m.cols, parts: m.turnedParts(0, m.rows)}
}

// Do stores AMAᵀc in dst for each of the vectors c, which have an entry for each row. Apply is told parts
// of the columns, to be multiplied by M in place: entries of Aᵀc from column lo on, for each c. It is called
// by one goroutine at a time for each of the ProductTasks tasks. Dst is nil if only the columns are of
// interest. Results have the same bits for any number of processors.
func (p *Products) Do(dst, c [][]float64, apply func(task, lo int, part [][]float64)) {
	groups := len(p.parts[0].ends)
	parallel.Do(runtime.GOMAXPROCS(0), ProductTasks, func(k int) {
		p.task(k, groups*k/ProductTasks, groups*(k+1)/ProductTasks, dst != nil, c, apply)
	})
	for v := range dst {
		clear(dst[v][:p.rows])
		for k := range p.tasks {
			for i, x := range p.tasks[k].rows[v] {
				dst[v][i] += x
			}
		}
	}
}

// task does the groups of columns from first to end−1.
func (p *Products) task(k, first, end int, products bool, c [][]float64, apply func(task, lo int, part [][]float64)) {
	t := &p.tasks[k]
	for len(t.columns) < len(c) {
		t.columns = append(t.columns, make([]float64, groupsAtOnce*group))
		t.rows = append(t.rows, make([]float64, p.rows))
	}
	part := make([][]float64, len(c))
	for v := range c {
		clear(t.rows[v])
	}
	for g := first; g < end; g += groupsAtOnce {
		to := min(g+groupsAtOnce, end)
		size := min(to*group, p.columns) - g*group
		for v := range part {
			part[v] = t.columns[v][:size]
			clear(part[v])
			for i := range p.parts {
				rows := &p.parts[i]
				rows.addGroups(part[v], c[v][rows.Lo:rows.Hi], g, to)
			}
		}
		apply(k, g*group, part)
		if !products {
			continue
		}
		for v := range part {
			for i := range p.parts {
				rows := &p.parts[i]
				rows.mulGroups(t.rows[v][rows.Lo:rows.Hi], part[v], g, to)
			}
		}
	}
}

// before is where the entries of a group of columns begin.
func (p *TurnedPart) before(g int) int {
	if g == 0 {
		return 0
	}
	return p.ends[g-1]
}

// addGroups adds the combination of the rows in groups of columns first to end−1, of which dst has
// the entries.
func (p *TurnedPart) addGroups(dst, coef []float64, first, end int) {
	from := p.before(first)
	for g := first; g < end; g++ {
		to, dst := p.ends[g], dst[(g-first)*group:]
		column, place := p.column[from:to], p.place[from:to]
		for k, v := range p.value[from:to] {
			dst[column[k]%group] += float64(coef[place[k]/4] * v)
		}
		from = to
	}
}

// mulGroups adds the products of the rows with x in groups of columns first to end−1.
func (p *TurnedPart) mulGroups(dst, x []float64, first, end int) {
	from := p.before(first)
	for g := first; g < end; g++ {
		to, x := p.ends[g], x[(g-first)*group:]
		column, place := p.column[from:to], p.place[from:to]
		for k, v := range p.value[from:to] {
			dst[place[k]/4] += float64(v * x[column[k]%group])
		}
		from = to
	}
}
