package sif

import (
	"slices"
	"strconv"
)

// Expr is a node of an expression tree. An operator is written as in Fortran, dotted or
// as a symbol; unary minus is "neg".
type Expr struct {
	Kind ExprKind
	At   Place
	Text string  // name, or operator
	Num  float64 // literal
	Args []*Expr
}

// ExprKind is the kind of a node.
type ExprKind int

// The kinds of nodes. Num of a logical constant is 1 or 0.
const (
	IntegerExpr ExprKind = iota
	RealExpr
	LogicalExpr
	NameExpr
	CallExpr // function or array element
	OperatorExpr
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
	return p.src.place(p.tok.pos).Errorf(format, args...)
}

// parseExpression parses the whole source.
func parseExpression(src *source) (*Expr, error) {
	if len(src.text) > maxExpression {
		return nil, src.place(0).Errorf("expression has more than %d characters", maxExpression)
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
	return p.tok.kind == tokOperator && slices.Contains(ops, p.tok.text)
}

// nested guards the recursion of parse.
func (p *parser) nested(parse func() (*Expr, error)) (*Expr, error) {
	if p.depth++; p.depth > maxExprDepth {
		return nil, p.errorf("expression is nested more than %d deep", maxExprDepth)
	}
	defer func() { p.depth-- }()
	return parse()
}

// operation parses an operator and the operand behind it. Another operand may stand before.
func (p *parser) operation(operand func() (*Expr, error), before ...*Expr) (*Expr, error) {
	op := &Expr{Kind: OperatorExpr, At: p.src.place(p.tok.pos), Text: p.tok.text}
	p.advance()
	e, err := operand()
	op.Args = append(before, e)
	return op, err
}

func (p *parser) expression() (*Expr, error) {
	return p.nested(func() (*Expr, error) { return p.left(p.disjunction, ".EQV.", ".NEQV.") })
}

func (p *parser) disjunction() (*Expr, error) { return p.left(p.conjunction, ".OR.") }
func (p *parser) conjunction() (*Expr, error) { return p.left(p.negation, ".AND.") }

// left parses operand {op operand}, grouping to the left.
func (p *parser) left(operand func() (*Expr, error), ops ...string) (*Expr, error) {
	e, err := operand()
	for err == nil && p.is(ops...) {
		e, err = p.operation(operand, e)
	}
	return e, err
}

func (p *parser) negation() (*Expr, error) {
	if !p.is(".NOT.") {
		return p.relation()
	}
	return p.nested(func() (*Expr, error) { return p.operation(p.negation) })
}

func (p *parser) relation() (*Expr, error) {
	e, err := p.sum()
	if err == nil && p.is(".EQ.", ".NE.", ".LT.", ".LE.", ".GT.", ".GE.") {
		return p.operation(p.sum, e)
	}
	return e, err
}

func (p *parser) sum() (*Expr, error) { return p.left(p.product, "+", "-") }

func (p *parser) product() (*Expr, error) {
	if p.is("+", "-") {
		return p.signed(p.product)
	}
	return p.left(p.power, "*", "/")
}

// signed parses a sign and its operand: a whole product at the start of a term, a power
// after another operator.
func (p *parser) signed(operand func() (*Expr, error)) (*Expr, error) {
	op, err := p.nested(func() (*Expr, error) { return p.operation(operand) })
	switch {
	case err != nil:
		return nil, err
	case op.Text == "+":
		return op.Args[0], nil
	}
	op.Text = "neg"
	return op, nil
}

func (p *parser) power() (*Expr, error) {
	if p.is("+", "-") {
		return p.signed(p.power)
	}
	base, err := p.primary()
	if err != nil || !p.is("**") {
		return base, err
	}
	return p.nested(func() (*Expr, error) { return p.operation(p.power, base) })
}

func (p *parser) primary() (*Expr, error) {
	at, tok := p.src.place(p.tok.pos), p.tok
	switch tok.kind {
	case tokInteger, tokReal:
		p.advance()
		return number(tok, at)
	case tokName:
		p.advance()
		if !p.is("(") {
			return &Expr{Kind: NameExpr, At: at, Text: tok.text}, nil
		}
		p.advance()
		args, err := p.arguments()
		return &Expr{Kind: CallExpr, At: at, Text: tok.text, Args: args}, err
	case tokOperator:
		switch tok.text {
		case ".TRUE.", ".FALSE.":
			p.advance()
			e := &Expr{Kind: LogicalExpr, At: at}
			if tok.text == ".TRUE." {
				e.Num = 1
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
func (p *parser) arguments() ([]*Expr, error) {
	var args []*Expr
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

func number(tok token, at Place) (*Expr, error) {
	v, err := parseReal(tok.text)
	if err != nil {
		return nil, at.Errorf("%v", err)
	}
	e := &Expr{Kind: RealExpr, At: at, Num: v}
	if tok.kind == tokInteger {
		e.Kind = IntegerExpr
		if _, err := strconv.ParseInt(tok.text, 10, 32); err != nil {
			return nil, at.Errorf("integer %s does not fit 32 bits", tok.text)
		}
	}
	return e, nil
}
