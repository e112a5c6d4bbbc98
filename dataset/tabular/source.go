package tabular

import (
	"runtime"

	"github.com/fairtrain/fairtrain/dataset/tabular/delimited"
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
		for k, values := range columns {
			if values == nil {
				continue
			}
			if err := t.checkFit(t.columns[k], values.Unfit()); err != nil {
				return nil, err
			}
		}
		t.choose(r, 0, count)
		if err := t.take(r); err != nil {
			return nil, err
		}
		first += count
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
