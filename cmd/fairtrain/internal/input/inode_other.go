//go:build !unix

package input

import "io/fs"

// inode is the number of a file on its disk, which is not known here.
func inode(fs.FileInfo) uint64 { return 0 }
