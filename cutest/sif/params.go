package sif

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// maxInteger bounds integer parameters, which are 32-bit integers in SIF.
const maxInteger = math.MaxInt32

// params holds the integer and real parameters of the data part. The two kinds have
// separate name spaces; a name keeps its slot for the whole file.
type params struct {
	ints  map[Name]int32
	ival  []int64
	reals map[Name]int32
	rval  []float64
}

func newParams() params {
	return params{ints: make(map[Name]int32), reals: make(map[Name]int32)}
}

func (p *params) setInt(n Name, v int64) error {
	if v > maxInteger || v < -maxInteger {
		return fmt.Errorf("integer parameter %s = %d does not fit 32 bits", n, v)
	}
	if slot, ok := p.ints[n]; ok {
		p.ival[slot] = v
		return nil
	}
	if len(p.ival) >= maxParameters {
		return fmt.Errorf("more than %d integer parameters", maxParameters)
	}
	p.ints[n] = int32(len(p.ival))
	p.ival = append(p.ival, v)
	return nil
}

func (p *params) setReal(n Name, v float64) error {
	if slot, ok := p.reals[n]; ok {
		p.rval[slot] = v
		return nil
	}
	if len(p.rval) >= maxParameters {
		return fmt.Errorf("more than %d real parameters", maxParameters)
	}
	p.reals[n] = int32(len(p.rval))
	p.rval = append(p.rval, v)
	return nil
}

func (p *params) int(n Name) (int64, error) {
	slot, ok := p.ints[n]
	if !ok {
		return 0, fmt.Errorf("integer parameter %q is not defined", n.String())
	}
	return p.ival[slot], nil
}

func (p *params) real(n Name) (float64, error) {
	slot, ok := p.reals[n]
	if !ok {
		return 0, fmt.Errorf("real parameter %q is not defined", n.String())
	}
	return p.rval[slot], nil
}

// isArithmetic tells whether a card's code sets a parameter.
func isArithmetic(code string) bool {
	if code[0] != 'I' && code[0] != 'R' && code[0] != 'A' {
		return false
	}
	ops := "EASMDF=+-*/("
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
	return p.setReal(f2, v)
}

func (p *params) integerValue(c *card, f3, f5 Name) (int64, error) {
	op := c.code[1]
	switch op {
	case 'E':
		return parseInteger(c.f4)
	case 'R':
		v, err := p.real(f3)
		if err != nil {
			return 0, err
		}
		if !(math.Abs(v) <= maxInteger) {
			return 0, fmt.Errorf("real parameter %s = %g does not fit an integer of 32 bits", f3, v)
		}
		return int64(v), nil
	}
	a, err := p.int(f3)
	if err != nil || op == '=' {
		return a, err
	}
	var b int64
	if op >= 'A' {
		b, err = parseInteger(c.f4)
	} else {
		b, err = p.int(f5)
	}
	if err != nil {
		return 0, err
	}
	if op == 'D' && a == 0 || op == '/' && b == 0 {
		return 0, fmt.Errorf("integer division by zero")
	}
	return operate(op, a, b), nil
}

// operate computes what the second letter of a parameter card says: a letter for an operand
// and a number, a sign for two operands.
func operate[T int64 | float64](op byte, a, b T) T {
	switch op {
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
		v, err := p.int(f3)
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
			arg, err = p.real(f5)
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
	a, err := p.real(f3)
	if err != nil || op == '=' {
		return a, err
	}
	var b float64
	if op >= 'A' {
		b, err = parseReal(c.f4)
	} else {
		b, err = p.real(f5)
	}
	if err != nil {
		return 0, err
	}
	return operate(op, a, b), nil
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
	slots   []int32 // of the indices in params, filled on first use
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
	if t.slots == nil {
		for _, index := range t.indices {
			slot, ok := p.ints[index]
			if !ok {
				t.slots = nil
				return Blank, fmt.Errorf("index %q is not a defined integer parameter", index.String())
			}
			t.slots = append(t.slots, slot)
		}
	}
	var buf [48]byte
	b := append(buf[:0], t.base[:t.length]...)
	for i, slot := range t.slots {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, p.ival[slot], 10)
	}
	if len(b) > len(Name{}) {
		return Blank, fmt.Errorf("expanded name %q has more than 10 characters", b)
	}
	n := Blank
	copy(n[:], b)
	return n, nil
}
