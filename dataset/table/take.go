package table

import (
	"io"
	"math"
	"slices"
	"sync"

	"github.com/fairtrain/fairtrain/dataset/delimited"
	"github.com/fairtrain/fairtrain/dataset/textfile"
	"github.com/fairtrain/fairtrain/internal/memory"
	"github.com/fairtrain/fairtrain/internal/parallel"
)

// rows are the rows of a chunk, with those that count.
type rows struct {
	delimited.Rows
	share      float64       // of the file, up to the end of the chunk; 0 if nobody knows
	used       []int32       // the rows that count: their labels do not say to skip them
	unlabelled missingLabels // among the rows that do not count
	skipped    int           // the others of these
	typed      *typedRows    // the rows of a Source; nil for text
	order      []int         // where the columns are in the text; nil if in their order
	identities []uint64      // of the rows that count, if identities are asked for
}

// spare has rows that are not in use, for their memory.
var spare = sync.Pool{New: func() any { return new(rows) }}

// parse cuts a chunk into rows and finds out which rows count. It may run for several chunks
// at once.
func (t *tableReader) parse(chunk textfile.Chunk) *rows {
	r := spare.Get().(*rows)
	r.share, r.order = chunk.Share, t.order
	t.splitter.Split(&r.Rows, chunk)
	first := int32(0)
	if *t.Format.Header && chunk.Line == t.begins && r.Len() > 0 {
		first = 1
	}
	for chunk.Line <= t.below && int(first) < r.Len() && r.Rows.Place(first, 0).Line <= t.below {
		first++
	}
	t.choose(r, first, int32(r.Len()))
	return r
}

// choose finds out which of the rows from first to end−1 count.
func (t *tableReader) choose(r *rows, first, end int32) {
	r.used, r.unlabelled, r.identities = slices.Grow(r.used[:0], int(end)), missingLabels{}, r.identities[:0]
	for i := first; i < end; i++ {
		if t.skips(r, i) {
			continue
		}
		r.used = append(r.used, i)
		if t.identities != nil {
			r.identities = append(r.identities, t.identities.of(r, i))
		}
	}
	r.skipped = int(end-first) - len(r.used) - r.unlabelled.rows
}

// skips reports whether a row does not count: its label says to skip it, or is missing.
func (t *tableReader) skips(r *rows, row int32) bool {
	if t.label < 0 || t.anyLabels {
		return false
	}
	label := r.Value(row, t.label)
	if len(t.schema.Label.Skip) > 0 && hasLabel(t.schema.Label.Skip, label) {
		return true
	}
	if !slices.Contains(t.columns[t.label].missing, label) {
		return false
	}
	if r.unlabelled.rows == 0 {
		r.unlabelled.first = r.Place(row, t.label)
	}
	r.unlabelled.rows++
	return true
}

// take collects the values of the rows of the next chunk. It returns the fault that comes
// first in the file.
func (t *tableReader) take(r *rows) error {
	if t.missing.rows == 0 {
		t.missing.first = r.unlabelled.first
	}
	t.missing.rows += r.unlabelled.rows
	t.Skipped += r.skipped
	t.keep(r)
	fault := t.collect(r)
	if err := t.checkMemory(r, fault.row); err != nil {
		return err
	}
	if fault.msg != "" {
		return t.fault(r.Place(fault.row, fault.column), "column %s: %s", t.columns[fault.column].name, fault.msg)
	}
	t.Identities = append(t.Identities, r.identities...)
	t.Rows += len(r.used)
	err := r.Err
	if r.typed == nil {
		spare.Put(r)
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// keep drops the rows that Options.Keep does not keep.
func (t *tableReader) keep(r *rows) {
	first := t.Offered
	t.Offered += len(r.used)
	if t.opts.Keep == nil {
		return
	}
	n := 0
	for k, row := range r.used {
		if !t.opts.Keep(first + k) {
			continue
		}
		r.used[n] = row
		if len(r.identities) > 0 {
			r.identities[n] = r.identities[k]
		}
		n++
	}
	r.used = r.used[:n]
	if len(r.identities) > 0 {
		r.identities = r.identities[:n]
	}
}

// valueFault is a fault of a value: its row, its column and what is wrong.
type valueFault struct {
	row    int32 // math.MaxInt32 for no fault
	column int
	msg    string
}

func (f valueFault) before(other valueFault) bool {
	return f.row < other.row || f.row == other.row && f.column < other.column
}

// collect hands the values of the rows that count to the columns. It returns the first fault.
func (t *tableReader) collect(r *rows) valueFault {
	first := t.callEach(r)
	expected := t.expectedRows(r)
	faults := make([]valueFault, len(t.columns))
	parallel.Do(t.workers, len(t.columns), func(k int) {
		t.columns[k].expected = expected
		faults[k] = t.columns[k].addAll(r, k)
	})
	for _, f := range faults {
		if f.before(first) {
			first = f
		}
	}
	return first
}

// expectedRows returns about how many rows the file has, rather more than less. It is 0 while too
// little of the file is known, or if there is no memory for so many.
func (t *tableReader) expectedRows(r *rows) int {
	const least, more = 1. / 16, 1 + 1./16 // the stream is read ahead
	if r.share < least {
		return 0
	}
	rows := more * float64(t.Rows+len(r.used)) / r.share
	if !memory.Fits(growing * rows * perNumber * float64(len(t.columns))) {
		return 0
	}
	return int(rows)
}

// callEach calls Options.Each, row by row, up to the first fault.
func (t *tableReader) callEach(r *rows) valueFault {
	if len(t.opts.Each) > 0 {
		for _, i := range r.used {
			for k, c := range t.columns {
				if c.each == nil {
					continue
				}
				if err := c.each(r.Value(i, k)); err != nil {
					return valueFault{i, k, err.Error()}
				}
			}
		}
	}
	return valueFault{row: math.MaxInt32}
}

const (
	growing   = 3   // old values, new values, and what is made of them
	perNumber = 8   // bytes of a value, at most
	perColumn = 600 // bytes of a column without values: what finds its type and levels, and its schema
)

// perLevel is the memory in bytes that a distinct value takes besides its text: a string, its
// place in the file and its entry in an index.
const perLevel = 100

// checkMemory returns an error if there is no memory for the rows before the given row.
func (t *tableReader) checkMemory(r *rows, before int32) error {
	perRow := perNumber * float64(len(t.columns))
	bytes := t.bytes + perRow*float64(len(r.used))
	for _, c := range t.columns {
		for _, g := range c.grown {
			bytes += g.bytes
		}
	}
	if memory.Fits(growing * bytes) {
		t.bytes = bytes
		return nil
	}
	levels := map[int32]float64{}
	for _, c := range t.columns {
		for _, g := range c.grown {
			levels[g.row] += g.bytes
		}
	}
	for _, i := range r.used {
		if i >= before {
			break
		}
		t.bytes += perRow + levels[i]
		if !memory.Fits(growing * t.bytes) {
			return memory.Check(t.beyond(r, i), growing*t.bytes)
		}
	}
	return nil
}
