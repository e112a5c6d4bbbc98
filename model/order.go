package model

import (
	"math/bits"

	"gonum.org/v1/gonum/floats"
)

// LeafRows divides the number of rows of leaves, see order. Where shards are cut, it should divide
// the number of rows before: then exact values have the same bits wherever the rows are, unless
// these are so wide that leaves have more rows.
const LeafRows = 2048

// order is the order in which sums over all rows are added. Rounding depends on it, and it depends
// on the rows only: neither on workers nor on shards.
//
// Leaves of so many rows are added up one row after the other. A task is a tree of leaves: its left
// half, with a power of two of them, plus its right half, and so on down to single leaves. The
// results of tasks are added one after the other. Whoever has whole leaves of a task has some of
// the tree's nodes, few more than twice the logarithm of their number if they are neighbours, and
// the rest of the tree can be added anywhere. Only leaves that are cut apart change the last bits.
type order struct {
	rows, leaf int
}

// middle is where the right half of a node begins. A node that is a leaf has none.
func (o order) middle(s span) (row int, halves bool) {
	leaves := (s.len() + o.leaf - 1) / o.leaf
	if leaves < 2 {
		return 0, false
	}
	return s.lo + o.leaf<<(bits.Len(uint(leaves-1))-1), true
}

// tasks returns the rows of all tasks, at most maxTasks.
func (o order) tasks() []span {
	leaves := (o.rows + o.leaf - 1) / o.leaf
	size := (leaves + maxTasks - 1) / maxTasks * o.leaf
	var tasks []span
	for lo := 0; lo < o.rows; lo += size {
		tasks = append(tasks, span{lo: lo, hi: min(lo+size, o.rows)})
	}
	return tasks
}

// within returns the largest nodes of which a range has all rows, and the parts of leaves that it
// has, in their order.
func (o order) within(rows span) []span {
	var nodes []span
	var visit func(node span)
	visit = func(node span) {
		have := span{lo: max(node.lo, rows.lo), hi: min(node.hi, rows.hi)}
		middle, halves := o.middle(node)
		switch {
		case have.len() <= 0:
		case have.len() == node.len() || !halves:
			nodes = append(nodes, have)
		default:
			visit(span{lo: node.lo, hi: middle})
			visit(span{lo: middle, hi: node.hi})
		}
	}
	for _, t := range o.tasks() {
		visit(t)
	}
	return nodes
}

// total is sums over some rows.
type total struct {
	objective float64
	gradient  []float64 // nil for rows of S only
	sums      sums      // none for rows of D only
}

func newTotal(p *Fair, w want) total {
	var t total
	if w&ofD != 0 {
		t.gradient = make([]float64, p.n)
	}
	if w&ofS != 0 {
		t.sums = newSums(p)
	}
	return t
}

// clear clears what is wanted.
func (t *total) clear(w want) {
	t.objective = 0
	if w&wantGradient != 0 {
		clear(t.gradient)
	}
	t.sums.clear(w)
}

// add adds what is wanted of other rows.
func (t *total) add(other *total, w want) {
	t.objective += other.objective
	if w&wantGradient != 0 {
		floats.Add(t.gradient, other.gradient)
	}
	if w&ofS == 0 {
		return
	}
	for k, value := range other.sums.value {
		t.sums.value[k] += value
		if w&wantJacobian != 0 {
			floats.Add(t.sums.grad[k], other.sums.grad[k])
		}
	}
}
