package train_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/internal/rng"
	"github.com/fairtrain/fairtrain/train"
)

// learnPairs learns a table of so many rows, of two numbers and two categories. The label is positive
// with a probability that a function gives.
func learnPairs(t *testing.T, rows int, seed uint64, positive func(a, b float64, c, d int) float64) *train.Options {
	t.Helper()
	r, text := rng.New(seed, "pairs"), strings.Builder{}
	text.WriteString("a,b,c,d,y\n")
	for range rows {
		a, b, c, d := r.Float64(), r.NormFloat64(), r.IntN(3), r.IntN(3)
		y := 0
		if r.Float64() < positive(a, b, c, d) {
			y = 1
		}
		fmt.Fprintf(&text, "%g,%g,c%d,d%d,%d\n", a, b, c, d, y)
	}
	table, err := tabular.Read(strings.NewReader(text.String()), nil, tabular.Options{Name: "pairs"})
	if err != nil {
		t.Fatal(err)
	}
	o := train.DefaultOptions()
	o.Class, o.ChooseL2, o.Model.Intercept, o.Interactions = train.Additive, true, true, train.AutoInteractions
	o.Constraints = parse(t, "none")
	if err := o.Learn(table, 0); err != nil {
		t.Fatal(err)
	}
	return &o
}

// either returns a probability for one of two things, but not for both or none.
func either(one, other bool) float64 {
	if one != other {
		return 0.8
	}
	return 0.2
}

// TestInteractions: what a pair of columns decides by itself is found, with any number of processors.
func TestInteractions(t *testing.T) {
	for name, c := range map[string]struct {
		positive func(a, b float64, c, d int) float64
		want     [][2]string
	}{
		"numbers":    {func(a, b float64, _, _ int) float64 { return either(a > 0.5, b > 0) }, [][2]string{{"a", "b"}}},
		"categories": {func(_, _ float64, c, d int) float64 { return either(c == 1, d == 2) }, [][2]string{{"c", "d"}}},
		"mixed":      {func(a, _ float64, _, d int) float64 { return either(a > 0.3, d == 2) }, [][2]string{{"a", "d"}}},
		"additive":   {func(a, _ float64, c, _ int) float64 { return 0.1 + 0.4*a + 0.2*float64(c) }, [][2]string{}},
		"noise":      {func(_, _ float64, _, _ int) float64 { return 0.3 }, [][2]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			o := learnPairs(t, 2000, 1, c.positive)
			if diff := cmp.Diff(c.want, o.Choice.Interactions.Columns); diff != "" {
				t.Errorf("%s\n%+v", diff, o.Choice.Interactions)
			}
			before := runtime.GOMAXPROCS(1)
			defer runtime.GOMAXPROCS(before)
			again := learnPairs(t, 2000, 1, c.positive)
			one, err := json.Marshal(o.Choice)
			if err != nil {
				t.Fatal(err)
			}
			other, err := json.Marshal(again.Choice)
			if err != nil {
				t.Fatal(err)
			}
			if string(one) != string(other) || !o.Encoding.Equal(again.Encoding) {
				t.Errorf("%s\nwith one processor\n%s", one, other)
			}
		})
	}
}

// TestNoInteractions: of tables without interactions, few get a pair.
func TestNoInteractions(t *testing.T) {
	got := 0
	const tables = 40
	for seed := range uint64(tables) {
		o := learnPairs(t, 300, 2+seed, func(a, _ float64, c, _ int) float64 { return 0.2 + 0.3*a + 0.1*float64(c) })
		if c := o.Choice; c != nil && len(c.Interactions.Columns) > 0 {
			got++
		}
	}
	if got > tables/20 { // 1 in 20 is tried, and has to gain on rows held out, too
		t.Errorf("%d of %d tables without interactions have a pair", got, tables)
	}
}
