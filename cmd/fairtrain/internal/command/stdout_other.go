//go:build !linux

package command

import "os"

// isClosed reports whether a standard stream was closed before the program began, where that can be
// known.
func isClosed(*os.File) bool { return false }
