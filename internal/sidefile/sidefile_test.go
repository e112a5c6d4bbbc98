package sidefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/internal/memory"
)

// TestRead reads a file, one that is as large as may be, and refuses larger ones.
func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	text := bytes.Repeat([]byte("x"), 1000)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(path, 1000); err != nil || !bytes.Equal(got, text) {
		t.Errorf("%d bytes (%v)", len(got), err)
	}
	if _, err := Read(path, 999); err == nil || !strings.HasPrefix(err.Error(), path+": more than 999 bytes") {
		t.Errorf("a file that is too large: %v", err)
	}
	if _, err := ReadFrom(bytes.NewReader(text), "standard input", 999); err == nil ||
		!strings.HasPrefix(err.Error(), "standard input: more than 999 bytes") {
		t.Errorf("a stream that is too large: %v", err)
	}
}

// TestMemory: a file with holes, and one without an end, take no memory beyond the budget.
func TestMemory(t *testing.T) {
	const budget = 8 << 20
	memory.SetBudget(budget)
	defer memory.SetBudget(0)
	path := filepath.Join(t.TempDir(), "f")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(1 << 27); err != nil {
		t.Skip(err)
	}
	endless := "/dev/zero"
	if _, err := os.Stat(endless); err != nil {
		endless = path
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, name := range []string{path, endless} {
		_, err := Read(name, Most)
		if _, ok := errors.AsType[*memory.Error](err); !ok || !strings.HasPrefix(err.Error(), name+": ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > budget {
		t.Errorf("%d bytes allocated, the budget is %d", n, budget)
	}
}

// TestObjects: a small file of many objects is refused, as each becomes a struct.
func TestObjects(t *testing.T) {
	memory.SetBudget(8 << 20)
	defer memory.SetBudget(0)
	for n, want := range map[int]bool{100: true, 100_000: false} {
		_, err := ReadFrom(strings.NewReader("["+strings.Repeat("{},", n)+"{}]"), "f.json", Most)
		if _, large := errors.AsType[*memory.Error](err); large == want || large && !strings.HasPrefix(err.Error(), "f.json: ") {
			t.Errorf("%d objects: %v", n, err)
		}
	}
}

func TestPosition(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "f.json:1:1",
		"{\n \"a\": 1,\n}": "f.json:3:1",
		"{\"a\": \"x\"}":   "f.json:1:9",
	} {
		var v struct{ A int }
		if got := Position("f.json", []byte(text), json.Unmarshal([]byte(text), &v)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	if got := Position("f.json", nil, errors.New("of something else")); got != "f.json" {
		t.Errorf("without a position: %s", got)
	}
}
