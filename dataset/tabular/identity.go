package tabular

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
	"github.com/fairtrain/fairtrain/internal/rng"
)

// columnHashes returns the hash of each column's name; 0 for one of the columns apart.
func columnHashes(names, apart []string) []uint64 {
	hashes := make([]uint64, len(names))
	for k, name := range names {
		if !slices.Contains(apart, name) {
			hashes[k] = hashText(fnvOffset, name)
		}
	}
	return hashes
}

// identity returns a hash of the content of a row, by which the row is recognised in another file.
// It is a sum: for each value, the hash of the value and the name of its column. So the order of the
// columns does not matter. Different rows with the same values have the same identity.
func identity(columns []uint64, r *rows, row int32) uint64 {
	sum := uint64(0)
	for k, column := range columns {
		if column != 0 {
			sum += rng.Mix(hashValue(column, r.value(row, k)))
		}
	}
	return rng.Mix(sum)
}

// hashValue continues a hash by a value. Numbers have the same hash however they are written:
// programs write 60000 as 60000.0 when they store it again. So have true and True.
func hashValue(h uint64, value string) uint64 {
	number, _, ok := numparse.ParseDecimal(value)
	if !ok && !numparse.IsCode(value) && value != "" && strings.IndexByte("+-.0123456789", value[0]) >= 0 { // 7e-05, or more digits
		var err error
		number, err = strconv.ParseFloat(value, 64)
		ok = err == nil
	}
	if ok {
		return rng.Mix(h ^ math.Float64bits(number+0)) // −0 is 0
	}
	if IsTruth(value) {
		value = strings.ToLower(value)
	}
	return hashText(h, value)
}

// The constants of the hash FNV-1a (Fowler, Noll and Vo).
const (
	fnvOffset = 0xcbf29ce484222325
	fnvPrime  = 0x100000001b3
)

// hashText continues an FNV-1a hash.
func hashText(h uint64, text string) uint64 {
	for k := range len(text) {
		h = (h ^ uint64(text[k])) * fnvPrime
	}
	return (h ^ 0xff) * fnvPrime // the text ends with a byte that never occurs in UTF-8
}
