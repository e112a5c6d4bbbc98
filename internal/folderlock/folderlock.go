// Package folderlock keeps a second program out of a folder in which one is at work.
//
// The lock is the operating system's, on a file that the first program holds open, so that
// it ends with the program, in whatever way that ends. The file names the process.
package folderlock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Name is the name of the file in a locked folder. A killed program leaves it, which does no harm.
const Name = ".fairtrain-lock"

// Lock is a locked folder.
type Lock struct{ f *flock.Flock }

// errHeld says that another program holds a lock.
var errHeld = errors.New("held by another program")

// Acquire locks the folder dir, which is made if need be. If another program holds it the
// error names its process. Where the system has no locks there is none.
func Acquire(dir string) (*Lock, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, Name)
	l, err := acquire(path)
	if errors.Is(err, errHeld) {
		return nil, fmt.Errorf("%s: %s is at work in this folder; wait for it, or choose another folder", dir, holder(path))
	}
	return l, err
}

// Wait is Acquire, but waits for the other program, until the context ends or the time is up.
// The folder must be there.
func Wait(ctx context.Context, dir string, most time.Duration) (*Lock, error) {
	path := filepath.Join(dir, Name)
	const between = 20 * time.Millisecond // two attempts
	for deadline := time.Now().Add(most); ; time.Sleep(between) {
		l, err := acquire(path)
		switch {
		case !errors.Is(err, errHeld):
			return l, err
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case time.Now().After(deadline):
			return nil, fmt.Errorf("%s: %s has it locked, also after %v; wait for it, or end it",
				dir, holder(path), most)
		}
	}
}

// acquire locks the file at path. Some file systems of networks have no locks: there is none.
func acquire(path string) (*Lock, error) {
	for {
		f := flock.New(path, flock.SetPermissions(0o644))
		locked, err := f.TryLock()
		switch {
		case errors.Is(err, errors.ErrUnsupported):
			return &Lock{f}, nil
		case err != nil:
			return nil, err
		case !locked:
			f.Close()
			return nil, errHeld
		}
		if !isCurrent(f) { // its holder removed it between our opening and locking it
			f.Close()
			continue
		}
		host, err := os.Hostname()
		if err != nil {
			host = "this machine"
		}
		// Where a locked file can't be written (Windows), the holder has no name.
		_ = os.WriteFile(path, fmt.Appendf(nil, "process %d on %s\n", os.Getpid(), host), 0o644)
		return &Lock{f}, nil
	}
}

// Release unlocks it. The file goes while it is locked, so that nobody else's is removed; one that
// stays (Windows removes no open file) does no harm.
func (l *Lock) Release() {
	os.Remove(l.f.Path())
	l.f.Close()
}

func isCurrent(f *flock.Flock) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(f.Path())
	return err == nil && os.SameFile(opened, named)
}

// holder is the process that a lock file names.
func holder(path string) string {
	text, err := os.ReadFile(path)
	if err != nil || len(text) == 0 { // it is about to write it
		return "another process"
	}
	return strings.TrimSpace(string(text))
}
