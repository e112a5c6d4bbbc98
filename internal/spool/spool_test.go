package spool

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestGrow: slices in files are those in memory, whatever moves.
func TestGrow(t *testing.T) {
	dir := t.TempDir()
	f := New(dir)
	if f == nil {
		t.Skip("files can't be mapped here")
	}
	defer f.Close()
	var numbers []float64
	var codes, want []int32
	for k := range int32(3) {
		for i := range int32(200_000) {
			numbers, codes = Grow(f, numbers, 1), Grow(f, codes, 1)
			numbers, codes, want = append(numbers, float64(i)), append(codes, i+k), append(want, i+k)
		}
		f.Release()
	}
	codes = slices.Concat(codes, codes) // which is in memory now
	codes = Grow(f, codes, 5)
	if !slices.Equal(codes, slices.Concat(want, want)) || len(numbers) != 600_000 || numbers[599_999] != 199_999 {
		t.Error("other elements")
	}
	Free(f, numbers)
	if left, err := os.ReadDir(dir); len(left) > 0 || err != nil || f.Err() != nil {
		t.Errorf("left %v, errors %v, %v", left, err, f.Err())
	}
}

// TestNoRoom: where no file can be, slices stay in memory, and the error is kept.
func TestNoRoom(t *testing.T) {
	f := New(filepath.Join(t.TempDir(), "none"))
	if f == nil {
		t.Skip("files can't be mapped here")
	}
	s := append(Grow(f, []int32(nil), 2), 1)
	if s = append(Grow(f, s, small), 2); !slices.Equal(s, []int32{1, 2}) || f.Err() == nil {
		t.Errorf("%v, error %v", s, f.Err())
	}
}

// TestSmall: few elements take no file, and little more than they need of the disk if they have one.
func TestSmall(t *testing.T) {
	f := New(t.TempDir())
	if f == nil {
		t.Skip("files can't be mapped here")
	}
	defer f.Close()
	s := Grow(f, make([]byte, 0), small)
	if s = Grow(f, s[:small/2], small/2); len(f.files) > 0 {
		t.Errorf("%d bytes are in a file", small)
	}
	s = Grow(f, s[:small], 1)
	if n := cap(s); len(f.files) != 1 || n < small+1 || n > small+page {
		t.Errorf("%d bytes are in %d files that have %d", small+1, len(f.files), n)
	}
}
