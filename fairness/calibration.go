package fairness

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// reliabilityBins is the usual number of lines of a reliability table.
	reliabilityBins = 10
	// rowsInBin is the least number of rows for each bin, on average; few rows have fewer bins.
	rowsInBin = 10
)

// CalibrationBin is a line of a reliability table: rows of similar score. If scores are
// probabilities, the base rate of a bin is near its mean score.
type CalibrationBin struct {
	Low       Value `json:"low"`  // smallest score
	High      Value `json:"high"` // largest score
	Rows      int   `json:"rows"`
	MeanScore Value `json:"mean_score"`
	BaseRate  Value `json:"base_rate"` // share of positive labels
}

// reliabilityBin is a bin with the weight of its rows.
type reliabilityBin struct {
	CalibrationBin
	weight float64 // sum of weights
	size   float64 // effective number of rows
}

// reliability returns the bins of labelled rows, by ascending score, whose scores are
// probabilities: of about equal weight, ten where there are ten effective rows for each, or as
// many as there are scores if these are fewer.
func reliability(rows []row, size float64) []reliabilityBin {
	var bins []reliabilityBin
	for _, part := range equalMass(rows, max(1, min(reliabilityBins, int(size/rowsInBin)))) {
		var score, positives, weight, squares float64
		rows := 0
		for i := range part {
			r := &part[i]
			weight += r.weight
			squares += r.squares
			rows += r.rows
			score += float64(r.weight * r.score)
			if r.label > 0 {
				positives += r.weight
			}
		}
		bins = append(bins, reliabilityBin{
			CalibrationBin: CalibrationBin{
				Low: Value(part[0].score), High: Value(part[len(part)-1].score), Rows: rows,
				MeanScore: ratio(score, weight), BaseRate: ratio(positives, weight),
			},
			weight: weight, size: kish(weight, squares),
		})
	}
	return bins
}

// expectedCalibrationError returns the mean distance of the mean scores from the base
// rates, each bin by its weight.
func expectedCalibrationError(bins []reliabilityBin) Value {
	var sum, weight float64
	for _, b := range bins {
		if b.weight > 0 {
			sum += float64(b.weight * math.Abs(float64(b.MeanScore-b.BaseRate)))
			weight += b.weight
		}
	}
	return ratio(sum, weight)
}

// calibrationLimits returns the limits of the expected calibration error with the true
// base rates in the bins, given the scores.
//
// By the triangle inequality, the distance of the estimate from the true error is at most
// the distance of the observed base rates from the true ones, in the same weighted mean of
// absolute values. The likely size of this mean is found by drawing base rates from the
// binomial distributions of Agresti and Coull's estimates (The American Statistician 52,
// 1998), which are sound for observed rates of 0. The estimate itself is above 0 even for
// perfect scores, so its own quantiles would not contain the true error.
func (c *cell) calibrationLimits(t tails, resamples int, source *rand.PCG) estimates {
	bins := reliability(c.rows, c.sizes[anyRow])
	var weight float64
	for _, b := range bins {
		weight += b.weight
	}
	z := normalTail(t.single)
	errors := make([]float64, resamples)
	for _, b := range bins {
		n := math.Round(b.size)
		if n == 0 {
			continue
		}
		rate := (float64(float64(b.BaseRate)*n) + float64(z*z/2)) / (n + float64(z*z))
		draws := distuv.Binomial{N: n, P: rate, Src: source}
		for k := range errors {
			errors[k] += b.weight / weight * math.Abs(draws.Rand()/n-rate)
		}
	}
	slices.Sort(errors)
	most := quantile(errors, 1-t.single) + 0.5/c.sizes[anyRow] // half a row, as base rates are not continuous
	v := float64(c.metrics.ECE)
	return t.stretched(limits{value: v, low: max(0, v-most), high: min(1, v+most)}, span{0, 1})
}

// equalMass splits rows, by ascending score, into at most so many runs of about equal weight. Rows
// of equal score stay together, and those of different scores stay apart if there are no more
// scores than runs. Otherwise runs end where their weight is nearest to equal, and none has less
// than half of that.
func equalMass(rows []row, count int) [][]row {
	if byScore := byRank(rows, count); byScore != nil {
		return byScore
	}
	var weight float64
	for i := range rows {
		weight += rows[i].weight
	}
	if weight == 0 {
		return [][]row{rows}
	}
	const rounding = 1 - 1e-12
	run := weight / float64(count)
	var bins [][]row
	var past, before float64 // the weight of all rows so far, and of those before this run
	start, target := 0, run
	for i := 0; i < len(rows); {
		end, tied := i, 0.0
		for ; end < len(rows) && rows[end].rank == rows[i].rank; end++ {
			tied += rows[end].weight
		}
		if i > start && past-before >= run/2 && past+tied/2 >= target*rounding {
			bins = append(bins, rows[start:i])
			start, before = i, past
			target = run * (1 + math.Round(past/run))
		}
		past += tied
		i = end
	}
	if len(bins) > 0 && past-before < run/2 {
		start -= len(bins[len(bins)-1])
		bins = bins[:len(bins)-1]
	}
	return append(bins, rows[start:])
}

// byRank splits rows, by ascending score, into runs of equal score, nil if these are more than
// most.
func byRank(rows []row, most int) [][]row {
	bins := [][]row{}
	start := 0
	for i := range rows {
		if i == len(rows)-1 || rows[i].rank != rows[i+1].rank {
			if len(bins) == most {
				return nil
			}
			bins = append(bins, rows[start:i+1])
			start = i + 1
		}
	}
	return bins
}
