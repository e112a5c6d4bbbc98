//go:build unix

package input

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestSourceKeys: a file that is moved to the place of another one is another source, though it have its size and time.
func TestSourceKeys(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.csv"), filepath.Join(dir, "b.csv")
	for path, text := range map[string]string{a: "x,y\n1,0\n", b: "x,y\n2,1\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, time.Unix(1e9, 0)); err != nil {
			t.Fatal(err)
		}
	}
	state := func() string {
		t.Helper()
		_, state, err := sourceKeys(a)
		if err != nil {
			t.Fatal(err)
		}
		return state
	}
	before := state()
	if again := state(); again != before {
		t.Errorf("%s becomes %s, and nothing has changed", before, again)
	}
	if err := os.Rename(b, a); err != nil {
		t.Fatal(err)
	}
	if state() == before {
		t.Error("the other file has the same key")
	}
}
