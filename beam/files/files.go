// Package files reads and writes what workers share with the driver: files of a machine and, by
// Beam's own file systems and with the credentials that these find, objects in buckets (gs://…, s3://…).
package files

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs" // gs://
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"  // s3://

	"github.com/fairtrain/fairtrain/internal/atomicfile"
)

// Local reports whether a path is one of this machine.
func Local(path string) bool { return !strings.Contains(path, "://") }

// Join returns the path of a file in a folder.
func Join(dir, name string) string { return strings.TrimSuffix(dir, "/") + "/" + name }

// Folder makes a folder. Buckets need none; there it tries whether a file can be written.
func Folder(dir string) error {
	if Local(dir) {
		return os.MkdirAll(dir, 0o755)
	}
	trial := Join(dir, "trial")
	if err := Write(trial, nil); err != nil {
		return err
	}
	Remove(trial)
	return nil
}

// Glob returns the files that match a pattern, in the order of their names.
func Glob(pattern string) ([]string, error) {
	if Local(pattern) {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			err = fmt.Errorf("%s: %w", pattern, err)
		}
		return paths, err
	}
	paths, err := in(pattern, func(b *bucket) ([]string, error) { return b.List(b.ctx, pattern) })
	slices.Sort(paths)
	return paths, err
}

// Read returns the content of a file, nil if there is no such file.
func Read(path string) ([]byte, error) {
	if Local(path) {
		content, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			return nil, nil
		}
		return content, err
	}
	return in(path, func(b *bucket) ([]byte, error) {
		if found, err := b.List(b.ctx, path); err != nil || len(found) == 0 {
			return nil, err
		}
		return filesystem.Read(b.ctx, b, path)
	})
}

// Write writes a file: all of it or nothing.
func Write(path string, content []byte) error {
	if Local(path) {
		return atomicfile.WriteFile(path, content)
	}
	_, err := in(path, func(b *bucket) (any, error) {
		return nil, filesystem.Write(b.ctx, b, path, content)
	})
	return err
}

// Create calls write with the path of a file of this machine, which becomes the file path if write has
// written it: path itself, or one that is then copied there.
func Create(path string, write func(path string) error) error {
	if Local(path) {
		return write(path)
	}
	dir, err := os.MkdirTemp("", "fairtrain-shard-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	local := filepath.Join(dir, "rows")
	if err := write(local); err != nil {
		return err
	}
	from, err := os.Open(local)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer from.Close()
	_, err = in(path, func(b *bucket) (any, error) {
		if _, err := from.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		to, err := b.OpenWrite(b.ctx, path)
		if err != nil {
			return nil, err
		}
		_, err = io.Copy(to, heard{from, b})
		return nil, errors.Join(err, to.Close())
	})
	return err
}

// Remove removes a file that is no longer needed. Not all file systems can.
func Remove(path string) {
	if Local(path) {
		_ = os.Remove(path)
		return
	}
	_, _ = in(path, func(b *bucket) (any, error) {
		if r, ok := b.Interface.(filesystem.Remover); ok {
			return nil, r.Remove(b.ctx, path)
		}
		return nil, nil
	})
}

// Mapped calls open with a file of this machine that has the content of path: itself, or a copy that
// is removed afterwards. What open has mapped into memory stays there.
func Mapped(path string, open func(path string) error) error {
	if Local(path) {
		return open(path)
	}
	copied, err := in(path, fetch(path))
	if err != nil {
		return err
	}
	defer os.Remove(copied)
	if err := open(copied); err != nil {
		return fmt.Errorf("%s: its copy %w", path, err)
	}
	return nil
}

// fetch copies a file into the folder for temporary files, and returns the copy's path.
func fetch(path string) func(*bucket) (string, error) {
	return func(b *bucket) (string, error) {
		from, err := b.OpenRead(b.ctx, path)
		if err != nil {
			return "", err
		}
		defer from.Close()
		to, err := os.CreateTemp("", "fairtrain-shard-")
		if err != nil {
			return "", err
		}
		defer to.Close()
		if _, err := io.Copy(to, heard{from, b}); err != nil {
			os.Remove(to.Name())
			return "", err
		}
		return to.Name(), nil
	}
}
