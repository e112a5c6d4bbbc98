//go:build !unix

package packed

import (
	"io"
	"os"
	"unsafe"

	"github.com/fairtrain/fairtrain/internal/memory"
)

// mapFile reads a file into memory, at an address that is aligned for every type of number.
func mapFile(f *os.File, size int64) (data []byte, release func(), err error) {
	if err := memory.Check("the file", float64(size)); err != nil {
		return nil, nil, err
	}
	words := make([]uint64, (size+alignment-1)/alignment)
	data = unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), size)
	_, err = io.ReadFull(f, data)
	return data, func() {}, err
}

// need and done have nothing to say: all of the file is in memory.
func need([]byte, int64, int64) {}

func done([]byte, int64, int64) {}
