package parquet

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"

	"github.com/fairtrain/fairtrain/dataset/tabular"
)

// half is the type of floating-point numbers of 16 bits, which the library lacks.
type half struct{ parquet.Type }

func (half) LogicalType() *format.LogicalType {
	return &format.LogicalType{Value: new(format.Float16Type)}
}

// TestHalf: numbers of 16 bits are read, with and without a dictionary, those that are missing,
// too.
func TestHalf(t *testing.T) {
	bits := []uint16{0x2e66, 0xc500, 0x0001, 0x7bff}
	want := []float64{1638. / (1 << 14), -5, 1. / (1 << 24), 65504, math.NaN(), math.NaN()}
	var halves, labels []parquet.Value
	for k := range want {
		half := parquet.NullValue()
		switch {
		case k < len(bits):
			half = parquet.FixedLenByteArrayValue(binary.LittleEndian.AppendUint16(nil, bits[k]))
		case k == len(bits):
			half = parquet.FixedLenByteArrayValue([]byte{1, 0x7e}) // NaN
		}
		halves, labels = append(halves, half), append(labels, parquet.ByteArrayValue([]byte{byte('0' + k%2)}))
	}
	for _, encoding := range []encoding.Encoding{&parquet.Plain, &parquet.RLEDictionary} {
		column := parquet.Encoded(parquet.Leaf(half{parquet.FixedLenByteArrayType(2)}), encoding)
		c := content{names: []string{"half", "y"}, nodes: []parquet.Node{column, parquet.String()}, columns: [][]parquet.Value{halves, labels}}
		got, err := readText(nil, tabular.Options{Numeric: []string{"half"}}, c.parquet(4))
		if err != nil {
			t.Fatal(err)
		}
		rows := make([]float64, len(want))
		got.Column("half").NumbersOf(rows, []int{0, 1, 2, 3, 4, 5})
		if diff := cmp.Diff(want, rows, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%v (-want +got)\n%s", encoding, diff)
		}
	}
	for b := range 1 << 16 { // those with an exponent have 112 more as numbers of 32 bits, and zeros behind
		bits, got := uint16(b), ofHalf(uint16(b))
		want := float64(math.Float32frombits(uint32(bits>>15)<<31 | uint32(bits>>10&31+112)<<23 | uint32(bits&(1<<10-1))<<13))
		switch bits >> 10 & 31 {
		case 0:
			want = math.Copysign(float64(bits&(1<<10-1))/(1<<24), want)
		case 31:
			want *= math.Inf(1)
			if bits<<6 != 0 {
				want = math.NaN()
			}
		}
		if !cmp.Equal(got, want, cmpopts.EquateNaNs()) || math.Signbit(got) != math.Signbit(want) && !math.IsNaN(want) {
			t.Fatalf("%#x is %v, want %v", bits, got, want)
		}
	}
}
