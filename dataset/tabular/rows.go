package tabular

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/fairtrain/fairtrain/dataset/tabular/delimited"
	"github.com/fairtrain/fairtrain/dataset/tabular/identity"
	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
	"github.com/fairtrain/fairtrain/dataset/textfile"
	"github.com/fairtrain/fairtrain/internal/memory"
	"github.com/fairtrain/fairtrain/internal/parallel"
	"github.com/fairtrain/fairtrain/internal/rng"
)

// Source is a file whose columns have names and types, such as a Parquet file. It is read by
// blocks of rows.
type Source interface {
	// Columns describes the columns.
	Columns() []SourceColumn
	// Next returns the number of the next rows, 0 after the last, and their values by columns,
	// which are valid until the next call. It may leave out columns that are not wanted.
	Next(wanted []bool) (rows int, columns []Values, err error)
	// Locate returns in which file a place is, and where in it. The Line of a place is the number
	// of its row in the source, from 0, plus 2, as if the source were text with a header. Line
	// 1 stands for the names of the columns.
	Locate(at delimited.Place) (file, part string)
}

// SourceColumn is a column of a Source.
type SourceColumn struct {
	Name   string
	Number bool   // its texts are numbers with a point
	Unfit  string // why it has no values that can be used, "" if it has
}

// Collect reads a source as Read reads a CSV file with the same names and the same texts. The
// first of the schema's missing values stands for a value that is missing. So the tables are
// the same, but for their names and hashes. The numbers of a column of numbers have decimals
// behind a point, whatever those of other columns look like.
func Collect(src Source, schema *Schema, opts Options) (*Table, error) {
	schema, err := checked(schema)
	if err != nil {
		return nil, err
	}
	header := true
	t := &tableReader{
		Table:  &Table{Name: opts.Name, Typed: true, Format: delimited.Format{Header: &header}, anyLabels: opts.AnyLabels, source: src},
		schema: schema, opts: opts, workers: runtime.GOMAXPROCS(0),
	}
	if err := t.openSource(src.Columns()); err != nil {
		return nil, err
	}
	r := new(rows)
	if list := schema.missing(); len(list) > 0 {
		r.missing = list[0]
	}
	for first := 0; ; {
		count, columns, err := src.Next(t.wanted())
		if err != nil {
			return nil, err
		}
		if count == 0 {
			break
		}
		r.columns = columns
		r.place = func(row int32, k int) delimited.Place {
			return delimited.Place{Line: first + int(row) + 2, Column: k + 1}
		}
		t.choose(r, count)
		if err := t.take(r); err != nil {
			return nil, err
		}
		first += count
	}
	return t.Table, t.finish()
}

// openSource prepares to collect the values of columns. Those that can't be used are dropped, unless
// something is to be made of them.
func (t *tableReader) openSource(columns []SourceColumn) error {
	var names []string
	for _, column := range columns {
		names = append(names, column.Name)
	}
	if err := t.openColumns(names); err != nil {
		return err
	}
	for k, c := range t.columns {
		if columns[k].Number {
			c.decimals.Mark = numparse.Point
		}
		c.unread = columns[k].Unfit != ""
		switch {
		case !c.unread || c.state == nothing && c.each == nil:
		case c.state == anything && c.each == nil:
			c.forget()
			c.reason = columns[k].Unfit
		default:
			return t.fault(t.place(), "column %s can't be used: %s", c.name, columns[k].Unfit)
		}
	}
	return nil
}

// wanted returns which columns have values that play a part.
func (t *tableReader) wanted() []bool {
	wanted := make([]bool, len(t.columns))
	for k, c := range t.columns {
		wanted[k] = c.state != nothing || c.each != nil || t.identities != nil && !c.unread
		if c.repeatFault && !c.unread {
			wanted[k] = c.repeats.state != nothing || c.repeats.each != nil
		}
	}
	return wanted
}

// Values are the values of a column in a block of rows. Their texts define them.
type Values interface {
	// Text returns the text of a value. It is not ok if the value is missing.
	Text(row int32) (text string, ok bool)
	// Number returns what numparse.ParsePlain makes of the text, and whether the text has no
	// point. It may be not ok for any value.
	Number(row int32) (value float64, whole, ok bool)
}

// texts are the values of a column of text.
type texts []string

func (v texts) Text(row int32) (string, bool)          { return v[row], true }
func (v texts) Number(row int32) (float64, bool, bool) { return numparse.ParseDecimal(v[row]) }

// rows are a block of rows: those of a chunk of text, or of a Source.
type rows struct {
	columns []Values // nil for a column that is not wanted
	missing string   // what stands for a missing value of a Source
	place   func(row int32, k int) delimited.Place
	err     error // what comes after the rows: io.EOF, a fault, or nil for more rows

	used       []int32  // the rows that count: their labels do not say to skip them
	skipped    int      // the others
	totals     []int32  // rows of totals, without labels
	unlabelled int32    // the first row without a label, behind which no row counts; -1 for none
	identities []uint64 // of the rows that count, with Options.Identify

	text delimited.Rows // of a chunk
}

// value returns the text of a value.
func (r *rows) value(row int32, k int) string {
	if r.columns[k] == nil {
		return r.missing
	}
	text, ok := r.columns[k].Text(row)
	if !ok {
		return r.missing
	}
	return text
}

// spare has rows that are not in use, for their memory.
var spare = sync.Pool{New: func() any { return new(rows) }}

// parse cuts a chunk into rows and finds out which rows count. It may run for several chunks at once.
func (t *tableReader) parse(chunk textfile.Chunk) *rows {
	r := spare.Get().(*rows)
	skip := 0 // rows above the data
	if chunk.Line == t.begins {
		skip = t.skip
	}
	t.Format.Split(&r.text, chunk, t.Name, len(t.columns), skip)
	place := func(k int) int { // of a column in the file
		if t.order == nil {
			return k
		}
		return t.order[k]
	}
	r.err, r.columns = r.text.Err, r.columns[:0]
	for k := range t.columns {
		r.columns = append(r.columns, texts(r.text.Columns[place(k)]))
	}
	r.place = func(row int32, k int) delimited.Place { return r.text.Place(int(row), place(k)) }
	t.choose(r, r.text.Len())
	return r
}

// choose finds out which of so many rows count.
func (t *tableReader) choose(r *rows, count int) {
	r.used, r.unlabelled, r.skipped, r.totals, r.identities = r.used[:0], -1, 0, r.totals[:0], r.identities[:0]
	for i := range int32(count) {
		if t.label >= 0 && !t.anyLabels {
			label := r.value(i, t.label)
			if hasLabel(t.schema.Label.Skip, label) {
				r.skipped++
				continue
			}
			if slices.Contains(t.columns[t.label].missing, label) {
				if t.isTotal(r, i) {
					r.totals = append(r.totals, i)
					continue
				}
				r.unlabelled = i
				return
			}
		}
		r.used = append(r.used, i)
		if t.identities != nil {
			r.identities = append(r.identities, identityOf(t.identities, r, i))
		}
	}
}

// identityOf returns a hash of the content of a row, by which the row is recognised in another file.
// It is a sum: for each value, the hash of the value and the name of its column. So the order of the
// columns does not matter. Different rows with the same values have the same identity.
func identityOf(columns []uint64, r *rows, row int32) uint64 {
	sum := uint64(0)
	for k, column := range columns {
		if column != 0 {
			sum += rng.Mix(identity.Value(column, r.value(row, k)))
		}
	}
	return rng.Mix(sum)
}

// takeText takes the rows of a chunk.
func (t *tableReader) takeText(r *rows) error {
	err := t.take(r)
	if err == nil {
		err = r.err
	}
	spare.Put(r)
	if err == io.EOF {
		return nil
	}
	return err
}

// take collects the values of the next rows. It returns the fault that comes first in the file.
func (t *tableReader) take(r *rows) error {
	t.Skipped += r.skipped
	if len(r.totals) > 0 && t.totals == 0 {
		t.firstTotal = t.unlabelled(r, r.totals[0])
	}
	t.totals += len(r.totals)
	t.keep(r)
	first := t.callEach(r)
	if f := t.checkRepeats(r); f.before(first) {
		first = f
	}
	faults := make([]valueFault, len(t.columns))
	parallel.Do(t.workers, len(t.columns), func(k int) {
		faults[k] = t.columns[k].addAll(r, k)
	})
	for _, f := range faults {
		if f.before(first) {
			first = f
		}
	}
	if name := t.columns[max(first.column, 0)].name; first.msg != "" {
		return t.fault(r.place(first.row, first.column), "column %s: %s", cmp.Or(t.Renamed[name], name), first.msg)
	}
	if r.unlabelled >= 0 {
		return t.unlabelled(r, r.unlabelled)
	}
	t.Identities = append(t.Identities, r.identities...)
	t.Rows += len(r.used)
	return t.checkMemory(r)
}

// unlabelled is the error of a row without a label.
func (t *tableReader) unlabelled(r *rows, row int32) error {
	return &LabelError{Fault: MissingLabels, err: t.fault(r.place(row, t.label),
		"the label %s is missing (label.skip of the schema can leave such rows out)", t.columns[t.label].name)}
}

// keep drops the rows that Options.Keep does not keep.
func (t *tableReader) keep(r *rows) {
	first := t.Offered
	t.Offered += len(r.used)
	if t.opts.Keep == nil {
		return
	}
	used, identities := r.used[:0], r.identities[:0]
	for k, row := range r.used {
		if !t.opts.Keep(first + k) {
			continue
		}
		used = append(used, row)
		if t.identities != nil {
			identities = append(identities, r.identities[k])
		}
	}
	r.used, r.identities = used, identities
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

// callEach calls Options.Each, row by row, up to the first fault.
func (t *tableReader) callEach(r *rows) valueFault {
	if len(t.opts.Each) > 0 {
		for _, i := range r.used {
			for k, c := range t.columns {
				if c.each == nil {
					continue
				}
				if err := c.each(r.value(i, k)); err != nil {
					return valueFault{i, k, err.Error()}
				}
			}
		}
	}
	return valueFault{row: math.MaxInt32}
}

const (
	growing   = 2   // the values, and what is made of them
	perNumber = 8   // bytes of a value, at most
	perColumn = 900 // bytes of a column without values: what finds its type and levels, and its schema
	perLevel  = 100 // bytes of a distinct value without its text: a string, its place and its entry in an index
)

// checkMemory returns an error if there is no memory for the rows so far, of which r are the last ones.
func (t *tableReader) checkMemory(r *rows) error {
	bytes := (perColumn + perNumber*float64(t.Rows)) * float64(len(t.columns))
	for _, c := range t.columns {
		bytes += c.bytes
	}
	if memory.Fits(growing*bytes) || len(r.used) == 0 {
		return nil
	}
	at := t.fault(r.place(r.used[0], 0), "")
	beyond := fmt.Sprintf("%s: to read beyond line %d", at.File, at.Line)
	if t.source != nil {
		beyond = fmt.Sprintf("%s: to read beyond row %d", t.Name, t.Rows-len(r.used))
	}
	return memory.Check(beyond, growing*bytes)
}
