// Package files reads and writes what workers share with the driver: files of one machine, or of a
// file system that all machines share.
package files

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/fairtrain/fairtrain/internal/atomicfile"
)

// Join returns the path of a file in a folder.
func Join(dir, name string) string { return filepath.Join(dir, name) }

// Folder makes a folder.
func Folder(dir string) error { return os.MkdirAll(dir, 0o755) }

// Glob returns the files that match a pattern, in the order of their names.
func Glob(pattern string) ([]string, error) {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		err = fmt.Errorf("%s: %w", pattern, err)
	}
	return paths, err
}

// Read returns the content of a file, nil if there is no such file.
func Read(path string) ([]byte, error) {
	content, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	return content, err
}

// Write writes a file: all of it or nothing.
func Write(path string, content []byte) error { return atomicfile.WriteFile(path, content) }

// Remove removes a file that is no longer needed.
func Remove(path string) { _ = os.Remove(path) }
