package classifier

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular"
)

// elsewhere are other people, with other numbers.
const elsewhere = `sex,job,pay,height,age,y
f,cook,7000,,20,1
f,,9000,2.5,30,0
m,cook,,2.9,,0
m,nurse,,2.7,50,1
`

// TestStrength: a column's strength is the standard deviation of what it adds over the rows, and
// the deviation of a number is that of the rows that have it; on the training rows and on others.
func TestStrength(t *testing.T) {
	c, d := peopleModel(t, people, 0.5, -0.25, 0.125, 2, -1, 0.75, -0.5, 0.3)
	checkStrengths(t, c, d, map[string]float64{"pay": stdDev(1000, 3000, 1000, 3000, 2000), "height": stdDev(1.5, 1.7, 1.9, 1.7, 1.6, 1.8)})
	d, err := c.Features.Encoding.Read(strings.NewReader(elsewhere), tabular.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Reference, err = c.Features.Measure(d, nil); err != nil {
		t.Fatal(err)
	}
	c.Reference.OtherRows = true
	checkStrengths(t, c, d, map[string]float64{"pay": stdDev(7000, 9000)})

	raw := &tabular.Schema{
		MinCount: 1, Label: tabular.LabelSpec{Column: "y", Positive: []string{"1"}},
		Columns: []tabular.ColumnSpec{{Name: "pay", As: tabular.Raw}},
	}
	e, d := encode(t, "pay,y\n1,1\n?,0\n?,1\n5,0\n3,1\n", raw)
	c = &Classifier{Features: Features{Kind: CSV, Count: 2, Names: e.Names(), Encoding: e}, Weights: []float64{0.5, 2}, Threshold: 0.5}
	if c.Reference, err = c.Features.Measure(d, nil); err != nil {
		t.Fatal(err)
	}
	checkStrengths(t, c, d, map[string]float64{"pay": stdDev(1, 3, 5)})
	if d, err = e.Read(strings.NewReader("pay,y\n10,1\n?,0\n20,1\n"), tabular.Options{}); err != nil {
		t.Fatal(err)
	}
	if c.Reference, err = c.Features.Measure(d, nil); err != nil {
		t.Fatal(err)
	}
	c.Reference.OtherRows = true
	checkStrengths(t, c, d, map[string]float64{"pay": stdDev(10, 20)})
}

// stdDev is the standard deviation of a population.
func stdDev(values ...float64) float64 { return stat.PopStdDev(values, nil) }

// checkStrengths compares the strengths of the columns, and the deviations of some, with the rows
// of the reference.
func checkStrengths(t *testing.T, c *Classifier, d *dataset.Dataset, deviations map[string]float64) {
	t.Helper()
	s, err := c.Contributions()
	if err != nil {
		t.Fatal(err)
	}
	squares := make([]float64, len(s.Columns)) // contributions have the mean 0
	amount := make([]float64, len(s.Columns))
	for i := range d.Rows() {
		s.Of(amount, d.X, i)
		for k, v := range amount {
			squares[k] += v * v / float64(d.Rows())
		}
	}
	want := map[string]float64{}
	for k, column := range s.Columns {
		want[column.Name] = math.Sqrt(squares[k])
	}
	got := map[string]float64{}
	last := math.Inf(1)
	for _, column := range c.Explain(nil).Columns {
		got[column.Column] = column.Strength
		if column.Strength > last {
			t.Errorf("%s is stronger than the column before it", column.Column)
		}
		last = column.Strength
		if sd, known := deviations[column.Column]; known && math.Abs(*column.Effects[0].SD-sd) > 1e-9*sd {
			t.Errorf("%s: standard deviation %v, want %v", column.Column, *column.Effects[0].SD, sd)
		}
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("strengths (-want +got)\n%s", diff)
	}
}

// TestUnnamed: what has no feature is a missing value where all other values are rare, or have
// bins.
func TestUnnamed(t *testing.T) {
	for text, want := range map[string]string{
		"a,1\na,0\na,1\nb,0\nb,1\nc,0\nc,1\n":      "x=(missing)",
		"a,1\na,0\na,1\nb,0\nb,1\nc,0\n?,1\n?,0\n": "",
		"a,1\na,0\na,1\nb,0\nb,0\nb,1\n?,1\n?,0\n": "x=(other)",
		"a,1\na,0\na,1\nb,0\nb,0\nb,1\n":           "x=(other)",
	} {
		e, _ := encode(t, "x,y\n"+text, &tabular.Schema{
			MinCount: 2, Label: tabular.LabelSpec{Column: "y", Positive: []string{"1"}},
			Columns: []tabular.ColumnSpec{{Name: "x", As: tabular.OneHot, MinCount: 3}},
		})
		c := &Classifier{Features: Features{Kind: CSV, Count: e.Width(), Names: e.Names(), Encoding: e}, Weights: make([]float64, e.Width())}
		got := ""
		for _, effect := range c.Explain(nil).Columns[0].Effects {
			if effect.Other {
				got = effect.Feature
			}
		}
		if got != want {
			t.Errorf("levels %v, rare %v, missing %v: %q has no feature, want %q",
				e.Features[0].Levels, e.Features[0].Rare, e.Features[0].Missing, got, want)
		}
	}
}

// TestRareShare: a model that is read knows how frequent its rare levels were, to within the
// rounding of its reference.
func TestRareShare(t *testing.T) {
	// a and b have more than 9 rows
	text := "x,y\n" + strings.Repeat("a,1\nb,0\n", 20) + strings.Repeat("c,1\nd,0\n", 3)
	e, d := encode(t, text, &tabular.Schema{
		MinCount: 5, Label: tabular.LabelSpec{Column: "y", Positive: []string{"1"}},
		Columns: []tabular.ColumnSpec{{Name: "x", As: tabular.OneHot, MinCount: 10}},
	})
	if got, want := e.Features[0].RareShare, 6./46; got != want {
		t.Errorf("learned: %v, want %v", got, want)
	}
	c := example()
	c.Features, c.Weights = Features{Kind: CSV, Count: e.Width(), Names: e.Names(), Encoding: e}, make([]float64, e.Width())
	var err error
	if c.Reference, err = c.Features.Measure(d, nil); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	read, err := Read(&b, "m.json")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := read.Features.Encoding.Features[0].RareShare, 5./45; got != want {
		t.Errorf("read: %v, want %v", got, want)
	}
}

// TestSharesOfLevels: the rounded shares of a category's levels add up to 1, so that a column of
// two levels has a strength.
func TestSharesOfLevels(t *testing.T) {
	text := "x,y\n" + strings.Repeat("a,1\n", 65) + strings.Repeat("b,0\n", 35)
	e, d := encode(t, text, &tabular.Schema{MinCount: 10, Label: tabular.LabelSpec{Column: "y", Positive: []string{"1"}}})
	f := Features{Kind: CSV, Count: e.Width(), Names: e.Names(), Encoding: e}
	r, err := f.Measure(d, nil)
	if err != nil {
		t.Fatal(err)
	}
	if sum := floats.Sum(r.Mean); math.Abs(sum-1) > 1e-12 || math.Abs(r.Mean[0]-0.65) > 0.02 ||
		r.SD[0] != math.Sqrt(r.Mean[0]*(1-r.Mean[0])) {
		t.Errorf("shares %v, sd %v", r.Mean, r.SD)
	}
}
