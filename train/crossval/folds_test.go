package crossval

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
)

// rowsOf returns rows of one feature with the given values and labels.
func rowsOf(values []float64, labels []int8) *dataset.Dataset {
	var b sparse.Builder
	for i, v := range values {
		b.Add(labels[i], []int{0}, []float64{v})
	}
	d := &dataset.Dataset{Name: "rows"}
	d.X, d.Y = b.Finish(1)
	return d
}

// TestSplit: rows of a unit are in one fold, every fold has about as many rows of each label, and a
// seed says it all.
func TestSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 300).Draw(t, "rows")
		most := rapid.IntRange(1, n).Draw(t, "units")
		values, labels, units := make([]float64, n), make([]int8, n), make([]uint64, n)
		known := map[int8]map[uint64]bool{-1: {}, +1: {}}
		for i := range n {
			labels[i] = rapid.SampledFrom([]int8{-1, 1}).Draw(t, "label")
			units[i] = uint64(rapid.IntRange(0, most-1).Draw(t, "unit"))
			known[labels[i]][units[i]] = true
		}
		alone := rapid.Bool().Draw(t, "alone")
		if alone {
			units = nil
		}
		o := &learner{Options: Options{Seed: 3}}
		d := rowsOf(values, labels)
		f := o.split(d, units)
		if again := o.split(d, units); !slices.Equal(f.Of, again.Of) {
			t.Fatal("the same seed splits otherwise")
		}
		if f.Count < 2 {
			if !alone && min(len(known[-1]), len(known[+1])) > 1 {
				t.Fatalf("%d folds", f.Count)
			}
			return
		}
		in := map[uint64]uint8{}
		rows := map[int8][]int{-1: make([]int, f.Count), +1: make([]int, f.Count)}
		for i, fold := range f.Of {
			rows[labels[i]][fold]++
			if alone {
				continue
			}
			if other, found := in[units[i]]; found && other != fold {
				t.Fatalf("unit %d is in folds %d and %d", units[i], other, fold)
			}
			in[units[i]] = fold
		}
		for label, by := range rows {
			if alone && slices.Max(by)-slices.Min(by) > 1 {
				t.Errorf("rows of the label %d by fold: %v", label, by)
			}
		}
	})
}

// TestRepeated: rows that are repeated evenly belong together, others do not.
func TestRepeated(t *testing.T) {
	var values []float64
	var labels []int8
	for i := range 200 {
		values, labels = append(values, float64(i)), append(labels, int8(2*(i%2)-1))
	}
	if units := repeated(rowsOf(values, labels)); units != nil {
		t.Error("rows that all differ are taken for repeated ones")
	}
	units := repeated(rowsOf(slices.Repeat(values, 5), slices.Repeat(labels, 5)))
	if units == nil || units[0] != units[200] || units[0] == units[1] {
		t.Error("rows that occur five times each are not taken together")
	}
}
