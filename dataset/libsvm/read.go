// Package libsvm reads and writes data in the format of LIBSVM, whose rows are features
// already.
package libsvm

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/quantity"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/dataset/textfile"
	"github.com/fairtrain/fairtrain/internal/memory"
)

// DefaultMaxFeatures is the largest feature index read unless a caller allows more: a
// mistyped index should not make every weight vector take gigabytes.
const DefaultMaxFeatures = 1 << 24

// Options say what to expect of a LIBSVM file.
type Options struct {
	Name        string // of the file, for errors and the data set
	Features    int    // number of features; 0 means the largest index found
	MaxFeatures int    // largest index accepted; 0 means DefaultMaxFeatures

	// AnyLabels accepts rows without a label, files of one class, and labels of any
	// number, for data whose labels play no part. Y is 0 where they cannot be mapped.
	AnyLabels bool
}

// Read reads labelled rows in the format of LIBSVM, one a line:
//
//	label index:value index:value …   # comment
//
// Indices count from 1 and ascend; values are finite, and zeros are not stored. Labels
// are −1 and +1, 0 and 1, or 1 and 2; the smaller one becomes −1. A fault in the content
// is a *ParseError.
func Read(r io.Reader, opts Options) (*dataset.Dataset, error) {
	hash := sha256.New()
	p := newParser(opts)
	err := p.readAll(io.TeeReader(r, hash), func(fault *textfile.ParseError) error { return fault })
	if err != nil {
		return nil, err
	}
	d := p.finish()
	d.Hash = hex.EncodeToString(hash.Sum(nil))
	return d, nil
}

// parser turns lines into rows of a builder.
type parser struct {
	opts    Options
	rows    sparse.Builder // with the labels of the file
	line    int            // number of the current line
	classes []int8         // distinct labels, in order of appearance
	unknown bool           // some label is absent or not one that can be mapped

	handOver func() error // the rows so far, after each line; nil keeps them
	handed   int          // rows handed over
	width    int          // of these
}

func newParser(opts Options) *parser {
	if opts.MaxFeatures == 0 {
		opts.MaxFeatures = DefaultMaxFeatures
	}
	opts.MaxFeatures = min(opts.MaxFeatures, math.MaxInt32)
	return &parser{opts: opts, rows: sparse.Builder{Bounded: true}}
}

// readAll reads a file to its end, as long as onFault returns no error.
func (p *parser) readAll(r io.Reader, onFault func(*textfile.ParseError) error) error {
	for lines := textfile.NewLines(r, p.opts.Name); ; {
		line, err := lines.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		p.line = lines.Number
		if fault := p.parseLine(line); fault != nil {
			err = onFault(fault)
		}
		if err == nil {
			err = p.checkMemory()
		}
		if err == nil && p.handOver != nil {
			err = p.handOver()
		}
		if err != nil {
			return err
		}
	}
	if fault := p.checkWhole(); fault != nil {
		return onFault(fault)
	}
	return nil
}

// parseLine adds the row of a line, if it has one. After an error the row is not added.
func (p *parser) parseLine(line []byte) *textfile.ParseError {
	text := line
	if k := bytes.IndexByte(text, '#'); k >= 0 {
		text = text[:k]
	}
	text = bytes.TrimRight(text, " \t\r")
	at := skipBlanks(text, 0)
	if at == len(text) {
		return nil
	}
	label, at, fault := p.parseLabel(text, at)
	if fault == nil {
		fault = p.parsePairs(text, at)
	}
	if fault != nil {
		p.rows.DropRow()
		return fault
	}
	p.rows.EndRow(label)
	return nil
}

// checkMemory returns an error if there is no memory for more rows.
func (p *parser) checkMemory() error {
	if p.rows.Lacking == 0 {
		return nil
	}
	return memory.Check(fmt.Sprintf("%s: to read beyond line %d", p.opts.Name, p.line), p.rows.Lacking)
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
		value, ok := parseNumber(token)
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
	if fault := p.addClass(label, text, at, end); fault != nil {
		return 0, 0, fault
	}
	return label, end, nil
}

// addClass notes a label; a third one, or two that are no pair, cannot be mapped.
func (p *parser) addClass(label int8, text []byte, at, end int) *textfile.ParseError {
	if slices.Contains(p.classes, label) {
		return nil
	}
	classes := append(p.classes, label)
	if !p.opts.AnyLabels {
		switch {
		case len(classes) > 2:
			return p.fault(text, at, end, "label %s after %d and %d, expected two classes", classes[0], classes[1])
		case len(classes) == 2 && ruleFor(classes) == nil:
			return p.fault(text, at, end, "label %s after label %d, expected −1 and +1, 0 and 1, or 1 and 2", classes[0])
		}
	}
	p.classes = classes
	return nil
}

// parsePairs reads the pairs index:value from text[at:] on.
func (p *parser) parsePairs(text []byte, at int) *textfile.ParseError {
	last := 0
	for {
		at = skipBlanks(text, at)
		if at == len(text) {
			return nil
		}
		index, k := 0, at
		for k < len(text) && text[k]-'0' <= 9 && index <= math.MaxInt32 {
			index = 10*index + int(text[k]-'0')
			k++
		}
		if k == at || k == len(text) || text[k] != ':' || index <= last || index > p.limit() {
			return p.indexFault(text, at, index, last)
		}
		k++
		if k < len(text) && text[k] == '1' && (k+1 == len(text) || isBlank(text[k+1])) {
			p.rows.Push(uint32(index-1), 1)
			last, at = index, k+1
			continue
		}
		end := tokenEnd(text, k)
		value, ok := parseNumber(text[k:end])
		switch {
		case k == end:
			return p.fault(text, at, end, "%s has no value, expected index:value (is the file truncated?)")
		case !ok:
			return p.fault(text, k, end, "value %s, expected a number")
		case math.IsNaN(value) || math.IsInf(value, 0):
			return p.fault(text, k, end, "value %s is not finite, expected a finite number")
		case math.Abs(value) > quantity.Most:
			return p.fault(text, k, end, "value %s, expected a number between −%.0e and %.0e (is its unit right?)", quantity.Most, quantity.Most)
		}
		p.rows.Push(uint32(index-1), value)
		last, at = index, end
	}
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
	token := text[at:end]
	name, _, pair := bytes.Cut(token, []byte(":"))
	numeric := len(name) > 0 && len(bytes.TrimLeft(name, "0123456789")) == 0
	switch {
	case string(name) == "qid" && pair:
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

// fault is a ParseError about text[at:end], which is the first argument of the format; if
// it is no text at all, the error says just that.
func (p *parser) fault(text []byte, at, end int, format string, args ...any) *textfile.ParseError {
	e := &textfile.ParseError{File: p.opts.Name, Line: p.line, Column: at + 1}
	if k := notText(text[at:end]); k >= 0 {
		e.Column += k
		e.Msg = fmt.Sprintf("byte 0x%02x, expected text (is the file binary, or compressed twice?)", text[at+k])
		return e
	}
	e.Msg = fmt.Sprintf(format, append([]any{textfile.Quote(string(text[at:end]))}, args...)...)
	return e
}

// checkWhole reports what only the end of the file can tell.
func (p *parser) checkWhole() *textfile.ParseError {
	switch {
	case p.handed+p.rows.Rows() == 0:
		return textfile.Errorf(p.opts.Name, max(p.line, 1), 1, "no rows, expected lines of label index:value …")
	case len(p.classes) == 1 && !p.opts.AnyLabels:
		return textfile.Errorf(p.opts.Name, p.line, 1, "end of the file, and every label is %d; expected two classes", p.classes[0])
	}
	return nil
}

// finish maps the labels.
func (p *parser) finish() *dataset.Dataset {
	d := &dataset.Dataset{Name: p.opts.Name}
	d.X, d.Y = p.rows.Finish(p.features())
	var label func(int8) int8
	label, d.Rule = p.labels()
	for i, y := range d.Y {
		d.Y[i] = label(y)
	}
	return d
}

// features is the number of features of the rows so far.
func (p *parser) features() int {
	if p.opts.Features > 0 {
		return p.opts.Features
	}
	return max(p.width, p.rows.Width())
}

// labels returns what the labels of the file are mapped by, and the rule in words.
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

// ruleFor returns the rule for the distinct labels of a file, nil if there is none. A
// single class means something only if it is −1 or +1.
func ruleFor(classes []int8) *labelRule {
	if len(classes) == 1 && (classes[0] == -1 || classes[0] == 1) {
		return &labelRules[0]
	}
	if len(classes) != 2 {
		return nil
	}
	low, high := min(classes[0], classes[1]), max(classes[0], classes[1])
	for k := range labelRules {
		if r := &labelRules[k]; r.negative == low && r.positive == high {
			return r
		}
	}
	return nil
}

// parseNumber reads a decimal number; an overflow is ±Inf. Unlike strconv it knows no
// hexadecimal numbers and no underscores.
func parseNumber(token []byte) (value float64, ok bool) {
	if value, ok := parseShort(token); ok {
		return value, true
	}
	if bytes.ContainsAny(token, "xX_") {
		return 0, false
	}
	value, err := strconv.ParseFloat(string(token), 64)
	return value, err == nil || math.IsInf(value, 0)
}

// parseShort reads a number of at most 15 digits without an exponent. Both the digits and the
// power of ten below them are exact then, so that their quotient is the nearest number, as
// strconv's (Clinger, How to read floating point numbers accurately, 1990).
func parseShort(token []byte) (value float64, ok bool) {
	const most = 15
	k, negative := 0, false
	if len(token) > 0 && token[0] == '-' {
		k, negative = 1, true
	}
	digits, after, point := 0, 0, false
	mantissa := 0
	for ; k < len(token); k++ {
		switch c := token[k]; {
		case c-'0' <= 9 && digits < most:
			mantissa = 10*mantissa + int(c-'0')
			digits++
			if point {
				after++
			}
		case c == '.' && !point:
			point = true
		default:
			return 0, false
		}
	}
	if digits == 0 {
		return 0, false
	}
	value = float64(mantissa) / tenTo[after]
	if negative {
		value = -value
	}
	return value, true
}

// tenTo are powers of ten, all exact.
var tenTo = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

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
func notText(token []byte) int {
	for k := 0; k < len(token); {
		r, size := utf8.DecodeRune(token[k:])
		if r < ' ' || r == 0x7f || r == utf8.RuneError && size == 1 {
			return k
		}
		k += size
	}
	return -1
}
