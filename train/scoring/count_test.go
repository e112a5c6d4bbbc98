package scoring_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/census"
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

// TestCount compares what places count with the rows here: the second place has a group more.
func TestCount(t *testing.T) {
	d := grouped()
	c := &classifier.Classifier{Weights: make([]float64, d.Features()), Intercept: -1, Threshold: 0.4}
	for j := range c.Weights {
		c.Weights[j] = math.Sin(float64(j))
	}
	here, err := scoring.New(c, d)
	if err != nil {
		t.Fatal(err)
	}
	there := scoring.Elsewhere(c, scoringtest.Sampled(d), scoringtest.InPlaces(d))
	for _, spec := range []string{"g", "71"} {
		strata, want, err := here.Groups(spec)
		if err != nil {
			t.Fatal(err)
		}
		theirs, got, err := there.Groups(spec)
		if err != nil || !slices.Equal(want, got) || !slices.Equal(strata.Names, theirs.Names) {
			t.Fatalf("%v: %v rows of %q, want %v of %q", err, got, theirs.Names, want, strata.Names)
		}
		positive, err := here.From(0.4, strata)
		if err != nil {
			t.Fatal(err)
		}
		if counted, err := there.From(0.4, theirs); err != nil || !slices.Equal(counted, positive) {
			t.Errorf("%v: %v positive decisions, want %v", err, counted, positive)
		}
	}
}

// TestCountErrors loses rows, and asks for groups that nobody is in, or everybody.
func TestCountErrors(t *testing.T) {
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
		_, _, err := scoring.Elsewhere(c, none, test.Places).Groups(test.group)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
