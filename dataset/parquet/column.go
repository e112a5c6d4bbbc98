package parquet

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"github.com/fairtrain/fairtrain/internal/memory"
)

// column reads the values of a column in a row group.
type column struct {
	values
	pages  *parquet.FilePages
	page   parquet.Page // that is read; nil before the first
	rows   int          // of the page that were read
	taken  int          // values of them, without those that are missing
	reader parquet.ValueReader
	list   []parquet.Value // that the reader read
	used   []parquet.Page  // pages that the values are in, except the last

	hasDictionary bool
	dictionary    []uint64 // of numbers
	known         int      // entries of the dictionary
}

// open opens a column of a row group.
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
	from := &pages{
		from: bufio.NewReaderSize(io.NewSectionReader(f, at, chunk.TotalCompressedSize), int(min(mostHeader, chunk.TotalCompressedSize))),
		left: chunk.TotalCompressedSize, codec: chunk.Codec, rows: f.groups[group].NumRows, optional: c.optional,
	}
	decoder := f.decoder.RowGroups()[group].ColumnChunks()[c.leaf].(*parquet.FileColumnChunk)
	physical := c.typ.Kind()
	if c.half {
		physical = parquet.Double
	}
	return &column{values: values{kind: c.kind, physical: physical}, pages: decoder.PagesFrom(from)}, nil
}

// read reads the values of the next rows.
func (c *column) read(count int) (err error) {
	defer recovered(&err)
	for _, page := range c.used {
		parquet.Release(page)
	}
	c.used, c.entries = c.used[:0], c.entries[:c.known]
	c.missing = slices.Grow(c.missing[:0], count)[:count]
	if c.isNumber() {
		c.words = slices.Grow(c.words[:0], count)[:count]
	} else {
		c.at = slices.Grow(c.at[:0], count)[:count]
	}
	for n := 0; n < count; {
		if c.page == nil {
			if err := c.next(); err == io.EOF {
				return fmt.Errorf("it ends %d values too early", count-n)
			} else if err != nil {
				return err
			}
		}
		left := int(c.page.NumRows()) - c.rows
		end := min(count, n+left)
		if err := c.take(n, end); err != nil {
			return err
		}
		c.rows += end - n
		if end == n+left {
			c.used, c.page = append(c.used, c.page), nil
		}
		n = end
	}
	return nil
}

// next begins the next page.
func (c *column) next() (err error) {
	if c.page, err = c.pages.ReadPage(); err != nil {
		return err
	}
	c.rows, c.taken, c.reader = 0, 0, c.page.Values()
	if d := c.page.Dictionary(); d != nil && !c.hasDictionary {
		c.hasDictionary = true
		return c.learn(d)
	}
	return nil
}

// learn takes the values of the dictionary, which all pages share.
func (c *column) learn(d parquet.Dictionary) error {
	const perEntry = 64
	if err := memory.Check("a dictionary", perEntry*float64(d.Len())); err != nil {
		return err
	}
	for k := range d.Len() {
		v := d.Index(int32(k))
		if c.isNumber() {
			c.dictionary = append(c.dictionary, wordOf(v))
		} else if err := c.enter(v); err != nil {
			return err
		}
	}
	c.known = len(c.entries)
	return nil
}

// enter adds an entry.
func (c *column) enter(v parquet.Value) error {
	switch {
	case !c.utf8 || utf8.Valid(v.ByteArray()):
	case c.raw:
		c.noText = "it holds bytes that are no text in UTF-8"
	default:
		return fmt.Errorf("value %q, expected text in UTF-8", v.ByteArray())
	}
	c.entries = append(c.entries, v)
	return nil
}

// take takes the next values of the page for rows n to end−1 of the block.
func (c *column) take(n, end int) error {
	missing := c.missing[n:end]
	present := len(missing)
	if levels := c.page.DefinitionLevels(); levels != nil {
		for i, level := range levels[c.rows : c.rows+len(missing)] {
			missing[i] = level != 1
			if missing[i] {
				present--
			}
		}
	} else {
		clear(missing)
	}
	indexed := c.page.Dictionary() != nil
	if !indexed && !c.isNumber() {
		return c.takeEntries(n, end)
	}
	from, to := c.taken, c.taken+present
	c.taken = to
	data := c.page.Data() // whose memory may be longer than its values: Clip, so that too few are a fault
	switch {
	case indexed:
		indexes := slices.Clip(data.Int32())[from:to]
		if !c.isNumber() {
			copy(c.at[n:], indexes)
			for _, i := range indexes {
				if uint(i) >= uint(c.known) {
					return errNoEntry
				}
			}
			spread(c.at[n:end], missing, present)
			return nil
		}
		for k, i := range indexes {
			if uint(i) >= uint(len(c.dictionary)) {
				return errNoEntry
			}
			c.words[n+k] = c.dictionary[i]
		}
	case c.half:
		halves, _ := data.FixedLenByteArray()
		halves = slices.Clip(halves)[2*from : 2*to]
		for k := range present {
			c.words[n+k] = wordOfHalf(halves[2*k:])
		}
	case c.physical == parquet.Double:
		for k, v := range slices.Clip(data.Double())[from:to] {
			c.words[n+k] = math.Float64bits(v)
		}
	case c.physical == parquet.Float:
		for k, v := range slices.Clip(data.Float())[from:to] {
			c.words[n+k] = uint64(math.Float32bits(v))
		}
	case c.physical == parquet.Int64:
		copy(c.words[n:], slices.Clip(data.Uint64())[from:to])
	default:
		for k, v := range slices.Clip(data.Uint32())[from:to] {
			c.words[n+k] = uint64(v)
		}
	}
	spread(c.words[n:end], missing, present)
	return nil
}

var errNoEntry = errors.New("it has values that are not in its dictionary")

// spread moves values, of which so many are present, to the rows that are not missing.
func spread[T any](list []T, missing []bool, present int) {
	if present == len(list) {
		return
	}
	for i := len(list) - 1; i >= 0; i-- {
		if !missing[i] {
			present--
			list[i] = list[present]
		}
	}
}

// takeEntries takes values that are neither numbers nor in a dictionary, for rows n to end−1.
func (c *column) takeEntries(n, end int) error {
	c.list = slices.Grow(c.list[:0], end-n)[:end-n]
	for k := 0; k < len(c.list); {
		read, err := c.reader.ReadValues(c.list[k:])
		k += read
		if err != nil && err != io.EOF {
			return err
		}
		if read == 0 {
			return io.ErrNoProgress
		}
	}
	for k, v := range c.list {
		c.at[n+k] = int32(len(c.entries))
		if v.IsNull() {
			c.missing[n+k] = true // the levels of a damaged file may say otherwise
			continue
		}
		if err := c.enter(v); err != nil {
			return err
		}
	}
	return nil
}
