package packed

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
)

// shape says what rows are drawn.
type shape struct {
	cols, rows      int
	uniform, binary bool
	columns         bool // weights, attributes and identities
}

// drawn returns rows that are the same in every run.
func drawn(s shape) (*dataset.Dataset, []uint64) {
	next := uint64(1)
	random := func(n int) int { // a linear congruential generator, Knuth's MMIX
		next = next*6364136223846793005 + 1442695040888963407
		return int(next>>33) % n
	}
	var b sparse.Builder
	for i := range s.rows {
		n := 3
		if !s.uniform {
			n = random(6)
		}
		row := map[int]bool{}
		if i == 0 && n > 0 { // so that indices are as wide as they may be
			row[s.cols-1] = true
		}
		for range min(n, s.cols) - len(row) {
			row[random(s.cols)] = true
		}
		for j := 0; len(row) < min(n, s.cols) && s.uniform; j++ {
			row[j] = true
		}
		var cols []int
		for j := range row {
			cols = append(cols, j)
		}
		slices.Sort(cols)
		for _, j := range cols {
			v := 1.0
			if !s.binary {
				v = math.Sqrt(float64(1 + random(3)))
			}
			b.Push(uint32(j), v)
		}
		b.EndRow(int8(2*random(2) - 1))
	}
	d := &dataset.Dataset{Rule: "drawn", Hash: "none"}
	d.X, d.Y = b.Finish(s.cols)
	if !s.columns {
		return d, nil
	}
	var ids []uint64
	city := dataset.Attribute{Name: "city", Numbers: make([]float64, s.rows), Codes: dataset.MakeCodes(s.rows, 299)}
	for k := range 300 {
		city.Levels = append(city.Levels, fmt.Sprintf("%03d", k))
	}
	sex := dataset.Attribute{Name: "sex", Levels: []string{"f", "m"}, Codes: dataset.MakeCodes(s.rows, 1)}
	for i := range s.rows {
		d.Weights = append(d.Weights, float64(random(5)))
		ids = append(ids, uint64(random(1<<30)))
		city.Codes.Put(i, random(300))
		sex.Codes.Put(i, random(2))
		city.Numbers[i] = math.NaN()
	}
	d.Attributes = []dataset.Attribute{city, sex}
	d.Missing = []dataset.ColumnCount{{Column: "age", Rows: 3}}
	d.Unknown = []dataset.UnknownLevels{{Column: "job", Example: "smith", Rows: 2}}
	return d, ids
}

// pack writes rows in parts of the given size.
func pack(t testing.TB, d *dataset.Dataset, ids []uint64, part int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.fpk")
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Discard()
	for lo := 0; lo < d.Rows(); lo += part {
		var list []int
		var who []uint64
		for i := lo; i < min(lo+part, d.Rows()); i++ {
			list = append(list, i)
			if ids != nil {
				who = append(who, ids[i])
			}
		}
		if err := w.Append(d.Pick(list, "part"), who); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(Content{Rule: d.Rule, Hash: d.Hash, Features: d.Features(), Names: d.Cols, Missing: d.Missing, Unknown: d.Unknown}, nil); err != nil {
		t.Fatal(err)
	}
	return path
}

// entries returns the entries of the rows of a matrix.
func entries(m *sparse.Matrix) [][]float64 {
	rows, _ := m.Dims()
	out := make([][]float64, rows)
	for i := range out {
		for j, v := range m.Row(i) {
			out[i] = append(out[i], float64(j), v)
		}
	}
	return out
}

func checkSame(t testing.TB, want, got *dataset.Dataset) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(dataset.Codes{}),
		cmp.Comparer(slices.Equal[[]int8]), cmpopts.EquateNaNs(), cmpopts.IgnoreUnexported(dataset.Dataset{}), cmpopts.IgnoreFields(dataset.Dataset{}, "X", "Name", "Mapped")); diff != "" {
		t.Fatal(diff)
	}
	// cmp looks for the difference, but takes seconds to find none.
	if a, b := entries(want.X), entries(got.X); !slices.EqualFunc(a, b, slices.Equal[[]float64]) {
		t.Fatal(cmp.Diff(a, b))
	}
	if want.Features() != got.Features() {
		t.Fatalf("%d features, want %d", got.Features(), want.Features())
	}
}

// TestRoundTrip packs rows of every width of column index, in parts, and reads them again.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := shape{
			cols: rapid.SampledFrom([]int{3, 256, 257, 1 << 16, 1<<16 + 1}).Draw(r,
				"columns"), rows: rapid.IntRange(1, 200).Draw(r, "rows"),
			uniform: rapid.Bool().Draw(r, "uniform"), binary: rapid.Bool().Draw(r,
				"binary"), columns: rapid.Bool().Draw(r, "attributes"),
		}
		d, ids := drawn(s)
		f, err := Open(pack(t, d, ids, rapid.IntRange(1, 200).Draw(r, "part")), 0)
		if err != nil {
			r.Fatal(err)
		}
		checkSame(t, d, f.Data)
		if !slices.Equal(ids, f.Identities) {
			r.Fatal("identities differ")
		}
	})
}

// TestBlocks packs rows of several blocks. Wide indices, values and rows of other numbers of
// entries first occur in a late block.
func TestBlocks(t *testing.T) {
	first, _ := drawn(shape{cols: 200, rows: blockRows + 7, uniform: true, binary: true})
	second, _ := drawn(shape{cols: 1 << 17, rows: blockRows})
	var b sparse.Builder
	for _, d := range []*dataset.Dataset{first, second} {
		for i, y := range d.Y {
			for j, v := range d.X.Row(i) {
				b.Push(uint32(j), v)
			}
			b.EndRow(y)
		}
	}
	d := &dataset.Dataset{}
	d.X, d.Y = b.Finish(1 << 17)
	f, err := Open(pack(t, d, nil, 50_000), 0)
	if err != nil {
		t.Fatal(err)
	}
	checkSame(t, d, f.Data)
}

// TestBytes: rows take as many bytes as docs/scale.md says: an index for each non-zero, a value for
// each that is not 1, and the label.
func TestBytes(t *testing.T) {
	onehot, _ := drawn(shape{cols: 123, rows: 100_000, uniform: true, binary: true})
	var b sparse.Builder
	for range onehot.Rows() {
		b.Add(1, []int{1, 2, 3}, []float64{2.5, 1, 3.5})
	}
	mixed := &dataset.Dataset{}
	mixed.X, mixed.Y = b.Finish(5)
	for perRow, d := range map[int64]*dataset.Dataset{3 + 1: onehot, 3 + 2*8 + 1: mixed} {
		info, err := os.Stat(pack(t, d, nil, d.Rows()))
		if err != nil {
			t.Fatal(err)
		}
		const most = 2000 // prefix and footer
		if size := info.Size(); size < perRow*100_000 || size > perRow*100_000+most {
			t.Errorf("%d bytes for 100000 rows of %d", size, perRow)
		}
	}
}

// TestNothingIsLeft: a file that is given up leaves nothing behind.
func TestNothingIsLeft(t *testing.T) {
	d, ids := drawn(shape{cols: 5, rows: 9, columns: true})
	dir := t.TempDir()
	w, err := Create(filepath.Join(dir, "rows.fpk"))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append(d, ids); err != nil {
		t.Fatal(err)
	}
	w.Discard()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left in the folder: %v (%v)", left, err)
	}
}

// TestKilled: what a program that was killed has left is gone when the same file is written again.
func TestKilled(t *testing.T) {
	d, ids := drawn(shape{cols: 5, rows: 9, columns: true})
	dir := t.TempDir()
	path := filepath.Join(dir, "rows.fpk")
	killed, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := killed.Append(d, ids); err != nil {
		t.Fatal(err)
	}
	killed.out.Close() // as the system does, with the locks
	for _, c := range killed.columns {
		c.file.Close()
	}
	if left, _ := os.ReadDir(dir); len(left) < 5 {
		t.Fatalf("only %d files", len(left))
	}
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w.Discard()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left in the folder: %v (%v)", left, err)
	}
}
