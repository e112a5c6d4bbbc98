package parquet

import (
	"encoding/binary"
	"errors"
)

// The types of Thrift's compact protocol,
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md.
const (
	stop = iota
	yes
	no
	i8
	i16
	i32
	i64
	double
	text
	list
	set
	_ // maps, which Parquet has not
	record
)

// mostNested bounds records and lists in one another; Parquet has fewer.
const mostNested = 64

// errThrift is about bytes that are no Thrift, or that state sizes beyond their end.
var errThrift = errors.New("its description is damaged")

// walker walks over Thrift without keeping anything, so that what is allocated by what it
// states is known before.
type walker struct {
	rest  []byte
	items int // records and items of lists so far
}

// measure returns the number of bytes of the record that data begins with, and of the records
// and items in it.
func measure(data []byte) (bytes, items int, err error) {
	t := walker{rest: data}
	err = t.skip(record, 0)
	return len(data) - len(t.rest), t.items, err
}

func (t *walker) take(n uint64) error {
	if n > uint64(len(t.rest)) {
		return errThrift
	}
	t.rest = t.rest[n:]
	return nil
}

func (t *walker) byte() (b byte, err error) {
	if len(t.rest) == 0 {
		return 0, errThrift
	}
	b, t.rest = t.rest[0], t.rest[1:]
	return b, nil
}

func (t *walker) number() (uint64, error) {
	v, n := binary.Uvarint(t.rest)
	if n <= 0 {
		return 0, errThrift
	}
	t.rest = t.rest[n:]
	return v, nil
}

// skip walks over a value.
func (t *walker) skip(kind byte, depth int) error {
	if depth > mostNested {
		return errThrift
	}
	switch kind {
	case yes, no, i8:
		return t.take(1)
	case i16, i32, i64:
		_, err := t.number()
		return err
	case double:
		return t.take(8)
	case text:
		n, err := t.number()
		if err != nil {
			return err
		}
		return t.take(n)
	case list, set:
		return t.skipList(depth)
	case record:
		return t.skipRecord(depth)
	}
	return errThrift
}

func (t *walker) skipList(depth int) error {
	header, err := t.byte()
	if err != nil {
		return err
	}
	n := uint64(header >> 4)
	if n == 15 {
		if n, err = t.number(); err != nil {
			return err
		}
	}
	if n > uint64(len(t.rest)) { // an item takes a byte or more
		return errThrift
	}
	t.items += int(n)
	for range n {
		if err := t.skip(header&15, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (t *walker) skipRecord(depth int) error {
	t.items++
	for {
		header, err := t.byte()
		if err != nil || header == stop {
			return err
		}
		if header>>4 == 0 { // the number of the field follows
			if _, err := t.number(); err != nil {
				return err
			}
		}
		if kind := header & 15; kind != yes && kind != no { // which are in the header
			if err := t.skip(kind, depth+1); err != nil {
				return err
			}
		}
	}
}
