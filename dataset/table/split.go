package table

import (
	"cmp"
	"io"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/fairtrain/fairtrain/dataset/textfile"
)

// rows are rows of a file, cut into values that are not copied.
type rows struct {
	text   string // of the values
	first  int    // line of the text in the file, from 1
	width  int    // number of columns
	values []span // row by row
	lines  []line // of each row
	tabs   bool   // they are between the values, which may have blanks before them
	err    error  // what comes after the rows: io.EOF, a fault, or nil for more rows

	// places are those of values[located:]. Where the others begin, the text around them
	// tells.
	places  []place
	located int

	used       []int32       // the rows that count, as far as their labels say
	unlabelled missingLabels // among the others
	identities []uint64      // of the used ones, if they are asked for
}

// span is where in a text a value is.
type span struct{ from, to uint32 }

// line is one of a text: its number, from 0, and where it begins.
type line struct{ number, at int32 }

// value returns that of a row, counted from 0, in column k.
func (r *rows) value(row int32, k int) string {
	s := r.values[int(row)*r.width+k]
	return r.text[s.from:s.to]
}

// place returns where value k of a row begins in the file.
func (r *rows) place(row int32, k int) place {
	at := int(row)*r.width + k
	if at >= r.located {
		return r.places[at-r.located]
	}
	return r.placeInText(r.values[at], r.lines[row])
}

// placeInText returns where a value in a line of the text begins.
func (r *rows) placeInText(value span, l line) place {
	from := int(value.from)
	switch {
	case from > 0 && r.text[from-1] == '"':
		from--
	case r.tabs:
		for from > 0 && r.text[from-1] == ' ' {
			from--
		}
	}
	return place{r.first + int(l.number), from - int(l.at) + 1}
}

// splitter cuts chunks of a file into rows of so many values, as newRecords does. What is
// unusual it leaves to that: from the first row in a chunk on that has a fault, or a quote, a
// line end or a blank at the beginning inside quotes.
type splitter struct {
	name   string
	format Format
	width  int
	spare  sync.Pool // *rows
}

// drop takes rows back that nobody needs any more, for their memory.
func (s *splitter) drop(r *rows) {
	*r = rows{values: r.values[:0], lines: r.lines[:0], places: r.places[:0], used: r.used[:0], identities: r.identities[:0]}
	s.spare.Put(r)
}

// split cuts a chunk up to its first fault.
func (s *splitter) split(chunk textfile.Chunk) *rows {
	lines := strings.Count(chunk.Text, "\n") + 1
	values := lines
	cut := s.quotedRow
	if s.format.Delimiter == blanks {
		cut = s.blankRow
		values += strings.Count(chunk.Text, " ") + strings.Count(chunk.Text, "\t")
	} else {
		values += strings.Count(chunk.Text, s.format.Delimiter)
	}
	r, _ := s.spare.Get().(*rows)
	if r == nil {
		r = new(rows)
	}
	r.text, r.first, r.width, r.err = chunk.Text, chunk.Line, s.width, chunk.Err
	r.tabs, r.located = s.format.Delimiter == "\t", math.MaxInt
	if len(r.text) <= textfile.BufferSize { // longer ones have few rows
		r.values, r.lines = slices.Grow(r.values, values), slices.Grow(r.lines, lines)
	}
	for l := (line{}); int(l.at) < len(r.text); l.number++ {
		row := len(r.values)
		next, ok := cut(r, int(l.at))
		if !ok {
			r.values = r.values[:row]
			s.leave(r, l)
			break
		}
		current := l
		l.at = int32(next)
		found := r.values[row:]
		switch {
		case len(found) == s.width && !s.isNoRow(r, found):
			r.lines = append(r.lines, current)
			continue
		case !s.isNoRow(r, found):
			p := r.placeInText(found[min(len(found), s.width+1)-1], current)
			r.err = s.widthFault(len(found), p)
			r.values = r.values[:row]
			return r
		}
		r.values = r.values[:row]
	}
	return r
}

// isNoRow reports whether values are those of an empty line or a comment.
func (s *splitter) isNoRow(r *rows, values []span) bool {
	if len(values) == 0 {
		return true
	}
	first := r.text[values[0].from:values[0].to]
	return len(values) == 1 && first == "" || len(s.format.Comments) > 0 && isComment(first, s.format.Comments)
}

func (s *splitter) widthFault(found int, p place) error {
	return textfile.Errorf(s.name, p.line, p.column, "the row has %d values, expected %d", found, s.width)
}

// leave leaves the text of r from a line on to newRecords.
func (s *splitter) leave(r *rows, l line) {
	r.located = len(r.values)
	var more strings.Builder
	defer func() { r.text += more.String() }()
	text := &endedText{r.text[l.at:], cmp.Or(r.err, io.EOF)}
	records := newRecords(text, s.name, s.format, r.first+int(l.number))
	for {
		values, err := records.next()
		if err == io.EOF {
			return
		}
		if err == nil && len(values) != s.width {
			line, column := records.pos(min(len(values), s.width+1) - 1)
			err = s.widthFault(len(values), place{line, column})
		}
		if err != nil {
			r.err = err
			return
		}
		for k, value := range values {
			from := uint32(len(r.text) + more.Len())
			more.WriteString(value)
			r.values = append(r.values, span{from, from + uint32(len(value))})
			line, column := records.pos(k)
			r.places = append(r.places, place{line, column})
		}
	}
}

// endedText is a text that an error ended.
type endedText struct {
	rest string
	err  error
}

func (e *endedText) Read(p []byte) (int, error) {
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	if e.rest == "" {
		return n, e.err
	}
	return n, nil
}

// quotedRow appends the values of the row at text[at], whose values are between delimiters,
// and returns where the next row begins. It is not ok if that takes more than it knows.
func (s *splitter) quotedRow(r *rows, at int) (next int, ok bool) {
	text, delimiter := r.text, s.format.Delimiter[0]
	for from, pos := at, at; ; {
		pos = nextMark(text, pos, delimiter)
		if pos < len(text) && text[pos] == delimiter {
			r.push(r.begin(from, pos), pos)
			pos++
			from = pos
			continue
		}
		if pos == len(text) || text[pos] == '\n' {
			if pos == len(text) && r.err != io.EOF {
				return 0, false
			}
			to := pos
			if to > from && text[to-1] == '\r' {
				to--
			}
			r.push(r.begin(from, to), to)
			return min(pos+1, len(text)), true
		}
		// A quoted value, if there are only blanks before the quote.
		for !r.tabs && (text[from] == ' ' || text[from] == '\t') {
			from++
		}
		if from < pos {
			return 0, false
		}
		from++
		length := strings.IndexByte(text[from:], '"')
		if length < 0 || length > 0 && text[from] <= ' ' || strings.IndexByte(text[from:from+length], '\n') >= 0 {
			return 0, false
		}
		to := from + length
		r.push(from, to)
		pos = to + 1
		switch rest := text[pos:]; {
		case rest == "" && r.err == io.EOF:
			return pos, true
		case rest == "":
			return 0, false
		case rest[0] == delimiter:
			pos++
			from = pos
		case rest[0] == '\n':
			return pos + 1, true
		case strings.HasPrefix(rest, "\r\n"):
			return pos + 2, true
		default:
			return 0, false
		}
	}
}

// begin returns where the value at text[from:to] begins, that is without quotes, behind blanks
// that do not count.
func (r *rows) begin(from, to int) int {
	for from < to && (r.text[from] == ' ' || r.text[from] == '\t') {
		from++
	}
	if from < to && r.text[from] >= utf8.RuneSelf && !r.tabs {
		return to - len(strings.TrimLeftFunc(r.text[from:to], unicode.IsSpace))
	}
	return from
}

// push appends the value at text[from:to] without the blanks at its end.
func (r *rows) push(from, to int) {
	for from < to && (r.text[to-1] == ' ' || r.text[to-1] == '\t') {
		to--
	}
	r.values = append(r.values, span{uint32(from), uint32(to)})
}

// nextMark returns where the first delimiter, line feed or quote is in text[at:], len(text)
// for nowhere.
func nextMark(text string, at int, delimiter byte) int {
	const lowest, highest = 0x0101010101010101, 0x8080808080808080
	// The lowest byte that is 0 in one of the words borrows, and none below it does.
	for ; at+8 <= len(text); at += 8 {
		word := wordAt(text[at : at+8])
		a, b, c := word^uint64(delimiter)*lowest, word^'\n'*lowest, word^'"'*lowest
		if m := ((a-lowest)&^a | (b-lowest)&^b | (c-lowest)&^c) & highest; m != 0 {
			return at + bits.TrailingZeros64(m)/8
		}
	}
	for at < len(text) && text[at] != delimiter && text[at] != '\n' && text[at] != '"' {
		at++
	}
	return at
}

// wordAt returns eight bytes, the first one as the lowest.
func wordAt(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// blankRow does the same with values between blanks and tabs.
func (s *splitter) blankRow(r *rows, at int) (next int, ok bool) {
	length := strings.IndexByte(r.text[at:], '\n')
	end := at + length
	next = end + 1
	if length < 0 {
		if r.err != io.EOF {
			return 0, false
		}
		end, next = len(r.text), len(r.text)
	}
	for value := range strings.FieldsSeq(r.text[at:end]) {
		from := at + strings.Index(r.text[at:end], value)
		at = from + len(value)
		r.values = append(r.values, span{uint32(from), uint32(at)})
	}
	return next, true
}
