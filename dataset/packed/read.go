package packed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"slices"
	"strconv"
	"unsafe"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/internal/memory"
)

// File is the content of a packed file, read-only.
type File struct {
	Data *dataset.Dataset
	// Encoding made the features from the columns of a CSV file; nil if the source had
	// features.
	Encoding   *encoding.Encoding
	Identities []uint64 // by which rows are known again; nil if the file has none
}

// Open maps a file into memory and checks all of it: the checksums, and that training can use
// every number. The file stays mapped until the program ends, and nobody may change it: if a
// mapped file becomes shorter, the system kills the program that reads it. The rows get the
// given number of features; 0 means the number in the file. Encoded rows have a fixed number
// of features.
func Open(path string, features int) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err // says "open PATH: …"
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err // says "stat PATH: …"
	}
	if !info.Mode().IsRegular() || info.Size() < prefixSize {
		return nil, fmt.Errorf("%s: is no packed file (data pack writes them), or only the beginning of one", path)
	}
	m, err := mapFile(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	content, err := parse(m.data, features)
	if err != nil {
		m.release()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	content.Data.Name = path
	return content, nil
}

// parse returns the content of a file. It keeps the bytes, which begin at a multiple of 8.
func parse(data []byte, features int) (*File, error) {
	if err := checkMachine(); err != nil {
		return nil, err
	}
	f, err := parseFooter(data)
	if err != nil {
		return nil, err
	}
	if err := f.validate(); err != nil {
		return nil, fmt.Errorf("contradicts itself: %w", err)
	}
	if n := f.Features; features != 0 && features != n {
		if features < n || f.Encoding != nil {
			return nil, fmt.Errorf("it has %d features, expected %d", n, features)
		}
		f.Features, f.Names = features, nil
	}
	v := views{data: data, footer: f}
	d, ids, err := v.dataset()
	if err != nil {
		return nil, fmt.Errorf("contradicts itself: %w", err)
	}
	if err := v.check(d); err != nil {
		return nil, err
	}
	if f.Encoding != nil {
		d.Blocks, d.Orders = f.Encoding.Blocks(), f.Encoding.Orders()
	}
	return &File{d, f.Encoding, ids}, nil
}

// checkMachine fails on a machine that has numbers in another byte order than the file.
func checkMachine() error {
	one := uint16(1)
	if strconv.IntSize != 64 || *(*byte)(unsafe.Pointer(&one)) != 1 {
		return errors.New("packed files need a machine of 64 bits whose numbers begin with their last byte")
	}
	return nil
}

// parseFooter returns the footer. Its sections lie within the file. They may contradict each
// other.
func parseFooter(data []byte) (*footer, error) {
	p, err := parsePrefix(data)
	if err != nil {
		return nil, err
	}
	size := int64(len(data))
	if p.offset < prefixSize || p.offset > size || p.length != size-p.offset {
		return nil, fmt.Errorf("is damaged: it has %d bytes, but says that a footer of %d begins at %d", size, p.length, p.offset)
	}
	text := data[p.offset:]
	if crc32.Checksum(text, castagnoli) != p.sum {
		return nil, errors.New("is damaged: the checksum of its footer does not match")
	}
	const perByte = 16 // memory for each byte of text: much more than names take
	if err := memory.Check("its footer", perByte*float64(len(text))); err != nil {
		return nil, err
	}
	f := new(footer)
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(f); err != nil {
		return nil, fmt.Errorf("its footer: %w", err)
	}
	for k := range f.Sections {
		s := &f.Sections[k]
		known := slices.Contains(widths[s.Kind], s.Width)
		if !known || s.Offset < prefixSize || s.Offset%alignment != 0 || s.Offset > p.offset ||
			s.Entries < 0 || int64(s.Entries) > (p.offset-s.Offset)/int64(s.Width) {
			return nil, fmt.Errorf("contradicts itself: no place for %d entries of %d bytes, %s, at %d", s.Entries, s.Width, s, s.Offset)
		}
	}
	return f, nil
}

// views are the sections as slices over the mapped file.
type views struct {
	data []byte
	*footer
}

// view returns a section as a slice, nil if there is none. T is as wide as the section's
// entries.
func view[T any](v views, k kind, attribute string) []T {
	s := v.section(k, attribute)
	if s == nil || int(unsafe.Sizeof(*new(T))) != s.Width {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&v.data[s.Offset])), s.Entries)
}

// columns returns column indices and where those of each row end.
func (v views) columns(index, ends kind, perRow int) sparse.Columns {
	c := sparse.Columns{
		Ptr: view[int](v, ends, ""), PerRow: perRow,
		Narrow: view[uint8](v, index, ""), Medium: view[uint16](v, index, ""), Wide: view[uint32](v, index, ""),
	}
	if c.Ptr != nil {
		c.PerRow = 0
	}
	return c
}

// dataset returns the rows. Their numbers are not checked yet.
func (v views) dataset() (*dataset.Dataset, []uint64, error) {
	d := &dataset.Dataset{
		Mapped: int64(len(v.data)),
		Rule:   v.Rule, Hash: v.Hash, Files: v.Files, Cols: v.Names, Missing: v.Missing, Unknown: v.Unknown,
		Y: view[int8](v, labels, ""), Weights: view[float64](v, weights, ""),
	}
	if v.Encoding != nil && d.Missing == nil {
		d.Missing = []dataset.ColumnCount{}
	}
	var err error
	d.X, err = sparse.Over(sparse.Parts{
		Rows: v.Rows, Cols: v.Features, Values: view[float64](v, values, ""),
		Ones: v.columns(ones, oneEnds, v.OnesPerRow), Valued: v.columns(valued, valueEnds, v.ValuesPerRow),
	})
	if err != nil {
		return nil, nil, err
	}
	for _, a := range v.Attributes {
		d.Attributes = append(d.Attributes, dataset.Attribute{
			Name: a.Name, Levels: a.Levels, Numbers: view[float64](v, numbers, a.Name),
			Codes: dataset.CodesOver(view[uint8](v, codes, a.Name), view[uint16](v, codes, a.Name),
				view[uint32](v, codes, a.Name)),
		})
	}
	return d, view[uint64](v, identities, ""), nil
}
