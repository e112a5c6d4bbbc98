package cutest

import (
	"path/filepath"
	"testing"
)

// BenchmarkAll evaluates f, ∇f, c and the Jacobian together. The compiled Fortran
// originals take, in microseconds on one core of the machine on which the references were
// computed: YORKNET 15.0, DRCAVTY1 12.8, MSS1 5.2, ELEC with NP=200 402.
func BenchmarkAll(b *testing.B) {
	dir := dataDir(b)
	for _, test := range []struct {
		file   string
		params map[string]string
	}{
		{"YORKNET", nil},
		{"DRCAVTY1", nil},
		{"MSS1", nil},
		{"ELEC", map[string]string{"NP": "200"}},
		{"HS6", nil},
		{"CVXQP1", map[string]string{"N": "100"}},
	} {
		b.Run("problem="+test.file, func(b *testing.B) {
			p := decodeFile(b, filepath.Join(dir, test.file+".SIF"), test.params)
			e, v, x := p.NewEvaluator(), p.NewValues(), p.Start()
			b.ReportAllocs()
			for b.Loop() {
				e.All(v, x)
			}
		})
	}
}

// BenchmarkDecode decodes every file once.
func BenchmarkDecode(b *testing.B) {
	paths := sifFiles(b, dataDir(b))
	for b.Loop() {
		for _, path := range paths {
			decodeFile(b, path, nil)
		}
	}
}
