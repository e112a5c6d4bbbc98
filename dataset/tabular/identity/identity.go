// Package identity hashes the content of rows, by which they are recognised in another file: names of
// columns by Columns, values by Value and Text.
package identity

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
	"github.com/fairtrain/fairtrain/internal/rng"
)

// Columns returns the hash of each column's name; 0 for one of the columns apart.
func Columns(names, apart []string) []uint64 {
	hashes := make([]uint64, len(names))
	for k, name := range names {
		if !slices.Contains(apart, name) {
			hashes[k] = Text(name)
		}
	}
	return hashes
}

// Value continues a hash by a value. Numbers have the same hash however they are written:
// programs write 60000 as 60000.0 when they store it again. So have true and True.
func Value(h uint64, value string) uint64 {
	number, _, ok := numparse.ParseDecimal(value)
	if !ok && !numparse.IsCode(value) && value != "" && strings.IndexByte("+-.0123456789", value[0]) >= 0 { // 7e-05, or more digits
		var err error
		number, err = strconv.ParseFloat(value, 64)
		ok = err == nil
	}
	if ok {
		return rng.Mix(h ^ math.Float64bits(number+0)) // −0 is 0
	}
	if lower := strings.ToLower(value); lower == "true" || lower == "false" {
		value = lower
	}
	return text(h, value)
}

// The constants of the hash FNV-1a (Fowler, Noll and Vo).
const (
	fnvOffset = 0xcbf29ce484222325
	fnvPrime  = 0x100000001b3
)

// Text returns the FNV-1a hash of a text.
func Text(value string) uint64 { return text(fnvOffset, value) }

// text continues an FNV-1a hash.
func text(h uint64, value string) uint64 {
	for k := range len(value) {
		h = (h ^ uint64(value[k])) * fnvPrime
	}
	return (h ^ 0xff) * fnvPrime // the text ends with a byte that never occurs in UTF-8
}
