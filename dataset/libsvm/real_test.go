package libsvm_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/internal/datatest"
)

func readReal(t *testing.T, name string, features int) *dataset.Dataset {
	t.Helper()
	d, err := libsvm.Read(bytes.NewReader(datatest.Read(t, name)), libsvm.Options{Name: name, Features: features})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestA9A(t *testing.T) {
	train := readReal(t, "a9a", 0)
	if diff := cmp.Diff(dataset.Fingerprint{Rows: 32561, Features: 123, NonZeros: 451592, Positives: 7841, Negatives: 24720}, train.Fingerprint()); diff != "" {
		t.Errorf("a9a (-want +got):\n%s", diff)
	}
	if want := "f5d5ffd8d865ff41328e7ee043e4b020816914ff6843ff15b98905ddbedce906"; train.Hash != want {
		t.Errorf("a9a: SHA-256 %s, want %s", train.Hash, want)
	}
	if !train.X.Binary() {
		t.Error("a9a is not binary")
	}

	test := readReal(t, "a9a.t", train.Features())
	if test.Rows() != 16281 || test.Features() != 123 {
		t.Errorf("a9a.t: %d×%d, want 16281×123", test.Rows(), test.Features())
	}
	if want := "1f7bae8e9729ad2bf9d18f66e5fa622e503e615114f92c37b274dfd24f2e5725"; test.Hash != want {
		t.Errorf("a9a.t: SHA-256 %s, want %s", test.Hash, want)
	}
	if diff := cmp.Diff([]int{123}, dataset.Describe(test).Unused); diff != "" {
		t.Errorf("features absent from a9a.t (-want +got):\n%s", diff)
	}
	s, err := test.Strata("71")
	if err != nil {
		t.Fatal(err)
	}
	if n := s.Size(0) + s.Size(1); n != 1561 {
		t.Errorf("group 71 of a9a.t has %d rows, want 1561", n)
	}
}

// BenchmarkReadLIBSVM reads a file from memory: parsing, hashing, building the matrix.
func BenchmarkReadLIBSVM(b *testing.B) {
	census := census.Test()
	values := &dataset.Dataset{X: scaled(census.X), Y: census.Y}
	var file bytes.Buffer
	if err := libsvm.Write(&file, values); err != nil {
		b.Fatal(err)
	}
	for name, content := range map[string]func(testing.TB) []byte{
		"data=a9a":    func(tb testing.TB) []byte { return datatest.Read(tb, "a9a") },
		"data=values": func(testing.TB) []byte { return file.Bytes() },
	} {
		b.Run(name, func(b *testing.B) {
			content := content(b)
			b.SetBytes(int64(len(content)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := libsvm.Read(bytes.NewReader(content), libsvm.Options{AnyLabels: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// scaled divides the columns of m by 3, 4, 5, …, so that the values are long decimals.
func scaled(m *sparse.Matrix) *sparse.Matrix {
	var b sparse.Builder
	rows, cols := m.Dims()
	for i := range rows {
		for j, v := range m.Row(i) {
			b.Push(uint32(j), v/float64(j+3))
		}
		b.EndRow(0)
	}
	out, _ := b.Finish(cols)
	return out
}
