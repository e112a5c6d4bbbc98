// Package rng derives independent, named random streams from one seed.
//
// A stream is named by labels, for instance
//
//	rng.New(seed, "run", 3, "objective")
//
// so that adding a stream somewhere never shifts the numbers drawn elsewhere, and a
// run's randomness depends only on its own labels, not on which worker executes it.
package rng

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// version separates the streams of incompatible releases of the derivation.
const version = "fairtrain-rng-1"

// New returns the generator of the stream with the given labels: a PCG whose 128-bit
// state is the SHA-256 of a version tag, the seed and the length-prefixed labels
// (formatted with fmt.Sprint). Equal arguments give equal streams.
func New(seed uint64, labels ...any) *rand.Rand {
	h := sha256.New()
	h.Write([]byte(version))
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], seed)
	h.Write(word[:])
	for _, label := range labels {
		s := fmt.Sprint(label)
		binary.LittleEndian.PutUint64(word[:], uint64(len(s)))
		h.Write(word[:])
		h.Write([]byte(s))
	}
	sum := h.Sum(nil)
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum), binary.LittleEndian.Uint64(sum[8:])))
}

// Mix is the finaliser of SplitMix64 (Steele, Lea and Flood 2014), a bijection that spreads
// every bit over all.
func Mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
