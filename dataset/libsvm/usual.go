package libsvm

import (
	"math"

	"github.com/fairtrain/fairtrain/dataset/quantity"
	"github.com/fairtrain/fairtrain/internal/swar"
	"github.com/fairtrain/fairtrain/internal/wide"
)

// window is the number of bytes that must follow where something is looked for.
const window = 16

// parseUsual adds the row of the first line of a text, and returns where the next line begins. It
// does what parseAny does, but faster. It is not ok for a line that is not written as most are: a
// label that is written so in an earlier line, a blank, and pairs with one blank between them.
func (p *parser) parseUsual(text []byte) (next int, ok bool) {
	if len(text) < window {
		return 0, false
	}
	label, at := p.usualLabel(swar.Load(text))
	if at == 0 {
		return 0, false
	}
	row := usualRow{cols: p.rows.Room(), vals: p.vals[:0]}
	triesShorts := true // as long as there are some: values of a row are alike, mostly
	for limit := uint64(p.limit()); ; {
		at = row.parseOnes(text, at)
		if at+window > len(text) || row.n == len(row.cols) || row.last > limit {
			return 0, false
		}
		if text[at] == '\n' {
			break
		}
		before, ok := at, true
		if at = row.parseOne(text, at); at > before {
			continue
		}
		if triesShorts {
			at, ok = row.parseShorts(text, at, &p.values)
			triesShorts = at > before
		}
		if at == before {
			at, ok = row.parsePair(text, at)
		}
		if !ok {
			return 0, false
		}
	}
	p.vals = row.vals
	p.rows.Extend(label, row.n, int(row.last), row.vals)
	return at + 1, true
}

// usualLabel reads a label of an earlier line and a blank at the start of a line. It returns the
// position behind them, 0 if the line starts otherwise.
func (p *parser) usualLabel(start uint64) (label int8, at int) {
	for k := range p.classes { // to the end: which of them it is, is hard to predict
		if c := &p.classes[k]; c.mask != 0 && start&c.mask == c.start {
			label, at = c.label, len(c.token)+1
		}
	}
	return label, at
}

// usualStart notes how lines with the label c start, unless it is too long for a word.
func (c *class) usualStart() {
	if n := len(c.token) + 1; n <= 8 {
		c.mask = 1<<(8*n) - 1
		c.start = swar.Load(c.token+"        ") & c.mask
	}
}

// usualRow is a row under construction.
type usualRow struct {
	cols []uint32  // with room for more than the row has
	n    int       // number of columns
	vals []float64 // of the columns; none while all are 1
	last uint64    // the last index
}

// parseOnes reads pairs from text[at:] on whose index has at most three digits and whose value is
// 1, with a blank behind each. It returns where other text begins.
func (r *usualRow) parseOnes(text []byte, at int) int {
	const (
		one1, rest1 = '0' | ':'<<8 | '1'<<16 | ' '<<24, 0xffffff80
		one2, rest2 = '0' | one1<<8, 0xffffff8080
		one3, rest3 = '0' | one2<<8, 0xffffff808080
		beyond      = 0x7f - 9 // makes 10 and more larger than 0x7f
	)
	cols, n, last := r.cols, r.n, r.last // in registers
	for at+window <= len(text) && n < len(cols) {
		word := swar.Load(text[at : at+window])
		d1, d2, d3 := word^one1, word^one2, word^one3
		var index uint64
		next := at
		// Indices ascend, so it is easy to predict which case comes next.
		switch {
		case (d2|(d2+beyond*(1|1<<8)))&rest2 == 0:
			index = d2&0xff*10 + d2>>8&0xff
			next += 5
		case (d3|(d3+beyond*(1|1<<8|1<<16)))&rest3 == 0:
			index = d3&0xff*100 + d3>>8&0xff*10 + d3>>16&0xff
			next += 6
		case (d1|(d1+beyond))&rest1 == 0:
			index = d1 & 0xff
			next += 4
		}
		if index <= last {
			break
		}
		cols[n] = uint32(index - 1)
		n++
		last, at = index, next
	}
	r.n, r.last = n, last
	if len(r.vals) > 0 {
		r.fillOnes()
	}
	return at
}

// parseOne reads a pair at text[at] whose value is 1, with a blank or a line feed behind it. It returns the position
// behind the pair and the blank, at if there is no such pair.
func (r *usualRow) parseOne(text []byte, at int) (next int) {
	word := swar.Load(text[at:])
	colon := swar.Find(word, ':')
	if colon == 0 || colon == 8 || text[at+colon+1] != '1' {
		return at
	}
	end := at + colon + 2
	index, ok := swar.Number(word, colon)
	if !ok || index <= r.last || text[end] != ' ' && text[end] != '\n' {
		return at
	}
	r.cols[r.n], r.last = uint32(index-1), index
	r.n++
	if len(r.vals) > 0 {
		r.fillOnes()
	}
	if text[end] == ' ' {
		end++
	}
	return end
}

// together is the number of values that are read together.
const together = wide.Texts

// one is the text of a value that rows do not store.
var one, _ = swar.ShortOf("1")

// values are texts and their numbers.
type values struct {
	texts   [together]swar.Short
	numbers [together]uint64 // their bits
}

// parseShorts reads pairs from text[at:] on that have less than 16 bytes and another value than 1, with a blank or a
// line feed behind each. It returns where other text begins. It is not ok if one of the values is no number.
func (r *usualRow) parseShorts(text []byte, at int, v *values) (next int, ok bool) {
	n, length := cutPairs(v.texts[:], r.cols[r.n:], text[at:], uint32(r.last))
	if n == 0 {
		return at, true
	}
	r.fillOnes()
	r.n += n
	r.last = uint64(r.cols[r.n-1]) + 1
	return at + length, r.readValues(v, n)
}

// cutPairs does what wide.Pairs does.
func cutPairs(texts []swar.Short, cols []uint32, text []byte, last uint32) (n, at int) {
	if wide.Available {
		return wide.Pairs(texts, cols, text, last)
	}
	for at+2*window <= len(text) && n < min(len(cols), len(texts)) {
		pair := swar.ShortAt((*[window]byte)(text[at:]))
		end := swar.Blank(pair.Low)
		if end == 8 {
			end += swar.Blank(pair.High)
		}
		colon := swar.Find(pair.Low, ':')
		index, ok := swar.Number(pair.Low, colon)
		if !ok || colon == 0 || colon > 7 || colon+1 >= end || end == window || uint32(index) <= last {
			break
		}
		value := swar.ShortAt((*[window]byte)(text[at+colon+1:])).First(end - colon - 1)
		if value == one {
			break
		}
		texts[n], cols[n], last = value, uint32(index-1), uint32(index)
		n++
		at += end
		if text[at] != ' ' {
			break
		}
		at++
	}
	return n, at
}

// readValues appends the numbers of n texts.
func (r *usualRow) readValues(v *values, n int) (ok bool) {
	eights := (n + wide.Some - 1) / wide.Some * wide.Some
	for k := n; k < eights; k++ {
		v.texts[k] = one // which is read at once
	}
	read, _ := quantity.Decimals(v.numbers[:eights], v.texts[:eights])
	for k, bits := range v.numbers[:n] {
		value := math.Float64frombits(bits)
		if read>>k&1 == 0 {
			if value, ok = usable(v.texts[k].String()); !ok {
				return false
			}
		}
		r.vals = append(r.vals, value)
	}
	return true
}

// parsePair reads any pair with a blank or a line feed behind it. It returns the position behind
// the pair and the blank.
func (r *usualRow) parsePair(text []byte, at int) (next int, ok bool) {
	word := swar.Load(text[at:])
	colon := swar.Find(word, ':')
	if colon == 0 || colon == 8 {
		return 0, false
	}
	index, ok := swar.Number(word, colon)
	from := at + colon + 1
	end := from + tokenLength(text[from:])
	if !ok || index <= r.last || end == from || end == len(text) || text[end] != ' ' && text[end] != '\n' {
		return 0, false
	}
	value, _, ok := quantity.DecimalIn(text[from:], end-from)
	if !ok {
		if value, ok = usable(string(text[from:end])); !ok {
			return 0, false
		}
	}
	if text[end] == ' ' {
		end++
	}
	r.fillOnes()
	r.cols[r.n], r.last = uint32(index-1), index
	r.n++
	r.vals = append(r.vals, value)
	return end, true
}

// usable reads a number, and reports whether training can use it.
func usable(token string) (value float64, ok bool) {
	value, ok = parseNumber(token)
	return value, ok && math.Abs(value) <= quantity.Most // which NaN is not
}

// fillOnes makes the value 1 of every column without a value.
func (r *usualRow) fillOnes() {
	for len(r.vals) < r.n {
		r.vals = append(r.vals, 1)
	}
}

// tokenLength returns how much of a text comes before the first blank or control character.
func tokenLength(text []byte) int {
	for at := 0; at+8 <= len(text); at += 8 {
		if n := swar.Blank(swar.Load(text[at : at+8])); n < 8 {
			return at + n
		}
	}
	return len(text)
}
