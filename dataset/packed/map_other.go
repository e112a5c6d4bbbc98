//go:build !unix

package packed

import (
	"io"
	"os"
	"unsafe"

	"github.com/fairtrain/fairtrain/internal/memory"
)

// mapped is a file in memory.
type mapped struct{ data []byte }

// mapFile reads a file into memory, at an address that is aligned for every type of number.
func mapFile(f *os.File, size int64) (*mapped, error) {
	if err := memory.Check("the file", float64(size)); err != nil {
		return nil, err
	}
	words := make([]uint64, (size+alignment-1)/alignment)
	data := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), size)
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, err
	}
	return &mapped{data}, nil
}

func (*mapped) release() {}
