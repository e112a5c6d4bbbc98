package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
)

// kind is what the values of a column are.
type kind struct {
	unfit string                     // why they can't be used; "" if they can
	text  func(parquet.Value) string // of a value that is not missing
	// number is nil unless they are integers or floating-point numbers, see tabular.Values.
	number  func(parquet.Value) (value float64, whole, ok bool)
	isNaN   func(parquet.Value) bool // nil unless they are floating-point numbers
	decimal bool                     // they are decimal numbers, which become texts with a point
	utf8    bool                     // they must be texts in UTF-8
}

// kindOf returns the kind of a column by its type.
func kindOf(t parquet.Type) kind {
	var logical any
	if l := t.LogicalType(); l != nil {
		logical = l.Value
	}
	switch l := logical.(type) {
	case *format.DecimalType:
		const most = 100 // digits; no program writes more than 76
		if l.Scale < 0 || l.Scale > most {
			return kind{unfit: fmt.Sprintf("its values are of type %v", l)}
		}
		return kind{decimal: true, text: func(v parquet.Value) string { return decimal(unscaled(v), int(l.Scale)) }}
	case *format.DateType:
		return kind{text: func(v parquet.Value) string {
			return time.Unix(int64(v.Int32())*24*60*60, 0).UTC().Format(time.DateOnly)
		}}
	case *format.TimestampType:
		return kind{text: func(v parquet.Value) string { return stamp(moment(integer(v), l.Unit)) }}
	case *format.IntType:
		if !l.IsSigned {
			return naturals
		}
	case nil, *format.StringType, *format.EnumType, *format.JsonType, *format.NullType:
	default:
		return kind{unfit: fmt.Sprintf("its values are of type %v", l)}
	}
	switch t.Kind() {
	case parquet.Boolean:
		return kind{text: func(v parquet.Value) string { return strconv.FormatBool(v.Boolean()) }}
	case parquet.Int32, parquet.Int64:
		return integers
	case parquet.Int96:
		return kind{text: func(v parquet.Value) string { return stamp(old(v.Int96())) }}
	case parquet.Float:
		return singles
	case parquet.Double:
		return doubles
	}
	if t.Kind() == parquet.FixedLenByteArray { // also numbers of 16 bits, which the library does not name
		return kind{unfit: "its values are bytes"}
	}
	return kind{utf8: logical != nil, text: func(v parquet.Value) string {
		return strings.Trim(strings.ToValidUTF8(string(v.ByteArray()), "\ufffd"), " \t")
	}}
}

// check refuses values that should be in UTF-8 and are not.
func (k kind) check(values []parquet.Value) error {
	for _, v := range values {
		if k.utf8 && !v.IsNull() && !utf8.Valid(v.ByteArray()) {
			return fmt.Errorf("value %q, expected text in UTF-8", v.ByteArray())
		}
	}
	return nil
}

// The kinds of numbers. Every text is the shortest that reads back as the same number.
var (
	integers = kind{
		text:   func(v parquet.Value) string { return strconv.FormatInt(integer(v), 10) },
		number: func(v parquet.Value) (float64, bool, bool) { return float64(integer(v)), true, true },
	}
	naturals = kind{
		text:   func(v parquet.Value) string { return strconv.FormatUint(natural(v), 10) },
		number: func(v parquet.Value) (float64, bool, bool) { return float64(natural(v)), true, true },
	}
	singles = kind{
		text: func(v parquet.Value) string {
			x := float64(v.Float())
			if isShort(x) {
				return numparse.Format(x)
			}
			return strconv.FormatFloat(x, 'g', -1, 32)
		},
		number: func(v parquet.Value) (float64, bool, bool) {
			x := float64(v.Float())
			return x, true, isShort(x)
		},
		isNaN: func(v parquet.Value) bool { return math.IsNaN(float64(v.Float())) },
	}
	doubles = kind{
		text: func(v parquet.Value) string { return numparse.Format(v.Double()) },
		number: func(v parquet.Value) (float64, bool, bool) {
			x := v.Double()
			return x, x == math.Trunc(x) && math.Abs(x) < 1e15, math.Abs(x) <= numparse.Most
		},
		isNaN: func(v parquet.Value) bool { return math.IsNaN(v.Double()) },
	}
)

// isShort reports whether a float32 has the same text as a float64.
func isShort(x float64) bool { return x == math.Trunc(x) && math.Abs(x) < 1<<24 }

func integer(v parquet.Value) int64 {
	if v.Kind() == parquet.Int32 {
		return int64(v.Int32())
	}
	return v.Int64()
}

// natural returns an integer without a sign.
func natural(v parquet.Value) uint64 {
	if v.Kind() == parquet.Int32 {
		return uint64(v.Uint32())
	}
	return v.Uint64()
}

// unscaled returns the digits of a decimal as an integer.
func unscaled(v parquet.Value) *big.Int {
	switch v.Kind() {
	case parquet.Int32:
		return big.NewInt(int64(v.Int32()))
	case parquet.Int64:
		return big.NewInt(v.Int64())
	}
	b := v.ByteArray() // two's complement, the highest byte first
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}

// decimal writes an integer with a point before its last digits.
func decimal(n *big.Int, scale int) string {
	digits := new(big.Int).Abs(n).String()
	if scale > 0 {
		digits = strings.Repeat("0", max(0, scale+1-len(digits))) + digits
		digits = digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	}
	if n.Sign() < 0 {
		return "-" + digits
	}
	return digits
}

// moment returns the time so many units after 1970 began.
func moment(count int64, unit format.TimeUnit) time.Time {
	switch unit.Value.(type) {
	case *format.MilliSeconds:
		return time.UnixMilli(count).UTC()
	case *format.MicroSeconds:
		return time.UnixMicro(count).UTC()
	}
	return time.Unix(0, count).UTC()
}

// old returns the time of an INT96: nanoseconds of a Julian day.
func old(v deprecated.Int96) time.Time {
	const epoch = 2440588 // the Julian day on which 1970 begins
	var b [8]byte
	binary.LittleEndian.PutUint32(b[:], v[0])
	binary.LittleEndian.PutUint32(b[4:], v[1])
	return time.Unix((int64(v[2])-epoch)*24*60*60, int64(binary.LittleEndian.Uint64(b[:]))).UTC()
}

func stamp(t time.Time) string { return t.Format("2006-01-02 15:04:05.999999999") }
