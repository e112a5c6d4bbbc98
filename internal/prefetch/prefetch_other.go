//go:build !amd64 || noasm

package prefetch

import "unsafe"

// Available reports whether the processor is asked at all.
const Available = false

func read(*float64, int) {}

func readPlaces(unsafe.Pointer, *int, int, int, int) {}
