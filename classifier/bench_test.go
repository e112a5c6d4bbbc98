package classifier

import (
	"testing"

	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
)

// BenchmarkMeasure is of the synthetic census, 32561 rows of 123 binary features.
func BenchmarkMeasure(b *testing.B) {
	d, err := catalogue.Load("synthetic", nil, libsvm.Options{})
	if err != nil {
		b.Fatal(err)
	}
	f := Features{Kind: LIBSVM, Count: d.Features()}
	for b.Loop() {
		if _, err := f.Measure(d, []string{"71"}); err != nil {
			b.Fatal(err)
		}
	}
}
