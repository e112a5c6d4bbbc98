package delimited

import (
	"bytes"
	"math/bits"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset/textfile"
	"github.com/fairtrain/fairtrain/internal/swar"
	"github.com/fairtrain/fairtrain/internal/wide"
)

// A text without a line feed in quotes can be cut column by column: once the values of some rows in a column
// are read, those in the next column begin behind them. So the same few instructions go on for many
// values, and no place of a value is stored. Whether all line feeds end rows shows as the values are read: no
// value with a line feed is accepted.

// together is the number of rows whose values in a column are read together: their text stays in the cache.
const together = wide.Texts

// lane is a column of such a text.
type lane struct {
	known
	rows      *Rows
	k         int    // its number
	text      []byte // of the rows, with some bytes more
	delimiter byte
	end       byte // what must follow a value: the delimiter, or a line feed
	mark      byte // what does: the end, or a carriage return before it
}

// cutDown cuts a chunk column by column, if that is worth while. It returns false if it does not, perhaps
// because a row is unusual.
func (s *Splitter) cutDown(r *Rows, chunk textfile.Chunk) bool {
	text := chunk.Padded()
	if text == nil || s.Width < 2 || s.Format.Delimiter == blanks || !strings.HasSuffix(r.text, "\n") {
		return false
	}
	if !s.openLanes(r, text) {
		return false
	}
	for at := 0; at < len(r.text); {
		r.lines = append(r.lines, line{int32(len(r.lines)), int32(at)})
		at += bytes.IndexByte(text[at:], '\n') + 1
	}
	n := len(r.lines)
	if n*s.Width > len(r.text) {
		return false // a value and what follows it take a byte
	}
	r.values = slices.Grow(r.values, n*s.Width)[:n*s.Width]
	r.perRow, r.perColumn = 1, n
	var memoryOfPlaces [together]uint32
	var memoryOfShorts [together]Short
	read := 0
	for first := 0; first < n; first += together {
		lines := r.lines[first:min(first+together, n)]
		places := memoryOfPlaces[:len(lines)] // of the next values
		shorts := memoryOfShorts[:len(lines)]
		for i, l := range lines {
			places[i] = uint32(l.at)
		}
		for k := range r.lanes {
			values := r.values[k*n+first:][:len(lines)]
			if !r.lanes[k].read(values, places, shorts) || k == 0 && s.hasComments(r, values) {
				return false
			}
			if read += len(values); read > 1<<10 && r.unusual > read/2 {
				return false // to look for them in vain takes longer than to cut rows
			}
		}
	}
	return true
}

// openLanes prepares to read columns. It returns false if nothing is known of any.
func (s *Splitter) openLanes(r *Rows, text []byte) bool {
	isKnown := false
	for k, column := range s.Columns {
		delimiter := s.Format.Delimiter[0]
		l := lane{rows: r, k: k, text: text, delimiter: delimiter, end: delimiter, mark: delimiter}
		if k == s.Width-1 {
			l.end, l.mark = '\n', '\n'
			if end := strings.IndexByte(r.text, '\n'); end > 0 && r.text[end-1] == '\r' {
				l.mark = '\r'
			}
		}
		if column != nil && (k > 0 || len(s.Format.Comments) == 0) {
			l.known = *column.now()
			isKnown = isKnown || l.kind != texts
		}
		r.lanes, r.usual = append(r.lanes, l), append(r.usual, true)
	}
	return isKnown
}

// hasComments reports whether one of some rows is a comment, whose first values are texts.
func (s *Splitter) hasComments(r *Rows, first []Word) bool {
	return len(s.Format.Comments) > 0 && slices.ContainsFunc(first, func(w Word) bool { return isComment(r.textOf(w), s.Format.Comments) })
}

// read reads values, each from its place on, which becomes the place of the next value of its row. It
// returns false if a row is unusual. It overwrites shorts, which are as many.
func (l *lane) read(values []Word, places []uint32, shorts []Short) bool {
	usual := uint64(0)  // bits of the values
	around := uint32(0) // bytes of a short value's quotes and of the mark
	if l.hasShorts() {
		l.skipBlanks(places)
		if l.text[places[0]] == '"' {
			around = 3
			l.cut(shorts, places, 1, '"', around)
			usual = l.readShorts(values, shorts) & l.inQuotes(shorts, places)
		} else {
			around = 1
			l.cut(shorts, places, 0, l.mark, around)
			usual = l.readShorts(values, shorts)
		}
	}
	for left := ^usual << (together - len(values)) >> (together - len(values)); left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(left)
		at := places[i]
		if around > 0 {
			at -= uint32(shorts[i].Len()) + around
		}
		var ok bool
		if values[i], places[i], ok = l.readUnusual(at); !ok {
			return false
		}
	}
	return true
}

// cut takes the texts that begin some bytes behind their places and end before the next mark. The length of a text
// that is too long becomes 16. It moves the places on by the length and what is around the text.
func (l *lane) cut(texts []Short, places []uint32, behind uint32, mark byte, around uint32) {
	if wide.Available && len(texts) == wide.Texts {
		wide.Cut((*[wide.Texts]Short)(texts), l.text, behind, mark, (*[wide.Texts]uint32)(places), around)
		return
	}
	for i, at := range places {
		text := swar.ShortAt((*[16]byte)(l.text[at+behind:]))
		n := swar.Find(text.Low, mark)
		if n == 8 {
			n += swar.Find(text.High, mark)
		}
		texts[i] = text.First(n)
		places[i] += uint32(n) + around
	}
}

// skipBlanks moves places behind a blank, if the first one is at a blank. Where tabs are between values, a
// blank before a quote is a fault.
func (l *lane) skipBlanks(places []uint32) {
	if l.rows.tabs || l.text[places[0]] != ' ' {
		return
	}
	for i, at := range places {
		if l.text[at] == ' ' {
			places[i]++
		}
	}
}

// inQuotes returns the bits of the texts that begin behind a quote, and whose places are behind the mark. Each ends
// at a quote.
func (l *lane) inQuotes(texts []Short, places []uint32) (found uint64) {
	for i, at := range places {
		if l.text[int(at)-texts[i].Len()-3] == '"' && l.text[at-1] == l.mark {
			found |= 1 << (i & 63)
		}
	}
	return found
}

// readUnusual reads the value at a place, whatever it is, and returns the place of the next one.
// It is not ok if the value needs a closer look, or is at fault.
func (l *lane) readUnusual(at uint32) (w Word, next uint32, ok bool) {
	r := l.rows
	text := r.text[at:]
	var value span
	n := 0 // bytes up to the end
	if text[0] == '"' {
		content, _, closed := strings.Cut(text[1:], `"`)
		if !closed || content != "" && content[0] <= ' ' || strings.IndexByte(content, '\n') >= 0 {
			return 0, 0, false
		}
		n = 1 + len(content)
		value = r.trimmedRight(int(at)+1, int(at)+n)
		if n++; l.end == '\n' && text[n] == '\r' {
			n++
		}
	} else {
		n = max(strings.IndexByte(text, l.end), 0)
		content := text[:n]
		if other := l.delimiter ^ '\n' ^ l.end; strings.IndexByte(content, other) >= 0 || strings.IndexByte(content, '"') >= 0 {
			return 0, 0, false
		}
		if l.end == '\n' {
			content = strings.TrimSuffix(content, "\r")
		}
		value = r.trimmed(int(at), int(at)+len(content))
	}
	if text[n] != l.end {
		return 0, 0, false
	}
	if w = l.known.read(r.text, value); w == isText {
		w = r.textWord(value)
		r.unusual++
		r.usual[l.k] = false
	}
	return w, at + uint32(n) + 1, true
}
