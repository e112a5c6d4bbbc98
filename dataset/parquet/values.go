package parquet

import (
	"encoding/binary"
	"math"

	"github.com/parquet-go/parquet-go"
)

// values are the values of a column in a block of rows. They implement table.Values.
type values struct {
	kind
	physical parquet.Kind
	missing  []bool   // by rows
	words    []uint64 // of numbers, by rows: their bits
	at       []int32  // of other values, by rows: their places among the entries
	entries  []parquet.Value
	noText   string // what Unfit returns
}

// isNumber reports whether the file has the values as numbers, whatever they stand for.
func (c *values) isNumber() bool {
	switch c.physical {
	case parquet.Int32, parquet.Int64, parquet.Float, parquet.Double:
		return true
	}
	return false
}

// wordOf returns the bits of a number.
func wordOf(v parquet.Value) uint64 {
	switch v.Kind() {
	case parquet.Int32:
		return uint64(v.Uint32())
	case parquet.Float:
		return uint64(math.Float32bits(v.Float()))
	case parquet.FixedLenByteArray:
		return wordOfHalf(v.ByteArray())
	}
	return v.Uint64()
}

// wordOfHalf returns the bits of the number of which the first two bytes are those of 16 bits.
func wordOfHalf(b []byte) uint64 { return math.Float64bits(ofHalf(binary.LittleEndian.Uint16(b))) }

// isMissing reports whether a value is missing: it is null, or NaN.
func (c *values) isMissing(row int32) bool {
	switch {
	case c.missing[row]:
		return true
	case c.physical == parquet.Double:
		return math.IsNaN(math.Float64frombits(c.words[row]))
	case c.physical == parquet.Float:
		return math.IsNaN(float64(math.Float32frombits(uint32(c.words[row]))))
	}
	return false
}

func (c *values) Text(row int32) (string, bool) {
	if c.isMissing(row) {
		return "", false
	}
	return c.text(c.value(row)), true
}

func (c *values) Unfit() string { return c.noText }

// value returns a value that is not missing.
func (c *values) value(row int32) parquet.Value {
	switch c.physical {
	case parquet.Int32:
		return parquet.Int32Value(int32(c.words[row]))
	case parquet.Int64:
		return parquet.Int64Value(int64(c.words[row]))
	case parquet.Float:
		return parquet.FloatValue(math.Float32frombits(uint32(c.words[row])))
	case parquet.Double:
		return parquet.DoubleValue(math.Float64frombits(c.words[row]))
	}
	return c.entries[c.at[row]]
}

func (c *values) Number(row int32) (value float64, whole, ok bool) {
	if c.number == nil || c.missing[row] {
		return 0, false, false
	}
	return c.number(c.words[row])
}
