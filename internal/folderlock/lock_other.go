//go:build !windows && (!unix || solaris || aix)

package folderlock

import "os"

func open(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644) }

func remove(f *os.File) {
	f.Close()
	os.Remove(f.Name())
}
