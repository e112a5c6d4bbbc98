package table

import (
	"slices"

	"github.com/fairtrain/fairtrain/dataset/quantity"
)

// missingValues are the values that stand for a missing one.
type missingValues struct {
	values []string
	first  [4]uint64 // first bytes of the values, a bit for each byte
	empty  bool      // a value is ""

	hasDecimal bool // a value reads as a number
}

func newMissingValues(values []string) missingValues {
	m := missingValues{values: values}
	for _, v := range values {
		if v == "" {
			m.empty = true
			continue
		}
		_, _, decimal := quantity.ParseDecimal(v)
		m.hasDecimal = m.hasDecimal || decimal
		m.first[v[0]/64] |= 1 << (v[0] % 64)
	}
	return m
}

// has reports whether a value stands for a missing one. For most other values the first byte
// tells.
func (m *missingValues) has(value string) bool {
	if value == "" {
		return m.empty
	}
	return m.first[value[0]/64]>>(value[0]%64)&1 != 0 && slices.Contains(m.values, value)
}
