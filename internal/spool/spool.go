// Package spool keeps slices that grow in files that are mapped into memory. The system writes
// what is not in use to the disk, so that it takes no memory of the program.
package spool

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"syscall"
	"unsafe"

	"github.com/fairtrain/fairtrain/internal/atomicfile"
)

// Folder has slices in files of a folder. The files have no names, so that nothing is left of
// them when the program ends, however it ends. A nil *Folder keeps slices in memory.
type Folder struct {
	dir   string
	mu    sync.Mutex
	files map[unsafe.Pointer]*file // by the first element of their slices
	err   error                    // the first
}

// file is a file and where it is mapped.
type file struct {
	*os.File
	mapped []byte
}

// New returns a folder for slices; nil where files can't be mapped to be written.
func New(dir string) *Folder {
	if !canMap {
		return nil
	}
	return &Folder{dir: dir, files: map[unsafe.Pointer]*file{}}
}

const (
	// small is the number of bytes up to which a slice is in memory: a table may have thousands of
	// columns and few rows.
	small = 1 << 14
	// Files grow by as much as they have, at most by step bytes, and by pages.
	step, page = 1 << 20, 1 << 12
)

// Grow makes room for n more elements. Elements must have no pointers. A slice that has moved
// must not be used any more. Where that fails, for example on a full disk, Grow keeps the slice
// in memory, and Err returns why.
func Grow[T any](f *Folder, s []T, n int) []T {
	if cap(s)-len(s) >= n {
		return s
	}
	if f == nil {
		// append would copy large slices more often, and slices.Grow writes zeros into what is not
		// in use: pages that the system would have to provide.
		return append(make([]T, 0, len(s)+max(n, len(s))), s...)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	size := int(unsafe.Sizeof(*new(T)))
	need := size * (len(s) + n)
	before := unsafe.Pointer(unsafe.SliceData(s))
	to, known := f.files[before]
	if !known {
		if need <= small {
			return slices.Grow(s, n)
		}
		to = new(file)
	}
	bytes := max(need, len(to.mapped)+min(len(to.mapped), step))
	bytes = (bytes + page - 1) / page * page
	err := to.grow(f.dir, bytes)
	delete(f.files, before)
	if err != nil {
		if f.err == nil {
			f.err = err
		}
		s = slices.Grow(slices.Clone(s), n)
		to.close() // and gives back what it takes of a disk that may be full
		return s
	}
	grown := unsafe.Slice((*T)(unsafe.Pointer(&to.mapped[0])), bytes/size)
	if !known {
		copy(grown, s)
	}
	f.files[unsafe.Pointer(&to.mapped[0])] = to
	return grown[:len(s)]
}

// removed makes a file and removes its name.
func removed(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, atomicfile.Prefix+"*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// grow makes a file larger.
func (f *file) grow(dir string, bytes int) error {
	if f.File == nil {
		var err error
		f.File, err = unnamed(dir)
		if errors.Is(err, syscall.EMFILE) {
			return fmt.Errorf("%w; each column of more than %d kB takes a file, \"ulimit -n\" allows more", syscall.EMFILE, small>>10)
		}
		if err != nil {
			return err
		}
	}
	// What is written has a place on the disk. A write to memory that has none ends the program.
	zeros := make([]byte, min(bytes-len(f.mapped), step))
	for at := len(f.mapped); at < bytes; at += len(zeros) {
		if _, err := f.WriteAt(zeros[:min(len(zeros), bytes-at)], int64(at)); err != nil {
			return fmt.Errorf("no room for the columns: %w", err)
		}
	}
	mapped, err := mapFile(f.File, bytes)
	if err != nil {
		return err
	}
	unmap(f.mapped)
	f.mapped = mapped
	return nil
}

// Free gives a slice back, whose elements must not be used any more.
func Free[T any](f *Folder, s []T) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	at := unsafe.Pointer(unsafe.SliceData(s))
	if known, ok := f.files[at]; ok {
		known.close()
		delete(f.files, at)
	}
}

func (f *file) close() {
	unmap(f.mapped)
	f.Close()
}

// Release lets the system take away the memory of all slices until they are used again.
func (f *Folder) Release() {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, file := range f.files {
		release(file.mapped)
	}
}

// Err returns the first error.
func (f *Folder) Err() error {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// Close gives all slices back, whose elements must not be used any more.
func (f *Folder) Close() {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for at, file := range f.files {
		file.close()
		delete(f.files, at)
	}
}
