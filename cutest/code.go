package cutest

import (
	"fmt"
	"strings"
)

// codePart is what an ELEMENTS or a GROUPS part says: declarations, assignments that all
// types share, and a routine for each type.
type codePart struct {
	keyword  string               // ELEMENTS or GROUPS
	declared map[string]valueType // scalars of the TEMPORARIES section
	external map[string]bool      // functions declared as F, even if intrinsic ones have the name
	globals  []action
	routines map[name]*routine
}

type valueType int

const (
	realType valueType = iota
	integerType
	logicalType
)

// routine is the code of one element or group type.
type routine struct {
	name    name
	line    int
	actions []action
	ranges  []rangeEntry // internal variables as combinations of elemental ones
	hasF    bool
}

// rangeEntry adds factor·variable to an internal variable.
type rangeEntry struct {
	line     int
	internal name
	variable name
	factor   float64
}

// action is an assignment to a temporary (A, and I or E under a condition), to the
// function value (F) or to a derivative (G).
type action struct {
	kind      byte // 'A', 'I', 'E', 'F' or 'G'
	at        place
	target    string
	condition string // logical temporary of I and E
	value     *expr
	src       *source
}

// codeReader reads the code parts and collects the cards of an expression with their
// continuations.
type codeReader struct {
	d       *decoder
	part    *codePart
	section string   // TEMPORARIES, GLOBALS, INDIVIDUALS
	routine *routine // of the INDIVIDUALS section
	open    *action  // whose expression may be continued
	skip    bool     // continuations belong to a second derivative, which is not used
}

// code holds both code parts.
type code struct {
	elements, groups *codePart
}

// codeParts reads the ELEMENTS and GROUPS parts. What follows them is the Fortran of external
// functions, which is not read: expressions that call one are refused.
func (d *decoder) codeParts() (*code, error) {
	c := &code{elements: newCodePart("ELEMENTS"), groups: newCodePart("GROUPS")}
	d.scan.inCode = true
	for {
		card, ok, err := d.scan.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			return c, nil
		}
		var part *codePart
		switch headerWord(card.header) {
		case "ELEMENTS":
			part = c.elements
		case "GROUPS":
			part = c.groups
		default:
			return c, nil
		}
		r := &codeReader{d: d, part: part}
		if err := r.read(); err != nil {
			return nil, withFile(err, d.scan.file)
		}
	}
}

// withFile completes an *Error made where the file's name was not known.
func withFile(err error, file string) error {
	if e, ok := err.(*Error); ok && e.File == "" {
		e.File = file
	}
	return err
}

func newCodePart(keyword string) *codePart {
	return &codePart{
		keyword:  keyword,
		declared: make(map[string]valueType),
		external: make(map[string]bool),
		routines: make(map[name]*routine),
	}
}

// read reads one part up to its ENDATA.
func (r *codeReader) read() error {
	for {
		c, ok, err := r.d.scan.next()
		if err != nil {
			return err
		}
		if !ok {
			return r.d.locate(fmt.Errorf("the file ends before the ENDATA card of its %s part", r.part.keyword), r.d.scan.line)
		}
		if c.header == "" {
			if err := r.card(&c); err != nil {
				return r.d.locate(err, c.line)
			}
			continue
		}
		if err := r.flush(); err != nil {
			return err
		}
		switch word := headerWord(c.header); word {
		case "TEMPORARIES", "GLOBALS", "INDIVIDUALS":
			r.section = word
		case "ENDATA":
			return nil
		default:
			return r.d.locate(fmt.Errorf("indicator card %q is not known in the %s part", word, r.part.keyword), c.line)
		}
	}
}

func (r *codeReader) card(c *card) error {
	switch r.section {
	case "TEMPORARIES":
		return r.declare(c)
	case "GLOBALS", "INDIVIDUALS":
	default:
		return nil // repeated declarations, which the original tools skip
	}
	if c.code[1] == '+' {
		if r.open == nil && !r.skip {
			return fmt.Errorf("%s continues no expression", c.code)
		}
		if r.open != nil {
			r.open.src.add(c.expr, c.line, c.col)
		}
		return nil
	}
	if err := r.flush(); err != nil {
		return err
	}
	kind := c.code[0]
	if r.section == "GLOBALS" && strings.IndexByte("AIE", kind) < 0 {
		return fmt.Errorf("code %q does not belong in the GLOBALS section", strings.TrimSpace(c.code))
	}
	if kind == 'T' {
		return r.begin(c)
	}
	if r.section == "INDIVIDUALS" && r.routine == nil {
		return fmt.Errorf("card before the first type of the %s part", r.part.keyword)
	}
	switch kind {
	case 'A', 'I', 'E', 'F', 'G':
		r.open = &action{kind: kind, at: place{int32(c.line), 0}, src: new(source)}
		r.open.src.add(c.expr, c.line, c.col)
		switch kind {
		case 'A', 'G':
			r.open.target = identifier(c.f2)
		case 'I', 'E':
			r.open.condition, r.open.target = identifier(c.f2), identifier(c.f3)
		}
	case 'H':
		r.skip = true
	case 'R':
		return r.transformation(c)
	default:
		return fmt.Errorf("code %q does not belong in the %s section", strings.TrimSpace(c.code), r.section)
	}
	return nil
}

func identifier(n name) string { return strings.ToUpper(strings.TrimSpace(n.String())) }

// flush parses the expression that has been collected.
func (r *codeReader) flush() error {
	a := r.open
	r.open, r.skip = nil, false
	if a == nil {
		return nil
	}
	if len(a.src.text) == 0 {
		return r.d.locate(fmt.Errorf("card %c has no expression", a.kind), int(a.at.line))
	}
	var err error
	if a.value, err = parseExpression(a.src); err != nil {
		return withFile(err, r.d.scan.file)
	}
	a.src = nil
	if r.section == "GLOBALS" {
		r.part.globals = append(r.part.globals, *a)
		return nil
	}
	if a.kind == 'F' {
		r.routine.hasF = true
	}
	r.routine.actions = append(r.routine.actions, *a)
	return nil
}

// begin starts the routine of a type.
func (r *codeReader) begin(c *card) error {
	if r.part.routines[c.f2] != nil {
		return fmt.Errorf("type %q is coded twice", c.f2.String())
	}
	r.routine = &routine{name: c.f2, line: c.line}
	r.part.routines[c.f2] = r.routine
	return nil
}

// transformation reads an R card: entries of a row of the range transformation.
func (r *codeReader) transformation(c *card) error {
	for _, pair := range [2]struct {
		variable name
		factor   string
	}{{c.f3, c.f4}, {c.f5, c.f6}} {
		if pair.variable == blank {
			continue
		}
		v, err := parseReal(pair.factor)
		if err != nil {
			return err
		}
		r.routine.ranges = append(r.routine.ranges, rangeEntry{c.line, c.f2, pair.variable, v})
	}
	return nil
}

// declare reads a card of the TEMPORARIES section.
func (r *codeReader) declare(c *card) error {
	text := identifier(c.f2)
	switch strings.TrimSpace(c.code) {
	case "M":
		return nil // intrinsic functions are known without
	case "F":
		r.part.external[text] = true
		return nil
	case "R", "I", "L":
	default:
		return fmt.Errorf("code %q does not belong in the TEMPORARIES section", strings.TrimSpace(c.code))
	}
	word, _, isArray := strings.Cut(text, "(")
	if word == "" {
		return fmt.Errorf("temporary without a name")
	}
	if !isArray { // only an external function could fill an array
		r.part.declared[word] = map[byte]valueType{'R': realType, 'I': integerType, 'L': logicalType}[c.code[0]]
	}
	return nil
}

// declareReals declares names as real temporaries unless they are declared already: the
// variables and parameters of one type may serve as temporaries in another.
func (p *codePart) declareReals(lists ...[]name) {
	for _, list := range lists {
		for _, n := range list {
			word := identifier(n)
			if _, ok := p.declared[word]; !ok {
				p.declared[word] = realType
			}
		}
	}
}
