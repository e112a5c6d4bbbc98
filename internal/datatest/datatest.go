// Package datatest has what tests of readers share: the real data, and damaged inputs.
package datatest

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Path returns the path of a file or folder of $FAIRTRAIN_DATA. Without it the test is
// skipped.
func Path(tb testing.TB, name string) string {
	tb.Helper()
	dir := os.Getenv("FAIRTRAIN_DATA")
	if dir == "" {
		tb.Skip("FAIRTRAIN_DATA is not set: no real data")
	}
	path := filepath.Join(dir, filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("FAIRTRAIN_DATA has no %s", name)
	}
	return path
}

// Read returns the content of a file of $FAIRTRAIN_DATA. Without it the test is skipped.
func Read(tb testing.TB, name string) []byte {
	tb.Helper()
	content, err := os.ReadFile(Path(tb, name))
	if err != nil {
		tb.Fatal(err)
	}
	return content
}

// Fuzz makes a target of go test -fuzz of seeds and a check.
func Fuzz(f *testing.F, seeds []string, check func(t *testing.T, text string)) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(check)
}

// Damage returns a text with one damage: a flipped bit, or a part that is missing, doubled or the
// last.
func Damage(r *rand.Rand, text string) string {
	damaged := []byte(text)
	i := r.IntN(len(damaged))
	j := min(len(damaged), i+1+r.IntN(1<<r.IntN(9)))
	switch r.IntN(4) {
	case 0:
		damaged[i] ^= 1 << r.IntN(8)
	case 1:
		damaged = slices.Delete(damaged, i, j)
	case 2:
		damaged = slices.Insert(damaged, i, []byte(text[i:j])...)
	case 3:
		damaged = damaged[:j]
	}
	return string(damaged)
}
