// Package sealtest damages files, for tests of what reads them.
package sealtest

import (
	"bytes"
	"math/rand/v2"
)

// Mutate returns the content of a file, damaged as bad disks, editors and slips do.
func Mutate(r *rand.Rand, text []byte) []byte {
	from := r.IntN(len(text) + 1)
	to := min(len(text), from+1+r.IntN(1<<r.IntN(8)))
	if from == to {
		return append(bytes.Clone(text), "0"...)
	}
	damaged := bytes.Clone(text)
	switch r.IntN(6) {
	case 0:
		damaged[from] ^= 1 << r.IntN(8)
	case 1:
		damaged[from] = '0' + byte(r.IntN(10))
	case 2:
		clear(damaged[from:to]) // a block that was not written
	case 3:
		damaged = append(damaged[:from], text[to:]...)
	case 4:
		damaged = append(damaged[:to], text[from:]...) // twice
	case 5:
		damaged = damaged[:from]
	}
	return damaged
}
