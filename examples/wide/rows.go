package main

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
)

// uniform draws one of the features equally often.
func uniform(features int, r *rand.Rand) int { return r.IntN(features) }

// frequent draws one of the features as words are in texts: the k-th with a probability that
// goes with 1/k.
func frequent(features int, r *rand.Rand) int {
	return min(int(math.Pow(float64(features), r.Float64()))-1, features-1)
}

// writeSparse writes LIBSVM rows of so many entries, or a few less where features repeat.
// Feature 1 is the group, of a third of the rows, with more positive labels.
func writeSparse(w io.Writer, rows, features, entries int, draw func(int, *rand.Rand) int, r *rand.Rand) error {
	weight := normal(features, r)
	for range rows {
		group := r.Float64() < 1./3
		index := make([]int, entries)
		for k := range index {
			index[k] = 1 + draw(features-1, r)
		}
		slices.Sort(index)
		index = slices.Compact(index)
		values, margin := make([]float64, len(index)), 0.0
		for k, j := range index {
			values[k] = 0.1 + r.Float64()
			margin += 4 * weight[j] * values[k] / math.Sqrt(float64(entries))
		}
		if err := writeRow(w, margin+r.NormFloat64(), group, index, values); err != nil {
			return err
		}
	}
	return nil
}

// writeDense writes LIBSVM rows of standard normal features, after feature 1, the group of a
// third of the rows.
func writeDense(w io.Writer, rows, features int, r *rand.Rand) error {
	weight := normal(features, r)
	index := make([]int, features-1)
	for k := range index {
		index[k] = k + 1
	}
	for range rows {
		values, margin := normal(len(index), r), 0.0
		for k, v := range values {
			margin += weight[k] * v / math.Sqrt(float64(features))
		}
		if err := writeRow(w, margin+r.NormFloat64()/2, r.Float64() < 1./3, index, values); err != nil {
			return err
		}
	}
	return nil
}

func normal(n int, r *rand.Rand) []float64 {
	x := make([]float64, n)
	for k := range x {
		x[k] = r.NormFloat64()
	}
	return x
}

// writeRow writes a row with the entries of these features, counted from 0, after that of
// the group.
func writeRow(w io.Writer, margin float64, group bool, index []int, values []float64) error {
	const more = 0.7 // margin of the group
	text := ""
	if group {
		margin += more
		text = " 1:1"
	}
	label := "-1"
	if margin > 0 {
		label = "+1"
	}
	if _, err := io.WriteString(w, label+text); err != nil {
		return err
	}
	for k, j := range index {
		if _, err := fmt.Fprintf(w, " %d:%.4f", j+1, values[k]); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "\n")
	return err
}
