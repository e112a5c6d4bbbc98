package cutest

import (
	"math"
	"strings"
)

// isAssignment tells whether a statement is name = … or name(…) = …: an equals sign
// outside parentheses, and no comma after it, which would make it a DO.
func isAssignment(text string) bool {
	depth, equals := 0, -1
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth--
		case '=':
			if depth == 0 && equals < 0 {
				equals = i
			}
		case ',':
			if depth == 0 && equals >= 0 {
				return false
			}
		}
	}
	if equals <= 0 || equals+1 < len(text) && text[equals+1] == '=' || strings.IndexByte("<>/=", text[equals-1]) >= 0 {
		return false
	}
	if !strings.HasPrefix(text, "IF(") {
		return true
	}
	return text[equals-1] == ')' && closing(text, 2) == equals-1
}

// closing returns the place of the parenthesis that closes the one at i, −1 if none does.
func closing(text string, i int) int {
	depth := 0
	for ; i < len(text); i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// emit appends a step.
func (c *unitCompiler) emit(s step) { c.p.code = append(c.p.code, s) }

// next is the index after the step that is emitted next.
func (c *unitCompiler) next() int { return len(c.p.code) + 1 }

// statement compiles the executable statement that starts at pos.
func (c *unitCompiler) statement(src *source, pos int, label string) error {
	text := string(src.text[pos:])
	at := src.place(pos)
	if isAssignment(text) {
		return c.assignment(src, pos)
	}
	switch {
	case text == "CONTINUE":
		next := c.next()
		c.emit(func(*activation) int { return next })
		return nil
	case text == "RETURN", strings.HasPrefix(text, "STOP"):
		c.emit(func(*activation) int { return math.MaxInt })
		return nil
	case text == "ELSE":
		return c.otherwise(at)
	case text == "ENDIF":
		return c.end(at, false)
	case text == "ENDDO":
		return c.end(at, true)
	case text == "EXIT", text == "CYCLE":
		return c.leave(at, text == "EXIT")
	case strings.HasPrefix(text, "ELSEIF("):
		if err := c.otherwise(at); err != nil {
			return err
		}
		return c.beginIf(src, pos+len("ELSEIF"), true)
	case strings.HasPrefix(text, "IF("):
		end := closing(text, 2)
		if end >= 0 && text[end+1:] == "THEN" {
			return c.beginIf(src, pos+2, false)
		}
		return c.logicalIf(src, pos+2)
	case strings.HasPrefix(text, "GOTO"):
		return c.jump(at, text[len("GOTO"):])
	case strings.HasPrefix(text, "DOWHILE("):
		return c.while(src, pos+len("DOWHILE"))
	case strings.HasPrefix(text, "DO"):
		return c.beginDo(src, pos+2)
	case strings.HasPrefix(text, "CALL"):
		return c.callStatement(src, pos+len("CALL"))
	}
	return faultAt(at, "statement %.20q is not supported", text)
}

func (c *unitCompiler) assignment(src *source, pos int) error {
	p := newParser(src, pos)
	target, err := p.primary()
	if err != nil {
		return err
	}
	if !p.is("=") {
		return p.errorf("expected = but found %q", p.tok.text)
	}
	p.advance()
	v, err := c.wholeExpression(p)
	if err != nil {
		return err
	}
	address, typ, err := c.address(target)
	if err != nil {
		return err
	}
	if (typ == logicalType) != (v.typ == logicalType) {
		return faultAt(target.at, "%s is assigned a value of another type", target.text)
	}
	eval, next, index := convertTo(v, typ).eval, c.next(), c.p.index
	c.emit(func(s *activation) int {
		value := eval(s)
		if at := address(s); at >= 0 {
			s.memory[index][at] = value
		} else {
			s.failed = true
		}
		return next
	})
	return nil
}

// wholeExpression compiles the expression that ends the statement.
func (c *unitCompiler) wholeExpression(p *parser) (compiledExpr, error) {
	e, err := p.expression()
	if err != nil {
		return compiledExpr{}, err
	}
	if p.tok.kind != tokEnd {
		return compiledExpr{}, p.errorf("unexpected %q", p.tok.text)
	}
	return c.expression(e)
}

// condition compiles the parenthesised logical expression at pos and returns where the
// rest of the statement starts.
func (c *unitCompiler) condition(src *source, pos int) (func(s *activation) float64, int, error) {
	p := newParser(src, pos)
	p.advance()
	e, err := p.expression()
	if err != nil {
		return nil, 0, err
	}
	if !p.is(")") {
		return nil, 0, p.errorf("expected ) but found %q", p.tok.text)
	}
	v, err := c.expression(e)
	if err != nil {
		return nil, 0, err
	}
	if v.typ != logicalType {
		return nil, 0, faultAt(e.at, "the condition is not logical")
	}
	return v.eval, p.tok.pos + 1, nil
}

// beginIf opens a block that is entered if the condition at pos holds.
func (c *unitCompiler) beginIf(src *source, pos int, isElse bool) error {
	test, _, err := c.condition(src, pos)
	if err != nil {
		return err
	}
	next, otherwise := c.next(), new(int)
	c.emit(func(s *activation) int {
		if test(s) != 0 {
			return next
		}
		return *otherwise
	})
	if isElse {
		c.blocks[len(c.blocks)-1].otherwise = otherwise
		return nil
	}
	return c.open(block{otherwise: otherwise, at: src.place(pos)})
}

func (c *unitCompiler) open(b block) error {
	if len(c.blocks) >= maxExprDepth {
		return faultAt(b.at, "blocks are nested more than %d deep", maxExprDepth)
	}
	c.blocks = append(c.blocks, b)
	return nil
}

// otherwise ends a branch of the open IF block; the next one follows.
func (c *unitCompiler) otherwise(at place) error {
	if len(c.blocks) == 0 || c.blocks[len(c.blocks)-1].isLoop || c.blocks[len(c.blocks)-1].otherwise == nil {
		return faultAt(at, "ELSE belongs to no IF")
	}
	b := &c.blocks[len(c.blocks)-1]
	end := new(int)
	c.emit(func(*activation) int { return *end })
	b.ends = append(b.ends, end)
	*b.otherwise = len(c.p.code)
	b.otherwise = nil
	return nil
}

// end closes the open block.
func (c *unitCompiler) end(at place, isLoop bool) error {
	if len(c.blocks) == 0 || c.blocks[len(c.blocks)-1].isLoop != isLoop {
		return faultAt(at, "the statement ends no open block")
	}
	b := c.blocks[len(c.blocks)-1]
	c.blocks = c.blocks[:len(c.blocks)-1]
	if isLoop {
		advance := b.advance
		c.emit(func(*activation) int { return advance })
	}
	if b.otherwise != nil {
		*b.otherwise = len(c.p.code)
	}
	for _, jump := range b.ends {
		*jump = len(c.p.code)
	}
	return nil
}

// closeLabelled ends the DO loops that end at a label.
func (c *unitCompiler) closeLabelled(label string) {
	for label != "" && len(c.blocks) > 0 && c.blocks[len(c.blocks)-1].label == label {
		_ = c.end(place{}, true) // it is a loop, so this cannot fail
	}
}

// leave compiles EXIT and CYCLE.
func (c *unitCompiler) leave(at place, exit bool) error {
	for i := len(c.blocks) - 1; i >= 0; i-- {
		b := &c.blocks[i]
		if !b.isLoop {
			continue
		}
		target := new(int)
		*target = b.advance
		if exit {
			b.ends = append(b.ends, target)
		}
		c.emit(func(*activation) int { return *target })
		return nil
	}
	return faultAt(at, "EXIT or CYCLE outside a loop")
}

// logicalIf compiles IF (condition) statement.
func (c *unitCompiler) logicalIf(src *source, pos int) error {
	test, rest, err := c.condition(src, pos)
	if err != nil {
		return err
	}
	if rest >= len(src.text) || strings.HasPrefix(string(src.text[rest:]), "IF(") || strings.HasPrefix(string(src.text[rest:]), "DO") {
		return faultAt(src.place(rest), "this statement cannot follow an IF")
	}
	next, otherwise := c.next(), new(int)
	c.emit(func(s *activation) int {
		if test(s) != 0 {
			return next
		}
		return *otherwise
	})
	err = c.statement(src, rest, "")
	*otherwise = len(c.p.code)
	return err
}

func (c *unitCompiler) jump(at place, label string) error {
	target := new(int)
	c.emit(func(*activation) int { return *target })
	c.fixups = append(c.fixups, func() error {
		i, ok := c.labels[label]
		if !ok {
			return faultAt(at, "label %q is not defined", label)
		}
		*target = i
		return nil
	})
	return nil
}

func (c *unitCompiler) while(src *source, pos int) error {
	test, _, err := c.condition(src, pos)
	if err != nil {
		return err
	}
	begin, next, end := len(c.p.code), c.next(), new(int)
	c.emit(func(s *activation) int {
		if test(s) != 0 {
			return next
		}
		return *end
	})
	return c.open(block{isLoop: true, advance: begin, ends: []*int{end}, at: src.place(pos)})
}

// beginDo compiles DO [label] variable = from, to [, by]: one step that starts the loop
// and one that begins each further pass. The number of passes is fixed at the start.
func (c *unitCompiler) beginDo(src *source, pos int) error {
	at := src.place(pos)
	begin := pos
	for pos < len(src.text) && isDigit(src.text[pos]) {
		pos++
	}
	label := string(src.text[begin:pos])
	p := newParser(src, pos)
	variable, err := p.primary()
	if err != nil {
		return err
	}
	if !p.is("=") || variable.kind != exprName {
		return p.errorf("DO lacks variable = from, to")
	}
	p.advance()
	v := c.lookup(variable.text)
	bounds := []func(*activation) float64{nil, nil, func(*activation) float64 { return 1 }}
	for k := range bounds {
		e, err := p.expression()
		if err != nil {
			return err
		}
		bound, err := c.expression(e)
		if err != nil {
			return err
		}
		bounds[k] = convertTo(bound, v.typ).eval
		if !p.is(",") {
			if k == 0 {
				return p.errorf("DO lacks its final value")
			}
			break
		}
		p.advance()
	}
	if p.tok.kind != tokEnd {
		return p.errorf("unexpected %q after DO", p.tok.text)
	}
	// Two hidden variables hold the remaining passes and the increment.
	left, increment := c.p.size, c.p.size+1
	c.p.size += 2
	index, place, end := c.p.index, v.offset, new(int)
	advance := c.next()
	inside := advance + 1
	c.emit(func(s *activation) int {
		from, to, by := bounds[0](s), bounds[1](s), bounds[2](s)
		m := s.memory[index]
		m[place], m[increment] = from, by
		m[left] = math.Trunc((to-from+by)/by) - 1
		if !(m[left] >= 0) {
			return *end
		}
		return inside
	})
	c.emit(func(s *activation) int {
		m := s.memory[index]
		m[place] += m[increment]
		if m[left]--; m[left] < 0 {
			return *end
		}
		return inside
	})
	return c.open(block{isLoop: true, label: label, advance: advance, ends: []*int{end}, at: at})
}

func (c *unitCompiler) callStatement(src *source, pos int) error {
	p := newParser(src, pos)
	e, err := p.primary()
	if err != nil {
		return err
	}
	if p.tok.kind != tokEnd || e.kind != exprCall && e.kind != exprName {
		return p.errorf("unexpected %q after CALL", p.tok.text)
	}
	v, err := c.callProcedure(e)
	if err != nil {
		return err
	}
	next := c.next()
	c.emit(func(s *activation) int {
		v.eval(s)
		return next
	})
	return nil
}
