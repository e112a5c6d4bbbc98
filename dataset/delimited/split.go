package delimited

import (
	"io"
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"github.com/fairtrain/fairtrain/dataset/textfile"
	"github.com/fairtrain/fairtrain/internal/swar"
)

// Splitter cuts chunks of a file into rows, as NewRecords does but much faster. It leaves
// unusual rows to NewRecords: rows with a fault, and rows with a quoted value that contains a
// quote or a line end or begins with a blank. NewRecords then cuts the rest of the chunk, too.
type Splitter struct {
	Name   string // of the file
	Format Format
	Width  int // number of values that every row has
	// Columns is what is known of the columns, in the order of the file; nil for one whose texts are
	// needed. It may be nil.
	Columns []*Column
}

// Split cuts a chunk into rows, up to its first fault. It leaves out a last line that an error cut short.
// It writes them into r and uses the memory of r again.
func (s *Splitter) Split(r *Rows, chunk textfile.Chunk) {
	text := chunk.Whole()
	*r = Rows{
		Err: chunk.Err, text: unsafe.String(unsafe.SliceData(text), len(text)), first: chunk.Line, width: s.Width, tabs: s.Format.Delimiter == "\t",
		values: r.values[:0], lines: r.lines[:0], lanes: r.lanes[:0], usual: r.usual[:0], long: r.long[:0], places: r.places[:0], located: math.MaxInt,
		splitter: *s, chunk: chunk,
	}
	if len(r.text) <= textfile.BufferSize { // a longer text is one row, or few
		lines := chunk.Lines + 1
		r.values, r.lines = slices.Grow(r.values, min(lines*s.Width, len(r.text)+1)), slices.Grow(r.lines, lines)
	}
	if !s.cutDown(r, chunk) {
		s.cutRows(r, text)
	}
}

// cutRows cuts a text row by row.
func (s *Splitter) cutRows(r *Rows, text []byte) {
	r.values, r.lines, r.perRow, r.perColumn, r.usual = r.values[:0], r.lines[:0], s.Width, 1, nil
	cut := s.quotedRow
	if s.Format.Delimiter == blanks {
		cut = s.blankRow
	}
	for l := (line{}); int(l.at) < len(r.text); l.number++ {
		row := len(r.values)
		next, ok := cut(r, int(l.at))
		if !ok {
			r.values = r.values[:row]
			s.leave(r, l, text[l.at:])
			break
		}
		current := l
		l.at = int32(next)
		switch found := r.values[row:]; {
		case s.isNoRow(r, found):
			r.values = r.values[:row]
		case len(found) == s.Width:
			r.lines = append(r.lines, current)
		default:
			r.Err = s.widthFault(len(found), r.placeInText(r.span(found[min(len(found), s.Width+1)-1]), current))
			r.values = r.values[:row]
			return
		}
	}
}

// isNoRow reports whether a line with these values is empty or a comment.
func (s *Splitter) isNoRow(r *Rows, values []Word) bool {
	if len(values) == 0 {
		return true
	}
	if len(values) > 1 && len(s.Format.Comments) == 0 {
		return false
	}
	first := r.textOf(values[0])
	return len(values) == 1 && first == "" || len(s.Format.Comments) > 0 && isComment(first, s.Format.Comments)
}

func (s *Splitter) widthFault(found int, p Place) error {
	hint := ""
	if p.Line == 2 && s.Width > 1 && found == s.Width+1 { // as R's write.table writes them
		hint = "; if the first one names the row, the header needs a name for it, too"
	}
	return textfile.Errorf(s.Name, p.Line, p.Column, "the row has %d values, expected %d%s", found, s.Width, hint)
}

// leave cuts the rest of the text of r, which begins with the given line, by NewRecords.
func (s *Splitter) leave(r *Rows, l line, rest []byte) {
	r.located = len(r.values)
	var more strings.Builder
	defer func() { r.text += more.String() }()
	records := NewRecords(textfile.Chunk{Text: rest, Line: r.first + int(l.number), Err: r.Err}, s.Name, s.Format)
	for {
		values, err := records.Next()
		if err == io.EOF {
			return
		}
		if err == nil && len(values) != s.Width {
			err = s.widthFault(len(values), records.Place(min(len(values), s.Width+1)-1))
		}
		if err != nil {
			r.Err = err
			return
		}
		for k, value := range values {
			from := uint32(len(r.text) + more.Len())
			more.WriteString(value)
			r.values = append(r.values, r.textWord(span{from, from + uint32(len(value))}))
			r.places = append(r.places, records.Place(k))
		}
	}
}

// quotedRow appends the values of the row at text[at], which has delimiters between the
// values. It returns where the next row begins. It is not ok if the row is unusual.
func (s *Splitter) quotedRow(r *Rows, at int) (next int, ok bool) {
	text, delimiter := r.text, s.Format.Delimiter[0]
	for from, pos := r.plainValues(at, delimiter); ; {
		pos = nextMark(text, pos, delimiter)
		if pos < len(text) && text[pos] == delimiter {
			r.values = append(r.values, r.textWord(r.trimmed(from, pos)))
			pos++
			from = pos
			continue
		}
		if pos == len(text) || text[pos] == '\n' {
			to := pos
			if to > from && text[to-1] == '\r' {
				to--
			}
			r.values = append(r.values, r.textWord(r.trimmed(from, to)))
			return min(pos+1, len(text)), true
		}
		// This is a quoted value if only blanks are before the quote.
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
		r.values = append(r.values, r.textWord(r.trimmedRight(from, to)))
		pos = to + 1
		switch rest := text[pos:]; {
		case rest == "":
			return pos, true
		case rest[0] == delimiter:
			from, pos = r.plainValues(pos+1, delimiter)
		case rest[0] == '\n':
			return pos + 1, true
		case strings.HasPrefix(rest, "\r\n"):
			return pos + 2, true
		default:
			return 0, false
		}
	}
}

// trimmed returns the value at text[from:to], which has no quotes, without the blanks around it.
func (r *Rows) trimmed(from, to int) span {
	for from < to && (r.text[from] == ' ' || r.text[from] == '\t') {
		from++
	}
	if from < to && r.text[from] >= utf8.RuneSelf && !r.tabs {
		from = to - len(strings.TrimLeftFunc(r.text[from:to], unicode.IsSpace))
	}
	return r.trimmedRight(from, to)
}

// trimmedRight returns the value at text[from:to] without the blanks at its end.
func (r *Rows) trimmedRight(from, to int) span {
	for from < to && (r.text[to-1] == ' ' || r.text[to-1] == '\t') {
		to--
	}
	return span{uint32(from), uint32(to)}
}

// plainValues appends the values from text[at:] on that have a delimiter behind them, up to the
// first quote or line feed. It returns where the next value begins, and a position in it before
// which there is no mark.
func (r *Rows) plainValues(at int, delimiter byte) (from, pos int) {
	text, values, n := r.text, r.values[:cap(r.values)], len(r.values)
	begin := at // of the value
search:
	for ; at+32 <= len(text); at += 32 {
		block := text[at : at+32]
		found := places(marks(swar.Load(block), delimiter)) | places(marks(swar.Load(block[8:]), delimiter))<<8 |
			places(marks(swar.Load(block[16:]), delimiter))<<16 | places(marks(swar.Load(block[24:]), delimiter))<<24
		for ; found != 0; found &= found - 1 {
			end := at + bits.TrailingZeros64(found)
			if text[end] != delimiter || n == len(values) {
				at = end
				break search
			}
			value := span{uint32(begin), uint32(end)}
			if begin < end && (text[begin]-'!' >= utf8.RuneSelf-'!' || text[end-1] <= ' ') {
				value = r.trimmed(begin, end)
			}
			values[n] = r.textWord(value)
			n, begin = n+1, end+1
		}
	}
	r.values = values[:n]
	return begin, at
}

// nextMark returns where the first delimiter, line feed or quote in text[at:] is, len(text) if
// there is none.
func nextMark(text string, at int, delimiter byte) int {
	for at < len(text) && text[at] != delimiter && text[at] != '\n' && text[at] != '"' {
		at++
	}
	return at
}

// marks returns a mask with the highest bit of every byte that is a delimiter, a line feed or a
// quote.
func marks(word uint64, delimiter byte) uint64 {
	const lowest, rest = 0x0101010101010101, 0x7f7f7f7f7f7f7f7f
	// A byte of a, b or c that is 0 may be a mark. The sums have the highest bit of every byte that is
	// not 0, word that of every byte that is not ASCII.
	a, b, c := word&rest^uint64(delimiter)*lowest, word&rest^'\n'*lowest, word&rest^'"'*lowest
	return ^((a+rest)&(b+rest)&(c+rest) | word | rest)
}

// places makes one byte of a mask: bit k is set where the highest bit of byte k is.
func places(mask uint64) uint64 { return mask >> 7 * 0x0102040810204080 >> 56 }

// blankRow does the same for values between blanks and tabs.
func (s *Splitter) blankRow(r *Rows, at int) (next int, ok bool) {
	length := strings.IndexByte(r.text[at:], '\n')
	end := at + length
	next = end + 1
	if length < 0 {
		end, next = len(r.text), len(r.text)
	}
	for value := range strings.FieldsSeq(r.text[at:end]) {
		from := at + strings.Index(r.text[at:end], value)
		at = from + len(value)
		r.values = append(r.values, r.textWord(span{uint32(from), uint32(at)}))
	}
	return next, true
}
