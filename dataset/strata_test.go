package dataset_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/google/go-cmp/cmp"
)

// drawAttribute draws an attribute of so many rows, at least two levels of which occur.
func drawAttribute(t *rapid.T, name string, rows, levels int) dataset.Attribute {
	a := dataset.Attribute{Name: name, Codes: dataset.CodesOf(rapid.SliceOfN(rapid.IntRange(0, levels-1), rows, rows).Draw(t, name)...)}
	a.Codes.Put(0, 0)
	a.Codes.Put(1, 1)
	for k := range levels {
		a.Levels = append(a.Levels, fmt.Sprintf("%03d", k))
	}
	return a
}

// TestStrata compares strata, of so many groups that they take a byte or four, with what groups,
// labels and weights say of each row.
func TestStrata(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		levels := rapid.SampledFrom([]int{2, 3, 400}).Draw(t, "levels")
		rows := rapid.IntRange(2, 2*levels).Draw(t, "rows")
		d := &dataset.Dataset{
			Name: "drawn", Y: rapid.SliceOfN(rapid.SampledFrom([]int8{-1, 1}), rows, rows).Draw(t, "labels"),
			Attributes: []dataset.Attribute{drawAttribute(t, "a", rows, levels), drawAttribute(t, "b", rows, 2)},
		}
		if rapid.Bool().Draw(t, "weighted") {
			d.Weights = rapid.SliceOfN(rapid.Float64Range(0, 3), rows, rows).Draw(t, "weights")
		}
		a, err := d.Strata("a")
		if err != nil {
			t.Fatal(err)
		}
		b, err := d.Strata("b=000")
		if err != nil {
			t.Fatal(err)
		}
		if pairs, err := d.Strata("a*b"); err == nil {
			shuffled := rapid.Permutation(pairs.Names).Draw(t, "names")
			if got := d.Order("a*b", shuffled); !slices.Equal(got, pairs.Names) {
				t.Fatalf("%q are put into the order %q, want %q", shuffled, got, pairs.Names)
			}
		}
		both, of, _ := dataset.JoinStrata([]*dataset.Strata{a, b}, nil)
		size, total, squares := make([]int, a.Len()), make([]float64, a.Len()), make([]float64, a.Len())
		for i := range rows {
			k, label, w := a.Of(i), int8(2*(a.Of(i)%2)-1), 1.0
			if d.Weights != nil {
				w = d.Weights[i]
			}
			if name := "a=" + d.Attributes[0].Levels[d.Attributes[0].Codes.At(i)]; a.Names[a.Group(i)] != name || k/2 != a.Group(i) || label != d.Y[i] || a.Weight(i) != w {
				t.Fatalf("row %d of %s and label %d is in stratum %d", i, name, d.Y[i], k)
			}
			if in := d.Attributes[1].Codes.At(i) == 0; in != (b.Group(i) == 0) || b.Group(i) > 1 {
				t.Fatalf("row %d is in the group of b or not, %v, but in stratum %d", i, in, b.Of(i))
			}
			if j := both.Of(i); of[0][j] != k || of[1][j] != b.Of(i) || both.Weight(i) != w || both.First(j) > i {
				t.Fatalf("row %d is in stratum %d of the join, in %d and %d of its parts", i, j, k, b.Of(i))
			}
			size[k]++
			total[k] += w
			squares[k] += w * w
		}
		plain := a.Unweighted()
		for k, n := range size {
			if a.Size(k) != n || a.Total(k) != total[k] ||
				math.Abs(a.Squares(k)-squares[k]) > 1e-12 ||
				plain.Total(k) != float64(n) {
				t.Fatalf("stratum %d has %d rows, weights of sum %v and squares %v, want %d, %v, %v",
					k, a.Size(k), a.Total(k), a.Squares(k), n, total[k], squares[k])
			}
		}
		if again, err := d.Strata("a"); again != a || err != nil {
			t.Fatal("strata are found twice")
		}
		other := *d
		if copied, err := other.Strata("a"); copied == a || err != nil {
			t.Fatal("a copy of the data, which may change, shares strata")
		}
	})
}

// TestStrataOf tells values apart by their bits.
func TestStrataOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.SampledFrom([]float64{0, 1, -1, 0.5})
		if rapid.Bool().Draw(t, "many values") {
			value = rapid.Float64Range(-1, 1)
		}
		values := rapid.SliceOfN(value, 1, 400).Draw(t, "values")
		s, table := dataset.StrataOf(values)
		got := make([]float64, len(values))
		dataset.Spread(got, s, table, 0)
		for i, v := range values {
			if table[s.Of(i)] != v || got[i] != v {
				t.Fatalf("row %d has %v and %v, want %v", i, table[s.Of(i)], got[i], v)
			}
		}
	})
}

// TestLeftOut: rows that lack a value may be in a single group, unless another value tells that
// they are not. Of several groups, rows may be in none.
func TestLeftOut(t *testing.T) {
	d := &dataset.Dataset{Y: make([]int8, 5)}
	sex := dataset.Attribute{Name: "sex", Levels: []string{dataset.MissingLevel, "f", "m"}, Codes: dataset.MakeCodes(5, 2)}
	for i, code := range []int{1, 2, 0, 0, 1} {
		sex.Codes.Put(i, code)
	}
	d.Attributes = []dataset.Attribute{sex, {Name: "age", Numbers: []float64{20, 30, math.NaN(), 40, math.NaN()}}}
	for _, test := range []struct {
		spec            string
		inNone, unknown int
	}{
		{"sex=f", 0, 2},
		{"sex", 0, 0},
		{"age<25", 0, 2},
		{"age<=30", 0, 2},
		{"sex=f*age<25", 0, 3},
		{"sex=m*age<35", 0, 3},
		{"sex=(missing)", 0, 0},
		{"sex*age<45", 2, 0},
		{"sex=f|m", 2, 0},
		{"sex=f|(missing)", 1, 0},
	} {
		want := dataset.LeftOut{Groups: test.spec, Rows: 5, InNone: test.inNone, Unknown: test.unknown}
		if diff := cmp.Diff(want, d.LeftOut(test.spec)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.spec, diff)
		}
	}
}

// TestWithinInNames has columns with the word in their names.
func TestWithinInNames(t *testing.T) {
	d := &dataset.Dataset{Name: "few", Y: []int8{1, -1, 1, -1}, Attributes: []dataset.Attribute{
		{Name: "time within job", Codes: dataset.CodesOf(0, 1, 0, 1), Levels: []string{"long", "short"}},
		{Name: "state", Codes: dataset.CodesOf(0, 0, 1, 1), Levels: []string{"CA", "NY"}},
	}}
	for _, spec := range []string{
		dataset.WithinSpec("time within job", "state"), dataset.WithinSpec("state", "time within job"),
	} {
		s, err := d.Strata(spec)
		if err != nil {
			t.Errorf("%s: %v", spec, err)
		} else if len(s.Names) != 4 || len(s.Levels()) != 2 {
			t.Errorf("%s: the groups are %q at %d levels, want 4 at 2", spec, s.Names, len(s.Levels()))
		}
	}
}
