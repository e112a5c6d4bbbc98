package cutest

import (
	"fmt"
	"strconv"
)

// expr is a node of an expression tree. The operators are those of Fortran in dotted or
// symbolic form; unary minus is "neg".
type expr struct {
	kind exprKind
	at   place
	text string  // name, or operator
	num  float64 // literal
	args []*expr
}

type exprKind int

const (
	exprInteger exprKind = iota
	exprReal
	exprLogical // num is 1 or 0
	exprName
	exprCall // function or array element
	exprOperator
)

// parser is a recursive-descent parser of Fortran expressions. From the loosest binding:
// .EQV. .NEQV. | .OR. | .AND. | .NOT. | relations | + - and signs | * / | **, the last
// one to the right.
type parser struct {
	src   *source
	tok   token
	next  int
	depth int
}

func (p *parser) advance() { p.tok, p.next = p.src.lex(p.next) }

func (p *parser) errorf(format string, args ...any) error {
	return faultAt(p.src.place(p.tok.pos), format, args...)
}

// faultAt is an *Error whose file is filled in later.
func faultAt(at place, format string, args ...any) error {
	return &Error{Line: int(at.line), Column: int(at.col), Msg: fmt.Sprintf(format, args...)}
}

// parseExpression parses the whole source.
func parseExpression(src *source) (*expr, error) {
	if len(src.text) > maxExpression {
		return nil, faultAt(src.place(0), "expression has more than %d characters", maxExpression)
	}
	p := &parser{src: src}
	p.advance()
	e, err := p.expression()
	if err != nil {
		return nil, err
	}
	if p.tok.kind != tokEnd {
		return nil, p.errorf("unexpected %q after the expression", p.tok.text)
	}
	return e, nil
}

func (p *parser) is(ops ...string) bool {
	if p.tok.kind != tokOperator {
		return false
	}
	for _, op := range ops {
		if p.tok.text == op {
			return true
		}
	}
	return false
}

// nest guards the recursion; its result must be called on the way out.
func (p *parser) nest() (func(), error) {
	if p.depth++; p.depth > maxExprDepth {
		return nil, p.errorf("expression is nested more than %d deep", maxExprDepth)
	}
	return func() { p.depth-- }, nil
}

func (p *parser) expression() (*expr, error) {
	leave, err := p.nest()
	if err != nil {
		return nil, err
	}
	defer leave()
	return p.left(p.disjunction, ".EQV.", ".NEQV.")
}

func (p *parser) disjunction() (*expr, error) { return p.left(p.conjunction, ".OR.") }
func (p *parser) conjunction() (*expr, error) { return p.left(p.negation, ".AND.") }

// left parses operand {op operand}, grouping to the left.
func (p *parser) left(operand func() (*expr, error), ops ...string) (*expr, error) {
	e, err := operand()
	for err == nil && p.is(ops...) {
		op := p.operator()
		var right *expr
		if right, err = operand(); err == nil {
			op.args = []*expr{e, right}
			e = op
		}
	}
	return e, err
}

func (p *parser) operator() *expr {
	e := &expr{kind: exprOperator, at: p.src.place(p.tok.pos), text: p.tok.text}
	p.advance()
	return e
}

func (p *parser) negation() (*expr, error) {
	if !p.is(".NOT.") {
		return p.relation()
	}
	leave, err := p.nest()
	if err != nil {
		return nil, err
	}
	defer leave()
	op := p.operator()
	operand, err := p.negation()
	op.args = []*expr{operand}
	return op, err
}

func (p *parser) relation() (*expr, error) {
	e, err := p.sum()
	if err == nil && p.is(".EQ.", ".NE.", ".LT.", ".LE.", ".GT.", ".GE.") {
		op := p.operator()
		right, err := p.sum()
		op.args = []*expr{e, right}
		return op, err
	}
	return e, err
}

func (p *parser) sum() (*expr, error) { return p.left(p.product, "+", "-") }

func (p *parser) product() (*expr, error) {
	if p.is("+", "-") {
		return p.signed(p.product)
	}
	return p.left(p.power, "*", "/")
}

// signed parses a sign and what it applies to: a whole product at the start of a term, a
// power after another operator.
func (p *parser) signed(operand func() (*expr, error)) (*expr, error) {
	leave, err := p.nest()
	if err != nil {
		return nil, err
	}
	defer leave()
	op := p.operator()
	e, err := operand()
	if op.text == "+" {
		return e, err
	}
	op.text, op.args = "neg", []*expr{e}
	return op, err
}

func (p *parser) power() (*expr, error) {
	if p.is("+", "-") {
		return p.signed(p.power)
	}
	base, err := p.primary()
	if err != nil || !p.is("**") {
		return base, err
	}
	leave, err := p.nest()
	if err != nil {
		return nil, err
	}
	defer leave()
	op := p.operator()
	exponent, err := p.power()
	op.args = []*expr{base, exponent}
	return op, err
}

func (p *parser) primary() (*expr, error) {
	at, tok := p.src.place(p.tok.pos), p.tok
	switch tok.kind {
	case tokInteger, tokReal:
		p.advance()
		return number(tok, at)
	case tokName:
		p.advance()
		if !p.is("(") {
			return &expr{kind: exprName, at: at, text: tok.text}, nil
		}
		p.advance()
		args, err := p.arguments()
		return &expr{kind: exprCall, at: at, text: tok.text, args: args}, err
	case tokOperator:
		switch tok.text {
		case ".TRUE.", ".FALSE.":
			p.advance()
			e := &expr{kind: exprLogical, at: at}
			if tok.text == ".TRUE." {
				e.num = 1
			}
			return e, nil
		case "(":
			p.advance()
			e, err := p.expression()
			if err != nil {
				return nil, err
			}
			if !p.is(")") {
				return nil, p.errorf("expected ) but found %q", p.tok.text)
			}
			p.advance()
			return e, nil
		}
	}
	return nil, p.errorf("expected an operand but found %q", tok.text)
}

// arguments parses expressions up to the closing parenthesis.
func (p *parser) arguments() ([]*expr, error) {
	var args []*expr
	for !p.is(")") {
		e, err := p.expression()
		if err != nil {
			return nil, err
		}
		args = append(args, e)
		if p.is(",") {
			p.advance()
		} else if !p.is(")") {
			return nil, p.errorf("expected , or ) but found %q", p.tok.text)
		}
	}
	p.advance()
	return args, nil
}

func number(tok token, at place) (*expr, error) {
	v, err := parseReal(tok.text)
	if err != nil {
		return nil, faultAt(at, "%v", err)
	}
	e := &expr{kind: exprReal, at: at, num: v}
	if tok.kind == tokInteger {
		e.kind = exprInteger
		if _, err := strconv.ParseInt(tok.text, 10, 32); err != nil {
			return nil, faultAt(at, "integer %s does not fit 32 bits", tok.text)
		}
	}
	return e, nil
}
