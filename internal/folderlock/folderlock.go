// Package folderlock keeps a second program out of a folder in which one is at work, or from a
// file that one changes.
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
)

// Name is the name of the file in a locked folder. Beside a locked file the name of that
// follows. A killed program leaves it, which does no harm.
const Name = ".fairtrain-lock"

// Lock is a locked folder or file.
type Lock struct{ f *os.File }

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
	return wait(ctx, dir, filepath.Join(dir, Name), most)
}

// WaitFile locks a file, which need not be there, as Wait does a folder.
func WaitFile(ctx context.Context, path string, most time.Duration) (*Lock, error) {
	return wait(ctx, path, filepath.Join(filepath.Dir(path), Name+"-"+filepath.Base(path)), most)
}

// wait locks what people know by a name with the file at path.
func wait(ctx context.Context, name, path string, most time.Duration) (*Lock, error) {
	const between = 20 * time.Millisecond // two attempts
	for deadline := time.Now().Add(most); ; {
		l, err := acquire(path)
		if !errors.Is(err, errHeld) {
			return l, err
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("%s: %s has it locked, also after %v; wait for it, or end it", name, holder(path), most)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(between):
		}
	}
}

// acquire locks the file at path.
func acquire(path string) (*Lock, error) {
	for {
		f, err := open(path)
		if err != nil {
			return nil, err
		}
		if !isCurrent(f, path) { // its holder removed it between our opening and locking it
			f.Close()
			continue
		}
		host, err := os.Hostname()
		if err != nil {
			host = "this machine"
		}
		if err := f.Truncate(0); err == nil {
			fmt.Fprintf(f, "process %d on %s\n", os.Getpid(), host)
		}
		return &Lock{f}, nil
	}
}

// Release unlocks it.
func (l *Lock) Release() {
	remove(l.f) // an error leaves an empty lock, which does no harm
}

func isCurrent(f *os.File, path string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
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
