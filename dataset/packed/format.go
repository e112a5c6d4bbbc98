// Package packed keeps encoded rows in a file that is mapped into memory: training reads it
// through the page cache of the system, and the rows take no memory of the program.
//
//	Create   a Writer, which takes rows block by block, write.go
//	Open     a file, all of which is checked before any row is used, read.go
//
// A file, version 2, has little-endian numbers:
//
//	prefix    64 bytes: the magic, the version, where the footer is and its checksum
//	sections  columns of numbers as they are in memory, each from a multiple of 8 on
//	footer    JSON: what the sections are, their checksums, the encoding of the rows
//
// Sections are the column indices of the non-zeros, of 1, 2 or 4 bytes, in each row first of those that
// are not 1; the values of these; where the non-zeros and the values of each row end, unless every row
// has the same number of them, or every non-zero a value; labels, a byte each; weights; the attributes
// that form groups; and the identities of the rows. Each section has a checksum, CRC-32C, for every
// block of 65536 rows, so that damage is found and named. A checksum is no signature: it does not show
// who wrote the file.
package packed

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/encoding"
)

// Magic begins every packed file. Its first byte occurs in no text. Its last byte changes if
// line ends are converted.
const Magic = "\x89FTPACK\n"

const (
	hashes     = 2 // 1: numbers were texts
	version    = 2 // in version 1, either every non-zero has a value or none
	prefixSize = 64
	alignment  = 8
	// blockRows is the number of rows that share a checksum.
	blockRows = 1 << 16
)

// Content is what a packed file says about its rows, besides the numbers.
type Content struct {
	Rule     string   `json:"label_rule"`
	Hash     string   `json:"source_sha256"` // of the content that was packed
	Files    []string `json:"source_files_sha256,omitempty"`
	Features int      `json:"features"`
	Names    []string `json:"feature_names,omitempty"`
	// Encoding made the features from the columns of a CSV file; nil if the source had
	// features.
	Encoding *encoding.Encoding      `json:"encoding,omitempty"`
	Missing  []dataset.ColumnCount   `json:"missing,omitempty"`
	Unknown  []dataset.UnknownLevels `json:"unknown,omitempty"`
}

// footer is the end of the file.
type footer struct {
	Content
	version int // of the file
	Rows    int `json:"rows"`
	// Hashes is the version of the identities of rows of CSV files.
	Hashes int `json:"identities_version,omitempty"`
	// PerRow is the number of non-zeros of every row; −1 if there is a section of pointers.
	PerRow int `json:"non_zeros_per_row"`
	// ValuesPerRow is the number of values of every row; −1 if there is a section of pointers to them.
	// It is of no interest if every non-zero has a value.
	ValuesPerRow int         `json:"values_per_row"`
	Attributes   []attribute `json:"attributes,omitempty"`
	Sections     []section   `json:"sections"`
}

// attribute is a dataset.Attribute. Its codes and its numbers are sections of that name.
type attribute struct {
	Name   string   `json:"name"`
	Levels []string `json:"levels,omitempty"`
}

// section is a column of numbers.
type section struct {
	Kind      kind   `json:"kind"`
	Attribute string `json:"attribute,omitempty"`
	Width     int    `json:"bytes"` // of an entry
	Entries   int    `json:"entries"`
	Offset    int64  `json:"offset"`
	Sums      []byte `json:"crc32c"` // 4 bytes for each block of rows
}

type kind string

// The kinds of sections.
const (
	columns    kind = "columns"            // of the non-zeros, counted from 0
	values     kind = "values"             // of the first non-zeros of each row, float64; the others are 1
	pointers   kind = "pointers"           // int64: row i has the non-zeros pointers[i] to pointers[i+1]
	toValues   kind = "pointers to values" // the same, for its values
	labels     kind = "labels"             // int8
	weights    kind = "weights"            // float64
	codes      kind = "codes"              // of an attribute: indices of its levels
	numbers    kind = "numbers"            // of an attribute, float64
	identities kind = "identities"         // uint64
)

// widths are the bytes that an entry of a section may have.
var widths = map[kind][]int{
	columns: {1, 2, 4}, values: {8}, pointers: {8}, toValues: {8}, labels: {1}, weights: {8}, codes: {1, 2, 4}, numbers: {8}, identities: {8},
}

func (s *section) String() string {
	if s.Attribute != "" {
		return fmt.Sprintf("%s of %s", s.Kind, strconv.Quote(s.Attribute))
	}
	return string(s.Kind)
}

// end is where the section ends.
func (s *section) end() int64 { return s.Offset + int64(s.Width)*int64(s.Entries) }

// blocks is the number of blocks of rows.
func (f *footer) blocks() int { return (f.Rows + blockRows - 1) / blockRows }

// rowsOf returns the rows of a block, lo to hi−1.
func (f *footer) rowsOf(block int) (lo, hi int) {
	lo = block * blockRows
	return lo, min(lo+blockRows, f.Rows)
}

// ends say where the non-zeros and the values of rows end: each returns how many are before a row.
type ends struct{ entries, values func(row int) int }

// entriesOf returns the entries of s, lo to hi−1, that belong to a block of rows. It asks for the ends
// of the first row of a block and of f.Rows.
func (f *footer) entriesOf(s *section, block int, e ends) (lo, hi int) {
	lo, hi = f.rowsOf(block)
	switch s.Kind {
	case columns:
		return e.entries(lo), e.entries(hi)
	case values:
		return e.values(lo), e.values(hi)
	case pointers, toValues: // one entry more than rows
		if lo > 0 {
			lo++
		}
		return lo, hi + 1
	}
	return lo, hi
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// prefix is the beginning of the file. It says where the footer is.
type prefix struct {
	version int
	offset  int64 // of the footer
	length  int64
	sum     uint32 // of the footer
}

func (p prefix) bytes() []byte {
	b := make([]byte, prefixSize)
	copy(b, Magic)
	le := binary.LittleEndian
	le.PutUint32(b[8:], uint32(p.version))
	le.PutUint32(b[12:], p.sum)
	le.PutUint64(b[16:], uint64(p.offset))
	le.PutUint64(b[24:], uint64(p.length))
	le.PutUint32(b[prefixSize-4:], crc32.Checksum(b[:prefixSize-4], castagnoli))
	return b
}

func parsePrefix(b []byte) (prefix, error) {
	if len(b) < prefixSize || string(b[:len(Magic)]) != Magic {
		return prefix{}, errors.New("is no packed file (data pack writes them), or only the beginning of one")
	}
	le := binary.LittleEndian
	p := prefix{version: int(le.Uint32(b[8:])), sum: le.Uint32(b[12:]), offset: int64(le.Uint64(b[16:])), length: int64(le.Uint64(b[24:]))}
	if p.version < 1 || p.version > version {
		return p, fmt.Errorf("is a packed file of version %d, this program reads versions 1 to %d; pack its source again", p.version, version)
	}
	if crc32.Checksum(b[:prefixSize-4], castagnoli) != le.Uint32(b[prefixSize-4:prefixSize]) {
		return p, errors.New("is damaged: the checksum of its beginning does not match")
	}
	return p, nil
}
