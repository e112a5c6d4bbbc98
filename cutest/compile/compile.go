package compile

import "math"

// Program is a graph compiled for evaluation: a list of instructions over columns, each
// of which holds one value per element of a block. Columns are registers, constants and
// parameters, in this order.
type Program struct {
	instrs    []instr
	registers int
	consts    []float64
	params    []int32 // parameter in each parameter column
	inputs    []input
	outs      []int32 // column of each output, −1 for zero
}

// instr is d = op(a, b, c), or with k in place of an operand.
type instr struct {
	op         opcode
	d, a, b, c int32
	k          float64
}

// input loads an elemental variable into a register.
type input struct{ register, variable int32 }

// Tags of columns while their final numbers are not known.
const (
	constTag = 1 << 28
	paramTag = 1 << 29
)

// compiler allocates registers while it emits a graph's nodes in order.
type compiler struct {
	g       *graph
	hoisted map[int32]int32 // nodes that are parameters, with their numbers
	p       *Program
	column  []int32 // of each node, −1 where it has none yet
	last    []int32 // last node that reads each node
	free    []int32
	consts  map[uint64]int32
	params  map[int32]int32
}

const forever = math.MaxInt32

// compile compiles what the outputs need; −1 marks an output that is zero.
func compile(g *graph, outs []int32, hoisted map[int32]int32) *Program {
	c := &compiler{
		g: g, hoisted: hoisted, p: &Program{},
		column: make([]int32, len(g.nodes)), last: make([]int32, len(g.nodes)),
		consts: make(map[uint64]int32), params: make(map[int32]int32),
	}
	for i := range c.last {
		c.column[i], c.last[i] = -1, -1
	}
	for _, out := range outs {
		if out >= 0 {
			c.last[out] = forever
		}
	}
	for i := int32(len(g.nodes)) - 1; i >= 0; i-- {
		if c.last[i] < 0 {
			continue
		}
		if _, ok := hoisted[i]; ok {
			continue
		}
		for _, operand := range g.operandsOf(i) {
			c.last[operand] = max(c.last[operand], i)
		}
	}
	for i := range g.nodes {
		if c.last[i] >= 0 {
			c.emit(int32(i))
		}
	}
	for _, out := range outs {
		column := int32(-1)
		if out >= 0 {
			column = c.operand(out)
		}
		c.p.outs = append(c.p.outs, column)
	}
	c.number()
	return c.p
}

// operandsOf returns the nodes that node i reads.
func (g *graph) operandsOf(i int32) []int32 {
	n := &g.nodes[i]
	return n.in[:n.op.operands()]
}

// operand returns the column that holds node i.
func (c *compiler) operand(i int32) int32 {
	if n := &c.g.nodes[i]; n.op == opConst {
		column, ok := c.consts[n.bits]
		if !ok {
			column = constTag + int32(len(c.p.consts))
			c.consts[n.bits] = column
			c.p.consts = append(c.p.consts, math.Float64frombits(n.bits))
		}
		return column
	}
	param, ok := c.hoisted[i]
	if n := &c.g.nodes[i]; n.op == opParam {
		param, ok = n.in[0], true
	}
	if ok {
		column, known := c.params[param]
		if !known {
			column = paramTag + int32(len(c.p.params))
			c.params[param] = column
			c.p.params = append(c.p.params, param)
		}
		return column
	}
	return c.column[i]
}

// emit adds the instruction of node i.
func (c *compiler) emit(i int32) {
	n := &c.g.nodes[i]
	if _, ok := c.hoisted[i]; ok || n.op == opConst || n.op == opParam {
		return
	}
	in := instr{op: n.op}
	if n.op != opInput && !c.immediate(&in, n) {
		columns := [3]int32{}
		for k, operand := range c.g.operandsOf(i) {
			columns[k] = c.operand(operand)
		}
		in.a, in.b, in.c = columns[0], columns[1], columns[2]
	}
	for _, operand := range c.g.operandsOf(i) {
		if c.last[operand] == i && c.column[operand] >= 0 {
			c.free = append(c.free, c.column[operand])
			c.last[operand] = forever // freed once, even if it is read twice
		}
	}
	in.d = c.register()
	c.column[i] = in.d
	if n.op == opInput {
		c.p.inputs = append(c.p.inputs, input{in.d, n.in[0]})
		return
	}
	c.p.instrs = append(c.p.instrs, in)
}

func (c *compiler) register() int32 {
	if n := len(c.free); n > 0 {
		r := c.free[n-1]
		c.free = c.free[:n-1]
		return r
	}
	c.p.registers++
	return int32(c.p.registers - 1)
}

// immediate uses a constant operand as an immediate, if there is an instruction for it.
func (c *compiler) immediate(in *instr, n *node) bool {
	if n.op.operands() != 2 {
		return false
	}
	a, b := n.in[0], n.in[1]
	left, isLeft := c.g.isConst(a)
	right, isRight := c.g.isConst(b)
	switch {
	case n.op == opAdd && isLeft:
		in.op, in.a, in.k = opAddK, c.operand(b), left
	case n.op == opAdd && isRight:
		in.op, in.a, in.k = opAddK, c.operand(a), right
	case n.op == opMul && isLeft:
		in.op, in.a, in.k = opMulK, c.operand(b), left
	case n.op == opMul && isRight:
		in.op, in.a, in.k = opMulK, c.operand(a), right
	case n.op == opSub && isLeft:
		in.op, in.a, in.k = opSubFromK, c.operand(b), left
	case n.op == opSub && isRight:
		in.op, in.a, in.k = opAddK, c.operand(a), -right
	case n.op == opDiv && isLeft:
		in.op, in.a, in.k = opDivK, c.operand(b), left
	case n.op == opDiv && isRight && isPowerOfTwo(right):
		in.op, in.a, in.k = opMulK, c.operand(a), 1/right
	default:
		return false
	}
	return true
}

// isPowerOfTwo tells whether dividing by v and multiplying by 1/v are the same.
func isPowerOfTwo(v float64) bool {
	fraction, exponent := math.Frexp(math.Abs(v))
	return fraction == 0.5 && exponent > -1000 && exponent < 1000
}

// number replaces the tags of columns by their final numbers.
func (c *compiler) number() {
	p := c.p
	final := func(column *int32) {
		switch {
		case *column >= paramTag:
			*column += int32(p.registers+len(p.consts)) - paramTag
		case *column >= constTag:
			*column += int32(p.registers) - constTag
		}
	}
	for i := range p.instrs {
		in := &p.instrs[i]
		final(&in.a)
		final(&in.b)
		final(&in.c)
	}
	for i := range p.outs {
		final(&p.outs[i])
	}
}

// hoist finds the operations that depend on parameters only: their values are fixed when
// the file is decoded. It returns the operations that others read, numbered from the
// given number of parameters on.
func hoist(g *graph, outs []int32, params int) (nodes []int32, numbers map[int32]int32) {
	const (
		isFixed = 1 << iota
		isRead
		isNeeded
	)
	flags := make([]uint8, len(g.nodes))
	for _, out := range outs {
		if out >= 0 {
			flags[out] |= isNeeded | isRead
		}
	}
	for i := len(g.nodes) - 1; i >= 0; i-- {
		if flags[i]&isNeeded == 0 {
			continue
		}
		for _, operand := range g.operandsOf(int32(i)) {
			flags[operand] |= isNeeded
		}
	}
	for i := range g.nodes {
		n := &g.nodes[i]
		fixed := n.op != opInput
		for _, operand := range g.operandsOf(int32(i)) {
			fixed = fixed && flags[operand]&isFixed != 0
		}
		if fixed {
			flags[i] |= isFixed
			continue
		}
		if flags[i]&isNeeded != 0 {
			for _, operand := range g.operandsOf(int32(i)) {
				flags[operand] |= isRead
			}
		}
	}
	numbers = make(map[int32]int32)
	for i := range g.nodes {
		if op := g.nodes[i].op; op != opConst && op != opParam && flags[i] == isFixed|isRead|isNeeded {
			numbers[int32(i)] = int32(params + len(nodes))
			nodes = append(nodes, int32(i))
		}
	}
	return nodes, numbers
}
