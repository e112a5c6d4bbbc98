// Package packed keeps encoded rows in a file that is mapped into memory: training reads it
// through the page cache of the system, and the rows take no memory of the program.
//
//	Create   a Writer, which takes rows block by block, write.go
//	Open     a file, all of which is checked before any row is used, read.go
//
// A file, version 3, has little-endian numbers:
//
//	prefix    64 bytes: the magic, the version, where the footer is and its checksum
//	sections  columns of numbers as they are in memory, each from a multiple of 8 on
//	footer    JSON: what the sections are, their checksums, the encoding of the rows
//
// Sections are the column indices of the non-zeros that are 1, and those of the others, of 1, 2 or
// 4 bytes; the values of the latter; where the entries of each row end in either, unless every row
// has the same number of them; labels, a byte each; weights; the attributes that form groups; and
// the identities of the rows. Each section has a checksum, CRC-32C, so that damage is found and
// named. A checksum is no signature: it does not show who wrote the file.
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
	version    = 3
	prefixSize = 64
	alignment  = 8
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
	Rows int `json:"rows"`
	// Numbers of entries of every row, if there is no section that says where those of each row
	// end.
	OnesPerRow   int         `json:"ones_per_row"`
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
	Sum       uint32 `json:"crc32c"`
}

type kind string

// The kinds of sections.
const (
	ones       kind = "columns of ones"   // counted from 0
	valued     kind = "columns of values" // of the non-zeros that are not 1
	values     kind = "values"            // float64
	oneEnds    kind = "ends of ones"      // int64: row i has the ones from ends[i] to ends[i+1]
	valueEnds  kind = "ends of values"    // the same, for its values
	labels     kind = "labels"            // int8
	weights    kind = "weights"           // float64
	codes      kind = "codes"             // of an attribute: indices of its levels
	numbers    kind = "numbers"           // of an attribute, float64
	identities kind = "identities"        // uint64
)

// widths are the bytes that an entry of a section may have.
var widths = map[kind][]int{
	ones: {1, 2, 4}, valued: {1, 2, 4}, values: {8}, oneEnds: {8}, valueEnds: {8},
	labels: {1}, weights: {8}, codes: {1, 2, 4}, numbers: {8}, identities: {8},
}

func (s *section) String() string {
	if s.Attribute != "" {
		return fmt.Sprintf("%s of %s", s.Kind, strconv.Quote(s.Attribute))
	}
	return string(s.Kind)
}

// end is where the section ends.
func (s *section) end() int64 { return s.Offset + int64(s.Width)*int64(s.Entries) }

// section returns the section of a kind and attribute, nil if there is none.
func (f *footer) section(k kind, attribute string) *section {
	for i := range f.Sections {
		if s := &f.Sections[i]; s.Kind == k && s.Attribute == attribute {
			return s
		}
	}
	return nil
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
	p := prefix{
		version: int(le.Uint32(b[8:])), sum: le.Uint32(b[12:]),
		offset: int64(le.Uint64(b[16:])), length: int64(le.Uint64(b[24:])),
	}
	if p.version != version {
		return p, fmt.Errorf("is a packed file of version %d, this program reads version %d; pack its source again (data pack)", p.version, version)
	}
	if crc32.Checksum(b[:prefixSize-4], castagnoli) != le.Uint32(b[prefixSize-4:prefixSize]) {
		return p, errors.New("is damaged: the checksum of its beginning does not match")
	}
	return p, nil
}
