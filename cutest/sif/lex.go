package sif

import "strings"

// source is Fortran text in upper case, with the place in the file of every character. It
// has no blanks, as they do not count in fixed form.
type source struct {
	text []byte
	at   []Place
}

// add appends a piece of text that starts at a line and column of the file. An
// exclamation mark starts a remark.
func (s *source) add(text string, line, col int) {
	for i := range len(text) {
		c := text[i]
		if c == '!' {
			return
		}
		if c == ' ' || c == '\t' {
			continue
		}
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		s.text = append(s.text, c)
		s.at = append(s.at, Place{int32(line), int32(col + i)})
	}
}

// place returns where character i is, the end of the text if i is beyond it.
func (s *source) place(i int) Place {
	if len(s.at) == 0 {
		return Place{}
	}
	return s.at[min(i, len(s.at)-1)]
}

type tokenKind int

const (
	tokEnd tokenKind = iota
	tokName
	tokInteger
	tokReal
	tokOperator // + - * / ** ( ) , = and relations and logical operators in dotted form
)

type token struct {
	kind tokenKind
	text string
	pos  int // in the source
}

// dotted are the operators and constants written between points.
var dotted = []string{
	".EQ.", ".NE.", ".LT.", ".LE.", ".GT.", ".GE.", ".AND.", ".OR.", ".NOT.", ".EQV.", ".NEQV.", ".TRUE.", ".FALSE.",
}

// relations are the modern spellings of the dotted relations.
var relations = map[string]string{"==": ".EQ.", "/=": ".NE.", "<": ".LT.", "<=": ".LE.", ">": ".GT.", ">=": ".GE."}

// lex returns the token that starts at i; its length may be less than its text's.
func (s *source) lex(i int) (tok token, next int) {
	if i >= len(s.text) {
		return token{kind: tokEnd, text: "end of expression", pos: i}, i
	}
	c := s.text[i]
	switch {
	case isLetter(c):
		end := i + 1
		for end < len(s.text) && (isLetter(s.text[end]) || isDigit(s.text[end]) || s.text[end] == '_') {
			end++
		}
		return token{tokName, string(s.text[i:end]), i}, end
	case isDigit(c) || c == '.' && i+1 < len(s.text) && isDigit(s.text[i+1]):
		return s.lexNumber(i)
	case c == '.':
		if word := s.dottedAt(i); word != "" {
			return token{tokOperator, word, i}, i + len(word)
		}
	}
	if i+1 < len(s.text) {
		two := string(s.text[i : i+2])
		if two == "**" {
			return token{tokOperator, two, i}, i + 2
		}
		if word, ok := relations[two]; ok {
			return token{tokOperator, word, i}, i + 2
		}
	}
	one := string(s.text[i : i+1])
	if word, ok := relations[one]; ok {
		one = word
	}
	return token{tokOperator, one, i}, i + 1
}

func (s *source) dottedAt(i int) string {
	for _, word := range dotted {
		if strings.HasPrefix(string(s.text[i:min(len(s.text), i+len(word))]), word) {
			return word
		}
	}
	return ""
}

// lexNumber reads digits, a point unless it begins a dotted operator, and an exponent.
func (s *source) lexNumber(i int) (token, int) {
	end, kind := i, tokInteger
	digits := func() {
		for end < len(s.text) && isDigit(s.text[end]) {
			end++
		}
	}
	digits()
	if end < len(s.text) && s.text[end] == '.' && s.dottedAt(end) == "" {
		kind = tokReal
		end++
		digits()
	}
	if end < len(s.text) && (s.text[end] == 'E' || s.text[end] == 'D') {
		k := end + 1
		if k < len(s.text) && (s.text[k] == '+' || s.text[k] == '-') {
			k++
		}
		if k < len(s.text) && isDigit(s.text[k]) {
			kind, end = tokReal, k
			digits()
		}
	}
	tok := token{kind, string(s.text[i:end]), i}
	if end+1 < len(s.text) && s.text[end] == '_' && isLetter(s.text[end+1]) {
		_, end = s.lex(end + 1) // the name of a kind: all reals are double precision here
	}
	return tok, end
}

func isLetter(c byte) bool { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
