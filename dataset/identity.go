package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"math"

	"github.com/fairtrain/fairtrain/internal/rng"
)

// Identities are hashes by which rows are known again. They are computed from the non-zeros and
// the labels.
func Identities(d *Dataset) iter.Seq[uint64] {
	return identities(d, func(i int) uint64 { return uint64(int64(d.Y[i])) })
}

// FeatureIdentities are those of rows whose labels do not matter.
func FeatureIdentities(d *Dataset) iter.Seq[uint64] {
	return identities(d, func(int) uint64 { return 0 })
}

func identities(d *Dataset, label func(row int) uint64) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		var sum uint64
		add := func(j int, v float64) bool { // made once, not for each row
			sum += rng.Mix(rng.Mix(uint64(j)+1) ^ math.Float64bits(v))
			return true
		}
		for i := range d.Y {
			sum = rng.Mix(label(i))
			d.X.Row(i)(add)
			if !yield(rng.Mix(sum)) {
				return
			}
		}
	}
}

// HashOfFiles returns the hash of the content of files, given those of each: that of the only one,
// or the SHA-256 of the hashes of several, one a line.
func HashOfFiles(hashes []string) string {
	if len(hashes) == 1 {
		return hashes[0]
	}
	all := sha256.New()
	for _, hash := range hashes {
		fmt.Fprintln(all, hash)
	}
	return hex.EncodeToString(all.Sum(nil))
}
