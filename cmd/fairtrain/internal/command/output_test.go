package command

import (
	"os"
	"path/filepath"
	"testing"
)

// TestWriteOutputs has a file that can't be written among others.
func TestWriteOutputs(t *testing.T) {
	p := NewProgram("fairtrain", nil, nil, nil)
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(path("old"), []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	files := []Content{{path("old"), []byte("new")}, {path("new"), []byte("new")}, {path("no/such"), []byte("new")}}
	if err := p.WriteOutputs(files...); err == nil {
		t.Fatal("written into a folder that does not exist")
	}
	if text, err := os.ReadFile(path("old")); err != nil || string(text) != "old" {
		t.Errorf("the old file is %q (%v)", text, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v (%v)", entries, err)
	}
	if err := p.WriteOutputs(files[:2]...); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path("old")); err != nil || string(text) != "new" {
		t.Errorf("the old file is now %q (%v)", text, err)
	}
}
