//go:build !noasm

package prefetch

// read asks for lines, at least one.
//
//go:noescape
func read(from *float64, lines int)
