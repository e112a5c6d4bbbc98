package dataset

import (
	"math"

	"github.com/fairtrain/fairtrain/internal/rng"
)

// Identities returns hashes by which rows are known again. They are computed from the
// non-zeros and the labels.
func Identities(d *Dataset) []uint64 {
	ids := make([]uint64, d.Rows())
	for i, y := range d.Y {
		sum := rng.Mix(uint64(int64(y)))
		for j, v := range d.X.Row(i) {
			sum += rng.Mix(rng.Mix(uint64(j)+1) ^ math.Float64bits(v))
		}
		ids[i] = rng.Mix(sum)
	}
	return ids
}
