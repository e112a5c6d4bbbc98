package sif

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// card is one line of a SIF file. An indicator card has a header, any other card fields:
//
//	columns  2-3   5-14  15-24  25-36  40-49  50-61
//	         code  f2    f3     f4     f5     f6
//
// Cards of the code parts hold a Fortran expression in columns 25-65 instead of f4-f6.
type card struct {
	line   int
	header string // indicator card, from column 1; empty for a data card
	code   string // two characters
	f2     Name
	f3     Name
	f4     string
	f5     Name
	f6     string
	expr   string // columns 25-65
	col    int    // column at which expr starts
	param  bool   // marked $-PARAMETER: a value the user may set
}

const (
	maxLine    = 1 << 16 // bytes in a line, far more than any card needs
	cardWidth  = 65      // columns that are read; text to the right of them is a remark
	parameters = "$-PARAMETER"
)

// scanner cuts a SIF file into cards: it skips comments and Blank lines and translates
// free format into the fields of fixed format.
type scanner struct {
	in      *bufio.Scanner
	line    int
	free    bool
	inCode  bool   // reading ELEMENTS or GROUPS code, whose fourth free field is an expression
	pending []card // cards of the current free-format line
	text    string

	classification string // from the remark that states it
}

func newScanner(r io.Reader) *scanner {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 4096), maxLine)
	return &scanner{in: in}
}

// readLine advances to the next line of the file; false at its end.
func (s *scanner) readLine() (bool, error) {
	if !s.in.Scan() {
		if errors.Is(s.in.Err(), bufio.ErrTooLong) {
			return false, Place{int32(s.line + 1), 0}.Errorf("line is longer than %d bytes", maxLine)
		}
		return false, s.in.Err()
	}
	s.line++
	s.text = strings.TrimRight(string(blankControls(s.in.Bytes())), " ")
	return true, nil
}

// blankControls turns tabs and other control characters into blanks, in place. Columns
// are bytes, whatever the encoding of remarks.
func blankControls(line []byte) []byte {
	for i, b := range line {
		if b < ' ' {
			line[i] = ' '
		}
	}
	return line
}

// next returns the next card; ok is false at the end of the file.
func (s *scanner) next() (c card, ok bool, err error) {
	for {
		if len(s.pending) > 0 {
			c, s.pending = s.pending[0], s.pending[1:]
			return c, true, nil
		}
		if ok, err := s.readLine(); !ok {
			return card{}, false, err
		}
		switch {
		case s.text == "":
		case s.text[0] == '*':
			s.remark()
		case strings.HasPrefix(s.text, "FREE FORMAT"):
			s.free = true
		case strings.HasPrefix(s.text, "FIXED FORMAT"):
			s.free = false
		case s.free:
			if s.pending, err = s.splitFree(); err != nil {
				return card{}, false, err
			}
		case s.text[0] != ' ':
			return card{line: s.line, header: s.text}, true, nil
		default:
			if c := s.splitFixed(); !c.isBlank(s.inCode) {
				return c, true, nil
			}
		}
	}
}

// remark looks in a comment for the problem's classification, which has no card.
func (s *scanner) remark() {
	word, rest, _ := strings.Cut(strings.TrimLeft(s.text, "* "), " ")
	if s.classification == "" && strings.EqualFold(strings.TrimSuffix(word, ":"), "classification") {
		s.classification, _, _ = strings.Cut(strings.TrimSpace(rest), " ")
	}
}

// padded returns a line as wide as a card.
func padded(line string) string {
	const blanks = "                                                                 "
	return (line + blanks)[:cardWidth]
}

func (s *scanner) splitFixed() card {
	line := padded(s.text)
	return card{
		line:  s.line,
		code:  line[1:3],
		f2:    makeName(line[4:14]),
		f3:    makeName(line[14:24]),
		f4:    line[24:36],
		f5:    makeName(line[39:49]),
		f6:    line[49:61],
		expr:  line[24:65],
		col:   25,
		param: strings.Contains(s.text, parameters),
	}
}

func (c *card) isBlank(inCode bool) bool {
	if inCode {
		return c.code == "  " && c.f2 == Blank
	}
	return c.code == "  " && c.f2 == Blank && c.f3 == Blank && c.f5 == Blank
}

// splitFree translates a free-format line: cards separated by semicolons, fields by
// blanks, an underscore standing for an empty field.
func (s *scanner) splitFree() ([]card, error) {
	var cards []card
	for start := 0; start < len(s.text); {
		end := strings.IndexByte(s.text[start:], ';')
		if end < 0 {
			end = len(s.text)
		} else {
			end += start
		}
		text := s.text[start:end]
		word := strings.TrimLeft(text, " ")
		if strings.HasPrefix(word, "$") {
			break // the rest of the line is a remark
		}
		if word != "" {
			c, err := s.freeCard(text, start)
			if err != nil {
				return nil, err
			}
			cards = append(cards, c)
			if strings.Contains(text, "$") {
				break
			}
		}
		start = end + 1
	}
	return cards, nil
}

// freeCard translates one card of a free-format line; offset is where it starts there.
func (s *scanner) freeCard(text string, offset int) (card, error) {
	first, _, _ := strings.Cut(strings.TrimLeft(text, " "), " ")
	if len(first) > 2 && !strings.Contains(first, "_") {
		return card{line: s.line, header: strings.TrimSpace(text)}, nil
	}
	c := card{line: s.line, code: "  ", f2: Blank, f3: Blank, f5: Blank, param: strings.Contains(text, parameters)}
	withExpr := s.inCode && first != "R"
	for i, field := 0, 1; i < len(text); field++ {
		for i < len(text) && text[i] == ' ' {
			i++
		}
		if i == len(text) {
			break
		}
		col := offset + i + 1
		if text[i] == '$' && (field == 3 || field == 5) {
			break
		}
		if withExpr && field == 4 {
			c.expr, c.col = text[i:], col
			break
		}
		begin := i
		for i < len(text) && text[i] != ' ' && text[i] != '_' {
			i++
		}
		word := text[begin:i]
		if i < len(text) && text[i] == '_' && begin == i {
			i++ // an empty field
		}
		width := [...]int{0, 2, 10, 10, 12, 10, 12}
		if field >= len(width) {
			return c, Place{int32(s.line), int32(col)}.Errorf("more than six fields on a free-format card")
		}
		if len(word) > width[field] {
			return c, Place{int32(s.line), int32(col)}.Errorf("field %d %q has more than %d characters", field, word, width[field])
		}
		switch field {
		case 1:
			c.code = (word + "  ")[:2]
		case 2:
			c.f2 = makeName(word)
		case 3:
			c.f3 = makeName(word)
		case 4:
			c.f4 = word
		case 5:
			c.f5 = makeName(word)
		case 6:
			c.f6 = word
		}
	}
	return c, nil
}

// parseReal reads a Fortran real: blanks do not count, an empty field is 0, the exponent
// letter is E or D or missing.
func parseReal(field string) (float64, error) {
	var buf [24]byte
	b := buf[:0]
	for i := range len(field) {
		switch ch := field[i]; {
		case ch == ' ':
		case ch == 'D' || ch == 'd' || ch == 'e':
			b = append(b, 'E')
		case (ch == '+' || ch == '-') && len(b) > 0 && b[len(b)-1] != 'E':
			b = append(b, 'E', ch)
		case ch >= '0' && ch <= '9' || ch == '.' || ch == '+' || ch == '-' || ch == 'E':
			b = append(b, ch)
		default:
			return 0, fmt.Errorf("%q is not a number", strings.TrimSpace(field))
		}
	}
	if len(b) == 0 {
		return 0, nil
	}
	v, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number", strings.TrimSpace(field))
	}
	return v, nil
}

// parseInteger reads a Fortran integer: blanks do not count, an empty field is 0.
func parseInteger(field string) (int64, error) {
	text := strings.ReplaceAll(strings.Trim(field, " "), " ", "") // fields are padded
	if text == "" {
		return 0, nil
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v > maxInteger || v < -maxInteger {
		return 0, fmt.Errorf("%q is not an integer of 32 bits", text)
	}
	return v, nil
}
