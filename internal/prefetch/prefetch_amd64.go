//go:build !noasm

package prefetch

import "unsafe"

// Available reports whether the processor is asked at all.
const Available = true

// read asks for lines, at least one.
//
//go:noescape
func read(from *float64, lines int)

// readPlaces asks for the lines of some bytes, at least one, from each of some places on, at least one. A place is a
// multiple of stride bytes.
//
//go:noescape
func readPlaces(from unsafe.Pointer, places *int, n, stride, bytes int)
