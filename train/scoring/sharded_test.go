package scoring_test

import (
	"math"
	"slices"
	"testing"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train/scoring"
	"github.com/fairtrain/fairtrain/train/scoring/scoringtest"
)

// TestSharded compares what shards say about the scores of all rows with what is known of rows
// here. A group lacks rows in the sample.
func TestSharded(t *testing.T) {
	d := census.Train()
	a := dataset.Attribute{Name: "a", Levels: []string{"few", "many"}, Codes: dataset.MakeCodes(d.Rows(), 1)}
	for i := range d.Rows() {
		a.Codes.Put(i, min((i+1)%10_003, 1))
	}
	d.Attributes = []dataset.Attribute{a}
	c := scoringtest.Classifier(d)
	here, err := scoring.New(c, d)
	if err != nil {
		t.Fatal(err)
	}
	there, err := scoring.Over(c, scoringtest.Sampled(d), scoringtest.InShards(d))
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range []string{"71", "a"} {
		strata, sizes, err := here.Groups(spec)
		if err != nil {
			t.Fatal(err)
		}
		theirs, got, err := there.Groups(spec)
		if err != nil || !slices.Equal(theirs.Names, strata.Names) || !slices.Equal(got, sizes) {
			t.Errorf("%v: %q of %d rows, want %q of %d", err, theirs.Names, got, strata.Names, sizes)
		}
	}
	for _, on := range []string{model.Scores, model.Decisions} {
		spec := model.DemographicParity.For("71", 0.02)
		r, err := model.NewRequirement(spec, d, on)
		if err != nil {
			t.Fatal(err)
		}
		want, err := here.Meets(r)
		if err != nil {
			t.Fatal(err)
		}
		if r, err = model.NewRequirement(spec, scoringtest.Sampled(d), on); err != nil {
			t.Fatal(err)
		}
		if got, err := there.Meets(r); err != nil || math.Abs(got.Achieved-want.Achieved) > 1e-12 {
			t.Errorf("%v: achieved %v, want %v", err, got.Achieved, want.Achieved)
		}
	}
}
