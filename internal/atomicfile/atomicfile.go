// Package atomicfile writes files that appear complete or not at all, whenever the program
// or the machine stops.
//
// The content goes to a temporary file in the folder of the target and onto the disk, then
// the temporary file takes the target's name. A symbolic link stays one: the file that it
// leads to is replaced. The name of a temporary file begins with Prefix. Temporary files
// that a killed program has left are removed when the same target is written again.
package atomicfile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/gofrs/flock"

	"github.com/fairtrain/fairtrain/internal/leftovers"
	"github.com/fairtrain/fairtrain/internal/sidefile"
)

// Prefix is how names of temporary files begin. The name of the target and a random number
// follow.
const Prefix = ".fairtrain-tmp-"

// newFile are the permissions of a new file, less the umask.
const newFile = 0o644

// Fault, if not nil, is called before every step that changes the file system. Its error
// becomes the error of the step; half of a step "write" is done. Tests make disks fail by
// it; nothing else sets it.
var Fault func(step string) error

// Unsynced, if true, leaves it to the system when files get onto the disk. Tests set it: a
// machine that stops is all that could tell the difference, and to wait for disks takes longer
// than most of them.
var Unsynced bool

func faulty(step string) error {
	if Fault == nil {
		return nil
	}
	return Fault(step)
}

// WriteFile replaces the file at path, or the file to which a link at path leads, by data. It keeps
// the permissions of an existing file. After an error the file is unchanged, unless the error is
// that of a folder that may not keep the change when the machine stops.
func WriteFile(path string, data []byte) error {
	p, err := Create(path)
	if err != nil {
		return err
	}
	defer p.Discard()
	if _, err := p.Write(data); err != nil {
		return err
	}
	return p.Commit()
}

// ReadFile returns the content of a file that the program has written. Anything else of its name,
// such as a pipe that somebody has put into a shared folder, is an error and is not waited for.
func ReadFile(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: cmp.Or(err, ErrNotRegular)}
	}
	return sidefile.ReadFrom(f, path, sidefile.Most)
}

// ErrNotRegular says that something else has the name of a file.
var ErrNotRegular = errors.New("is no regular file")

// Try returns the error of Create, and leaves nothing: where there is one, work for a file would be
// lost.
func Try(path string) error {
	p, err := Create(path)
	if err == nil {
		p.Discard()
	}
	return err
}

// Pending is a temporary file that waits to replace its target.
type Pending struct {
	*os.File
	lock    *flock.Flock // until it is closed, or the program ends, so that nobody sweeps it away
	target  string       // without links
	discard func()
}

// Create returns a temporary file that Commit gives the name path. The target must be a
// regular file if it exists.
func Create(path string) (*Pending, error) {
	target := Target(path)
	info, err := os.Stat(target)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "replace", Path: path, Err: ErrNotRegular}
	case err != nil && !errors.Is(err, fs.ErrNotExist): // such as a name that is too long
		return nil, cannot(path, err)
	}
	sweep(filepath.Dir(target), func(name string) bool {
		return strings.TrimRight(name, "0123456789") == temporaryName(target)
	})
	p := &Pending{target: target}
	p.discard, err = leftovers.Make(p.createTemporary, func() {
		// After Commit both fail: the file is closed, and nothing has its name.
		p.Close()
		os.Remove(p.Name())
	})
	if err != nil {
		return nil, cannot(path, err)
	}
	if info != nil {
		if err := p.Chmod(info.Mode().Perm()); err != nil {
			p.Discard()
			return nil, err
		}
	}
	return p, nil
}

// cannot is the error of a file that can't be written. The name of the temporary file tells nobody
// anything.
func cannot(path string, err error) error {
	if fault, ok := errors.AsType[*fs.PathError](err); ok {
		err = fault.Err
	}
	return fmt.Errorf("%s cannot be written: %w", path, err)
}

// Write implements io.Writer.
func (p *Pending) Write(data []byte) (int, error) {
	if err := faulty("write"); err != nil {
		n, _ := p.File.Write(data[:len(data)/2])
		return n, err
	}
	return p.File.Write(data)
}

// Sync puts what was written onto the disk.
func (p *Pending) Sync() error {
	if err := faulty("sync"); err != nil {
		return err
	}
	if Unsynced {
		return nil
	}
	return p.File.Sync()
}

// Commit puts the file onto the disk and in the place of its target.
func (p *Pending) Commit() error {
	if err := p.Sync(); err != nil {
		return err
	}
	if runtime.GOOS == "windows" { // which does not rename open files
		if err := p.Close(); err != nil {
			return err
		}
	}
	if err := faulty("rename"); err != nil {
		return err
	}
	if err := os.Rename(p.Name(), p.target); err != nil {
		return err
	}
	if err := p.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	return syncFolder(filepath.Dir(p.target))
}

// Close closes the file.
func (p *Pending) Close() error { return errors.Join(p.lock.Close(), p.File.Close()) }

// Discard removes the file unless Commit has succeeded.
func (p *Pending) Discard() { p.discard() }

// Sweep removes the temporary files that killed programs have left in a folder.
func Sweep(dir string) {
	sweep(dir, func(name string) bool { return strings.HasPrefix(name, Prefix) })
}

// sweep removes a folder's abandoned files of certain names. Those that it can't remove do
// no harm.
func sweep(dir string, ours func(name string) bool) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if path := filepath.Join(dir, e.Name()); ours(e.Name()) && e.Type().IsRegular() && isAbandoned(path) {
			os.Remove(path)
		}
	}
}

// temporaryName is how the names of a target's temporary files begin.
func temporaryName(target string) string {
	const most = 200 // bytes: systems allow 255 for a name
	base := filepath.Base(target)
	return Prefix + base[:min(most, len(base))] + "-"
}

// createTemporary makes a temporary file for the target and locks it.
func (p *Pending) createTemporary() error {
	if err := faulty("create"); err != nil {
		return err
	}
	prefix := filepath.Join(filepath.Dir(p.target), temporaryName(p.target))
	for {
		f, err := os.OpenFile(prefix+strconv.FormatUint(rand.Uint64(), 10), os.O_RDWR|os.O_CREATE|os.O_EXCL, newFile)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		lock := flock.New(f.Name(), flock.SetFlag(os.O_RDWR))
		if runtime.GOOS != "windows" { // which removes no open file, and whose locks keep writers out
			_, _ = lock.TryLock() // where the file system has no locks, nothing is swept
		}
		// Another program may have swept it away before it was locked.
		if _, err := os.Lstat(f.Name()); err == nil {
			p.File, p.lock = f, lock
			return nil
		}
		f.Close()
		lock.Close()
	}
}

// isAbandoned reports whether nobody is writing the file.
func isAbandoned(path string) bool {
	lock := flock.New(path, flock.SetFlag(os.O_RDWR|syscall.O_NONBLOCK))
	defer lock.Close()
	locked, err := lock.TryLock()
	return locked && err == nil
}

// syncFolder puts a folder's new names onto the disk, where the system can.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return nil // one may write but not read the folder
	}
	defer d.Close()
	if err := faulty("sync folder"); err != nil || Unsynced {
		return err
	}
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// Target returns the absolute path of the file, which need not exist, that writing to path
// writes, with all symbolic links followed.
func Target(path string) string {
	const separator = string(filepath.Separator)
	if dir, err := os.Getwd(); err == nil && !filepath.IsAbs(path) {
		path = dir + separator + path // Join would take "link/.." away, which is somewhere else
	}
	const mostLinks = 40 // as in Linux; more are a circle
	for range mostLinks {
		target, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(target) {
			dir, _ := filepath.Split(path)
			target = dir + target
		}
		path = target
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	dir, base := filepath.Split(path)
	if target, err := filepath.EvalSymlinks(dir); err == nil {
		return filepath.Join(target, base)
	}
	return filepath.Clean(path)
}
