package tabular

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/internal/datatest"
)

// mixedCSV writes rows of ten categories, five integers, fourteen decimals and a label, as
// docs/speed.md has them.
func mixedCSV(w io.Writer, rows int) {
	random := rand.New(rand.NewPCG(1, 2))
	var names []string
	for k := range 30 {
		names = append(names, fmt.Sprintf("x%d", k))
	}
	fmt.Fprintln(w, strings.Join(names, ","))
	levels := []int{2, 3, 4, 7, 9, 16, 41, 100, 300, 1000}
	integers := []int{10, 70, 100, 5000, 100000}
	var line []byte
	for range rows {
		line = line[:0]
		for k, n := range levels {
			line = fmt.Appendf(line, "%s%d,", []string{"Level-", "l", "Some-level-"}[k%3], random.IntN(n))
		}
		for _, n := range integers {
			line = fmt.Appendf(line, "%d,", random.IntN(n))
		}
		for k := range 14 {
			line = fmt.Appendf(line, "%.*f,", 1+k%4, 1e3*(random.Float64()-0.3))
		}
		line = fmt.Appendf(line, "%d\n", random.IntN(2))
		w.Write(line)
	}
}

// BenchmarkReadCSV reads a file from memory.
func BenchmarkReadCSV(b *testing.B) {
	var mixed bytes.Buffer
	mixedCSV(&mixed, 1e5)
	adult, err := LoadSchema("adult")
	if err != nil {
		b.Fatal(err)
	}
	for name, data := range map[string]struct {
		content func(testing.TB) []byte
		schema  *Schema
	}{
		"data=mixed": {func(testing.TB) []byte { return mixed.Bytes() }, nil},
		"data=adult": {func(tb testing.TB) []byte { return datatest.Read(tb, "adult/adult.data") }, adult},
	} {
		content := data.content(b)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(content)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Read(bytes.NewReader(content), data.schema, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
