package classifier

import (
	"testing"

	"github.com/fairtrain/fairtrain/dataset/census"
)

// BenchmarkMeasure is of the synthetic census, 32561 rows of 123 binary features.
func BenchmarkMeasure(b *testing.B) {
	d := census.Train()
	f := Features{Kind: LIBSVM, Count: d.Features()}
	for b.Loop() {
		if _, err := f.Measure(d, []string{"71"}); err != nil {
			b.Fatal(err)
		}
	}
}
