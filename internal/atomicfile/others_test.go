//go:build unix

package atomicfile

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestOthersFiles puts pipes, sockets, folders and links into a folder under the names of
// the program's files. None is waited for, written to or removed.
func TestOthersFiles(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir) // names of sockets are short
	if err := os.WriteFile("precious", []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, make := range map[string]func(path string) error{
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o644) },
		"folder": func(path string) error { return os.Mkdir(path, 0o755) },
		"link":   func(path string) error { return os.Symlink("precious", path) },
		"socket": func(path string) error {
			l, err := net.Listen("unix", path)
			if err == nil {
				l.(*net.UnixListener).SetUnlinkOnClose(false)
				l.Close()
			}
			return err
		},
	} {
		temporary := Prefix + name + "-1"
		for _, path := range []string{temporary, name + ".stored"} {
			if err := make(path); err != nil {
				t.Skip(err)
			}
		}
		if err := WriteFile(name, []byte("new")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		Sweep(".")
		if _, err := os.Lstat(temporary); err != nil {
			t.Errorf("the %s is gone: %v", name, err)
		}
		if _, err := ReadFile(name + ".stored"); name != "link" && err == nil {
			t.Errorf("a %s is read as a file", name)
		}
	}
	if err := syscall.Mkfifo("to read", 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile("to read"); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a pipe: %v", err)
	}
	if got := read(t, filepath.Join(dir, "precious")); got != "precious" {
		t.Errorf("the file at the end of a link is now %q", got)
	}
}
