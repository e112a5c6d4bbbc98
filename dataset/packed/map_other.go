//go:build !unix

package packed

import (
	"errors"
	"io"
	"os"
	"unsafe"

	"github.com/fairtrain/fairtrain/internal/memory"
)

// mapFile reads a file into memory, at an address that is aligned for every type of number.
func mapFile(f *os.File) (data []byte, release func(), err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() || info.Size() < prefixSize {
		return nil, nil, errors.New("is no packed file, or only its beginning")
	}
	if err := memory.Check("the file", float64(info.Size())); err != nil {
		return nil, nil, err
	}
	words := make([]uint64, (info.Size()+alignment-1)/alignment)
	data = unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), info.Size())
	_, err = io.ReadFull(f, data)
	return data, func() {}, err
}

// need and done have nothing to say: all of the file is in memory.
func need([]byte, int64, int64) {}

func done([]byte, int64, int64) {}
