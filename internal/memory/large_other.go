//go:build !linux

package memory

// askForLargePages does nothing: other systems choose pages themselves.
func askForLargePages([]byte) {}
