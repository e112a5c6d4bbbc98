package tabular

import (
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/dataset/tabular/checks"
	"github.com/fairtrain/fairtrain/internal/rng"
)

// findUnits sets Table.Units by the identifier of the fewest values: people of one household, if there
// are numbers of both, belong together.
func (t *tableReader) findUnits() {
	var of *collector
	for _, c := range t.columns {
		if c.several != nil && (of == nil || c.several.Values < of.several.Values) {
			of = c
		}
	}
	if of == nil {
		return
	}
	t.UnitColumn, t.Units = of.name, make([]uint64, t.Rows)
	for i := range t.Units {
		switch of.state {
		case numbers:
			if v := of.values[i]; !math.IsNaN(v) {
				t.Units[i] = rng.Mix(math.Float64bits(v))
			}
		case hashes:
			t.Units[i] = of.hashed[i]
		default:
			t.Units[i] = uint64(of.codes[i])
		}
		if t.Units[i] == 0 { // missing
			t.Units[i] = rng.Mix(^uint64(i))
		}
	}
}

// severalOfHashes is checks.FindRepetition for the values of a column that are only known by hashes.
func (c *collector) severalOfHashes() *checks.Repetition {
	sorted := slices.Sorted(slices.Values(c.hashed))
	present, _ := slices.BinarySearch(sorted, 1)
	var counts []int
	for k := present; k < len(sorted); k++ {
		if k == present || sorted[k] != sorted[k-1] {
			counts = append(counts, 0)
		}
		counts[len(counts)-1]++
	}
	if r := checks.FindRepetition(c.name, counts, present > 0); r != nil {
		c.sure = true
		return r
	}
	return checks.RepeatsLittle(counts)
}
