package compile

import (
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/cutest/sif"
)

// graph is the computation of one type: operations whose operands are earlier operations.
// Equal operations are one node and constants are folded, so F and its derivatives share
// their common operations.
type graph struct {
	nodes []node
	index map[node]int32
	unset []*sif.Expr // names used before they are set
}

// node is an operation. What goes into it are nodes, except where the opcode says otherwise.
type node struct {
	op   opcode
	in   [3]int32
	bits uint64 // of the constant
}

func newGraph() *graph { return &graph{index: make(map[node]int32)} }

// operands returns how many of a node's inputs are nodes.
func (op opcode) operands() int {
	switch {
	case op <= opUnset:
		return 0
	case op == opSelect:
		return 3
	case op == opAdd, op == opSub, op == opMul, op == opDiv, op == opLess, op == opLessEq, op == opEqual,
		op == opAnd, op == opOr:
		return 2
	case int(op) < len(binary) && binary[op] != nil:
		return 2
	}
	return 1
}

func (g *graph) add(n node) int32 {
	if i, ok := g.index[n]; ok {
		return i
	}
	i := int32(len(g.nodes))
	g.nodes = append(g.nodes, n)
	g.index[n] = i
	return i
}

// leaf adds a node without operands, number k of its kind.
func (g *graph) leaf(op opcode, k int) int32 { return g.add(node{op: op, in: [3]int32{int32(k)}}) }

func (g *graph) constant(v float64) int32 {
	return g.add(node{op: opConst, bits: math.Float64bits(v)})
}

// isConst returns the value of a constant node.
func (g *graph) isConst(i int32) (float64, bool) {
	if g.nodes[i].op != opConst {
		return 0, false
	}
	return math.Float64frombits(g.nodes[i].bits), true
}

// apply adds an operation, folded or simplified where that changes no value.
func (g *graph) apply(op opcode, operands ...int32) int32 {
	var v [3]float64
	var constant [3]bool
	n := node{op: op}
	all := true
	for k, i := range operands {
		v[k], constant[k] = g.isConst(i)
		all = all && constant[k]
	}
	copy(n.in[:], operands)
	if all {
		return g.constant(apply(op, v[0], v[1], v[2]))
	}
	switch op {
	case opMul:
		if constant[0] && v[0] == 1 {
			return n.in[1]
		}
		if constant[1] && v[1] == 1 {
			return n.in[0]
		}
		slices.Sort(n.in[:2])
	case opAdd:
		slices.Sort(n.in[:2])
	case opDiv:
		if constant[1] && v[1] == 1 {
			return n.in[0]
		}
	case opNeg:
		if inner := g.nodes[n.in[0]]; inner.op == opNeg {
			return inner.in[0]
		}
	case opSelect:
		if constant[0] && v[0] == 0 {
			return n.in[2]
		}
		if constant[0] || n.in[1] == n.in[2] {
			return n.in[1]
		}
	}
	return g.add(n)
}

// maxPower is the largest integer exponent expanded into products.
const maxPower = 64

// power adds x**y for a constant exponent by products and square roots where these are
// exact or nearly so, else by the general function.
func (g *graph) power(x, y int32, integer bool) int32 {
	v, ok := g.isConst(y)
	if !ok {
		return g.apply(opPow, x, y)
	}
	size := math.Abs(v)
	whole := math.Trunc(size)
	if size > maxPower || size-whole != 0 && size-whole != 0.5 || size != whole && size > 8 {
		return g.apply(opPow, x, y)
	}
	result := int32(-1)
	multiply := func(i int32) {
		if result < 0 {
			result = i
		} else {
			result = g.apply(opMul, result, i)
		}
	}
	if size != whole {
		multiply(g.apply(opSqrt, x))
	}
	for n, square := int(whole), x; n > 0; n >>= 1 {
		if n&1 == 1 {
			multiply(square)
		}
		if n > 1 {
			square = g.apply(opMul, square, square)
		}
	}
	switch {
	case result < 0:
		return g.constant(1)
	case v < 0 && integer:
		return g.apply(opTrunc, g.apply(opDiv, g.constant(1), result))
	case v < 0:
		return g.apply(opDiv, g.constant(1), result)
	}
	return result
}

// check complains about names without a value, if the outputs depend on them.
func (g *graph) check(out outputs) error {
	for i, needed := range g.needed(out.all()) {
		if n := &g.nodes[i]; needed && n.op == opUnset {
			e := g.unset[n.in[0]]
			return e.At.Errorf("%s is used before it is set", e.Text)
		}
	}
	return nil
}
