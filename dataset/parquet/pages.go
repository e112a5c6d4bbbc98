package parquet

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"

	"github.com/fairtrain/fairtrain/internal/memory"
)

// mostHeader bounds the header of a page, in bytes.
const mostHeader = 1 << 16

// pages is the column chunk that the library reads in place of the file's: its pages one after
// the other, decompressed, after all sizes that they state were checked.
type pages struct {
	from     *bufio.Reader // the file's pages
	left     int64         // bytes of them
	codec    format.CompressionCodec
	rows     int64 // that the chunk can still have
	optional bool  // values may be missing
	at       int64 // of what is ready
	ready    []byte
	body     []byte // that follows what is ready
	memory   *pageMemory
}

// pageMemory is the memory of a page until the library has copied it.
type pageMemory struct{ raw, plain []byte } // as it is in the file, and decompressed

// spare has memory of pages that is not in use.
var spare = sync.Pool{New: func() any { return new(pageMemory) }}

// ReadAt reads on: there is no way back. It reads no further than to the end of a page, so that
// no column keeps the memory of a page that is not asked for yet.
func (p *pages) ReadAt(b []byte, at int64) (n int, err error) {
	if at != p.at {
		return 0, errors.New("its pages are not in order")
	}
	if len(p.ready) == 0 {
		p.memory = spare.Get().(*pageMemory)
		p.ready, p.body, err = p.next()
	}
	for n < len(b) && len(p.ready) > 0 {
		count := copy(b[n:], p.ready)
		n += count
		if p.ready = p.ready[count:]; len(p.ready) == 0 {
			p.ready, p.body = p.body, nil
		}
	}
	if len(p.ready) == 0 {
		spare.Put(p.memory)
		p.memory = nil
	}
	p.at += int64(n)
	return n, err
}

// next returns the header of the next page, and the page.
func (p *pages) next() (header, data []byte, err error) {
	if p.rows == 0 {
		return nil, nil, io.EOF
	}
	begin, err := p.from.Peek(p.from.Size())
	if len(begin) == 0 {
		return nil, nil, err
	}
	size, _, err := measure(begin)
	if err != nil {
		return nil, nil, err
	}
	var h format.PageHeader
	protocol := new(thrift.CompactProtocol)
	if err := thrift.Unmarshal(protocol, begin[:size], &h); err != nil {
		return nil, nil, err
	}
	if _, err := p.from.Discard(size); err != nil {
		return nil, nil, err
	}
	p.left -= int64(size)
	if data, err = p.data(&h); err != nil {
		return nil, nil, err
	}
	h.CRC, h.CompressedPageSize, h.UncompressedPageSize = 0, int32(len(data)), int32(len(data))
	header, err = thrift.Marshal(protocol, &h)
	return header, data, err
}

// data reads the page of a header, decompresses it and checks it.
func (p *pages) data(h *format.PageHeader) ([]byte, error) {
	if h.CompressedPageSize < 0 || h.UncompressedPageSize < 0 {
		return nil, errors.New("a page has a negative size")
	}
	const copies = 4 // of a page, decompressed, decoded and as values
	if err := memory.Check("a page", copies*(float64(h.UncompressedPageSize)+float64(h.CompressedPageSize))); err != nil {
		return nil, err
	}
	if int64(h.CompressedPageSize) > p.left {
		return nil, io.ErrUnexpectedEOF
	}
	p.left -= int64(h.CompressedPageSize)
	raw := slices.Grow(p.memory.raw[:0], int(h.CompressedPageSize))[:h.CompressedPageSize]
	p.memory.raw = raw
	if _, err := io.ReadFull(p.from, raw); err != nil {
		return nil, err
	}
	if h.CRC != 0 && crc32.ChecksumIEEE(raw) != uint32(h.CRC) {
		return nil, errors.New("the checksum of a page does not match")
	}
	levels := 0 // bytes before what is compressed
	switch v2 := &h.DataPageHeaderV2; {
	case h.Type != format.DataPageV2:
	case !v2.Valid, v2.V.RepetitionLevelsByteLength != 0, v2.V.DefinitionLevelsByteLength < 0, int(v2.V.DefinitionLevelsByteLength) > len(raw):
		return nil, errors.New("a page has a bad header")
	default:
		levels = int(v2.V.DefinitionLevelsByteLength)
		if v2.V.IsCompressed.Valid && !v2.V.IsCompressed.V {
			return p.check(h, raw, levels)
		}
		v2.V.IsCompressed.Valid, v2.V.IsCompressed.V = true, false
	}
	plain, err := decompress(append(p.memory.plain[:0], raw[:levels]...), p.codec, raw[levels:], int(h.UncompressedPageSize)-levels)
	if err != nil {
		return nil, err
	}
	p.memory.plain = plain
	return p.check(h, plain, levels)
}

// decompress appends data of the given size, and takes no more memory than it needs, whatever
// data it is given: that size, and the window of the codec.
func decompress(to []byte, codec format.CompressionCodec, data []byte, size int) ([]byte, error) {
	if size < 0 {
		return nil, errors.New("a page has a negative size")
	}
	to = slices.Grow(to, size+bytes.MinRead)
	var from io.Reader
	switch codec {
	case format.Uncompressed:
		from = bytes.NewReader(data)
	case format.Snappy:
		if n, err := snappy.DecodedLen(data); err != nil || n != size {
			return nil, errors.New("a page has another size than its header says")
		}
		all := to[:len(to)+size]
		_, err := snappy.Decode(all[len(to):], data)
		return all, err
	case format.Lz4Raw:
		all := to[:len(to)+size]
		n, err := lz4.UncompressBlock(data, all[len(to):])
		if err != nil || n != size {
			return nil, errors.New("a page has another size than its header says, or is damaged")
		}
		return all, nil
	case format.Brotli:
		const window = 16 << 20 // at most, and some more
		if err := memory.Check("a page", 2*window); err != nil {
			return nil, err
		}
		from = brotli.NewReader(bytes.NewReader(data))
	case format.Gzip:
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		from = z
	case format.Zstd:
		z, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(1<<30))
		if err != nil {
			return nil, err
		}
		defer z.Close()
		from = z
	case format.Lz4:
		return nil, errors.New("it is compressed by LZ4, of which programs have several kinds; expected LZ4_RAW, or SNAPPY, ZSTD, GZIP, BROTLI or no compression")
	default:
		return nil, fmt.Errorf("it is compressed by %v, expected SNAPPY, ZSTD, GZIP, LZ4_RAW, BROTLI or no compression", codec)
	}
	plain := bytes.NewBuffer(to)
	if n, err := plain.ReadFrom(io.LimitReader(from, int64(size)+1)); err != nil || n != int64(size) {
		return nil, errors.Join(errors.New("a page has another size than its header says"), err)
	}
	return plain.Bytes(), nil
}

// check checks what a page states that memory depends on, and returns the page as the library
// is to get it. Levels are the bytes of levels that the header states.
func (p *pages) check(h *format.PageHeader, data []byte, levels int) ([]byte, error) {
	var count int32
	var encoding *format.Encoding
	begin := 0 // of the levels
	switch h.Type {
	case format.DictionaryPage:
		if d := &h.DictionaryPageHeader; !d.Valid || d.V.NumValues < 0 || int(d.V.NumValues) > len(data) {
			return nil, errors.New("a dictionary has fewer values than it says")
		}
		return data, nil
	case format.DataPage:
		d := &h.DataPageHeader.V
		if count, encoding = d.NumValues, &d.Encoding; !p.optional {
			break
		}
		if d.DefinitionLevelEncoding != format.RLE {
			return nil, fmt.Errorf("its missing values are encoded as %v, expected RLE", d.DefinitionLevelEncoding)
		}
		if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
			return nil, io.ErrUnexpectedEOF
		}
		begin, levels = 4, 4+int(binary.LittleEndian.Uint32(data))
	case format.DataPageV2:
		count, encoding = h.DataPageHeaderV2.V.NumValues, &h.DataPageHeaderV2.V.Encoding
	default:
		return nil, fmt.Errorf("it has a page of type %v", h.Type)
	}
	if count < 0 || int64(count) > p.rows {
		return nil, errors.New("it has more values than rows")
	}
	p.rows -= int64(count)
	const perValue = 16 // a level, an index or the place of a text
	if err := memory.Check(fmt.Sprintf("a page of %d values", count), perValue*float64(count)); err != nil {
		return nil, err
	}
	if err := checkRuns(data[begin:levels], 1, int(count)); err != nil {
		return nil, err
	}
	if *encoding == format.RLE {
		// Version 0.32 of the library reads runs of booleans wrongly.
		plain, err := unpacked(data[levels:], int(count))
		*encoding = format.Plain
		return append(data[:levels:levels], plain...), err
	}
	return data, checkValues(*encoding, data[levels:], int(count))
}

// padding is the largest number of values that a page may have more than its header says, as
// packs are filled up: to 8 values by the format, but to 256 by DuckDB.
const padding = 255

// unpacked returns the bits of runs and packs of at most count bits and their padding.
func unpacked(data []byte, count int) ([]byte, error) {
	plain := make([]byte, 0, count/8+1)
	t := walker{rest: data[min(4, len(data)):]} // behind their size
	for n := 0; len(t.rest) > 0; {
		run, err := t.number()
		if err != nil {
			return nil, err
		}
		bits := run >> 1
		if run&1 == 1 {
			bits *= 8
		}
		if run > 1<<40 || n+int(bits) > count+padding {
			return nil, errRuns
		}
		var b byte
		for k := range int(bits) {
			if k == 0 || run&1 == 1 && k%8 == 0 {
				if b, err = t.byte(); err != nil {
					return nil, err
				}
			}
			if n%8 == 0 {
				plain = append(plain, 0)
			}
			plain[n/8] |= b & 1 << (n % 8)
			n++
			if run&1 == 1 {
				b >>= 1
			}
		}
	}
	return plain, nil
}

// plainDictionary is what older writers call an index into a dictionary.
const plainDictionary format.Encoding = 2

// checkValues checks that the data are at most count values.
func checkValues(encoding format.Encoding, data []byte, count int) error {
	if len(data) == 0 {
		return nil // all values are missing
	}
	switch encoding {
	case format.Plain, format.ByteStreamSplit:
		return nil
	case plainDictionary, format.RLEDictionary:
		return checkRuns(data[1:], int(data[0]), count)
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray, format.DeltaByteArray:
	default:
		return fmt.Errorf("it is encoded as %v, which is not read", encoding)
	}
	t := walker{rest: data}
	for range 2 { // the size of blocks and the number of their parts
		if n, err := t.number(); err != nil || n > 1<<16 {
			return errRuns
		}
	}
	if n, err := t.number(); err != nil || n > uint64(count) {
		return errRuns
	}
	if encoding != format.DeltaByteArray {
		return nil
	}
	// Every text begins as the one before it does, so that a short page may be long texts.
	prefixes, err := new(delta.BinaryPackedEncoding).DecodeInt32(nil, data)
	sum := float64(len(data))
	for _, n := range prefixes {
		sum += float64(n)
	}
	return errors.Join(err, memory.Check("a page", 4*sum))
}

var errRuns = errors.New("a page has more values than its header says")

// checkRuns checks that runs and packs of numbers, of a width in bits, are at most count
// numbers and their padding.
func checkRuns(data []byte, width, count int) error {
	t := walker{rest: data}
	for sum := uint64(0); len(t.rest) > 0; {
		run, err := t.number()
		if err != nil {
			return err
		}
		n, bytes := run>>1, uint64(width+7)/8
		if run&1 == 1 {
			n, bytes = 8*(run>>1), run>>1*uint64(width)
		}
		if sum += n; run > 1<<40 || sum > uint64(count)+padding {
			return errRuns
		}
		if t.take(bytes) != nil {
			return nil // the library says so
		}
	}
	return nil
}
