package fairness

import "math"

// equalMass splits rows, by ascending score, into at most so many runs of about equal weight. Rows of equal
// score stay together, and those of different scores stay apart if there are no more scores than runs. Otherwise
// runs end where their weight is nearest to equal, and none has less than half of that.
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

// byRank splits rows, by ascending score, into runs of equal score, nil if these are more than most.
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
