package sif

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// maxInteger bounds integer parameters, which are 32-bit integers in SIF.
const maxInteger = math.MaxInt32

// params holds the integer and real parameters of the data part.
type params struct {
	ints  store[int64]
	reals store[float64]
}

func newParams() params {
	return params{store[int64]{"integer", map[Name]int64{}}, store[float64]{"real", map[Name]float64{}}}
}

// store holds the parameters of one kind.
type store[T int64 | float64] struct {
	kind  string
	value map[Name]T
}

func (s *store[T]) get(n Name) (T, error) {
	v, ok := s.value[n]
	if !ok {
		return 0, fmt.Errorf("%s parameter %q is not defined", s.kind, n.String())
	}
	return v, nil
}

func (p *params) setInt(n Name, v int64) error {
	if v > maxInteger || v < -maxInteger {
		return fmt.Errorf("integer parameter %s = %d does not fit 32 bits", n, v)
	}
	p.ints.value[n] = v
	return nil
}

// isArithmetic tells whether a card's code sets a parameter.
func isArithmetic(code string) bool {
	ops := ""
	switch code[0] {
	case 'I':
		ops = "EASMDR=+-*/"
	case 'R', 'A':
		ops = "EASMDIF=+-*/("
	}
	return strings.IndexByte(ops, code[1]) >= 0
}

// assign executes a parameter card. I and R cards give their names as they
// stand, A cards, which set elements of arrays of reals, with the indices replaced.
func (p *params) assign(c *card, f2, f3, f5 Name) error {
	if c.code[0] == 'I' {
		v, err := p.integerValue(c, f3, f5)
		if err != nil {
			return err
		}
		return p.setInt(f2, v)
	}
	v, err := p.realValue(c, f3, f5)
	if err != nil {
		return err
	}
	p.reals.value[f2] = v
	return nil
}

func (p *params) integerValue(c *card, f3, f5 Name) (int64, error) {
	op := c.code[1]
	switch op {
	case 'E':
		return parseInteger(c.f4)
	case 'R':
		v, err := p.reals.get(f3)
		if err != nil {
			return 0, err
		}
		if !(math.Abs(v) <= maxInteger) {
			return 0, fmt.Errorf("real parameter %s = %g does not fit an integer of 32 bits", f3, v)
		}
		return int64(v), nil
	}
	a, b, err := operands(&p.ints, c, f3, f5, parseInteger)
	if err != nil {
		return 0, err
	}
	if op == 'D' && a == 0 || op == '/' && b == 0 {
		return 0, fmt.Errorf("integer division by zero")
	}
	return operate(op, a, b), nil
}

// operands returns the parameter in field 3, and the number or the other parameter that goes
// with it.
func operands[T int64 | float64](of *store[T], c *card, f3, f5 Name, parse func(string) (T, error)) (a, b T, err error) {
	op := c.code[1]
	if a, err = of.get(f3); err != nil || op == '=' {
		return a, 0, err
	}
	if op >= 'A' {
		b, err = parse(c.f4)
	} else {
		b, err = of.get(f5)
	}
	return a, b, err
}

// operate computes what the second letter of a parameter card says: a letter for an operand
// and a number, a sign for two operands.
func operate[T int64 | float64](op byte, a, b T) T {
	switch op {
	case '=':
		return a
	case 'A', '+':
		return a + b
	case 'S':
		return b - a
	case '-':
		return a - b
	case 'M', '*':
		return a * b
	case 'D':
		return b / a
	}
	return a / b
}

func (p *params) realValue(c *card, f3, f5 Name) (float64, error) {
	op := c.code[1]
	switch op {
	case 'E':
		return parseReal(c.f4)
	case 'I':
		v, err := p.ints.get(f3)
		return float64(v), err
	case 'F', '(':
		fn, ok := dataFunctions[strings.ToUpper(f3.String())]
		if !ok {
			return 0, fmt.Errorf("function %q is not one of ABS SQRT EXP LOG LOG10 SIN COS TAN ARCSIN ARCCOS ARCTAN HYPSIN HYPCOS HYPTAN", f3.String())
		}
		var arg float64
		var err error
		if op == 'F' {
			arg, err = parseReal(c.f4)
		} else {
			arg, err = p.reals.get(f5)
		}
		if err != nil {
			return 0, err
		}
		v := fn(arg)
		if math.IsNaN(v) || math.IsInf(v, 0) && !math.IsInf(arg, 0) {
			return 0, fmt.Errorf("%s(%g) is not a finite number", f3, arg)
		}
		return v, nil
	}
	a, b, err := operands(&p.reals, c, f3, f5, parseReal)
	return operate(op, a, b), err
}

// dataFunctions are the functions that RF, R(, AF and A( cards can name.
var dataFunctions = map[string]func(float64) float64{
	"ABS": math.Abs, "SQRT": math.Sqrt, "EXP": math.Exp, "LOG": math.Log, "LOG10": math.Log10,
	"SIN": math.Sin, "COS": math.Cos, "TAN": math.Tan,
	"ARCSIN": math.Asin, "ARCCOS": math.Acos, "ARCTAN": math.Atan,
	"HYPSIN": math.Sinh, "HYPCOS": math.Cosh, "HYPTAN": math.Tanh,
}

// template is a name with up to three indices, X(I,J+1): integer parameters whose values
// replace their names when the card is executed, X1,5.
type template struct {
	base    Name
	length  int // of the part before the parenthesis; 10 without indices
	indices []Name
}

func parseTemplate(n Name) (template, error) {
	text := string(n[:])
	open := strings.IndexByte(text, '(')
	if open < 0 {
		return template{base: n, length: len(n)}, nil
	}
	end := strings.IndexByte(text, ')')
	if end < open {
		return template{}, fmt.Errorf("array name %q lacks a closing parenthesis", n.String())
	}
	t := template{base: makeName(text[:open]), length: open}
	for index := range strings.SplitSeq(text[open+1:end], ",") {
		if index != "" {
			t.indices = append(t.indices, makeName(index))
		}
	}
	if len(t.indices) > 3 {
		return template{}, fmt.Errorf("array name %q has more than three indices", n.String())
	}
	return t, nil
}

// expand substitutes the current values of the indices.
func (p *params) expand(t *template) (Name, error) {
	if len(t.indices) == 0 {
		return t.base, nil
	}
	var buf [48]byte
	b := append(buf[:0], t.base[:t.length]...)
	for i, index := range t.indices {
		v, ok := p.ints.value[index]
		if !ok {
			return Blank, fmt.Errorf("index %q is not a defined integer parameter", index.String())
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, v, 10)
	}
	if len(b) > len(Name{}) {
		return Blank, fmt.Errorf("expanded name %q has more than 10 characters", b)
	}
	n := Blank
	copy(n[:], b)
	return n, nil
}
