package sif

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/internal/memory"
)

// Options are the user's choices when a file is decoded.
type Options struct {
	// Params gives values to parameters that the file marks $-PARAMETER, by name.
	Params map[string]string
	// Steps bounds the cards executed and loop passes begun; 0 is 20 000 000.
	Steps int
}

// Decode reads a SIF file. Every fault of the file is an *Error, without the file's name.
func Decode(r io.Reader, opt Options) (*Model, error) {
	d := &decoder{
		limit:    cmp.Or(opt.Steps, maxSteps),
		scan:     newScanner(r),
		opt:      opt,
		par:      newParams(),
		settable: make(map[string]bool),
		model:    newModel(),
		section:  new(section),
	}
	if err := d.dataPart(); err != nil {
		return nil, err
	}
	if err := d.codeParts(); err != nil {
		return nil, err
	}
	if err := d.checkParams(); err != nil {
		return nil, err
	}
	return &d.Model, d.complete()
}

// complete fills in the defaults for missing cards, and the values from remarks.
func (d *decoder) complete() error {
	d.Name, _, _ = strings.Cut(d.title, " ")
	d.Classification = d.scan.classification
	for i := range d.Groups {
		g := &d.Groups[i]
		if !g.constantGiven {
			g.Constant = d.constants.fallback
		}
		if !g.rangeGiven {
			g.Range = d.ranges.fallback
		}
		if g.Type == unsetType {
			d.setGroupType(g, d.groupUses.fallback)
			if err := d.checkMemory(g.Line); err != nil {
				return err
			}
		}
	}
	for _, t := range d.ElementTypes {
		d.ElementCode.declareReals(t.Variables, t.Internal, t.Params)
	}
	for _, t := range d.GroupTypes {
		d.GroupCode.declareReals([]Name{t.Variable}, t.Params)
	}
	return nil
}

// decoder holds the state of decoding one file.
type decoder struct {
	scan *scanner
	opt  Options
	par  params
	*model

	title    string
	settable map[string]bool // the parameters that the file lets its user choose

	section *section
	limit   int // of steps
	steps   int // cards executed and loop passes begun
}

// section is a section of the data part.
type section struct {
	headers []string // indicator cards that open it
	read    func(m *model, e *entry) error
	numeric bool     // fields 4 and 6 are numbers,
	codes   []string // on the cards with these codes, if there are any
	vector  bool     // field 2 names a vector, in which no index is replaced
	uses    bool     // field 3 names a part of a type, except on cards with the code E
	unnamed bool     // a number has no name
}

var sections = []section{
	{headers: []string{"GROUPS", "ROWS", "CONSTRAINTS"}, read: (*model).group, numeric: true},
	{headers: []string{"VARIABLES", "COLUMNS"}, read: (*model).variable, numeric: true},
	{headers: []string{"CONSTANTS", "RHS", "RHS'"}, read: (*model).constant, numeric: true, vector: true},
	{headers: []string{"RANGES"}, read: (*model).rangeOf, numeric: true, vector: true},
	{headers: []string{"BOUNDS"}, read: (*model).bound, numeric: true, codes: []string{"LO", "UP", "FX", "L", "U", "X"}, vector: true},
	{headers: []string{"START POINT"}, read: (*model).startPoint, numeric: true, vector: true},
	{headers: []string{"QUADRATIC", "HESSIAN", "QUADS", "QUADOBJ", "QSECTION", "QMATRIX"}, read: (*model).quadratic, numeric: true},
	{headers: []string{"ELEMENT TYPE"}, read: (*model).elementType},
	{headers: []string{"ELEMENT USES"}, read: (*model).elementUse, numeric: true, codes: []string{"P"}, uses: true},
	{headers: []string{"GROUP TYPE"}, read: (*model).groupType},
	{headers: []string{"GROUP USES"}, read: (*model).groupUse, numeric: true, codes: []string{"P", "E"}, uses: true},
	{headers: []string{"OBJECT BOUND"}, read: (*model).objectBound, numeric: true, vector: true, unnamed: true},
	{headers: []string{endCard}},
}

// endCard is the indicator card at the end of a part.
const endCard = "ENDATA"

// headerWord is the part of an indicator card that identifies it: its first 12 columns.
func headerWord(header string) string {
	return strings.TrimRight(header[:min(len(header), 12)], " ")
}

// locate turns err into an *Error at line, unless it already is one, or about memory.
func locate(err error, line int) error {
	_, located := errors.AsType[*Error](err)
	if _, large := errors.AsType[*memory.Error](err); err == nil || located || large {
		return err
	}
	return &Error{Line: line, Msg: err.Error()}
}

// dataPart reads everything from NAME to the first ENDATA.
func (d *decoder) dataPart() error {
	var nest []*statement // open loops, the outermost first
	cards := 0
	for {
		c, ok, err := d.scan.next()
		if err != nil {
			return err
		}
		if !ok {
			return locate(fmt.Errorf("the file ends before the ENDATA card of its data part"), d.scan.line)
		}
		if c.header != "" {
			if len(nest) > 0 {
				return locate(fmt.Errorf("loop over %s (line %d) is not closed at the end of its section", nest[0].f2, nest[0].line), c.line)
			}
			if err := d.indicator(&c); err != nil {
				return locate(err, c.line)
			}
			if headerWord(c.header) == endCard {
				return nil
			}
			continue
		}
		if d.title == "" {
			return locate(fmt.Errorf("the first card is not NAME"), c.line)
		}
		s := &statement{card: c}
		switch c.code {
		case "DO":
			if len(nest) == maxLoopDepth {
				return locate(fmt.Errorf("loops nested more than %d deep", maxLoopDepth), c.line)
			}
			s.isLoop = true
			nest = append(nest, s)
			continue
		case "DI":
			if len(nest) > 0 && nest[len(nest)-1].f2 == c.f2 {
				nest[len(nest)-1].step, nest[len(nest)-1].hasStep = c.f3, true
			}
			continue
		case "OD", "ND":
			if len(nest) == 0 {
				return locate(fmt.Errorf("%s closes no loop", c.code), c.line)
			}
			s, nest = closeLoops(nest, c.code == "ND")
		}
		if len(nest) > 0 {
			if cards++; cards > maxBody {
				return locate(fmt.Errorf("more than %d cards in a loop", maxBody), c.line)
			}
			inner := nest[len(nest)-1]
			inner.body = append(inner.body, s)
			continue
		}
		cards = 0
		if err := d.execute(s); err != nil {
			return err
		}
	}
}

// closeLoops closes the innermost loop, or all, and returns the last one closed and the
// loops that are still open.
func closeLoops(nest []*statement, all bool) (closed *statement, open []*statement) {
	for {
		last := len(nest) - 1
		closed, nest = nest[last], nest[:last]
		if last == 0 || !all {
			return closed, nest
		}
		nest[last-1].body = append(nest[last-1].body, closed)
	}
}

// indicator enters the section that an indicator card opens.
func (d *decoder) indicator(c *card) error {
	word := headerWord(c.header)
	if d.title == "" {
		if !strings.HasPrefix(word, "NAME") {
			return fmt.Errorf("the first card is not NAME but %q", word)
		}
		d.title = cmp.Or(strings.TrimSpace(c.header[len("NAME"):]), "unnamed")
		return nil
	}
	k := slices.IndexFunc(sections, func(s section) bool { return slices.Contains(s.headers, word) })
	if k < 0 {
		return fmt.Errorf("indicator card %q is not known", word)
	}
	d.section = &sections[k]
	return nil
}

// statement is a card of the data part, or a loop over cards.
type statement struct {
	card
	isLoop  bool // DO card: f2 runs from f3 to f5
	hasStep bool // by step
	step    Name
	body    []*statement

	parsed bool
	names  [3]template // of f2, f3, f5
}

// execute runs a statement.
func (d *decoder) execute(s *statement) error {
	if err := d.step(s); err != nil {
		return err
	}
	var err error
	switch {
	case s.isLoop:
		err = d.loop(s)
	case isArithmetic(s.code):
		err = d.arithmetic(s)
	default:
		err = d.record(s)
	}
	return locate(err, s.line)
}

// step counts the work done, so that no file can ask for too much, and looks at the memory now and
// then.
func (d *decoder) step(s *statement) error {
	const between = 1 << 12 // steps, each of which adds little
	if d.steps++; d.steps > d.limit {
		return locate(fmt.Errorf("more than %d cards executed and loop passes begun", d.limit), s.line)
	}
	if d.steps%between != 0 {
		return nil
	}
	return d.checkMemory(s.line)
}

// checkMemory returns an error if there is no memory for what is decoded so far, up to a line.
func (d *decoder) checkMemory(line int) error {
	const perParameter = 64 // bytes
	need := d.Memory() + perParameter*float64(len(d.par.ints.value)+len(d.par.reals.value))
	if need > maxMemory {
		return locate(fmt.Errorf("the problem is too large: it would take more than %d bytes", maxMemory), line)
	}
	return memory.Check(fmt.Sprintf("to decode beyond line %d", line), need)
}

func (d *decoder) loop(s *statement) error {
	from, err := d.par.ints.get(s.f3)
	if err != nil {
		return err
	}
	to, err := d.par.ints.get(s.f5)
	if err != nil {
		return err
	}
	by := int64(1)
	if s.hasStep {
		if by, err = d.par.ints.get(s.step); err != nil {
			return err
		}
	}
	if by == 0 {
		return fmt.Errorf("loop over %s has increment 0", s.f2)
	}
	for i := from; by > 0 && i <= to || by < 0 && i >= to; i += by {
		if err := d.step(s); err != nil {
			return err
		}
		if err := d.par.setInt(s.f2, i); err != nil {
			return err
		}
		for _, inner := range s.body {
			if err := d.execute(inner); err != nil {
				return err
			}
		}
	}
	return nil
}

// arithmetic runs a parameter card, with the user's value in place of the file's where
// the file offers the choice.
func (d *decoder) arithmetic(s *statement) error {
	f2, f3, f5 := s.f2, s.f3, s.f5
	if s.code[0] == 'A' {
		var err error
		function := s.code[1] == 'F' || s.code[1] == '(' || s.code[1] == 'I'
		if f2, f3, f5, err = d.expandNames(s, true, !function, true); err != nil {
			return err
		}
	}
	if err := d.par.assign(&s.card, f2, f3, f5); err != nil {
		return err
	}
	if s.param && s.code[1] == 'E' {
		return d.choose(s, f2)
	}
	return nil
}

// choose records a settable parameter and gives it the user's value, if there is one.
func (d *decoder) choose(s *statement, n Name) error {
	key := n.String()
	if !d.settable[key] {
		d.settable[key] = true
		d.Parameters = append(d.Parameters, key)
	}
	text, ok := d.opt.Params[key]
	if !ok {
		return nil
	}
	chosen := s.card
	chosen.f4 = text
	if err := d.par.assign(&chosen, n, Blank, Blank); err != nil {
		return fmt.Errorf("parameter %s: %w", key, err)
	}
	return nil
}

// checkParams complains about a choice the file does not offer.
func (d *decoder) checkParams() error {
	for _, key := range slices.Sorted(maps.Keys(d.opt.Params)) {
		if d.settable[key] {
			continue
		}
		offered := cmp.Or(strings.Join(d.Parameters, ", "), "none")
		return locate(fmt.Errorf("parameter %s cannot be set: the file offers %s", key, offered), 0)
	}
	return nil
}

// expandNames returns the names in fields 2, 3 and 5; in selected ones the indices are
// replaced by numbers.
func (d *decoder) expandNames(s *statement, x2, x3, x5 bool) (f2, f3, f5 Name, err error) {
	fields := [3]Name{s.f2, s.f3, s.f5}
	for i, selected := range [3]bool{x2, x3, x5} {
		if !selected || fields[i][0] == '$' { // a remark
			continue
		}
		if !s.parsed {
			if s.names[i], err = parseTemplate(fields[i]); err != nil {
				return
			}
		}
		if fields[i], err = d.par.expand(&s.names[i]); err != nil {
			return
		}
	}
	s.parsed = true
	return fields[0], fields[1], fields[2], nil
}

// entry is a data card ready for its section: indices expanded, values read.
type entry struct {
	line       int
	code       string // without its X or Z prefix
	f2, f3, f5 Name
	v4, v6     float64
	n          int // names of f3 and f5 that are present: 0, 1 or 2
}

var (
	quotedScale   = [2]Name{makeName("'SCALE'"), makeName(" 'SCALE'")}
	quotedDefault = makeName("'DEFAULT'")
)

func isDefault(n Name) bool { return strings.EqualFold(n.String(), quotedDefault.String()) }

// record evaluates the fields of a data card and hands it to its section.
func (d *decoder) record(s *statement) error {
	e := entry{line: s.line, code: strings.TrimSpace(s.code), f2: s.f2, f3: s.f3, f5: s.f5}
	plain3 := d.section.uses && !strings.HasSuffix(s.code, "E")
	array, fromParam := s.code[0] == 'X', s.code[0] == 'Z'
	if array || fromParam {
		e.code = strings.TrimSpace(s.code[1:])
		plain5 := array && strings.HasSuffix(s.code, "P") && plain3
		var err error
		if e.f2, e.f3, e.f5, err = d.expandNames(s, !d.section.vector, !plain3, !plain5); err != nil {
			return err
		}
	}
	if e.f3 != Blank && e.f3[0] != '$' {
		e.n = 1
		if e.f5 != Blank && e.f5[0] != '$' {
			e.n = 2
		}
	}
	if err := d.values(s, &e, fromParam); err != nil {
		return err
	}
	if d.section.read == nil {
		return nil // before the first section, where the original tools skip all but parameters
	}
	return d.section.read(d.model, &e)
}

// values reads the numbers of a card, or the real parameter that a Z card names.
func (d *decoder) values(s *statement, e *entry, fromParam bool) (err error) {
	if !d.section.numeric || d.section.codes != nil && !slices.Contains(d.section.codes, e.code) {
		return nil
	}
	if fromParam {
		if e.f3 == Blank && e.f5 == Blank {
			return nil // a card that only declares its group
		}
		e.n = min(e.n, 1)
		e.v4, err = d.par.reals.get(e.f5)
		return err
	}
	if e.n == 0 && !d.section.unnamed {
		return nil
	}
	if e.v4, err = parseReal(s.f4); err != nil {
		return err
	}
	if e.n == 2 {
		if e.v6, err = parseReal(s.f6); err != nil {
			return err
		}
	}
	if d.section.uses && e.code == "E" {
		if strings.TrimSpace(s.f4) == "" {
			e.v4 = 1
		}
		if strings.TrimSpace(s.f6) == "" {
			e.v6 = 1
		}
	}
	return nil
}
