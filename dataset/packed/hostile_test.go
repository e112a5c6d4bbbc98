package packed

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
)

// TestDamage flips a bit in every section, which must be named.
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
	if len(f.Sections) != 11 { // also the codes of two attributes
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
		want := fmt.Sprintf("is damaged: %s: the checksum", s.String())
		if s.Kind == oneEnds || s.Kind == valueEnds { // the last one is the number of entries
			want = "the row pointers are not those"
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", s.String(), err)
		}
	}
	p, _ := parsePrefix(whole)
	for name, text := range map[string][]byte{
		"is no packed file": whole[:40],
		"footer of":         whole[:len(whole)-1],
		"of its footer":     slices.Concat(whole[:len(whole)-2], []byte("}}")),
		"of its beginning":  slices.Concat(whole[:20], []byte{1}, whole[21:]),
		"of version 2, this program reads version 3; pack its source again": slices.Concat(prefix{version: 2}.bytes(), whole[prefixSize:]),
		"or only the beginning": []byte("age,sex\n"),
		"contradicts itself":    reseal(p, whole, `"rows":66536`, `"rows":66537`),
		"no place for":          reseal(p, whole, `"entries":66536`, `"entries":665360000`),
		`unknown field "row"`:   reseal(p, whole, `"rows":66536`, `"row":66536`),
		"there twice":           reseal(p, whole, `"kind":"weights"`, `"kind":"identities"`),
		"names of 300":          reseal(p, whole, `"features":300`, `"features":300,"feature_names":["a"]`),
		"the level 1 of 1":      reseal(p, whole, `"levels":["f","m"]`, `"levels":["f"]`),
		"or is there twice":     reseal(p, whole, `"name":"sex"`, `"name":"city"`),
		"of 299 columns":        reseal(p, whole, `"features":300`, `"features":299`),
		"has the level":         reseal(p, whole, `"levels":["f","m"]`, `"levels":["f","f"]`),
		"values in each row":    reseal(p, whole, `"values_per_row":-1`, `"values_per_row":1`),
		"66536 entries for":     reseal(p, whole, `"kind":"ends of values","bytes":8,"entries":66537`, `"kind":"ends of values","bytes":8,"entries":66536`),
		"ends of rows or not":   reseal(p, whole, `"ones_per_row":-1`, `"ones_per_row":1`),
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
		"labels: row 5: the label 0":       func(d *dataset.Dataset) { d.Y[4] = 0 },
		"weights: row 9: the weight -1":    func(d *dataset.Dataset) { d.Weights[8] = -1 },
		"weights: row 1: the weight NaN":   func(d *dataset.Dataset) { d.Weights[0] = math.NaN() },
		`codes of "sex": row 4: the level`: func(d *dataset.Dataset) { d.Attributes[1].Codes.Put(3, 2) },
	} {
		d, ids := drawn(shape{cols: 5, rows: 9, columns: true})
		change(d)
		if _, err := Open(pack(t, d, ids, 9), 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestRowsThatNobodyWrites: ends of rows that don't ascend, columns that are too large and values
// that are 1 are refused even if their checksums are right.
func TestRowsThatNobodyWrites(t *testing.T) {
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
	f, err := parseFooter(whole)
	if err != nil {
		t.Fatal(err)
	}
	section := func(data []byte, k kind) []byte { return data[f.section(k, "").Offset:] }
	for want, change := range map[string]func(data []byte){
		"ends of ones: they do not ascend":   func(data []byte) { section(data, oneEnds)[8] = 9 },
		"ends of values: they do not ascend": func(data []byte) { section(data, valueEnds)[8] = 9 },
		"row 1: the value 1":                 func(data []byte) { copy(section(data, values), "\x00\x00\x00\x00\x00\x00\xf0\x3f") },
		"row 1: column 5":                    func(data []byte) { section(data, valued)[0] = 4 },
		"row 1: column 1 has a value and is": func(data []byte) { section(data, ones)[0] = 0 },
	} {
		data := aligned(whole)
		change(data)
		if _, err := parse(correct(data), 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
