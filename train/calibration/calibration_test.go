package calibration

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/shards"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/internal/rng"
)

// marginsAsRows returns rows of one feature, their margin for the weight 1.
func marginsAsRows(margins []float64, labels []int8) *dataset.Dataset {
	var b sparse.Builder
	for i, m := range margins {
		b.Add(labels[i], []int{0}, []float64{m})
	}
	d := new(dataset.Dataset)
	d.X, d.Y = b.Finish(1)
	return d
}

// scoresOf returns the scores of a classifier.
func scoresOf(t interface{ Fatal(...any) }, c *classifier.Classifier, d *dataset.Dataset) []float64 {
	scores := make([]float64, d.Rows())
	if err := c.Scores(scores, d.X); err != nil {
		t.Fatal(err)
	}
	return scores
}

// TestCalibrate keeps the order and the decisions of all rows, and makes the mean score the
// base rate, with Platt's prior where margins separate the labels.
func TestCalibrate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(2, 200).Draw(t, "rows")
		scale := rapid.SampledFrom([]float64{1e-3, 1, 30, 1e5}).Draw(t, "scale")
		slope := rapid.SampledFrom([]float64{0, 0.3, 1, 5, 100}).Draw(t, "slope")
		margins, labels := make([]float64, rows), make([]int8, rows)
		for i := range margins {
			m := rapid.Float64Range(-3, 3).Draw(t, "margin")
			if rapid.Bool().Draw(t, "tied") {
				m = math.Round(m)
			}
			margins[i], labels[i] = scale*m, -1
			if rapid.Float64Range(0, 1).Draw(t, "u") < 1/(1+math.Exp(-slope*(m-1))) {
				labels[i] = 1
			}
		}
		d := marginsAsRows(margins, labels)
		if rapid.Bool().Draw(t, "weighted") {
			for range rows {
				d.Weights = append(d.Weights, float64(rapid.IntRange(1, 3).Draw(t, "weight")))
			}
		}
		c := &classifier.Classifier{
			Weights: []float64{1}, Intercept: rapid.SampledFrom([]float64{0, -0.5 * scale}).Draw(t, "intercept"),
			Threshold: rapid.SampledFrom([]float64{0.5, 0.3, 0.9}).Draw(t, "threshold"),
		}
		before, threshold := scoresOf(t, c, d), c.Threshold
		for i := range margins {
			margins[i] += c.Intercept // ties are those of the classifier
		}
		if err := calibrateOn(c, d); err != nil {
			t.Fatal(err)
		}
		after := scoresOf(t, c, d)
		mean, base := 0.0, 0.0
		total := 0.0
		for i := range rows {
			total += d.Weight(i)
		}
		for i := range rows {
			w := d.Weight(i) / total
			mean += w * after[i]
			if d.Y[i] > 0 {
				base += w
			}
			if (before[i] >= threshold) != (after[i] >= c.Threshold) {
				t.Fatalf("row %d: score %v at threshold %v, calibrated %v at %v", i, before[i],
					threshold, after[i], c.Threshold)
			}
			for k := range i {
				if before[i] < before[k] && after[i] > after[k] {
					t.Fatalf("scores %v and %v become %v and %v", before[i], before[k], after[i], after[k])
				}
			}
		}
		want, off := base, 1e-6
		if !With(d, margins).overlap() {
			want = prior(base, d.Y)
		}
		if k := c.Training.Calibration; k != nil {
			if spread := stat.PopStdDev(margins, d.Weights); k.Slope*spread < 2e-3 { // the least slope, which fits no mean
				off = 1e-3
			}
			if math.Abs(mean-want) > off {
				t.Fatalf("mean score %v, base rate %v", mean, want)
			}
		}
	})
}

// prior returns a base rate with Platt's prior.
func prior(base float64, labels []int8) float64 {
	positive := 0.0
	for _, y := range labels {
		positive += float64(y+1) / 2
	}
	negative := float64(len(labels)) - positive
	return base*(positive+1)/(positive+2) + (1-base)/(negative+2)
}

// TestCalibrateFlat: the better margins separate few labels, the less is made of them; margins that
// say nothing of the labels make about the base rate of all.
func TestCalibrateFlat(t *testing.T) {
	for name, d := range map[string]*dataset.Dataset{
		"separable":       marginsAsRows([]float64{-2e3, -1e3, 1e3, 2e3}, []int8{-1, -1, 1, 1}),
		"one label":       marginsAsRows([]float64{-1, 0, 2}, []int8{1, 1, 1}),
		"worse than none": marginsAsRows([]float64{-2, -1, 0, 1, 2}, []int8{1, 1, -1, 1, -1}),
	} {
		c := &classifier.Classifier{Weights: []float64{1}, Intercept: 0.25, Threshold: 0.5}
		if err := calibrateOn(c, d); err != nil {
			t.Fatal(err)
		}
		least, most := 0.58, 0.62 // 3 of 5
		switch name {
		case "separable":
			least, most = 0.1, 0.9
		case "one label":
			least, most = 0.78, 0.82 // 4 of 5
		}
		if scores := scoresOf(t, c, d); slices.Min(scores) < least || slices.Max(scores) > most {
			t.Errorf("%s: scores %v, want all from %v to %v", name, scores, least, most)
		}
	}
}

// TestCalibrateDegenerate has margins that can't be made probabilities: they stay as they
// are.
func TestCalibrateDegenerate(t *testing.T) {
	for name, d := range map[string]*dataset.Dataset{
		"constant margins": marginsAsRows([]float64{0.7, 0.7, 0.7}, []int8{-1, 1, 1}),
		"no margins":       marginsAsRows([]float64{0, 0, 0}, []int8{-1, 1, 1}),
	} {
		c := &classifier.Classifier{Weights: []float64{1}, Intercept: 0.25, Threshold: 0.5}
		if err := calibrateOn(c, d); err != nil {
			t.Fatal(err)
		}
		if c.Training.Calibration != nil || c.Weights[0] != 1 || c.Intercept != 0.25 || c.Threshold != 0.5 {
			t.Errorf("%s: %+v, weight %v, intercept %v, threshold %v", name, c.Training.Calibration,
				c.Weights[0], c.Intercept, c.Threshold)
		}
	}
}

// TestCalibrateFewMargins: rows of two kinds get the rates of their kinds.
func TestCalibrateFewMargins(t *testing.T) {
	for _, kinds := range [][4]int{{300, 700, 500, 8500}, {1, 99, 1, 9899}, {90, 10, 3, 997}, {5, 5, 4, 6}} {
		var margins []float64
		var labels []int8
		for k, rows := range kinds {
			for range rows {
				margins, labels = append(margins, float64(2-k/2*4)), append(labels, int8(1-k%2*2))
			}
		}
		d := marginsAsRows(margins, labels)
		c := &classifier.Classifier{Weights: []float64{1}, Threshold: 0.5}
		if err := calibrateOn(c, d); err != nil {
			t.Fatal(err)
		}
		scores := scoresOf(t, c, d)
		first, last := float64(kinds[0])/float64(kinds[0]+kinds[1]), float64(kinds[2])/float64(kinds[2]+kinds[3])
		if c.Training.Calibration == nil || math.Abs(scores[0]-first) > 1e-6 ||
			math.Abs(scores[len(scores)-1]-last) > 1e-6 {
			t.Errorf("%v: scores %v and %v, rates %v and %v", kinds, scores[0], scores[len(scores)-1], first, last)
		}
	}
}

// TestMeanPoints calibrates by the means of margins in intervals as by those of rows.
func TestMeanPoints(t *testing.T) {
	r := rng.New(1, "means")
	const rows = 5000
	margins, labels := make([]float64, rows), make([]int8, rows)
	for i := range rows {
		margins[i], labels[i] = 2*r.NormFloat64(), -1
		if r.Float64() < 1/(1+math.Exp(0.5-1.5*margins[i])) {
			labels[i] = 1
		}
	}
	d := marginsAsRows(margins, labels)
	c := &classifier.Classifier{Weights: []float64{1}}
	exact, err := Of(c, d, nil)
	if err != nil {
		t.Fatal(err)
	}
	means, err := meanPoints(c, shards.InMemory(d))
	if err != nil {
		t.Fatal(err)
	}
	a, b, ok := exact.Fit()
	again, shift, okAgain := means.Fit()
	if !ok || !okAgain || math.Abs(a-again) > 1e-4 || math.Abs(b-shift) > 1e-4 {
		t.Errorf("slope %v and shift %v, of rows %v and %v", again, shift, a, b)
	}
}

// calibrateOn calibrates on the rows d.
func calibrateOn(c *classifier.Classifier, d *dataset.Dataset) error {
	p, err := Of(c, d, nil)
	if err != nil {
		return err
	}
	return Calibrate(c, p, c.Threshold, math.Log(c.Threshold/(1-c.Threshold)), d, nil)
}
