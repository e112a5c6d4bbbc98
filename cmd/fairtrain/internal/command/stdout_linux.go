package command

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// isClosed reports whether a standard stream was closed before the program began. The runtime of Go
// opens /dev/null in its place, to read and to write. Others do that, too, for a program whose
// output they don't want, but no shell does.
func isClosed(f *os.File) bool {
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	if err != nil || flags&unix.O_ACCMODE != unix.O_RDWR || !isNull(fmt.Sprintf("/proc/self/fd/%d", f.Fd())) {
		return false
	}
	parent := fmt.Sprintf("/proc/%d", os.Getppid())
	of := fmt.Sprintf("%s/fd/%d", parent, f.Fd())
	if _, err := os.Lstat(of); os.IsNotExist(err) {
		_, err := os.Lstat(parent + "/fd")
		return err == nil // it was closed there, too
	}
	name, err := os.ReadFile(parent + "/comm")
	shells := []string{"sh", "ash", "bash", "busybox", "dash", "fish", "ksh", "mksh", "zsh"}
	return err == nil && slices.Contains(shells, strings.TrimSpace(string(name))) && !isNull(of)
}

func isNull(path string) bool {
	target, err := os.Readlink(path)
	return err == nil && target == os.DevNull
}
