package libsvm

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"sync"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/dataset/textfile"
	"github.com/fairtrain/fairtrain/internal/memory"
)

// parsePart parses a part of a file up to its first fault. It does not find faults that depend
// on labels in earlier parts.
func parsePart(opts Options, c textfile.Chunk) *parser {
	p := newParser(opts)
	p.isPart, p.text, p.share, p.line = true, c.Text, c.Share, c.Line-1
	p.rows = builders.Get().(*sparse.Builder)
	p.rows.Grow(bytes.Count(c.Text, []byte{':'}))
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
	hash    hash.Hash // of the text
	joined  sparse.Joiner
	rows    int
	entries int
}

// take takes the next part. Parts are hashed and joined here: the next ones are read and parsed meanwhile.
func (f *fileParser) take(part *parser) error {
	f.hash.Write(part.text)
	for _, c := range part.classes {
		if fault := f.addClass(c); fault != nil {
			return fault // in a line that the part has parsed
		}
	}
	f.line, f.unknown = part.line, f.unknown || part.unknown
	f.rows += part.rows.Rows()
	f.entries += part.rows.Entries()
	const perEntry, perRow = 2 * (4 + 8), 2 * (2*8 + 1) // twice, while more room is made
	need := perEntry*float64(f.entries) + perRow*float64(f.rows)
	if err := memory.Check(fmt.Sprintf("%s: to read beyond line %d", f.opts.Name, f.line), need); err != nil {
		return err
	}
	share := part.share
	if share > 0 && !memory.Fits(need/share) {
		share = 0 // it may be other than it looks: no room is made for what does not fit
	}
	f.joined.Append(part.rows, share)
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
