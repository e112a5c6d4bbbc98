// Package scoringtest has rows and classifiers for tests of rows in shards.
package scoringtest

import (
	"math"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/shards"
)

// InShards returns two shards of the rows of d.
func InShards(d *dataset.Dataset) *shards.Rows { return shards.Cut(d, 0, 12_288) }

// Sampled returns a fifth of the rows of each label and of feature 71, and half of the women with
// it.
func Sampled(d *dataset.Dataset) *dataset.Dataset {
	strata, err := d.Strata("71")
	if err != nil {
		panic(err)
	}
	drawn, rows := map[int]int{}, []int{}
	for i := range d.Rows() {
		k := strata.Of(i)
		every := 5
		if k < 2 {
			every = 2
		}
		if i%every == 0 {
			rows = append(rows, i)
			drawn[k]++
		}
	}
	s, each := d.Pick(rows, d.Name), float64(len(rows))/float64(d.Rows())
	s.SampleOf, s.Weights = d.Rows(), nil
	for _, i := range rows {
		k := strata.Of(i)
		s.Weights = append(s.Weights, float64(strata.Size(k))/float64(drawn[k])*each)
	}
	return s
}

// Classifier returns a classifier of rows with the features of d, whose weights differ.
func Classifier(d *dataset.Dataset) *classifier.Classifier {
	c := &classifier.Classifier{Features: classifier.Features{Count: d.Features()}, Weights: make([]float64, d.Features()), Threshold: 0.4}
	for j := range c.Weights {
		c.Weights[j] = math.Sin(float64(j)) / 2
	}
	return c
}
