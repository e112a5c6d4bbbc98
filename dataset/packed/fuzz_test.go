package packed

import (
	"bytes"
	"encoding/json"
	"hash/crc32"
	"os"
	"testing"
	"unsafe"
)

// reseal replaces text in the footer of a file, and makes the checksum of the footer right
// again.
func reseal(p prefix, whole []byte, from, to string) []byte {
	return assemble(version, whole[:p.offset], bytes.Replace(whole[p.offset:], []byte(from), []byte(to), 1))
}

// assemble returns a file of a prefix, the given sections and a footer. The sections begin
// with room for the prefix.
func assemble(version int, sections, text []byte) []byte {
	out := append(bytes.Clone(sections), text...)
	copy(out, prefix{version: version, offset: int64(len(sections)), length: int64(len(text)), sum: crc32.Checksum(text, castagnoli)}.bytes())
	return out
}

// FuzzParse reads files whose checksums are right, so that checksums do not stop what is wrong
// with the numbers. It uses what was read.
func FuzzParse(f *testing.F) {
	for _, s := range []shape{
		{cols: 9, rows: 5, uniform: true, binary: true},
		{cols: 300, rows: 9, columns: true},
		{cols: 1 << 17, rows: 4, binary: true},
		{cols: 9, rows: 40},
		{cols: 9, rows: 40, uniform: true, binary: true},
	} {
		d, ids := drawn(s)
		whole, err := os.ReadFile(pack(f, d, ids, d.Rows()))
		if err != nil {
			f.Fatal(err)
		}
		p, err := parsePrefix(whole)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(whole[:p.offset], whole[p.offset:])
	}
	f.Fuzz(func(t *testing.T, sections, text []byte) {
		if len(sections) < prefixSize || len(text) == 0 {
			return
		}
		data := correct(aligned(assemble(version, sections, text)))
		content, err := parse(data, 0)
		if err != nil {
			return
		}
		d := content.Data
		if d.Features() > 1<<20 {
			return // vectors of so many features take too much memory
		}
		z, x := make([]float64, d.Rows()), make([]float64, d.Features())
		d.X.MulRange(z, x, 0, d.Rows())
		d.X.AddTransRange(x, z, 0, d.Rows())
		for _, list := range [][]int{all(min(2, d.Rows())), all(d.Rows())} {
			d.X.MulRows(z, x, list)
			d.X.AddTransRows(x, z, list)
		}
		d.X.Columns()
		picked := d.Pick(all(d.Rows()), d.Name)
		picked.Missing, picked.Unknown = d.Missing, d.Unknown // which it does not know
		checkSame(t, d, picked)
	})
}

func all(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// aligned returns the bytes at an address that is aligned for every type of number.
func aligned(b []byte) []byte {
	words := make([]uint64, len(b)/8+1)
	out := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(b))
	copy(out, b)
	return out
}

// correct returns a file with the checksums of its sections right, if its footer makes sense.
func correct(data []byte) []byte {
	p, err := parsePrefix(data)
	if err != nil {
		return data
	}
	f, err := parseFooter(data)
	if err != nil {
		return data
	}
	for k := range f.Sections {
		s := &f.Sections[k]
		s.Sum = crc32.Checksum(data[s.Offset:s.end()], castagnoli)
	}
	text, err := json.Marshal(f)
	if err != nil {
		return data
	}
	return aligned(assemble(version, data[:p.offset], text))
}
