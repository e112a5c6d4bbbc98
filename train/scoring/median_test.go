package scoring_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/dataset/shards"
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
		want, err := here.From(0.3, strata)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := there.From(0.3, theirs); err != nil || !slices.Equal(got, want) {
			t.Errorf("%v: %d rows from 0.3 on, want %d", err, got, want)
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

// TestMedian compares medians with those of sorted scores: of an odd and of an even number, of two
// in the middle that differ in many of their bits, and of equal ones.
func TestMedian(t *testing.T) {
	d := census.Train()
	var rows []int
	for i := range 100 {
		rows = append(rows, i)
	}
	few := d.Pick(rows, d.Name)
	for _, test := range []struct {
		data   *dataset.Dataset
		weight func(j int) float64
	}{
		{d, func(j int) float64 { return math.Sin(float64(j)) }},
		{few, func(j int) float64 { return 5 * math.Cos(float64(j)) }},
		{few, func(j int) float64 { return 0 }},
		{d.Pick(rows[:2], d.Name), func(j int) float64 { return 5 * math.Cos(float64(j)) }},
	} {
		c := &classifier.Classifier{Features: classifier.Features{Count: d.Features()}, Weights: make([]float64, d.Features())}
		for j := range c.Weights {
			c.Weights[j] = test.weight(j)
		}
		s, err := scoring.New(c, test.data)
		if err != nil {
			t.Fatal(err)
		}
		var all []float64
		_ = s.Each(func(_ int, scores []float64) error { all = append(all, scores...); return nil })
		slices.Sort(all)
		want := (all[(len(all)-1)/2] + all[len(all)/2]) / 2
		there := test.data.Pick(rows[:1], d.Name)
		there.SampleOf, there.Weights = test.data.Rows(), []float64{1}
		sharded, err := scoring.Over(c, there, shards.InMemory(test.data))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []*scoring.Scored{s, sharded} {
			got, err := s.Median()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("median of %d (-want +got):\n%s", len(all), diff)
			}
		}
	}
}
