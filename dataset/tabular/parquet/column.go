package parquet

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// column reads the values of a column in a row group, by blocks of rows. It implements
// table.Values.
type column struct {
	kind
	pages  parquet.Pages
	check  pageCheck
	reader parquet.ValueReader // of the last page; nil before the first one
	used   []parquet.Page      // pages that the values are in
	values []parquet.Value     // of the block
	noText string              // what Unfit returns
}

// open opens a column of a row group. It adds the bytes of its pages to those taken.
func (f *file) open(group, k int, taken *atomic.Int64) (*column, error) {
	c := &f.columns[k]
	if c.unfit != "" {
		return nil, nil
	}
	chunk := &f.groups[group].Columns[c.leaf].MetaData
	at := chunk.DataPageOffset
	if d := chunk.DictionaryPageOffset; d > 0 {
		at = min(at, d)
	}
	if at < 0 || chunk.TotalCompressedSize < 0 || at > f.size || chunk.TotalCompressedSize > f.size-at {
		return nil, errors.New("it is outside of the file")
	}
	switch chunk.Codec {
	case format.Uncompressed, format.Snappy, format.Zstd, format.Gzip, format.Lz4Raw, format.Brotli:
	default:
		return nil, fmt.Errorf("it is compressed by %v, expected SNAPPY, ZSTD, GZIP, LZ4_RAW, BROTLI or no compression", chunk.Codec)
	}
	column := &column{kind: c.kind}
	end := at + chunk.TotalCompressedSize
	column.check = pageCheck{in: f, at: at, end: end, chunk: chunk, nullable: c.nullable, taken: taken}
	column.pages = f.decoder.RowGroups()[group].ColumnChunks()[c.leaf].(*parquet.FileColumnChunk).PagesFrom(&column.check)
	return column, nil
}

// read reads the values of the next rows.
func (c *column) read(count int) (err error) {
	defer recovered(&err)
	last := len(c.used) - 1
	for k, page := range c.used {
		if k < last || c.reader == nil {
			parquet.Release(page)
		}
	}
	if c.used = c.used[max(last, 0):]; c.reader == nil {
		c.used = c.used[:0]
	}
	c.values = slices.Grow(c.values[:0], count)[:count]
	for n := 0; n < count; {
		if c.reader == nil {
			page, err := c.pages.ReadPage()
			if c.check.err != nil {
				return c.check.err
			}
			if err == io.EOF {
				return fmt.Errorf("it ends %d values too early", count-n)
			} else if err != nil {
				return err
			}
			c.used, c.reader = append(c.used, page), page.Values()
		}
		read, err := c.reader.ReadValues(c.values[n:])
		switch {
		case err == io.EOF:
			c.reader = nil
		case err != nil:
			return err
		case read == 0:
			return io.ErrNoProgress
		}
		n += read
	}
	if c.utf8 {
		return c.checkTexts()
	}
	return nil
}

// checkTexts checks that texts are in UTF-8.
func (c *column) checkTexts() error {
	for _, v := range c.values {
		switch {
		case v.IsNull() || utf8.Valid(v.ByteArray()):
		case c.raw:
			c.noText = "it holds bytes that are no text in UTF-8"
			return nil
		default:
			return fmt.Errorf("value %q, expected text in UTF-8", v.ByteArray())
		}
	}
	return nil
}

func (c *column) Text(row int32) (string, bool) {
	v := c.values[row]
	if v.IsNull() || c.isNaN != nil && c.isNaN(v) {
		return "", false
	}
	return c.text(v), true
}

func (c *column) Number(row int32) (value float64, whole, ok bool) {
	v := c.values[row]
	if c.number == nil || v.IsNull() {
		return 0, false, false
	}
	return c.number(v)
}

func (c *column) Unfit() string { return c.noText }
