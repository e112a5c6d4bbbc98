package cutest

import (
	"strconv"
	"strings"
)

// symbol is a variable or an array of a procedure.
type symbol struct {
	typ    valueType
	dims   []int
	offset int // in the procedure's memory
}

// typed64 is the value of a PARAMETER.
type typed64 struct {
	v   float64
	typ valueType
}

// unitCompiler compiles one procedure. Expressions and statements become closures over
// places in memory; jumps name the index of a statement.
type unitCompiler struct {
	p         *procedure
	symbols   map[string]*symbol
	constants map[string]typed64
	entries   int // of all arrays
	labels    map[string]int
	blocks    []block // open IF and DO blocks
	fixups    []func() error
}

// block is an open IF or DO. Jumps out of it are known when it is closed.
type block struct {
	isLoop    bool
	label     string // that ends a labelled DO
	advance   int    // step of a loop that begins the next pass
	otherwise *int   // where a false IF condition goes
	ends      []*int // jumps to the end
	at        place
}

// compiledExpr is a compiled expression.
type compiledExpr struct {
	eval func(s *activation) float64
	typ  valueType
}

func (c *unitCompiler) run() error {
	body := c.p.statements
	for len(body) > 0 {
		ok, err := c.declaration(body[0].src)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		body = body[1:]
	}
	c.allocate()
	for _, st := range body {
		if st.label != "" {
			c.labels[st.label] = len(c.p.code)
		}
		if err := c.statement(st.src, 0, st.label); err != nil {
			return err
		}
		c.closeLabelled(st.label)
	}
	if len(c.blocks) > 0 {
		return faultAt(c.blocks[0].at, "block is not closed")
	}
	for _, fixup := range c.fixups {
		if err := fixup(); err != nil {
			return err
		}
	}
	return nil
}

// typeWords are the declarations of types that are understood, longer words first.
var typeWords = []struct {
	word string
	typ  valueType
}{
	{"DOUBLEPRECISION", realType},
	{"REAL*8", realType},
	{"REAL*4", realType},
	{"REAL", realType},
	{"INTEGER*4", integerType},
	{"INTEGER", integerType},
	{"LOGICAL", logicalType},
}

// declaration handles a statement of the specification part; false if it is not one.
func (c *unitCompiler) declaration(src *source) (bool, error) {
	text := string(src.text)
	if isAssignment(text) {
		return false, nil
	}
	for _, skipped := range []string{"INTRINSIC", "EXTERNAL", "IMPLICITNONE", "IMPLICITREAL", "IMPLICITDOUBLE", "SAVE"} {
		if strings.HasPrefix(text, skipped) {
			return true, nil
		}
	}
	if rest, ok := strings.CutPrefix(text, "PARAMETER("); ok {
		return true, c.parameters(src, strings.TrimSuffix(rest, ")"))
	}
	if rest, ok := strings.CutPrefix(text, "DIMENSION"); ok {
		return true, c.declare(src, rest, realType, false)
	}
	for _, t := range typeWords {
		if rest, ok := strings.CutPrefix(text, t.word); ok {
			return true, c.declare(src, rest, t.typ, true)
		}
	}
	for _, word := range []string{"COMMON", "DATA", "EQUIVALENCE", "CHARACTER", "COMPLEX", "BLOCKDATA"} {
		if strings.HasPrefix(text, word) {
			return false, faultAt(src.place(0), "%s statements are not supported", word)
		}
	}
	return false, nil
}

func (c *unitCompiler) declare(src *source, list string, typ valueType, hasType bool) error {
	for _, item := range splitTop(strings.TrimPrefix(list, "::")) {
		word, extents, isArray := strings.Cut(item, "(")
		if word == "" {
			return faultAt(src.place(0), "declaration without a name")
		}
		s := c.symbols[word]
		if s == nil {
			s = &symbol{typ: implicitType(word), offset: unplaced}
			c.symbols[word] = s
		}
		if hasType {
			s.typ = typ
		}
		if isArray {
			dims, err := parseDims(c.substitute(strings.TrimSuffix(extents, ")")))
			if err != nil {
				return faultAt(src.place(0), "%v", err)
			}
			s.dims = dims
			if c.entries += product(dims); c.entries > maxArrayLength {
				return faultAt(src.place(0), "the arrays have more than %d entries", maxArrayLength)
			}
		}
	}
	return nil
}

// substitute replaces the constants in a list of extents by their values.
func (c *unitCompiler) substitute(extents string) string {
	list := strings.Split(extents, ",")
	for i, word := range list {
		if v, ok := c.constants[word]; ok {
			list[i] = strconv.FormatFloat(v.v, 'f', -1, 64)
		}
	}
	return strings.Join(list, ",")
}

// parameters handles PARAMETER(name=constant,...).
func (c *unitCompiler) parameters(src *source, list string) error {
	for _, item := range splitTop(list) {
		word, text, ok := strings.Cut(item, "=")
		if !ok {
			return faultAt(src.place(0), "PARAMETER without a value")
		}
		part := new(source)
		at := src.place(0)
		part.add(text, int(at.line), int(at.col))
		e, err := parseExpression(part)
		if err != nil {
			return err
		}
		v, err := c.expression(e)
		if err != nil {
			return err
		}
		typ := implicitType(word)
		if s := c.symbols[word]; s != nil {
			typ = s.typ
			delete(c.symbols, word)
		}
		c.constants[word] = typed64{convertTo(v, typ).eval(&activation{}), typ}
	}
	return nil
}

// splitTop splits at the commas outside parentheses.
func splitTop(text string) []string {
	var parts []string
	depth, start := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, text[start:i])
				start = i + 1
			}
		}
	}
	return append(parts, text[start:])
}

// allocate places the parameters in memory, in order, and the function value.
func (c *unitCompiler) allocate() {
	for i := range c.p.params {
		param := &c.p.params[i]
		s := c.lookup(param.name)
		param.offset, param.dims = s.offset, s.dims
	}
	if c.p.isFunction {
		c.symbols[c.p.name] = &symbol{typ: c.p.typ, offset: unplaced}
		c.p.result = c.lookup(c.p.name).offset
	}
}

const unplaced = -1

// lookup returns a name's symbol. Names are given a place in memory on first use.
func (c *unitCompiler) lookup(word string) *symbol {
	s := c.symbols[word]
	if s == nil {
		s = &symbol{typ: implicitType(word), offset: unplaced}
		c.symbols[word] = s
	}
	if s.offset == unplaced {
		s.offset = c.p.size
		c.p.size += product(s.dims)
	}
	return s
}
