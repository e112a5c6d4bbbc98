package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"sync/atomic"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"

	"github.com/fairtrain/fairtrain/internal/memory"
)

// pageCheck reads the pages of a column chunk for the library, which takes as much memory as a page
// says that it needs, and version 0.32 of which misreads pages in LZ4_RAW. It decompresses a page
// into the stated size, and no further, and counts the values of its runs. It is a reader of the
// same pages without compression.
type pageCheck struct {
	in       io.ReaderAt
	at, end  int64 // where the next page begins, and where the chunk ends
	chunk    *format.ColumnMetaData
	nullable bool // values may be missing

	taken      *atomic.Int64 // bytes of the pages of all columns
	dictionary int64         // bytes of the dictionary
	page       int64         // bytes of the last page

	stored, plain []byte // of a page, to be used again

	out   []byte // a page for the library
	given int    // bytes of out
	off   int64  // bytes of all pages so far
	err   error  // what ended the pages, but for io.EOF
}

// ReadAt gives the library what follows, at most the rest of a page.
func (p *pageCheck) ReadAt(b []byte, off int64) (int, error) {
	if off != p.off && p.err == nil {
		p.err = errors.New("a page has values of a dictionary, but none is before it")
	}
	for p.err == nil && p.given == len(p.out) {
		if p.at >= p.end {
			return 0, io.EOF
		}
		p.err = p.next()
	}
	if p.err != nil {
		return 0, p.err
	}
	n := copy(b, p.out[p.given:])
	p.given += n
	p.off += int64(n)
	return n, nil
}

var errDamaged = errors.New("a page is damaged")

// next reads and checks the next page.
func (p *pageCheck) next() error {
	header, err := p.header()
	if err != nil {
		return err
	}
	size := int64(header.CompressedPageSize)
	if size < 0 || size > p.end-p.at || header.UncompressedPageSize < 0 {
		return errors.New("the size that a page states is beyond its column")
	}
	if int64(header.UncompressedPageSize) > p.chunk.TotalUncompressedSize {
		return fmt.Errorf("a page states %d bytes, its column %d", header.UncompressedPageSize,
			p.chunk.TotalUncompressedSize)
	}
	if err := p.take(header); err != nil {
		return err
	}
	p.stored = slices.Grow(p.stored[:0], int(size))[:size]
	if _, err := p.in.ReadAt(p.stored, p.at); err != nil && err != io.EOF {
		return err
	}
	p.at += size
	if header.CRC != 0 && crc32.ChecksumIEEE(p.stored) != uint32(header.CRC) {
		return errors.New("the checksum of a page does not match")
	}
	levels, text, err := p.values(header)
	if err != nil {
		return err
	}
	header.CRC, header.CompressedPageSize = 0, int32(len(levels)+len(text))
	header.UncompressedPageSize = header.CompressedPageSize
	header.DataPageHeaderV2.V.IsCompressed.Valid, header.DataPageHeaderV2.V.IsCompressed.V = true, false
	head, err := thrift.Marshal(new(thrift.CompactProtocol), header)
	if err != nil {
		return err
	}
	p.out, p.given = append(append(append(p.out[:0], head...), levels...), text...), 0
	return nil
}

// header reads the header of a page, of which nobody knows how long it is.
func (p *pageCheck) header() (*format.PageHeader, error) {
	for length := int64(1 << 10); ; length *= 8 {
		length = min(length, p.end-p.at)
		p.stored = slices.Grow(p.stored[:0], int(length))[:length]
		if _, err := p.in.ReadAt(p.stored, p.at); err != nil && err != io.EOF {
			return nil, err
		}
		header := new(format.PageHeader)
		reader := new(thrift.CompactProtocol).NewReaderFromBytes(p.stored)
		err := thrift.NewDecoder(reader).Decode(header)
		switch {
		case err == nil:
			p.at += int64(reader.BytesRead())
			return header, nil
		case length == p.end-p.at:
			return nil, errDamaged
		}
	}
}

// take checks that there is memory for a page, and for 16 bytes a value.
func (p *pageCheck) take(h *format.PageHeader) error {
	const perValue = 16 // its level, index and offset, and 4 more
	count := int64(max(h.DataPageHeader.V.NumValues, h.DataPageHeaderV2.V.NumValues))
	entries := int64(h.DictionaryPageHeader.V.NumValues)
	if h.DataPageHeader.V.NumValues < 0 || h.DataPageHeaderV2.V.NumValues < 0 || entries < 0 {
		return errDamaged
	}
	if entries > int64(h.UncompressedPageSize) {
		return fmt.Errorf("a dictionary states %d values in %d bytes", entries, h.UncompressedPageSize)
	}
	need := int64(h.CompressedPageSize) + 3*int64(h.UncompressedPageSize) + perValue*max(count, entries)
	last := &p.page
	if h.Type == format.DictionaryPage {
		last = &p.dictionary
	}
	all := p.taken.Add(need - *last)
	*last = need
	return memory.Check("its pages", float64(all))
}

// values decompresses a page and checks what its values take. Levels that are not compressed are
// apart.
func (p *pageCheck) values(h *format.PageHeader) (levels, text []byte, err error) {
	size := int(h.UncompressedPageSize)
	switch {
	case h.Type == format.DictionaryPage && h.DictionaryPageHeader.Valid:
		text, err = p.decompress(p.stored, size)
		return nil, text, err
	case h.Type == format.DataPage && h.DataPageHeader.Valid:
		v := &h.DataPageHeader.V
		if text, err = p.decompress(p.stored, size); err != nil {
			return nil, nil, err
		}
		encoded := text
		if p.nullable {
			if len(text) < 4 || int64(binary.LittleEndian.Uint32(text)) > int64(len(text)-4) {
				return nil, nil, errDamaged
			}
			levels := text[4:][:binary.LittleEndian.Uint32(text)]
			encoded = text[4+len(levels):]
			if v.DefinitionLevelEncoding == format.RLE {
				err = checkRuns(levels, 1, int(v.NumValues))
			}
		}
		if err != nil {
			return nil, nil, err
		}
		return nil, text, p.encoded(encoded, v.Encoding, int(v.NumValues))
	case h.Type == format.DataPageV2 && h.DataPageHeaderV2.Valid:
		v := &h.DataPageHeaderV2.V
		repetitions, definitions := int64(v.RepetitionLevelsByteLength), int64(v.DefinitionLevelsByteLength)
		if repetitions < 0 || definitions < 0 || repetitions+definitions > int64(min(len(p.stored), size)) {
			return nil, nil, errDamaged
		}
		levels, text = p.stored[:repetitions+definitions], p.stored[repetitions+definitions:]
		if err := checkRuns(levels[repetitions:], 1, int(v.NumValues)); err != nil {
			return nil, nil, err
		}
		if !v.IsCompressed.Valid || v.IsCompressed.V {
			if text, err = p.decompress(text, size-len(levels)); err != nil {
				return nil, nil, err
			}
		}
		return levels, text, p.encoded(text, v.Encoding, int(v.NumValues))
	}
	return nil, nil, fmt.Errorf("it has a page of type %v, expected values or a dictionary", h.Type)
}

// plainDictionary is what older writers call RLEDictionary.
const plainDictionary format.Encoding = 2

// encoded checks encoded values.
func (p *pageCheck) encoded(text []byte, by format.Encoding, count int) error {
	switch by {
	case format.RLE:
		return errors.New("its booleans are encoded as RLE, expected PLAIN") // the library reads them wrongly
	case plainDictionary, format.RLEDictionary:
		if len(text) == 0 {
			return nil
		}
		return checkRuns(text[1:], int(text[0]), count)
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray:
		_, err := skipDeltas(text, count)
		return err
	case format.DeltaByteArray:
		suffixes, err := skipDeltas(text, count)
		if err != nil {
			return err
		}
		if _, err := skipDeltas(suffixes, count); err != nil {
			return err
		}
		need := int64(parquet.DeltaByteArray.EstimateDecodeByteArraySize(text))
		if need < 0 || need > math.MaxInt32 {
			return errDamaged
		}
		p.page += need
		return memory.Check("its pages", float64(p.taken.Add(need)))
	}
	return nil
}

// checkRuns checks that runs of numbers of some bits have no more numbers than there should be, and
// those that fill the last bytes.
func checkRuns(text []byte, width, count int) error {
	for left := 2*uint64(count) + 64; len(text) > 0; {
		head, n := binary.Uvarint(text)
		if n <= 0 {
			return errDamaged
		}
		text = text[n:]
		numbers, size := head>>1, uint64(width+7)/8
		if head&1 == 1 {
			numbers, size = 8*numbers, numbers*uint64(width)
		}
		if numbers > left {
			return fmt.Errorf("a page of %d values has a run of %d", count, numbers)
		}
		left -= numbers
		text = text[min(size, uint64(len(text))):]
	}
	return nil
}

// skipDeltas returns what stands behind numbers in the encoding DELTA_BINARY_PACKED, of which there
// may not be more than count.
func skipDeltas(text []byte, count int) (rest []byte, err error) {
	var head [4]uint64 // block size, its parts, number of values, first value
	for k := range head {
		n := 0
		if head[k], n = binary.Uvarint(text); n <= 0 {
			return nil, errDamaged
		}
		text = text[n:]
	}
	block, parts, left := head[0], head[1], head[2]
	if left > uint64(count) || parts == 0 || parts > block || block > 1<<20 {
		return nil, errDamaged
	}
	for left = max(left, 1) - 1; left > 0; {
		_, n := binary.Uvarint(text) // the smallest difference
		if n <= 0 || uint64(len(text)-n) < parts {
			return nil, errDamaged
		}
		widths := text[n:][:parts]
		text = text[n+len(widths):]
		for _, width := range widths {
			if left == 0 {
				break
			}
			left -= min(left, block/parts)
			text = text[min(len(text), int(block/parts)*int(width)/8):]
		}
	}
	return text, nil
}

// decompress decompresses text, which may not have more bytes than the size.
func (p *pageCheck) decompress(text []byte, size int) ([]byte, error) {
	if p.chunk.Codec == format.Uncompressed || len(text) == 0 {
		return text, nil
	}
	out := slices.Grow(p.plain[:0], size+1)
	p.plain = out
	var err error
	switch p.chunk.Codec {
	case format.Snappy:
		var length int
		if length, err = snappy.DecodedLen(text); err == nil && length <= size {
			out, err = snappy.Decode(out[:size], text)
		} else {
			out = out[:size+1]
		}
	case format.Lz4Raw:
		var n int
		n, err = lz4.UncompressBlock(text, out[:size])
		out = out[:max(n, 0)]
	case format.Zstd:
		var decoder *zstd.Decoder
		const window = 8 << 20 // that writers of streams state, of short ones, too
		limit := zstd.WithDecoderMaxMemory(uint64(max(size, window)))
		if decoder, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), limit); err == nil {
			out, err = decoder.DecodeAll(text, out)
			decoder.Close()
		}
	case format.Gzip:
		var decoder *gzip.Reader
		if decoder, err = gzip.NewReader(bytes.NewReader(text)); err == nil {
			out, err = readUpTo(out, decoder)
		}
	case format.Brotli:
		out, err = readUpTo(out, brotli.NewReader(bytes.NewReader(text)))
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("a page cannot be decompressed into the %d bytes that it states: %w", size, err)
	case len(out) > size:
		return nil, fmt.Errorf("a page has more than the %d bytes that it states", size)
	}
	return out, nil
}

// readUpTo reads until the capacity of a buffer is used up, or the stream ends.
func readUpTo(out []byte, in io.Reader) ([]byte, error) {
	n, err := io.ReadFull(in, out[:cap(out)])
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil // the library finds a stream that is cut off
	}
	return out[:n], err
}

// checkLists checks that no list in a description, or in a part of it, has more elements than bytes
// are left.
func checkLists(r thrift.BytesReader, kind thrift.Type, length, depth int) (err error) {
	const deepest = 32
	if depth > deepest {
		return errors.New("its description is nested too deeply")
	}
	switch kind {
	case thrift.BOOL, thrift.I8:
		_, err = r.ReadInt8()
	case thrift.I16, thrift.I32, thrift.I64:
		_, err = r.ReadInt64()
	case thrift.DOUBLE:
		_, err = r.ReadFloat64()
	case thrift.BINARY:
		_, err = r.ReadBytes()
	case thrift.STRUCT:
		for {
			f, err := r.ReadField()
			if err != nil || f.Type == thrift.STOP {
				return err
			}
			if f.Type == thrift.TRUE || f.Type == thrift.FALSE {
				continue // the type is the value
			}
			if err := checkLists(r, f.Type, length, depth+1); err != nil {
				return err
			}
		}
	case thrift.LIST, thrift.SET:
		l, err := r.ReadList()
		if err == nil && (l.Size < 0 || int(l.Size) > length-r.BytesRead()) {
			err = errors.New("its description has a list that is longer than itself")
		}
		if l.Type == thrift.TRUE {
			l.Type = thrift.BOOL
		}
		for k := 0; err == nil && k < int(l.Size); k++ {
			err = checkLists(r, l.Type, length, depth+1)
		}
		return err
	default:
		err = fmt.Errorf("its description has a value of type %v", kind)
	}
	return err
}
