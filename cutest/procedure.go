package cutest

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// procedure is an external function or subroutine whose Fortran 77 follows the code
// parts. It is compiled when code first refers to it, so that what stands there unused
// does no harm.
//
// Supported are reals, integers and logicals, arrays with constant extents, assignments,
// IF, GO TO, DO, CALL, CONTINUE, RETURN and references to other procedures. Arguments are
// copied in and out, which a standard-conforming program cannot tell from references.
type procedure struct {
	name       string
	at         place
	isFunction bool
	typ        valueType // of a function
	params     []procedureParam
	statements []fortranStatement
	others     map[string]*procedure

	state  compileState
	err    error // of compiling it
	index  int   // of its memory in an activation
	size   int   // of its memory
	result int   // place of its value
	code   []step
}

type procedureParam struct {
	name   string
	dims   []int
	offset int
}

func (p *procedureParam) size() int { return product(p.dims) }

// fortranStatement is a statement with its label, blanks removed.
type fortranStatement struct {
	label string
	src   *source
}

// readProcedures splits the rest of the file into program units.
func readProcedures(s *scanner) (map[string]*procedure, error) {
	procs := make(map[string]*procedure)
	var current *procedure
	statements, err := readStatements(s)
	if err != nil {
		return nil, err
	}
	for _, st := range statements {
		text := string(st.src.text)
		switch {
		case current == nil:
			if p := unitHeader(st.src); p != nil {
				current, p.others = p, procs
				if procs[p.name] != nil {
					return nil, faultAt(p.at, "procedure %s is defined twice", p.name)
				}
				p.index = len(procs)
				procs[p.name] = p
			}
		case text == "END":
			current = nil
		default:
			current.statements = append(current.statements, st)
		}
	}
	return procs, nil
}

// readStatements reads fixed-form Fortran: labels in columns 1-5, continuations marked in
// column 6, text in columns 7-72.
func readStatements(s *scanner) ([]fortranStatement, error) {
	var statements []fortranStatement
	for {
		ok, err := s.readLine()
		if err != nil {
			return nil, err
		}
		if !ok {
			return statements, nil
		}
		text := s.text[:min(len(s.text), 72)]
		if strings.TrimSpace(text) == "" || strings.IndexByte("Cc*!", text[0]) >= 0 || len(text) < 7 {
			continue
		}
		if text[5] != ' ' && text[5] != '0' && len(statements) > 0 {
			last := statements[len(statements)-1].src
			if len(last.text) < maxExpression {
				last.add(text[6:], s.line, 7)
			}
			continue
		}
		if len(statements) >= maxBody {
			return nil, s.errorf(s.line, 0, "more than %d statements of external procedures", maxBody)
		}
		st := fortranStatement{strings.TrimSpace(text[:5]), new(source)}
		st.src.add(text[6:], s.line, 7)
		if len(st.src.text) > 0 {
			statements = append(statements, st)
		}
	}
}

// unitHeader recognises the statement that begins a function or a subroutine.
func unitHeader(src *source) *procedure {
	text := string(src.text)
	p := &procedure{at: src.place(0)}
	rest, isSubroutine := strings.CutPrefix(text, "SUBROUTINE")
	typed := true
	if !isSubroutine {
		before, after, ok := strings.Cut(text, "FUNCTION")
		if !ok {
			return nil
		}
		rest, p.isFunction = after, true
		switch before {
		case "REAL", "DOUBLEPRECISION", "REAL*8", "REAL*4":
		case "INTEGER", "INTEGER*4":
			p.typ = integerType
		case "LOGICAL":
			p.typ = logicalType
		case "":
			typed = false
		default:
			return nil
		}
	}
	word, list, hasList := strings.Cut(rest, "(")
	if word == "" || !isLetter(word[0]) {
		return nil
	}
	p.name = word
	if !typed {
		p.typ = implicitType(word)
	}
	if list = strings.TrimSuffix(list, ")"); hasList && list != "" {
		for param := range strings.SplitSeq(list, ",") {
			p.params = append(p.params, procedureParam{name: param})
		}
	}
	return p
}

// implicitType is the type that Fortran gives to an undeclared name.
func implicitType(word string) valueType {
	if word[0] >= 'I' && word[0] <= 'N' {
		return integerType
	}
	return realType
}

// activation is the state of running procedures: the memory of each, and whether
// something went wrong, in which case results are NaN. Fortran 77 knows no recursion.
type activation struct {
	memory [][]float64
	steps  int
	failed bool
}

func newActivation(p *procedure) *activation {
	s := &activation{memory: make([][]float64, len(p.others))}
	for _, other := range p.others {
		s.memory[other.index] = make([]float64, other.size)
	}
	return s
}

// step is a statement in compiled form: it returns the index of the next one.
type step func(s *activation) int

// call runs p on args (scalars and array entries, in order), overwrites them with their
// final values and returns the value of a function.
func (p *procedure) call(s *activation, args []float64) float64 {
	memory := s.memory[p.index]
	clear(memory)
	at := 0
	for _, param := range p.params {
		at += copy(memory[param.offset:param.offset+param.size()], args[at:])
	}
	for next := 0; next < len(p.code) && !s.failed; {
		if s.steps++; s.steps > maxCallSteps {
			s.failed = true
			break
		}
		next = p.code[next](s)
	}
	at = 0
	for _, param := range p.params {
		at += copy(args[at:], memory[param.offset:param.offset+param.size()])
	}
	if s.failed {
		for i := range args {
			args[i] = math.NaN()
		}
		return math.NaN()
	}
	return memory[p.result]
}

type compileState int

const (
	untouched compileState = iota
	compiling
	compiled
)

// compile prepares p and the procedures it refers to.
func (p *procedure) compile() error {
	switch p.state {
	case compiling:
		return faultAt(p.at, "unsupported external %s: it calls itself", p.name)
	case compiled:
		return p.err
	}
	p.state = compiling
	c := &unitCompiler{p: p, symbols: make(map[string]*symbol), constants: make(map[string]typed64), labels: make(map[string]int)}
	p.err = c.run()
	var e *Error
	if errors.As(p.err, &e) && !strings.HasPrefix(e.Msg, "unsupported external") {
		p.err = &Error{Line: e.Line, Column: e.Column, Msg: fmt.Sprintf("unsupported external %s: %s", p.name, e.Msg)}
	}
	p.state = compiled
	return p.err
}
