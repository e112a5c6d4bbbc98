// Package datatest finds the real data for tests.
package datatest

import (
	"os"
	"path/filepath"
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
