// Package libsvm reads and writes data in the format of LIBSVM. Its rows are features already.
package libsvm

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"math"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
	"github.com/fairtrain/fairtrain/dataset/textfile"
	"github.com/fairtrain/fairtrain/internal/memory"
)

// DefaultMaxFeatures is the largest feature index that is read, unless a caller allows more. A
// mistyped index must not make every weight vector take gigabytes.
const DefaultMaxFeatures = 1 << 24

// Options say what to expect of a LIBSVM file.
type Options struct {
	Name        string // of the file, for errors and for the data set
	Features    int    // number of features; 0 means the largest index found
	MaxFeatures int    // largest index accepted; 0 means DefaultMaxFeatures
	Bytes       int64  // of the file, for which room is made; 0 if nobody knows

	// AnyLabels is for data whose labels play no part: it accepts rows without a label, files
	// of one class, and any number as a label. Y is 0 where a label cannot be mapped.
	AnyLabels bool
}

// Read reads labelled rows in the format of LIBSVM, one a line:
//
//	label index:value index:value …   # comment
//
// Indices count from 1 and ascend; values are finite, and zeros are not stored. Labels are −1
// and +1, 0 and 1, or 1 and 2; the smaller of the two becomes −1. A fault in the content is a
// *textfile.ParseError.
func Read(r io.Reader, opts Options) (*dataset.Dataset, error) {
	return read(r, opts, textfile.BufferSize, runtime.GOMAXPROCS(0))
}

// read reads chunks of the given size with the given number of workers.
func read(r io.Reader, opts Options, chunk, workers int) (*dataset.Dataset, error) {
	chunks := textfile.NewChunks(r, opts.Name, chunk, false)
	file := fileParser{parser: newParser(opts), hash: sha256.New(), joined: sparse.Joiner{Cols: opts.Features}}
	parse := func(c textfile.Chunk) *parser { return parsePart(opts, c) }
	if err := textfile.ParseChunks(chunks.Next(), chunks, workers, parse, file.take); err != nil {
		return nil, err
	}
	if fault := file.checkWhole(file.read); fault != nil {
		return nil, fault
	}
	return file.finish(), nil
}

// parsePart parses a part of a file up to its first fault. It does not find faults that depend
// on labels in earlier parts.
func parsePart(opts Options, c textfile.Chunk) *parser {
	p := newParser(opts)
	p.isPart, p.text, p.line = true, c.Text, c.Line-1
	p.rows = builders.Get().(*sparse.Builder)
	for rest := c.Whole(); len(rest) > 0; {
		var fault *textfile.ParseError
		if rest, fault = p.parseLine(rest); fault != nil {
			p.err = fault
			return p
		}
	}
	p.err = c.Err
	return p
}

// builders has builders that are not in use, for their memory.
var builders = sync.Pool{New: func() any { return new(sparse.Builder) }}

// fileParser puts the parts of a file together. Its parser has the state at the end of the
// last part.
type fileParser struct {
	*parser
	hash          hash.Hash // of the text
	joined        sparse.Joiner
	read, entries int // rows and entries so far
}

// take takes the next part. Parts are hashed and joined here: the next ones are read and parsed
// meanwhile.
func (f *fileParser) take(part *parser) error {
	f.hash.Write(part.text)
	for _, c := range part.classes {
		if fault := f.addClass(c); fault != nil {
			return fault // in a line that the part has parsed
		}
	}
	f.line, f.unknown = part.line, f.unknown || part.unknown
	f.read += part.rows.Rows()
	f.entries += part.rows.Entries()
	const perEntry, perRow = 2 * (4 + 8), 2 * (2*8 + 1) // twice, while more room is made
	need := perEntry*float64(f.entries) + perRow*float64(f.read)
	if err := memory.Check(fmt.Sprintf("%s: to read beyond line %d", f.opts.Name, f.line), need); err != nil {
		return err
	}
	if parts := float64(f.opts.Bytes) / float64(len(part.text)); f.read == part.rows.Rows() && memory.Fits(need*parts) {
		f.joined.Rows = int(parts * float64(f.read)) // if the other rows are as long
	}
	f.joined.Append(part.rows)
	builders.Put(part.rows)
	if part.err == io.EOF {
		return nil
	}
	return part.err
}

// finish returns the rows with their labels mapped.
func (f *fileParser) finish() *dataset.Dataset {
	d := &dataset.Dataset{Name: f.opts.Name, Hash: hex.EncodeToString(f.hash.Sum(nil))}
	d.X, d.Y = f.joined.Finish()
	var label func(int8) int8
	label, d.Rule = f.labels()
	const lowest, highest = -1, 2 // labels of a file
	var mapped [highest - lowest + 1]int8
	for k := range mapped {
		mapped[k] = label(int8(k + lowest))
	}
	for i, y := range d.Y {
		d.Y[i] = mapped[y-lowest]
	}
	return d
}

// labels returns the function that maps the labels of the file, and its rule in words.
func (p *parser) labels() (label func(int8) int8, rule string) {
	found := ruleFor(p.classes)
	if found == nil || p.unknown {
		return func(int8) int8 { return 0 }, "labels not used"
	}
	return func(y int8) int8 {
		if y == found.positive {
			return 1
		}
		return -1
	}, found.text
}

// parser turns lines into rows of a builder.
type parser struct {
	opts    Options
	rows    *sparse.Builder // with the labels of the file
	line    int             // number of the current line
	classes []class         // distinct labels, in order of appearance
	ones    []uint32        // columns of a row that are 1
	unknown bool            // some label is absent or not one that can be mapped

	isPart bool   // of a file: the classes in other parts are not known
	text   []byte // of the part
	err    error  // what ended the part, nil if the file goes on
}

// class is a label and where it first is.
type class struct {
	label        int8
	token        string
	line, column int
}

func newParser(opts Options) *parser {
	if opts.MaxFeatures == 0 {
		opts.MaxFeatures = DefaultMaxFeatures
	}
	opts.MaxFeatures = min(opts.MaxFeatures, math.MaxInt32)
	return &parser{opts: opts, rows: new(sparse.Builder)}
}

// parseLine adds the row of the first line of a text, if the line has one, and returns the rest of
// the text. After an error the row is not added.
func (p *parser) parseLine(text []byte) (rest []byte, fault *textfile.ParseError) {
	p.line++
	line, rest, _ := bytes.Cut(text, []byte{'\n'})
	if p.line == 1 {
		line = bytes.TrimPrefix(line, []byte(textfile.Mark))
	}
	line, _, _ = bytes.Cut(line, []byte{'#'})
	for n := len(line); n > 0 && (isBlank(line[n-1]) || line[n-1] == '\r'); n-- {
		line = line[:n-1]
	}
	at := skipBlanks(line, 0)
	if at == len(line) {
		return rest, nil
	}
	label, at, fault := p.parseLabel(line, at)
	if fault == nil {
		fault = p.parsePairs(line, at)
	}
	if fault != nil {
		p.rows.DropRow()
		return rest, fault
	}
	p.rows.EndRow(label)
	return rest, nil
}

// parseLabel reads the label at text[at] and returns the position after it.
func (p *parser) parseLabel(text []byte, at int) (label int8, next int, fault *textfile.ParseError) {
	end := tokenEnd(text, at)
	token := text[at:end]
	if bytes.IndexByte(token, ':') >= 0 {
		if !p.opts.AnyLabels {
			return 0, 0, p.fault(text, at, end, "%s where the label should be (a line is: label index:value …)")
		}
		p.unknown = true
		return 0, at, nil
	}
	switch string(token) {
	case "1", "+1":
		label = 1
	case "-1":
		label = -1
	case "0":
		label = 0
	default:
		value, ok := parseNumber(string(token))
		if !ok {
			return 0, 0, p.fault(text, at, end, "label %s, expected a number (−1 or +1, 0 or 1, 1 or 2)")
		}
		if math.IsInf(value, 0) || math.IsNaN(value) {
			return 0, 0, p.fault(text, at, end, "label %s is not finite, expected −1 or +1, 0 or 1, 1 or 2")
		}
		if value != -1 && value != 0 && value != 1 && value != 2 {
			if !p.opts.AnyLabels {
				return 0, 0, p.fault(text, at, end, "label %s, expected −1 or +1, 0 or 1, 1 or 2 (two classes)")
			}
			p.unknown = true
			return 0, end, nil
		}
		label = int8(value)
	}
	if p.knows(label) {
		return label, end, nil
	}
	return label, end, p.addClass(class{label, string(token), p.line, at + 1})
}

func (p *parser) knows(label int8) bool {
	for k := range p.classes {
		if p.classes[k].label == label {
			return true
		}
	}
	return false
}

// addClass notes a label.
func (p *parser) addClass(c class) *textfile.ParseError {
	if p.knows(c.label) {
		return nil
	}
	classes := append(p.classes, c)
	if !p.isPart && !p.opts.AnyLabels {
		switch first := classes[0].label; {
		case len(classes) > 2:
			return p.faultAt(c.line, c.column, c.token,
				"label %s after %d and %d, expected two classes", first, classes[1].label)
		case len(classes) == 2 && ruleFor(classes) == nil:
			return p.faultAt(c.line, c.column, c.token,
				"label %s after label %d, expected −1 and +1, 0 and 1, or 1 and 2", first)
		}
	}
	p.classes = classes
	return nil
}

// parsePairs reads the pairs index:value from text[at:] on.
func (p *parser) parsePairs(text []byte, at int) *textfile.ParseError {
	ones, last, limit := p.ones[:0], 0, p.limit()
	for at < len(text) {
		if isBlank(text[at]) {
			at++
			continue
		}
		index, k := 0, at
		for k < len(text) && text[k]-'0' <= 9 && index <= math.MaxInt32 {
			index = 10*index + int(text[k]-'0')
			k++
		}
		if k == at || k == len(text) || text[k] != ':' || index <= last || index > limit {
			return p.indexFault(text, at, index, last)
		}
		last = index
		if k++; k < len(text) && text[k] == '1' && (k+1 == len(text) || isBlank(text[k+1])) {
			ones = append(ones, uint32(index-1))
			at = k + 2
			continue
		}
		value, end, fault := p.parseValue(text, at, k)
		if fault != nil {
			return fault
		}
		if at = end; value == 1 { // as 1.0
			ones = append(ones, uint32(index-1))
			continue
		}
		p.rows.Push(uint32(index-1), value)
	}
	p.rows.PushOnes(ones...)
	p.ones = ones
	return nil
}

// parseValue reads the value at text[k] of the pair at text[at] and returns the position
// after it.
func (p *parser) parseValue(text []byte, at, k int) (value float64, end int, fault *textfile.ParseError) {
	end = tokenEnd(text, k)
	value, ok := parseNumber(string(text[k:end]))
	switch {
	case k == end:
		fault = p.fault(text, at, end, "%s has no value, expected index:value (is the file truncated?)")
	case !ok:
		fault = p.fault(text, k, end, "value %s, expected a number")
	case math.IsNaN(value) || math.IsInf(value, 0):
		fault = p.fault(text, k, end, "value %s is not finite, expected a finite number")
	case math.Abs(value) > numparse.Most:
		fault = p.fault(text, k, end, "value %s, expected a number between −%.0e and %.0e (is its unit right?)", numparse.Most, numparse.Most)
	}
	return value, end, fault
}

// limit is the largest index allowed.
func (p *parser) limit() int {
	if p.opts.Features > 0 {
		return p.opts.Features
	}
	return p.opts.MaxFeatures
}

// indexFault says what is wrong with the pair at text[at], whose digits read as index.
func (p *parser) indexFault(text []byte, at, index, last int) *textfile.ParseError {
	end := tokenEnd(text, at)
	token := string(text[at:end])
	name, _, pair := strings.Cut(token, ":")
	numeric := len(name) > 0 && len(strings.TrimLeft(name, "0123456789")) == 0
	switch {
	case name == "qid" && pair:
		return p.fault(text, at, end, "%s: ranking data with query identifiers cannot be classified, expected index:value")
	case !pair:
		return p.fault(text, at, end, "%s, expected index:value (is the file truncated?)")
	case !numeric:
		return p.fault(text, at, end, "%s, expected index:value with an index from 1 on")
	case index == 0:
		return p.fault(text, at, end, "%s: index 0, expected indices from 1 on (does the file count from 0?)")
	case index > math.MaxInt32:
		return p.fault(text, at, end, "%s: index above %d, the largest possible", math.MaxInt32)
	case index == last:
		return p.fault(text, at, end, "%s: index %d repeated, expected ascending indices", index)
	case index < last:
		return p.fault(text, at, end, "%s: index %d after index %d, expected ascending indices (sort the pairs of the line)", index, last)
	case p.opts.Features > 0:
		return p.fault(text, at, end, "%s: index %d, but the data has %d features", index, p.opts.Features)
	default:
		return p.fault(text, at, end, "%s: index %d is above the limit of %d: a dense weight vector would take %s (raise the limit with --max-features)",
			index, p.opts.MaxFeatures, textfile.ByteSize(8*float64(index)))
	}
}

// fault is a ParseError about text[at:end], see faultAt.
func (p *parser) fault(text []byte, at, end int, format string, args ...any) *textfile.ParseError {
	return p.faultAt(p.line, at+1, string(text[at:end]), format, args...)
}

// faultAt is a ParseError about a token. The token is the first argument of the format. If the
// token is no text at all, the error says just that.
func (p *parser) faultAt(line, column int, token, format string, args ...any) *textfile.ParseError {
	e := &textfile.ParseError{File: p.opts.Name, Line: line, Column: column}
	if k := notText(token); k >= 0 {
		e.Column += k
		if token[k] == '\r' {
			e.Msg = "a carriage return without a line feed, expected lines that end with a line feed"
			return e
		}
		e.Msg = fmt.Sprintf("byte 0x%02x, expected text (is the file binary, or compressed twice?)", token[k])
		return e
	}
	e.Msg = fmt.Sprintf(format, append([]any{textfile.Quote(token)}, args...)...)
	return e
}

// checkWhole reports faults that only the end of the file tells. The file has the given number
// of rows.
func (p *parser) checkWhole(rows int) *textfile.ParseError {
	switch {
	case rows == 0:
		return textfile.Errorf(p.opts.Name, max(p.line, 1), 1, "no rows, expected lines of label index:value …, or CSV")
	case len(p.classes) == 1 && !p.opts.AnyLabels:
		return textfile.Errorf(p.opts.Name, p.line, 1,
			"end of the file, and every label is %d; expected two classes", p.classes[0].label)
	}
	return nil
}

// labelRule maps a pair of labels to −1 and +1.
type labelRule struct {
	negative, positive int8
	text               string
}

var labelRules = []labelRule{
	{-1, 1, "−1 → −1, +1 → +1"},
	{0, 1, "0 → −1, 1 → +1"},
	{1, 2, "1 → −1, 2 → +1"},
}

// ruleFor returns the rule for the distinct labels of a file, nil if there is none. A single
// class has a meaning only if it is −1 or +1.
func ruleFor(classes []class) *labelRule {
	if len(classes) == 1 && (classes[0].label == -1 || classes[0].label == 1) {
		return &labelRules[0]
	}
	if len(classes) != 2 {
		return nil
	}
	first, second := classes[0].label, classes[1].label
	low, high := min(first, second), max(first, second)
	for k := range labelRules {
		if r := &labelRules[k]; r.negative == low && r.positive == high {
			return r
		}
	}
	return nil
}

// parseNumber reads a decimal number; an overflow is ±Inf. Unlike strconv, it accepts no
// hexadecimal numbers and no underscores.
func parseNumber(token string) (value float64, ok bool) {
	if value, _, ok := numparse.ParseDecimal(token); ok {
		return value, true
	}
	for k := range len(token) {
		if c := token[k]; c == 'x' || c == 'X' || c == '_' {
			return 0, false
		}
	}
	value, err := strconv.ParseFloat(token, 64)
	return value, err == nil || math.IsInf(value, 0)
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func skipBlanks(text []byte, at int) int {
	for at < len(text) && isBlank(text[at]) {
		at++
	}
	return at
}

func tokenEnd(text []byte, at int) int {
	for at < len(text) && !isBlank(text[at]) {
		at++
	}
	return at
}

// notText returns the position of the first control character or broken UTF-8 sequence,
// or −1.
func notText(token string) int {
	for k := 0; k < len(token); {
		r, size := utf8.DecodeRuneInString(token[k:])
		if r < ' ' || r == 0x7f || r == utf8.RuneError && size == 1 {
			return k
		}
		k += size
	}
	return -1
}
