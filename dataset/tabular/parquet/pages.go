package parquet

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/fairtrain/fairtrain/internal/memory"
)

var errDamaged = errors.New("a page is damaged")

// checkPages reads the headers of all pages of a column chunk, which lie between two offsets of the
// file. The library takes the memory that a header states, so these sizes must fit in the chunk and
// in the memory budget. It misreads booleans in runs, which are refused.
func (f *file) checkPages(chunk *format.ColumnMetaData, at, end, rows int64) error {
	const perValue = 16 // bytes: its level, index and offset
	values := int64(0)
	for at < end {
		h, size, err := f.pageHeader(at, end)
		if err != nil {
			return err
		}
		at += size
		data, data2 := h.DataPageHeader.V, h.DataPageHeaderV2.V
		entries, count := int64(h.DictionaryPageHeader.V.NumValues), int64(max(data.NumValues, data2.NumValues))
		plain, stored := int64(h.UncompressedPageSize), int64(h.CompressedPageSize)
		switch {
		case min(plain, stored, entries, count) < 0:
			return errDamaged
		case stored > end-at || plain > chunk.TotalUncompressedSize:
			return errors.New("the size that a page states is beyond its column")
		case entries > plain:
			return fmt.Errorf("a dictionary states %d values in %d bytes", entries, plain)
		case chunk.Type == format.Boolean && (data.Encoding == format.RLE || data2.Encoding == format.RLE):
			return errors.New("its booleans are encoded as RLE, expected PLAIN")
		}
		if err := memory.Check("its pages", float64(stored+3*plain+perValue*max(count, entries))); err != nil {
			return err
		}
		at += stored
		values += count
	}
	if values < rows {
		return fmt.Errorf("it ends %d values too early", rows-values)
	}
	return nil
}

// pageHeader reads the header of a page, and returns the number of its bytes.
func (f *file) pageHeader(at, end int64) (*format.PageHeader, int64, error) {
	for length := int64(1 << 9); ; length *= 8 {
		length = min(length, end-at)
		text := make([]byte, length)
		if _, err := f.in.ReadAt(text, at); err != nil && err != io.EOF {
			return nil, 0, err
		}
		header := new(format.PageHeader)
		reader := new(thrift.CompactProtocol).NewReaderFromBytes(text)
		err := thrift.NewDecoder(reader).Decode(header)
		if err == nil {
			return header, int64(reader.BytesRead()), nil
		}
		if length == end-at {
			return nil, 0, errDamaged
		}
	}
}

// column reads the values of a column in a row group, by blocks of rows. It implements
// tabular.Values.
type column struct {
	kind
	pages  parquet.Pages
	reader parquet.ValueReader // of the last page; nil before the first one
	used   []parquet.Page      // pages that the values are in
	values []parquet.Value     // of the block
}

// open opens a column of a row group, nil for one that can't be used.
func (f *file) open(group, k int) (*column, error) {
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
	case format.Uncompressed, format.Snappy, format.Zstd, format.Gzip, format.Brotli:
	default: // the library misreads large pages in LZ4_RAW
		return nil, fmt.Errorf("it is compressed by %v, expected SNAPPY, ZSTD, GZIP, BROTLI or no compression", chunk.Codec)
	}
	if err := f.checkPages(chunk, at, at+chunk.TotalCompressedSize, f.groups[group].NumRows); err != nil {
		return nil, err
	}
	return &column{kind: c.kind, pages: f.decoder.RowGroups()[group].ColumnChunks()[c.leaf].Pages()}, nil
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
	c.values = append(c.values[:0], make([]parquet.Value, count)...)
	for n := 0; n < count; {
		if c.reader == nil {
			page, err := c.pages.ReadPage()
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
	return c.check(c.values)
}

// Text returns the text of a value. It is not ok if the value is missing.
func (c *column) Text(row int32) (string, bool) {
	v := c.values[row]
	if v.IsNull() || c.isNaN != nil && c.isNaN(v) {
		return "", false
	}
	return c.text(v), true
}

// Number returns the number of a value; see tabular.Values.
func (c *column) Number(row int32) (value float64, whole, ok bool) {
	v := c.values[row]
	if c.number == nil || v.IsNull() {
		return 0, false, false
	}
	return c.number(v)
}
