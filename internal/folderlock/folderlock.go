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
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/fairtrain/fairtrain/internal/atomicfile"
	"github.com/fairtrain/fairtrain/internal/leftovers"
)

// Name is the name of the file in a locked folder. A killed program leaves it, which does no harm.
const Name = ".fairtrain-lock"

// Lock is a locked folder.
type Lock struct{ release func() }

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

// acquire locks the file at path. Some file systems of networks have no locks: there is none. In a
// folder of several people anything may have the name of the file. Nothing is waited for, and
// nothing else is written to.
func acquire(path string) (*Lock, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w, as locks are; remove it", path, atomicfile.ErrNotRegular)
	}
	f := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDONLY|syscall.O_NONBLOCK), flock.SetPermissions(0o644))
	release, err := leftovers.Make(func() error { return lock(f) }, func() {
		// The file goes while it is locked, so that nobody else's is removed; one that stays (Windows
		// removes no open file) does no harm.
		os.Remove(path)
		f.Close()
	})
	if errors.Is(err, errGone) {
		return acquire(path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &Lock{release}, nil
}

// errGone says that the holder of a lock removed the file between our opening and locking it.
var errGone = errors.New("the lock is gone")

// lock locks a file and writes into it who we are.
func lock(f *flock.Flock) error {
	locked, err := f.TryLock()
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return nil
	case err != nil:
		return err
	case !locked:
		return errHeld
	}
	opened, err := f.Stat()
	if err != nil {
		return err
	}
	if named, err := os.Lstat(f.Path()); err != nil || !os.SameFile(opened, named) {
		return errGone
	}
	host, err := os.Hostname()
	if err != nil {
		host = "this machine"
	}
	// Where a locked file can't be written (Windows), the holder has no name.
	w, err := os.OpenFile(f.Path(), os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer w.Close()
	if named, err := w.Stat(); err == nil && os.SameFile(opened, named) && w.Truncate(0) == nil {
		fmt.Fprintf(w, "process %d on %s\n", os.Getpid(), host)
	}
	return nil
}

// Release unlocks it.
func (l *Lock) Release() { l.release() }

// holder is the process that a lock file names.
func holder(path string) string {
	text, err := atomicfile.ReadFile(path)
	if err != nil || len(text) == 0 { // it is about to write it
		return "another process"
	}
	return strings.TrimSpace(string(text))
}
