package delimited

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/fairtrain/fairtrain/dataset/textfile"
	"github.com/fairtrain/fairtrain/internal/swar"
)

// Rows are rows of a file, cut into values. Texts are not copied: they are valid while the text
// of the chunk is.
type Rows struct {
	Err error // what comes after the rows: io.EOF, a fault, or nil for more rows

	text              string // of the values
	first             int    // line of the text in the file, from 1
	width             int    // number of columns
	lines             []line // of each row
	values            []Word // that of row i in column k is values[i*perRow+k*perColumn]
	perRow, perColumn int
	lanes             []lane
	usual             []bool // of each column: none of its values is a text; nil if that is not known
	unusual           int    // number of values that are texts, if it is
	long              []span // of texts whose length is not in their word
	tabs              bool   // the delimiter is a tab: a value may have blanks before it

	// places are where values[located:] begin. For the values before, the text around them
	// tells.
	places  []Place
	located int

	splitter  Splitter
	chunk     textfile.Chunk
	makeTexts sync.Once
	texts     *Rows // the same rows, with all values as texts; once asked for
}

// span is where in a text a value is.
type span struct{ from, to uint32 }

// line is a line of a text: its number, from 0, and where it begins.
type line struct{ number, at int32 }

// Len returns the number of rows.
func (r *Rows) Len() int { return len(r.values) / r.width }

func (r *Rows) at(row int32, k int) int { return int(row)*r.perRow + k*r.perColumn }

// Value returns the text of the value of a row, counted from 0, in column k.
func (r *Rows) Value(row int32, k int) string {
	w := r.values[r.at(row, k)]
	if w&isText != isText {
		return r.allTexts().Value(row, k)
	}
	return r.textOf(w)
}

// Place returns where value k of a row begins in the file.
func (r *Rows) Place(row int32, k int) Place {
	at := r.at(row, k)
	switch {
	case at >= r.located:
		return r.places[at-r.located]
	case r.values[at]&isText != isText:
		return r.allTexts().Place(row, k)
	}
	return r.placeInText(r.span(r.values[at]), r.lines[row])
}

// allTexts returns the same rows, with all values as texts. That is seldom needed: a column that was taken for
// categories turns out to have numbers.
func (r *Rows) allTexts() *Rows {
	r.makeTexts.Do(func() {
		s := r.splitter
		s.Columns = nil
		r.texts = new(Rows)
		s.Split(r.texts, r.chunk)
	})
	return r.texts
}

// Numbers appends the values of rows in column k, up to the first that is not one of its usual numbers.
func (r *Rows) Numbers(to []float64, rows []int32, k int, column *Column) []float64 {
	if values := r.usualValues(rows, k); values != nil {
		return appendNumbers(to, values)
	}
	known := column.now()
	for _, row := range rows {
		w := [1]Word{r.read(row, k, known)}
		if to = appendNumbers(to, w[:]); w[0]&noNumber == noNumber && w[0] != absent {
			break
		}
	}
	return to
}

func appendNumbers(to []float64, values []Word) []float64 {
	before := len(to)
	to = slices.Grow(to, len(values))[:before+len(values)]
	added := to[before:][:len(values)]
	for k, w := range values {
		if w&noNumber == noNumber {
			if w != absent {
				return to[:before+k]
			}
			w = math.Float64bits(math.NaN())
		}
		added[k] = math.Float64frombits(w)
	}
	return to
}

// Codes appends the codes of the values of rows in column k, up to the first that has none.
func Codes[T uint8 | uint16 | uint32](r *Rows, to []T, rows []int32, k int, column *Column) []T {
	if values := r.usualValues(rows, k); values != nil {
		return appendCodes(to, values)
	}
	known := column.now()
	for _, row := range rows {
		w := r.read(row, k, known)
		if w&isText != noNumber {
			break
		}
		to = append(to, T(w))
	}
	return to
}

func appendCodes[T uint8 | uint16 | uint32](to []T, values []Word) []T {
	for _, w := range values {
		if w&isText != noNumber {
			break
		}
		to = append(to, T(w))
	}
	return to
}

// usualValues returns the values of rows in column k, if none of the column is a text and they are side by side,
// or else nil.
func (r *Rows) usualValues(rows []int32, k int) []Word {
	if n := len(rows); n > 0 && r.usual != nil && r.usual[k] && int(rows[n-1]-rows[0]) == n-1 {
		return r.values[r.at(rows[0], k):][:n]
	}
	return nil
}

// read returns the word of a value by what is known now.
func (r *Rows) read(row int32, k int, known *known) Word {
	w := r.values[r.at(row, k)]
	if w&isText == isText {
		w = known.read(r.text, r.span(w))
	}
	return w
}

// Learn notes the code of the value of a row in column k. From now on the value is usual.
func (r *Rows) Learn(column *Column, row int32, k int, code uint32) {
	text := r.Value(row, k)
	if short, ok := swar.ShortOf(text); ok && r.isPlain(text) {
		column.Level(short, code)
	} else {
		column.LongLevel(strings.Clone(text), code)
	}
}

// isPlain reports whether a text can't be mistaken for what is between two marks of a row and is
// something else.
func (r *Rows) isPlain(text string) bool {
	delimiter := r.splitter.Format.Delimiter
	return delimiter == blanks ||
		strings.IndexByte(text, delimiter[0]) < 0 && strings.IndexByte(text, '"') < 0 && strings.IndexByte(text, '\n') < 0 && strings.TrimSpace(text) == text
}

const (
	lengthBits = 20 // of the word of a text; the place takes 32
	mostLength = 1<<lengthBits - 1
)

// textWord returns the word of a text.
func (r *Rows) textWord(s span) Word {
	n := s.to - s.from
	if n >= mostLength {
		r.long = append(r.long, s)
		n = mostLength
	}
	return isText | Word(s.from)<<lengthBits | Word(n)
}

// span returns where the text of a word is.
func (r *Rows) span(w Word) span {
	from, n := uint32(w>>lengthBits), uint32(w&mostLength)
	if n == mostLength {
		return r.long[slices.IndexFunc(r.long, func(s span) bool { return s.from == from })]
	}
	return span{from, from + n}
}

// textOf returns the text of a word.
func (r *Rows) textOf(w Word) string {
	s := r.span(w)
	return r.text[s.from:s.to]
}

// placeInText returns where a value in a line of the text begins.
func (r *Rows) placeInText(value span, l line) Place {
	from := int(value.from)
	switch {
	case from > 0 && r.text[from-1] == '"':
		from--
	case r.tabs:
		for from > 0 && r.text[from-1] == ' ' {
			from--
		}
	}
	return Place{r.first + int(l.number), from - int(l.at) + 1}
}
