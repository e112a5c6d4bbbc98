package table

import (
	"fmt"
	"runtime"

	"github.com/fairtrain/fairtrain/dataset/delimited"
	"github.com/fairtrain/fairtrain/dataset/quantity"
)

// Source is a file whose columns have names and types, such as a Parquet file. It is read by
// blocks of rows.
type Source interface {
	// Columns returns what is known about the columns before their values are.
	Columns() []SourceColumn
	// Next returns the number of the next rows, 0 after the last, and their values by columns,
	// which are valid until the next call. It may leave out columns that are not wanted.
	Next(wanted []bool) (rows int, columns []Values, err error)
	// Locate says in which file a place is, and where in it. The Line of a place is the number
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

// Values are the values of a column of a Source, in a block of rows. What a row's value is,
// its text says, as in a CSV file.
type Values interface {
	// Text returns the text of a value. It is not ok if the value is missing.
	Text(row int32) (text string, ok bool)
	// Number returns what quantity.ParsePlain makes of the text, and whether the text has no
	// point. It may be not ok for any value.
	Number(row int32) (value float64, whole, ok bool)
	// Short returns words that tell the value from all other values of the column. It may be
	// not ok for any value.
	Short(row int32) (s delimited.Short, ok bool)
	// Unfit says why the values can't be used, as SourceColumn.Unfit does, if only values so far have shown
	// it. They have texts all the same, by which rows are known again.
	Unfit() string
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
	r := &rows{typed: new(typedRows)}
	if list := schema.missing(); len(list) > 0 {
		r.typed.missing = list[0]
	}
	for {
		count, columns, err := src.Next(t.wanted())
		if err != nil {
			return nil, err
		}
		if count == 0 {
			break
		}
		r.typed.columns = columns
		for k, values := range columns {
			if values == nil {
				continue
			}
			if err := t.checkFit(t.columns[k], values.Unfit()); err != nil {
				return nil, err
			}
		}
		if opts.Share != nil {
			r.share = opts.Share()
		}
		t.choose(r, 0, int32(count))
		if err := t.take(r); err != nil {
			return nil, err
		}
		r.typed.first += count
	}
	return t.Table, t.finish()
}

// openSource prepares to collect the values of columns.
func (t *tableReader) openSource(columns []SourceColumn) error {
	var names []string
	for _, column := range columns {
		names = append(names, column.Name)
	}
	if err := t.openColumns(names); err != nil {
		return err
	}
	for k, c := range t.columns {
		c.typed = columns[k].Number
		c.unread = columns[k].Unfit != ""
		if err := t.checkFit(c, columns[k].Unfit); err != nil {
			return err
		}
	}
	return nil
}

// checkFit drops a column that can't be used for the reason unfit, unless that is "". It fails if something is to be
// made of the column.
func (t *tableReader) checkFit(c *collector, unfit string) error {
	switch {
	case unfit == "" || c.state == nothing && c.each == nil:
	case c.state == anything && c.each == nil:
		c.forget()
		c.reason = unfit
	default:
		return t.fault(t.start(), "column %s can't be used: %s", c.name, unfit)
	}
	return nil
}

// wanted says which columns have values that play a part.
func (t *tableReader) wanted() []bool {
	wanted := make([]bool, len(t.columns))
	for k, c := range t.columns {
		wanted[k] = c.state != nothing || c.each != nil || t.identities != nil && !c.unread
	}
	return wanted
}

// beyond says that rows behind one are read.
func (t *tableReader) beyond(r *rows, row int32) string {
	if r.typed != nil {
		return fmt.Sprintf("%s: to read beyond row %d", t.Name, r.typed.first+int(row)+1)
	}
	at := t.fault(r.Place(row, 0), "")
	return fmt.Sprintf("%s: to read beyond line %d", at.File, at.Line)
}

// typedRows are rows of a Source.
type typedRows struct {
	first   int // number of rows before them
	missing string
	columns []Values
}

func (r *typedRows) value(row int32, k int) string {
	if r.columns[k] == nil {
		return r.missing
	}
	text, ok := r.columns[k].Text(row)
	if !ok {
		return r.missing
	}
	return text
}

// at returns where column k is in a text.
func (r *rows) at(k int) int {
	if r.order == nil {
		return k
	}
	return r.order[k]
}

// Value returns the value of a row in column k.
func (r *rows) Value(row int32, k int) string {
	if r.typed != nil {
		return r.typed.value(row, k)
	}
	return r.Rows.Value(row, r.at(k))
}

// Place returns where the value of a row in column k begins.
func (r *rows) Place(row int32, k int) delimited.Place {
	if r.typed != nil {
		return delimited.Place{Line: r.typed.first + int(row) + 2, Column: k + 1}
	}
	return r.Rows.Place(row, r.at(k))
}

// numbers appends values of a column, column k, up to the first that is not one of its usual numbers, see
// delimited.Rows.
func (r *rows) numbers(to []float64, rows []int32, k int, c *collector) []float64 {
	if r.typed == nil {
		return r.Numbers(to, rows, r.at(k), c.known)
	}
	for _, row := range rows {
		number, whole, ok := r.typed.columns[k].Number(row)
		if !ok || !whole && c.decimals.mark != quantity.Point {
			break
		}
		to = append(to, number)
	}
	return to
}

// appendCodes appends the codes of values of a column, column k, up to the first that has none.
func appendCodes[T uint8 | uint16 | uint32](c *collector, to []T, r *rows, rows []int32, k int) []T {
	if r.typed == nil {
		return delimited.Codes(&r.Rows, to, rows, r.at(k), c.known)
	}
	for _, row := range rows {
		text, ok := r.typed.columns[k].Short(row)
		if !ok {
			break
		}
		code, ok := c.known.Code(text)
		if !ok {
			break
		}
		to = append(to, T(code))
	}
	return to
}

// learn notes the code of the value of a row in column k, see delimited.Rows.
func (r *rows) learn(known *delimited.Column, row int32, k int, code uint32) {
	if r.typed == nil {
		r.Learn(known, row, r.at(k), code)
	} else if text, ok := r.typed.columns[k].Short(row); ok {
		known.Level(text, code)
	}
}
