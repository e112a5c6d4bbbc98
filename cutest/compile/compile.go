package compile

// Program is the part of a graph that some outputs need: operations on columns, each of which holds
// one value per element of a block.
type Program struct {
	nodes []node  // in order: operands are earlier ones
	outs  []int32 // node of each output, −1 for zero
}

// compile returns what the outputs need; −1 marks an output that is zero.
func compile(g *graph, outs []int32) *Program {
	p, needed, number := &Program{}, g.needed(outs), make([]int32, len(g.nodes))
	for i, n := range g.nodes {
		if !needed[i] {
			continue
		}
		for k, operand := range g.operandsOf(int32(i)) {
			n.in[k] = number[operand]
		}
		number[i] = int32(len(p.nodes))
		p.nodes = append(p.nodes, n)
	}
	for _, out := range outs {
		if out >= 0 {
			out = number[out]
		}
		p.outs = append(p.outs, out)
	}
	return p
}

// needed reports of every node whether outputs depend on it.
func (g *graph) needed(outs []int32) []bool {
	needed := make([]bool, len(g.nodes))
	for _, out := range outs {
		if out >= 0 {
			needed[out] = true
		}
	}
	for i := len(g.nodes) - 1; i >= 0; i-- {
		for _, operand := range g.operandsOf(int32(i)) {
			needed[operand] = needed[operand] || needed[i]
		}
	}
	return needed
}

// operandsOf returns the nodes that node i reads.
func (g *graph) operandsOf(i int32) []int32 {
	n := &g.nodes[i]
	return n.in[:n.op.operands()]
}
