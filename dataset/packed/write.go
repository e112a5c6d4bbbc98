package packed

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/internal/atomicfile"
)

// Writer writes a packed file. It keeps no rows: its memory is small, and grows by 16 bytes a
// block.
type Writer struct {
	// Replaceable says of a file that is there when Finish is called whether it may be replaced; nil:
	// always.
	Replaceable func(path string) bool

	out        *atomicfile.Pending
	path       string
	rows       int
	width      int // one more than the largest column so far
	attributes []attribute
	ones       []int // columns of the row that are 1

	// The column indices are written to their final place. Every other section goes to a file
	// of its own until the end, because nobody knows how long a section will be.
	columns *column
	entries lengths
	others  []*column
	labels  *column
	values  *column // nil while there are none
	valued  lengths
}

// lengths are the numbers of entries of rows.
type lengths struct {
	total    int
	perRow   int     // of every row so far, −1 if they differ
	pointers *column // nil while they don't
	ends     []int   // of the blocks
}

// Create begins the file that Finish will give the name path.
func Create(path string) (*Writer, error) {
	out, err := atomicfile.Create(path)
	if err != nil {
		return nil, err
	}
	w := &Writer{out: out, path: path}
	w.columns = newColumn(out, section{Kind: columns, Width: 1, Offset: prefixSize})
	_, err = out.Write(make([]byte, prefixSize))
	if err == nil {
		w.labels, err = w.add(section{Kind: labels, Width: 1})
	}
	if err != nil {
		w.Discard()
		return nil, err
	}
	return w, nil
}

// add begins a section.
func (w *Writer) add(s section) (*column, error) {
	spill, err := atomicfile.Create(w.path)
	if err != nil {
		return nil, err
	}
	c := newColumn(spill, s)
	w.others = append(w.others, c)
	return c, nil
}

// section returns the section of a kind and attribute, nil if there is none.
func (w *Writer) section(k kind, attribute string) *column {
	for _, c := range w.others {
		if c.Kind == k && c.Attribute == attribute {
			return c
		}
	}
	return nil
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
	if len(d.Attributes) != len(w.attributes) || (d.Weights != nil) != (w.section(weights, "") != nil) || (ids != nil) != (w.section(identities, "") != nil) {
		panic("packed: parts of different columns")
	}
	for i, y := range d.Y {
		if err := w.row(d, i); err != nil {
			return err
		}
		w.labels.put(uint64(uint8(y)))
	}
	for _, v := range d.Weights {
		w.section(weights, "").put(math.Float64bits(v))
	}
	for _, id := range ids {
		w.section(identities, "").put(id)
	}
	for _, a := range d.Attributes {
		for code := range a.Codes.All() {
			w.section(codes, a.Name).put(uint64(code))
		}
		for _, v := range a.Numbers {
			w.section(numbers, a.Name).put(math.Float64bits(v))
		}
	}
	return w.err()
}

// declare begins the sections that d has.
func (w *Writer) declare(d *dataset.Dataset, ids []uint64) error {
	var err error
	begin := func(s section) {
		if err == nil {
			_, err = w.add(s)
		}
	}
	if d.Weights != nil {
		begin(section{Kind: weights, Width: 8})
	}
	if ids != nil {
		begin(section{Kind: identities, Width: 8})
	}
	for _, a := range d.Attributes {
		w.attributes = append(w.attributes, attribute{a.Name, a.Levels})
		if a.Levels != nil {
			begin(section{Kind: codes, Attribute: a.Name, Width: bytesFor(len(a.Levels) - 1)})
		}
		if a.Numbers != nil {
			begin(section{Kind: numbers, Attribute: a.Name, Width: 8})
		}
	}
	return err
}

// bytesFor returns how many bytes hold the numbers from 0 to most.
func bytesFor(most int) int {
	switch {
	case most <= math.MaxUint8:
		return 1
	case most <= math.MaxUint16:
		return 2
	}
	return 4
}

// row adds the non-zeros of row i of d.
func (w *Writer) row(d *dataset.Dataset, i int) error {
	count, valued := 0, 0
	w.ones = w.ones[:0]
	for j, v := range d.X.Row(i) {
		count++
		w.width = max(w.width, j+1)
		if need := bytesFor(j); need > w.columns.Width {
			if err := w.columns.widen(need); err != nil {
				return err
			}
		}
		if v == 1 {
			w.ones = append(w.ones, j)
			continue
		}
		if w.values == nil {
			var err error
			if w.values, err = w.add(section{Kind: values, Width: 8}); err != nil {
				return err
			}
		}
		w.columns.put(uint64(j))
		w.values.put(math.Float64bits(v))
		valued++
	}
	for _, j := range w.ones {
		w.columns.put(uint64(j))
	}
	if err := w.endRow(&w.entries, count, pointers); err != nil {
		return err
	}
	if err := w.endRow(&w.valued, valued, toValues); err != nil {
		return err
	}
	w.rows++
	return nil
}

// endRow ends a row of so many entries.
func (w *Writer) endRow(l *lengths, count int, k kind) (err error) {
	l.total += count
	if w.rows == 0 {
		l.perRow = count
	}
	if l.pointers == nil && count != l.perRow {
		if l.pointers, err = w.add(section{Kind: k, Width: 8}); err != nil {
			return err
		}
		for row := range w.rows + 1 {
			l.pointers.put(uint64(row * l.perRow))
		}
		l.perRow = -1
	}
	if l.pointers != nil {
		l.pointers.put(uint64(l.total))
	}
	if (w.rows+1)%blockRows == 0 {
		l.ends = append(l.ends, l.total)
	}
	return nil
}

// err returns the first error of writing.
func (w *Writer) err() error {
	_, err := w.columns.to.Write(nil) // bufio keeps its first error
	for _, c := range w.others {
		if err == nil {
			_, err = c.to.Write(nil)
		}
	}
	return err
}

// Finish completes the file. The function maps every label; nil leaves the labels as they are.
func (w *Writer) Finish(content Content, label func(int8) int8) error {
	if w.rows == 0 {
		return errors.New("no rows to be packed")
	}
	if content.Features < w.width {
		panic(fmt.Sprintf("packed: %d features for rows that use %d", content.Features, w.width))
	}
	w.dropPointersToValues()
	f := &footer{Content: content, Rows: w.rows, Hashes: hashes, PerRow: w.entries.perRow, ValuesPerRow: w.valued.perRow, Attributes: w.attributes}
	if err := w.columns.to.Flush(); err != nil {
		return err
	}
	end := w.columns.end()
	if err := w.seal(f, w.columns, w.out, nil); err != nil {
		return err
	}
	for _, c := range w.others {
		if err := w.align(&end); err != nil {
			return err
		}
		c.Offset = end
		end = c.end()
		if err := c.to.Flush(); err != nil {
			return err
		}
		translate := func([]byte) {}
		if c.Kind == labels && label != nil {
			translate = func(text []byte) {
				for i, y := range text {
					text[i] = byte(label(int8(y)))
				}
			}
		}
		if _, err := c.file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if err := w.seal(f, c, c.file, translate); err != nil {
			return err
		}
		c.file.Discard()
	}
	return w.close(f, end)
}

// dropPointersToValues drops those that say what the row pointers say.
func (w *Writer) dropPointersToValues() {
	if c := w.valued.pointers; c != nil && w.valued.total == w.entries.total {
		c.file.Discard()
		w.others = slices.DeleteFunc(w.others, func(other *column) bool { return other == c })
		w.valued.perRow = 0
	}
}

// align fills the file with zeros up to the next place where a section or the footer may
// begin.
func (w *Writer) align(end *int64) error {
	gap := -*end & (alignment - 1)
	*end += gap
	_, err := w.out.Write(make([]byte, gap))
	return err
}

// seal enters a section in the footer, with the checksums of its blocks. Unless translate is
// nil, seal translates the section and copies it from its file to the end of the output.
func (w *Writer) seal(f *footer, c *column, from io.Reader, translate func([]byte)) error {
	if translate == nil {
		from = io.NewSectionReader(w.out, c.Offset, c.end()-c.Offset)
	}
	buffer := make([]byte, bufferSize)
	before := ends{w.before(&w.entries), w.before(&w.valued)}
	for block := range f.blocks() {
		lo, hi := f.entriesOf(&c.section, block, before)
		sum := uint32(0)
		for left := (hi - lo) * c.Width; left > 0; {
			part := buffer[:min(left, len(buffer))]
			if _, err := io.ReadFull(from, part); err != nil {
				return err
			}
			if translate != nil {
				translate(part)
				if _, err := w.out.Write(part); err != nil {
					return err
				}
			}
			sum = crc32.Update(sum, castagnoli, part)
			left -= len(part)
		}
		c.Sums = binary.LittleEndian.AppendUint32(c.Sums, sum)
	}
	f.Sections = append(f.Sections, c.section)
	return nil
}

// before returns how many entries are before a row, for the first row of each block and for w.rows.
func (w *Writer) before(l *lengths) func(row int) int {
	return func(row int) int {
		switch row {
		case 0:
			return 0
		case w.rows:
			return l.total
		}
		return l.ends[row/blockRows-1]
	}
}

// close writes the footer and the prefix and gives the file its name.
func (w *Writer) close(f *footer, end int64) error {
	if err := w.align(&end); err != nil {
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
	w.out.Replaceable = w.Replaceable
	return w.out.Commit()
}

// Discard removes what was written unless Finish has succeeded.
func (w *Writer) Discard() {
	w.out.Discard()
	for _, c := range w.others {
		c.file.Discard()
	}
}
