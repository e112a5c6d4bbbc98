package classifier

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/tabular"
)

// TestScale: 600 points are odds of 19 to 1, and 50 more or fewer double or halve them.
func TestScale(t *testing.T) {
	s := DefaultScale()
	for points, odds := range map[float64]float64{600: 19, 650: 38, 500: 4.75, s.Offset(): 1} {
		if got := math.Exp(s.LogOdds(points)); math.Abs(got-odds) > 1e-12*odds {
			t.Errorf("%v points are odds of %v, want %v", points, got, odds)
		}
	}
	for _, bad := range []Scale{{600, 0, 50}, {600, 19, 0.5}, {math.NaN(), 19, 50}, {600, math.Inf(1), 50}} {
		if bad.Validate() == nil {
			t.Errorf("%+v is valid", bad)
		}
	}
}

// applicants is a column of numbers with a missing one, a category with rare levels, and one without,
// and a number that nobody lacks.
const applicants = "age,town,owner,kids,y\n20,a,yes,0,1\n30,a,no,1,0\n30,b,no,1,1\n40,b,yes,2,0\n50,c,yes,2,1\n,d,no,3,0\n"

// applicantsCard returns a scorecard of the applicants. Its features are age < 30, [30, 40), ≥ 40 and missing,
// towns a, b and rare, owner no and yes, kids < 1, [1, 2), [2, 3), ≥ 3.
func applicantsCard(t testing.TB, constant, cutoff int, points ...int) (*Classifier, *encoding.Encoding) {
	s := &tabular.Schema{
		MinCount: 1, Label: tabular.LabelSpec{Column: "y", Positive: []string{"1"}},
		Columns: []tabular.ColumnSpec{
			{Name: "age", As: tabular.Shape, Bins: 3},
			{Name: "town", As: tabular.OneHot, MinCount: 2},
			{Name: "owner", As: tabular.OneHot},
			{Name: "kids", As: tabular.Shape, Bins: 3},
		},
	}
	e, d := encode(t, applicants, s)
	c := &Classifier{Features: Features{Kind: CSV, Count: e.Width(), Names: e.Names(), Encoding: e}}
	if len(points) != e.Width() {
		t.Fatalf("%d points for %v", len(points), e.Names())
	}
	c.SetPoints(DefaultScale(), points, constant, cutoff)
	var err error
	if c.Reference, err = c.Features.Measure(d, nil); err != nil {
		t.Fatal(err)
	}
	return c, e
}

func TestScorecardByHand(t *testing.T) {
	c, _ := applicantsCard(t, 400, 431, -10, -10, 25, 3, 7, 0, -2, 5, 5, 1, 1, 0, 0)
	const third, half = 1.0 / 3, 0.5
	share := func(v float64) *float64 { return &v }
	// the lowest lines have −10, −2 and 0 points, as a value of owner never seen has none
	want := &Scorecard{
		Points: Points{DefaultScale(), 50 / math.Ln2, 600 - 50*math.Log2(19), 431}, Constant: 400 - 10 - 2, Most: 388 + 35 + 9 + 5 + 1,
		Columns: []ScorecardColumn{
			{"age", nil, []ScorecardLine{
				{Value: "< 40", Bounds: encoding.Bounds{Below: share(40)}, Share: share(half), Points: 0},
				{Value: ">= 40", Bounds: encoding.Bounds{AtLeast: share(40)}, Share: share(third), Points: 35},
				{Value: "(missing)", Share: share(1.0 / 6), Points: 13},
			}},
			{"town", nil, []ScorecardLine{
				{Value: "a", Share: share(third), Points: 9},
				{Value: "b", Share: share(third), Points: 2},
				{Value: "(rare)", Share: share(third), Points: 0},
				{Value: "(missing)", Points: 2},
			}},
			{"owner", nil, []ScorecardLine{
				{Value: "no", Share: share(half), Points: 5},
				{Value: "yes", Share: share(half), Points: 5},
				{Value: "(other)", Points: 0},
			}},
			{"kids", nil, []ScorecardLine{ // of 0, 1, 1, 2, 2, 3 the median is 2
				{Value: "< 2", Bounds: encoding.Bounds{Below: share(2)}, Share: share(half), Points: 1},
				{Value: ">= 2 or (missing)", Bounds: encoding.Bounds{AtLeast: share(2)}, Share: share(half), Points: 0},
			}},
		},
		Without: []string{},
	}
	if diff := cmp.Diff(want, c.Scorecard(), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error(diff)
	}
	same, _ := applicantsCard(t, 400, 431, -10, -10, -10, -10, 7, 0, -2, 0, 0, 1, 1, 1, 1)
	if got := same.Scorecard(); len(got.Columns) != 1 || got.Constant != 400-10-2+1 || cmp.Diff([]string{"age", "owner", "kids"}, got.Without) != "" {
		t.Errorf("columns of equal points: %+v", got)
	}
}

// TestScorecardFile: a file of a scorecard reads as it was written, and one whose numbers are no
// points is refused.
func TestScorecardFile(t *testing.T) {
	c, _ := applicantsCard(t, 400, 431, -10, -10, 25, 3, 7, 0, -2, 5, 5, 1, 1, 0, 0)
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	got, err := Read(&b, "m.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c.Scorecard(), got.Scorecard()); diff != "" {
		t.Error(diff)
	}
	for _, change := range []struct{ from, to, want string }{
		{`"pdo": 50`, `"pdo": 49`, "but base, odds and pdo make them"},
		{`"odds": 19`, `"odds": -19`, "odds is -19"},
		{fmt.Sprintf("%v", c.Weights[0]), "-0.13", "weights[0] is -0.13, which is no integer number of points"},
		{fmt.Sprintf(`"intercept": %v`, c.Intercept), `"intercept": 0.1`, "intercept is 0.1, which is no integer"},
	} {
		changed := strings.Replace(text, change.from, change.to, 1)
		if _, err := Read(strings.NewReader(changed), "m.json"); err == nil || !strings.Contains(err.Error(), change.want) {
			t.Errorf("%q in place of %q: %v, want %q", change.to, change.from, err, change.want)
		}
	}
	c.Features.Encoding.Features[0].As = tabular.Raw
	if err := c.Features.CheckScorecard(); err == nil || !strings.HasSuffix(err.Error(), ": age") {
		t.Errorf("a raw number: %v", err)
	}
	if err := (&Features{Kind: LIBSVM, Count: 1}).CheckScorecard(); err == nil {
		t.Error("LIBSVM features made a scorecard")
	}
}

// TestScorecardAddsUp: the lines that a person finds for the values of a row add up to the points of
// predict, these are the log-odds of the score, and decisions are those of the cutoff: for missing
// numbers and levels, rare ones, and some never seen.
func TestScorecardAddsUp(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		points := rapid.SliceOfN(rapid.IntRange(-80, 80), 13, 13).Draw(rt, "points")
		c, e := applicantsCard(t, rapid.IntRange(0, 700).Draw(rt, "constant"), rapid.IntRange(300, 700).Draw(rt, "cutoff"), points...)
		type person struct{ age, town, owner, kids string }
		people := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) person {
			return person{
				rapid.SampledFrom([]string{"", "-1", "29.99", "30", "39", "40", "1e9"}).Draw(rt, "age"),
				rapid.SampledFrom([]string{"", "a", "b", "c", "z"}).Draw(rt, "town"),
				rapid.SampledFrom([]string{"", "yes", "no", "maybe"}).Draw(rt, "owner"),
				rapid.SampledFrom([]string{"", "0", "1", "1.5", "2", "7"}).Draw(rt, "kids"),
			}
		}), 1, 20).Draw(rt, "people")
		text := "age,town,owner,kids\n"
		for _, p := range people {
			text += p.age + "," + p.town + "," + p.owner + "," + p.kids + "\n"
		}
		d, err := e.Read(strings.NewReader(text), tabular.Options{AnyLabels: true})
		if err != nil {
			rt.Fatal(err)
		}
		scores := make([]float64, d.Rows())
		if err := c.Scores(scores, d.X); err != nil {
			rt.Fatal(err)
		}
		card := c.Scorecard()
		for i, p := range people {
			want := card.Constant
			for name, value := range map[string]string{"age": p.age, "town": p.town, "owner": p.owner, "kids": p.kids} {
				want += byHand(rt, card, name, value)
			}
			if got := c.RowPoints(d.X, i); got != want {
				rt.Fatalf("%+v has %d points, by hand %d of %+v", p, got, want, card)
			}
			if of := card.Offset + card.Factor*math.Log(scores[i]/(1-scores[i])); math.Abs(of-float64(want)) > 0.01 {
				rt.Fatalf("%+v: the score %v is %v points, want %d", p, scores[i], of, want)
			}
			if (scores[i] >= c.Threshold) != (want >= card.Cutoff) {
				rt.Fatalf("%+v: score %v of threshold %v, but %d points of cutoff %d", p, scores[i], c.Threshold, want, card.Cutoff)
			}
			if want < card.Constant || want > card.Most {
				rt.Fatalf("%d points are not from %d to %d", want, card.Constant, card.Most)
			}
		}
	})
}

// byHand finds the points of a value in a card as a reader would.
func byHand(t *rapid.T, card *Scorecard, column, value string) int {
	if value == "" {
		value = dataset.MissingLevel
	}
	for _, c := range card.Columns {
		if c.Column != column {
			continue
		}
		var number float64
		_, notNumber := fmt.Sscan(value, &number)
		for _, other := range []string{value, "(rare)", "(other)"} {
			for _, l := range c.Lines {
				inBin := notNumber == nil && (l.AtLeast != nil || l.Below != nil) && l.Has(number)
				if l.Value == other || strings.HasSuffix(l.Value, " or "+other) || inBin || l.Value == "in (-inf, inf)" && notNumber == nil {
					return l.Points
				}
			}
		}
		t.Fatalf("%s has no line for %q: %+v", column, value, c.Lines)
	}
	return 0 // all values have the same points, which are in the constant
}

// TestInformationValue: the formula by hand, for a category; bins of a number are merged to a
// twentieth of the rows.
func TestInformationValue(t *testing.T) {
	var text strings.Builder
	text.WriteString("age,town,y\n")
	for i := range 400 { // town a: 150 of 200 positive; b: 50 of 200; age tells nothing
		y := 0
		if i/2%4 < 3 == (i%2 == 0) {
			y = 1
		}
		fmt.Fprintf(&text, "%d,%s,%d\n", i/8, string(rune('a'+i%2)), y)
	}
	s := &tabular.Schema{Label: tabular.LabelSpec{Column: "y"}, Columns: []tabular.ColumnSpec{
		{Name: "age", As: tabular.Shape, Bins: 50}, {Name: "town", As: tabular.OneHot},
	}}
	e, d := encode(t, text.String(), s)
	f := Features{Kind: CSV, Count: e.Width(), Names: e.Names(), Encoding: e}
	r, err := f.Measure(d, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, b := 150.5/201, 50.5/201
	want := []InformationValue{{"town", math.Round(1e3*2*(a-b)*math.Log(a/b)) / 1e3}, {"age", 0}}
	if diff := cmp.Diff(want, r.InformationValues); diff != "" {
		t.Error(diff)
	}
}
