package sif

import (
	"fmt"
	"strings"
)

// codeReader reads the code parts and collects the cards of an expression with their
// continuations.
type codeReader struct {
	d       *decoder
	part    *Code
	section string   // TEMPORARIES, GLOBALS, INDIVIDUALS
	routine *Routine // of the INDIVIDUALS section
	open    *Action  // whose expression may be continued
	skip    bool     // continuations belong to a second derivative, which is not used
}

// codeParts reads the ELEMENTS and GROUPS parts. The Fortran of external functions after them
// is not read: expressions that call an external function are refused.
func (d *decoder) codeParts() error {
	d.ElementCode, d.GroupCode = newCode("ELEMENTS"), newCode("GROUPS")
	d.scan.inCode = true
	for {
		card, ok, err := d.scan.next()
		if err != nil {
			return err
		}
		if !ok {
			return nil
		}
		part := map[string]*Code{"ELEMENTS": d.ElementCode, "GROUPS": d.GroupCode}[headerWord(card.header)]
		if part == nil {
			return nil
		}
		r := &codeReader{d: d, part: part}
		if err := r.read(); err != nil {
			return err
		}
	}
}

func newCode(keyword string) *Code {
	return &Code{
		Keyword:  keyword,
		Declared: make(map[string]ValueType),
		External: make(map[string]bool),
		Routines: make(map[Name]*Routine),
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
			return locate(fmt.Errorf("the file ends before the ENDATA card of its %s part",
				r.part.Keyword), r.d.scan.line)
		}
		if c.header == "" {
			if err := r.card(&c); err != nil {
				return locate(err, c.line)
			}
			continue
		}
		if err := r.flush(); err != nil {
			return err
		}
		switch word := headerWord(c.header); word {
		case "TEMPORARIES", "GLOBALS", "INDIVIDUALS":
			r.section = word
		case endCard:
			return nil
		default:
			return locate(fmt.Errorf("indicator card %q is not known in the %s part", word, r.part.Keyword), c.line)
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
		return fmt.Errorf("card before the first type of the %s part", r.part.Keyword)
	}
	switch kind {
	case 'A', 'I', 'E', 'F', 'G':
		r.open = &Action{Kind: kind, At: Place{int32(c.line), 0}, src: new(source)}
		r.open.src.add(c.expr, c.line, c.col)
		switch kind {
		case 'A', 'G':
			r.open.Target = c.f2.Identifier()
		case 'I', 'E':
			r.open.Condition, r.open.Target = c.f2.Identifier(), c.f3.Identifier()
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

// flush parses the expression that has been collected.
func (r *codeReader) flush() error {
	a := r.open
	r.open, r.skip = nil, false
	if a == nil {
		return nil
	}
	if len(a.src.text) == 0 {
		return locate(fmt.Errorf("card %c has no expression", a.Kind), int(a.At.Line))
	}
	var err error
	if a.Value, err = parseExpression(a.src); err != nil {
		return err
	}
	a.src = nil
	if r.section == "GLOBALS" {
		r.part.Globals = append(r.part.Globals, *a)
		return nil
	}
	if a.Kind == 'F' {
		r.routine.HasF = true
	}
	r.routine.Actions = append(r.routine.Actions, *a)
	return nil
}

// begin starts the routine of a type.
func (r *codeReader) begin(c *card) error {
	if r.part.Routines[c.f2] != nil {
		return fmt.Errorf("type %q is coded twice", c.f2.String())
	}
	r.routine = &Routine{Name: c.f2, Line: c.line}
	r.part.Routines[c.f2] = r.routine
	return nil
}

// transformation reads an R card: entries of a row of the range transformation.
func (r *codeReader) transformation(c *card) error {
	for _, pair := range [2]struct {
		variable Name
		factor   string
	}{{c.f3, c.f4}, {c.f5, c.f6}} {
		if pair.variable == Blank {
			continue
		}
		v, err := parseReal(pair.factor)
		if err != nil {
			return err
		}
		r.routine.Ranges = append(r.routine.Ranges, RangeEntry{c.line, c.f2, pair.variable, v})
	}
	return nil
}

// declare reads a card of the TEMPORARIES section.
func (r *codeReader) declare(c *card) error {
	text := c.f2.Identifier()
	switch strings.TrimSpace(c.code) {
	case "M":
		return nil // intrinsic functions are known without
	case "F":
		r.part.External[text] = true
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
		r.part.Declared[word] = map[byte]ValueType{'R': RealValue, 'I': IntegerValue, 'L': LogicalValue}[c.code[0]]
	}
	return nil
}

// declareReals declares names as real temporaries unless they are declared already: the
// variables and parameters of one type may serve as temporaries in another.
func (p *Code) declareReals(lists ...[]Name) {
	for _, list := range lists {
		for _, n := range list {
			word := n.Identifier()
			if _, ok := p.Declared[word]; !ok {
				p.Declared[word] = RealValue
			}
		}
	}
}
