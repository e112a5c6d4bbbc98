package packed

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/internal/atomicfile"
)

// Writer writes a packed file. It keeps no rows. Every section goes to a file of its own until the
// end, because the length of a section is not known before.
type Writer struct {
	out        *atomicfile.Pending
	path       string
	rows       int
	width      int // one more than the largest column so far
	attributes []attribute
	columns    []*column

	labels, values, weights, identities *column
	ones, valued                        lists
	codes, numbers                      []*column // of each attribute, nil for none
}

// column is a section that grows. The buffer keeps an error of writing until it is flushed.
type column struct {
	section
	file *atomicfile.Pending
	to   *bufio.Writer
}

// lists are column indices and where those of each row end.
type lists struct {
	index, ends *column
	perRow      int // of every row so far, −1 if they differ
}

// bufferSize is the number of bytes that are written at once.
const bufferSize = 1 << 20

// Create begins the file that Finish will give the name path.
func Create(path string) (*Writer, error) {
	out, err := atomicfile.Create(path)
	if err != nil {
		return nil, err
	}
	w := &Writer{out: out, path: path}
	for _, c := range []struct {
		to **column
		section
	}{
		{&w.ones.index, section{Kind: ones, Width: 4}},
		{&w.ones.ends, section{Kind: oneEnds, Width: 8}},
		{&w.valued.index, section{Kind: valued, Width: 4}},
		{&w.valued.ends, section{Kind: valueEnds, Width: 8}},
		{&w.values, section{Kind: values, Width: 8}},
		{&w.labels, section{Kind: labels, Width: 1}},
	} {
		if err == nil {
			*c.to, err = w.add(c.section)
		}
	}
	if err == nil {
		_, err = out.Write(make([]byte, prefixSize))
	}
	if err != nil {
		w.Discard()
		return nil, err
	}
	w.ones.ends.put(0)
	w.valued.ends.put(0)
	return w, nil
}

// add begins a section.
func (w *Writer) add(s section) (*column, error) {
	file, err := atomicfile.Create(w.path)
	if err != nil {
		return nil, err
	}
	c := &column{s, file, bufio.NewWriterSize(file, bufferSize)}
	w.columns = append(w.columns, c)
	return c, nil
}

// put appends an entry.
func (c *column) put(v uint64) {
	c.Entries++
	switch b := c.to.AvailableBuffer(); c.Width {
	case 1:
		_ = c.to.WriteByte(byte(v))
	case 2:
		_, _ = c.to.Write(binary.LittleEndian.AppendUint16(b, uint16(v)))
	case 4:
		_, _ = c.to.Write(binary.LittleEndian.AppendUint32(b, uint32(v)))
	default:
		_, _ = c.to.Write(binary.LittleEndian.AppendUint64(b, v))
	}
}

// Rows returns the number of rows so far.
func (w *Writer) Rows() int { return w.rows }

// Append adds the rows of d, and their identities unless ids is nil. Every call must come with
// the same attributes and the same levels. Either all calls have weights, or none has; the
// same holds for identities.
func (w *Writer) Append(d *dataset.Dataset, ids []uint64) error {
	if w.rows == 0 {
		if err := w.declare(d, ids); err != nil {
			return err
		}
	}
	if len(d.Attributes) != len(w.attributes) || (d.Weights != nil) != (w.weights != nil) ||
		(ids != nil) != (w.identities != nil) {
		panic("packed: parts of different columns")
	}
	for i, y := range d.Y {
		for j, v := range d.X.Row(i) {
			w.width = max(w.width, j+1)
			if v == 1 {
				w.ones.index.put(uint64(j))
				continue
			}
			w.valued.index.put(uint64(j))
			w.values.put(math.Float64bits(v))
		}
		w.ones.endRow(w.rows)
		w.valued.endRow(w.rows)
		w.rows++
		w.labels.put(uint64(uint8(y)))
	}
	for _, v := range d.Weights {
		w.weights.put(math.Float64bits(v))
	}
	for _, id := range ids {
		w.identities.put(id)
	}
	for k, a := range d.Attributes {
		for code := range a.Codes.All() {
			w.codes[k].put(uint64(code))
		}
		for _, v := range a.Numbers {
			w.numbers[k].put(math.Float64bits(v))
		}
	}
	for _, c := range w.columns {
		if _, err := c.to.Write(nil); err != nil { // bufio keeps its first error
			return err
		}
	}
	return nil
}

// endRow ends the row of that number.
func (l *lists) endRow(row int) {
	if row == 0 {
		l.perRow = l.index.Entries
	}
	if l.index.Entries != (row+1)*l.perRow {
		l.perRow = -1
	}
	l.ends.put(uint64(l.index.Entries))
}

// declare begins the sections that d has.
func (w *Writer) declare(d *dataset.Dataset, ids []uint64) error {
	var err error
	begin := func(has bool, s section) (c *column) {
		if has && err == nil {
			c, err = w.add(s)
		}
		return c
	}
	w.weights = begin(d.Weights != nil, section{Kind: weights, Width: 8})
	w.identities = begin(ids != nil, section{Kind: identities, Width: 8})
	for _, a := range d.Attributes {
		w.attributes = append(w.attributes, attribute{a.Name, a.Levels})
		w.codes = append(w.codes, begin(a.Levels != nil,
			section{Kind: codes, Attribute: a.Name, Width: bytesFor(len(a.Levels))}))
		w.numbers = append(w.numbers, begin(a.Numbers != nil, section{Kind: numbers, Attribute: a.Name, Width: 8}))
	}
	return err
}

// bytesFor returns how many bytes hold the numbers below n.
func bytesFor(n int) int {
	switch {
	case n <= 1<<8:
		return 1
	case n <= 1<<16:
		return 2
	}
	return 4
}

// Finish completes the file. The function maps every label; nil leaves the labels as they are.
func (w *Writer) Finish(content Content, label func(int8) int8) error {
	if w.rows == 0 {
		return errors.New("no rows to be packed")
	}
	if content.Features < w.width {
		panic(fmt.Sprintf("packed: %d features for rows that use %d", content.Features, w.width))
	}
	f := &footer{Content: content, Rows: w.rows, OnesPerRow: w.ones.perRow, ValuesPerRow: w.valued.perRow, Attributes: w.attributes}
	end := int64(prefixSize)
	for _, c := range w.columns {
		if c == w.ones.ends && w.ones.perRow >= 0 || c == w.valued.ends && w.valued.perRow >= 0 {
			continue
		}
		translate := func(part []byte) []byte { return part }
		switch width := bytesFor(w.width); {
		case c == w.labels && label != nil:
			translate = func(part []byte) []byte {
				for i, y := range part {
					part[i] = byte(label(int8(y)))
				}
				return part
			}
		case (c == w.ones.index || c == w.valued.index) && width < c.Width:
			translate = func(part []byte) []byte { return narrowed(part, width) }
			c.section.Width = width
		}
		var err error
		if end, err = w.copy(c, end, translate); err != nil {
			return err
		}
		f.Sections = append(f.Sections, c.section)
		c.file.Discard()
	}
	return w.close(f, end)
}

// narrowed gives entries of 4 bytes fewer of them, in place: those of little-endian numbers are the
// first.
func narrowed(part []byte, width int) []byte {
	n := len(part) / 4
	for k := range n {
		copy(part[k*width:(k+1)*width], part[4*k:])
	}
	return part[:n*width]
}

// copy copies a section from its file to the end of the output, and notes its place and its
// checksum. It returns the new end.
func (w *Writer) copy(c *column, end int64, translate func([]byte) []byte) (int64, error) {
	end, err := w.align(end)
	if err != nil {
		return 0, err
	}
	c.Offset = end
	if err := c.to.Flush(); err != nil {
		return 0, err
	}
	if _, err := c.file.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	buffer := make([]byte, bufferSize) // a multiple of the width of every section
	for {
		n, err := io.ReadFull(c.file, buffer)
		part := translate(buffer[:n])
		if _, err := w.out.Write(part); err != nil {
			return 0, err
		}
		c.Sum = crc32.Update(c.Sum, castagnoli, part)
		switch err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			return c.end(), nil
		default:
			return 0, err
		}
	}
}

// align fills the file with zeros up to the next place where a section or the footer may begin, and
// returns it.
func (w *Writer) align(end int64) (int64, error) {
	gap := -end & (alignment - 1)
	_, err := w.out.Write(make([]byte, gap))
	return end + gap, err
}

// close writes the footer and the prefix and gives the file its name.
func (w *Writer) close(f *footer, end int64) error {
	end, err := w.align(end)
	if err != nil {
		return err
	}
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	if _, err := w.out.Write(text); err != nil {
		return err
	}
	p := prefix{version: version, offset: end, length: int64(len(text)), sum: crc32.Checksum(text, castagnoli)}
	if _, err := w.out.WriteAt(p.bytes(), 0); err != nil {
		return err
	}
	return w.out.Commit()
}

// Discard removes what was written unless Finish has succeeded.
func (w *Writer) Discard() {
	w.out.Discard()
	for _, c := range w.columns {
		c.file.Discard()
	}
}
