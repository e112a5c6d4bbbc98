//go:build unix

package input

import (
	"io/fs"
	"syscall"
)

// inode is the number of a file on its disk: a file that is moved to the place of another one may have its size and
// time.
func inode(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Ino)
	}
	return 0
}
