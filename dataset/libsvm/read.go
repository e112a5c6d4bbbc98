// Package libsvm reads and writes data in the format of LIBSVM. Its rows are features already.
package libsvm

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
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

// defaultMaxFeatures is the largest feature index that is read, unless a caller allows more. A
// mistyped index must not make every weight vector take gigabytes.
const defaultMaxFeatures = 1 << 24

// Options say what to expect of a LIBSVM file.
type Options struct {
	Name        string // of the file, for errors and for the data set
	Features    int    // number of features; 0 means the largest index found
	MaxFeatures int    // largest index accepted; 0 means defaultMaxFeatures

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
	return ReadFiles(textfile.One(r, opts.Name), opts)
}

// ReadFiles reads files as Read does one.
func ReadFiles(next textfile.Files, opts Options) (*dataset.Dataset, error) {
	return read(next, opts, textfile.BufferSize, runtime.GOMAXPROCS(0))
}

// read reads chunks of the given size with the given number of workers.
func read(next textfile.Files, opts Options, chunk, workers int) (*dataset.Dataset, error) {
	joined := sparse.Joiner{Cols: opts.Features}
	rows, entries := 0, 0
	w, err := readParts(next, opts, chunk, workers, func(b *sparse.Builder, at string) error {
		rows, entries = rows+b.Rows(), entries+b.Entries()
		const perEntry, perRow = 2 * (4 + 8), 2 * (2*8 + 1) // twice, while more room is made
		need := perEntry*float64(entries) + perRow*float64(rows)
		if err := memory.Check("to read beyond "+at, need); err != nil {
			return err
		}
		joined.Append(b)
		return nil
	})
	if err != nil {
		return nil, err
	}
	d := &dataset.Dataset{Name: opts.Name, Rule: w.Rule, Hash: w.Hash, Files: w.Files}
	d.X, d.Y = joined.Finish()
	for i, y := range d.Y {
		d.Y[i] = w.Label(y)
	}
	return d, nil
}

// Whole is what only the end of files tells about their rows.
type Whole struct {
	Features int
	Rule     string          // how the labels are mapped, in words
	Hash     string          // SHA-256 of the content as read, hexadecimal
	Files    []string        // see dataset.Dataset
	Label    func(int8) int8 // maps a label of the files
}

// Blocks reads rows as ReadFiles does, but hands them over in blocks, of which memory holds only a
// few. The labels are as in the files, not mapped.
func Blocks(next textfile.Files, opts Options, each func(*dataset.Dataset) error) (*Whole, error) {
	width := opts.Features
	return readParts(next, opts, textfile.BufferSize, runtime.GOMAXPROCS(0), func(b *sparse.Builder, _ string) error {
		width = max(width, b.Width())
		d := &dataset.Dataset{Name: opts.Name}
		d.X, d.Y = b.Finish(width)
		return each(d)
	})
}

// readParts reads files in parts, and passes on the rows of each part and the place where it ends.
func readParts(next textfile.Files, opts Options, chunk, workers int, each func(b *sparse.Builder, at string) error) (*Whole, error) {
	if opts.MaxFeatures == 0 {
		opts.MaxFeatures = defaultMaxFeatures
	}
	opts.MaxFeatures = min(opts.MaxFeatures, math.MaxInt32)
	all := labels{any: opts.AnyLabels}
	w := &Whole{Features: opts.Features}
	var hashes []string // of all files
	rows, line := 0, 1
	for {
		f, err := next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		opts.Name = f.Name
		content, isBlank := sha256.New(), true
		chunks := textfile.NewChunks(f.Reader, f.Name, chunk, false)
		parse := func(c textfile.Chunk) *part { return parsePart(opts, c) }
		// Parts are hashed and passed on here: the next ones are read and parsed meanwhile.
		err = textfile.ParseChunks(chunks.Next(), chunks, workers, parse, func(p *part) error {
			content.Write(p.text)
			isBlank = isBlank && len(bytes.TrimSpace(p.text)) == 0
			for _, c := range p.classes {
				if fault := all.add(c, f.Name); fault != nil {
					return fault
				}
			}
			if p.err != nil && p.err != io.EOF {
				return p.err
			}
			all.unknown = all.unknown || p.unknown
			line, rows = max(p.line, 1), rows+p.rows.Rows()
			w.Features = max(w.Features, p.rows.Width())
			err := each(p.rows, fmt.Sprintf("line %d of %s", p.line, f.Name))
			builders.Put(p.rows)
			return err
		})
		if err != nil {
			return nil, err
		}
		hash := hex.EncodeToString(content.Sum(nil))
		if hashes = append(hashes, hash); !isBlank {
			w.Files = append(w.Files, hash)
		}
	}
	switch {
	case rows == 0:
		return nil, textfile.Errorf(opts.Name, line, 1, "no rows, expected lines of label index:value …, or CSV")
	case len(all.classes) == 1 && !opts.AnyLabels:
		return nil, textfile.Errorf(opts.Name, line, 1,
			"end of the file, and every label is %d; expected two classes", all.classes[0].label)
	}
	if w.Hash = dataset.HashOfFiles(hashes); len(hashes) == 1 {
		w.Files = nil
	}
	w.Label, w.Rule = all.rule()
	return w, nil
}

// builders has builders that are not in use, for their memory.
var builders = sync.Pool{New: func() any { return new(sparse.Builder) }}

// part is a part of a file, whose lines become rows of a builder.
type part struct {
	opts Options
	rows *sparse.Builder // with the labels of the file
	line int             // number of the current line
	ones []uint32        // columns of a row that are 1
	text []byte
	err  error // what ended the part, nil if the file goes on
	labels
}

// parsePart parses a part of a file up to its first fault. It does not find faults that depend
// on labels in earlier parts.
func parsePart(opts Options, c textfile.Chunk) *part {
	p := &part{opts: opts, rows: builders.Get().(*sparse.Builder), text: c.Text, line: c.Line - 1}
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

// parseLine adds the row of the first line of a text, if the line has one, and returns the rest of
// the text. After a fault the rows are of no use.
func (p *part) parseLine(text []byte) (rest []byte, fault *textfile.ParseError) {
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
		return rest, fault
	}
	p.rows.EndRow(label)
	return rest, nil
}

// parseLabel reads the label at text[at] and returns the position after it.
func (p *part) parseLabel(text []byte, at int) (label int8, next int, fault *textfile.ParseError) {
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
		if value != -1 && value != 0 && value != 1 && value != 2 {
			if !p.opts.AnyLabels {
				return 0, 0, p.fault(text, at, end, "label %s, expected −1 or +1, 0 or 1, 1 or 2 (two classes)")
			}
			p.unknown = true
			return 0, end, nil
		}
		label = int8(value)
	}
	if !p.has(label) {
		p.classes = append(p.classes, class{label, string(token), p.line, at + 1})
	}
	return label, end, nil
}

// parsePairs reads the pairs index:value from text[at:] on.
func (p *part) parsePairs(text []byte, at int) *textfile.ParseError {
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
func (p *part) parseValue(text []byte, at, k int) (value float64, end int, fault *textfile.ParseError) {
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
func (p *part) limit() int {
	if p.opts.Features > 0 {
		return p.opts.Features
	}
	return p.opts.MaxFeatures
}

// indexFault says what is wrong with the pair at text[at], whose digits read as index.
func (p *part) indexFault(text []byte, at, index, last int) *textfile.ParseError {
	end := tokenEnd(text, at)
	token := string(text[at:end])
	name, _, pair := strings.Cut(token, ":")
	numeric := len(name) > 0 && len(strings.TrimLeft(name, "0123456789")) == 0
	switch {
	case !pair:
		return p.fault(text, at, end, "%s, expected index:value (is the file truncated?)")
	case !numeric:
		return p.fault(text, at, end, "%s, expected index:value with an index from 1 on")
	case index == 0:
		return p.fault(text, at, end, "%s: index 0, expected indices from 1 on (does the file count from 0?)")
	case index <= last:
		return p.fault(text, at, end, "%s: index %d after index %d, expected ascending indices (sort the pairs of the line)", index, last)
	case p.opts.Features > 0:
		return p.fault(text, at, end, "%s: index %d, but the data has %d features", index, p.opts.Features)
	default:
		return p.fault(text, at, end, "%s: index %d is above the limit of %d (--features N allows more)",
			index, p.opts.MaxFeatures)
	}
}

// fault is a ParseError about text[at:end], which is the first argument of the format. If that is
// no text at all, the error says just that.
func (p *part) fault(text []byte, at, end int, format string, args ...any) *textfile.ParseError {
	token := string(text[at:end])
	if k := notText(token); k >= 0 {
		format, at = "%s begins with a byte that is no text (is the file binary, or compressed twice?)", at+k
		token = token[k:]
		if token[0] == '\r' {
			format = "%s: a carriage return without a line feed, expected lines that end with a line feed"
		}
	}
	args = append([]any{textfile.Quote(token)}, args...)
	return textfile.Errorf(p.opts.Name, p.line, at+1, format, args...)
}

// labels are those of files or of a part.
type labels struct {
	classes []class // distinct labels, in order of appearance
	any     bool    // they play no part
	unknown bool    // some label is absent or not one that can be mapped
}

// class is a label and where it first is.
type class struct {
	label        int8
	token        string
	line, column int
}

func (l *labels) has(label int8) bool {
	return slices.ContainsFunc(l.classes, func(c class) bool { return c.label == label })
}

// add notes a label of a file. It fails if the labels are not those of two classes.
func (l *labels) add(c class, file string) *textfile.ParseError {
	if l.has(c.label) {
		return nil
	}
	l.classes = append(l.classes, c)
	if l.any || len(l.classes) == 1 || len(l.classes) == 2 && l.found() != nil {
		return nil
	}
	return textfile.Errorf(file, c.line, c.column, "label %s after label %d, expected two classes: −1 and +1, 0 and 1, or 1 and 2",
		textfile.Quote(c.token), l.classes[0].label)
}

// rule returns the function that maps the labels of files, and what it does in words.
func (l *labels) rule() (label func(int8) int8, text string) {
	found := l.found()
	if found == nil || l.unknown {
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

// found returns the rule for the labels, nil if there is none. A single class has a meaning only
// if it is −1 or +1.
func (l *labels) found() *labelRule {
	switch {
	case len(l.classes) == 1 && (l.has(-1) || l.has(1)):
		return &labelRules[0]
	case len(l.classes) != 2:
		return nil
	}
	for k := range labelRules {
		if r := &labelRules[k]; l.has(r.negative) && l.has(r.positive) {
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
