//go:build unix

package folderlock

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/fairtrain/fairtrain/internal/atomicfile"
)

// TestOthersFiles: what has the name of a lock, but is none, is refused at once and left as it is.
func TestOthersFiles(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o644) },
		"folder": func(path string) error { return os.Mkdir(path, 0o755) },
		"link": func(path string) error {
			precious := filepath.Join(filepath.Dir(path), "precious")
			if err := os.WriteFile(precious, []byte("precious"), 0o644); err != nil {
				return err
			}
			return os.Symlink(precious, path)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := make(filepath.Join(dir, Name)); err != nil {
				t.Skip(err)
			}
			if _, err := Acquire(dir); !errors.Is(err, atomicfile.ErrNotRegular) {
				t.Errorf("locked by a %s: %v", name, err)
			}
			if _, err := Wait(t.Context(), dir, time.Hour); !errors.Is(err, atomicfile.ErrNotRegular) {
				t.Errorf("waiting for a %s: %v", name, err)
			}
			if text, err := os.ReadFile(filepath.Join(dir, "precious")); err == nil && string(text) != "precious" {
				t.Errorf("the file at the end of the link is now %q", text)
			}
		})
	}
}
