package packed

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	for range s.rows {
		n := 3
		if !s.uniform {
			n = random(6)
		}
		row := map[int]bool{}
		for range min(n, s.cols) {
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
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(dataset.Codes{}), cmp.Comparer(slices.Equal[[]int8]), cmpopts.EquateNaNs(), cmpopts.IgnoreUnexported(dataset.Dataset{}), cmpopts.IgnoreFields(dataset.Dataset{}, "X", "Name", "Mapped")); diff != "" {
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
			cols: rapid.SampledFrom([]int{3, 256, 257, 1 << 16, 1<<16 + 1}).Draw(r, "columns"), rows: rapid.IntRange(1, 200).Draw(r, "rows"),
			uniform: rapid.Bool().Draw(r, "uniform"), binary: rapid.Bool().Draw(r, "binary"), columns: rapid.Bool().Draw(r, "attributes"),
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

// TestBlocks packs rows of several blocks. Wide indices, values and pointers first occur in a
// late block.
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

// TestBytes: one-hot rows take as many bytes as docs/scale.md says.
func TestBytes(t *testing.T) {
	d, _ := drawn(shape{cols: 123, rows: 100_000, uniform: true, binary: true})
	info, err := os.Stat(pack(t, d, nil, d.Rows()))
	if err != nil {
		t.Fatal(err)
	}
	const perRow, most = 3 + 1, 2000 // an index for each non-zero and the label; prefix and footer
	if size := info.Size(); size < perRow*100_000 || size > perRow*100_000+most {
		t.Errorf("%d bytes for 100000 rows of 3 non-zeros", size)
	}
}

// TestVersion1 reads files of the first version: those of rows all of whose values are 1, or none.
func TestVersion1(t *testing.T) {
	for _, value := range []float64{1, 2} {
		var b sparse.Builder
		for i := range 9 {
			b.Add(1, []int{i % 3, 5}[i%2:], []float64{value, value}[i%2:])
		}
		d := &dataset.Dataset{Rule: "drawn", Hash: "none"}
		d.X, d.Y = b.Finish(7)
		path := pack(t, d, nil, 9)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p, _ := parsePrefix(whole)
		text := bytes.Replace(whole[p.offset:], []byte(`"values_per_row":0,`), nil, 1)
		if len(text) == len(whole[p.offset:]) {
			t.Fatalf("no values_per_row in %s", text)
		}
		p = prefix{version: 1, offset: p.offset, length: int64(len(text)), sum: crc32.Checksum(text, castagnoli)}
		if err := os.WriteFile(path, slices.Concat(p.bytes(), whole[prefixSize:p.offset], text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path, 0)
		if err != nil {
			t.Fatal(err)
		}
		checkSame(t, d, f.Data)
	}
}

// TestDamage flips a bit in every section, in its second block, which must be named.
func TestDamage(t *testing.T) {
	d, ids := drawn(shape{cols: 300, rows: blockRows + 1000, columns: true})
	path := pack(t, d, ids, d.Rows())
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := parseFooter(whole)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Sections) != 10 { // also the codes of two attributes
		t.Fatalf("%d sections", len(f.Sections))
	}
	open := func(text []byte) error {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(path, 0)
		return err
	}
	for _, s := range f.Sections {
		damaged := slices.Clone(whole)
		damaged[s.end()-1] ^= 0x40
		err := open(damaged)
		want := fmt.Sprintf("is damaged: %s of rows 65537 to 66536", s.String())
		if s.Kind == pointers || s.Kind == toValues { // the last pointer is the number of non-zeros, or of values
			want = "the row pointers are not those"
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", s.String(), err)
		}
	}
	p, _ := parsePrefix(whole)
	for name, text := range map[string][]byte{
		"is no packed file":     whole[:40],
		"footer of":             whole[:len(whole)-1],
		"of its footer":         slices.Concat(whole[:len(whole)-2], []byte("}}")),
		"of its beginning":      slices.Concat(whole[:20], []byte{1}, whole[21:]),
		"of version 3":          slices.Concat(prefix{version: 3}.bytes(), whole[prefixSize:]),
		"of version 0":          slices.Concat(prefix{}.bytes(), whole[prefixSize:]),
		"or only the beginning": []byte("age,sex\n"),
		"contradicts itself":    reseal(p, whole, `"rows":66536`, `"rows":66537`),
		"no place for":          reseal(p, whole, `"entries":66536`, `"entries":665360000`),
		`unknown field "row"`:   reseal(p, whole, `"rows":66536`, `"row":66536`),
		"there twice":           reseal(p, whole, `"kind":"weights"`, `"kind":"identities"`),
		"bytes of checksums":    reseal(p, whole, `"crc32c":"`, `"crc32c":"AAAA`),
		"names of 300":          reseal(p, whole, `"features":300`, `"features":300,"feature_names":["a"]`),
		"the level 1 of 1":      reseal(p, whole, `"levels":["f","m"]`, `"levels":["f"]`),
		"or is there twice":     reseal(p, whole, `"name":"sex"`, `"name":"city"`),
		"of 299 columns":        reseal(p, whole, `"features":300`, `"features":299`),
		"has the level":         reseal(p, whole, `"levels":["f","m"]`, `"levels":["f","f"]`),
		"values or not":         reseal(p, whole, `"values_per_row":-1`, `"values_per_row":1`),
		"66536 entries for":     reseal(p, whole, `"kind":"pointers to values","bytes":8,"entries":66537`, `"kind":"pointers to values","bytes":8,"entries":66536`),
		"row pointers or not":   reseal(p, whole, `"non_zeros_per_row":-1`, `"non_zeros_per_row":1`),
		"299 features":          reseal(p, whole, `"features":300`, `"features":-299`),
		"cannot unmarshal":      reseal(p, whole, `"rows":66536`, `"rows":1e300`),
		"of no attribute, or ":  reseal(p, whole, `"kind":"weights"`, `"kind":"weights","attribute":"a"`),
	} {
		if err := open(text); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNumbersThatNobodyWrites: wrong numbers are refused even if their checksums are right.
func TestNumbersThatNobodyWrites(t *testing.T) {
	for want, change := range map[string]func(d *dataset.Dataset){
		"labels of rows 1 to 9: the label 0":       func(d *dataset.Dataset) { d.Y[4] = 0 },
		"weights of rows 1 to 9: the weight -1":    func(d *dataset.Dataset) { d.Weights[8] = -1 },
		"weights of rows 1 to 9: the weight NaN":   func(d *dataset.Dataset) { d.Weights[0] = math.NaN() },
		`codes of "sex" of rows 1 to 9: the level`: func(d *dataset.Dataset) { d.Attributes[1].Codes.Put(3, 2) },
	} {
		d, ids := drawn(shape{cols: 5, rows: 9, columns: true})
		change(d)
		if _, err := Open(pack(t, d, ids, 9), 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestPointersThatNobodyWrites: pointers that don't ascend, and values that are 1 or whose number contradicts
// the version, are refused even if their checksums are right.
func TestPointersThatNobodyWrites(t *testing.T) {
	var b sparse.Builder
	for i := range 9 {
		b.Add(1, []int{0, 1, 2, 3}[:2+i%3], []float64{2.5, 1, 1, 3.5}[:2+i%3])
	}
	d := &dataset.Dataset{Rule: "drawn", Hash: "none"}
	d.X, d.Y = b.Finish(4)
	whole, err := os.ReadFile(pack(t, d, nil, 9))
	if err != nil {
		t.Fatal(err)
	}
	p, _ := parsePrefix(whole)
	f, err := parseFooter(whole)
	if err != nil {
		t.Fatal(err)
	}
	section := func(data []byte, k kind) []byte { return data[f.section(k, "").Offset:] }
	for want, change := range map[string]func(data []byte){
		"pointers of rows 1 to 9: they do not ascend":           func(data []byte) { section(data, pointers)[8] = 9 },
		"pointers to values of rows 1 to 9: they do not ascend": func(data []byte) { section(data, toValues)[8] = 9 },
		"row 1: a value is 1":                                   func(data []byte) { copy(section(data, values), "\x00\x00\x00\x00\x00\x00\xf0\x3f") },
		"row 1: 3 values of 2 entries": func(data []byte) {
			section(data, toValues)[8], section(data, toValues)[16] = 3, 3
		},
	} {
		data := aligned(whole)
		change(data)
		correct(data, int(p.offset))
		if _, err := parse(data, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	first := slices.Concat(prefix{1, p.offset, p.length, p.sum}.bytes(), whole[prefixSize:])
	if _, err := parse(aligned(first), 0); err == nil || !strings.Contains(err.Error(), "12 values for 27 non-zeros") {
		t.Errorf("version 1: %v", err)
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
