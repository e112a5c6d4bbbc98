package scoring_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/train/scoring"
	"github.com/fairtrain/fairtrain/train/scoring/scoringtest"
)

// grouped is the census with a column of groups, of which the second place has one more, named
// before the others.
func grouped() *dataset.Dataset {
	d := census.Train()
	g := dataset.Attribute{Name: "g", Levels: []string{"z", "c", "a"}, Codes: dataset.MakeCodes(d.Rows(), 2)}
	for i := range d.Rows() {
		g.Codes.Put(i, 1+i%2)
		if i > 30_000 {
			g.Codes.Put(i, 0)
		}
	}
	d.Attributes = []dataset.Attribute{g}
	return d
}

// TestCountElsewhere compares the test of rows in places with that of all rows here.
func TestCountElsewhere(t *testing.T) {
	d := grouped()
	c := &classifier.Classifier{Weights: make([]float64, d.Features()), Intercept: -1, Threshold: 0.4}
	for j := range c.Weights {
		c.Weights[j] = math.Sin(float64(j))
	}
	requirements := []guarantee.Requirement{
		{Spec: "decisions", Group: "g", Bound: 0.1}, {Spec: "scores", Group: "71", Scores: true, Labels: []int8{1, -1}, Bound: 0.1},
	}
	scored, err := scoring.New(c, d)
	if err != nil {
		t.Fatal(err)
	}
	here, err := scored.Evidence(requirements)
	if err != nil {
		t.Fatal(err)
	}
	want, err := guarantee.Test(requirements, here, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-12 })
	var one *guarantee.Report
	for _, places := range []scoringtest.Places{{Parts: []*dataset.Dataset{d}}, scoringtest.InPlaces(d)} {
		added, err := scoring.CountElsewhere(places, scoringtest.Sampled(d), c, requirements)
		if err != nil {
			t.Fatal(err)
		}
		got, err := guarantee.Test(requirements, added, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, near); diff != "" {
			t.Errorf("%d places (-here +there):\n%s", len(places.Parts), diff)
		}
		if one == nil {
			one = got
		}
		if diff := cmp.Diff(one, got); diff != "" {
			t.Errorf("%d places (-one +these):\n%s", len(places.Parts), diff)
		}
	}
}

// TestCountElsewhereErrors loses rows, and asks for groups that nobody is in, or everybody.
func TestCountElsewhereErrors(t *testing.T) {
	d := grouped()
	lost, same, none := scoringtest.InPlaces(d), grouped(), grouped()
	lost.Lost = true
	for i := range d.Rows() {
		same.Attributes[0].Codes.Put(i, 1)
	}
	none.Attributes[0].Levels = append(none.Attributes[0].Levels, "none")
	for want, test := range map[string]struct {
		scoringtest.Places
		group string
	}{
		"20273 rows were counted, expected 32561":         {lost, "g"},
		"group g=c: all 32561 rows belong to it":          {scoringtest.InPlaces(same), "g"},
		"group g=none: none of the 32561 rows belongs to": {scoringtest.InPlaces(none), "g=none"},
		"has no attribute \"age\"":                        {scoringtest.InPlaces(d), "age"},
	} {
		c := &classifier.Classifier{Weights: make([]float64, d.Features())}
		_, err := scoring.CountElsewhere(test.Places, none, c, []guarantee.Requirement{{Spec: "r", Group: test.group}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
