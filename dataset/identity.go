package dataset

import (
	"iter"
	"math"

	"github.com/fairtrain/fairtrain/internal/rng"
)

// Identities are hashes by which rows are known again. They are computed from the non-zeros and
// the labels.
func Identities(d *Dataset) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for i, y := range d.Y {
			sum := rng.Mix(uint64(int64(y)))
			for j, v := range d.X.Row(i) {
				sum += rng.Mix(rng.Mix(uint64(j)+1) ^ math.Float64bits(v))
			}
			if !yield(rng.Mix(sum)) {
				return
			}
		}
	}
}
