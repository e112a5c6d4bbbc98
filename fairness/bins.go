package fairness

// equalMass splits rows, by ascending score, into at most so many runs of about equal
// weight. Rows of equal score stay together.
func equalMass(rows []row, count int) [][]row {
	var weight float64
	for i := range rows {
		weight += rows[i].weight
	}
	var bins [][]row
	var past float64
	start := 0
	for i := range rows {
		past += rows[i].weight
		last := i == len(rows)-1
		// The k-th bin ends where k parts of the weight are past, to within rounding.
		if last || rows[i].rank != rows[i+1].rank && past*float64(count) >= float64(len(bins)+1)*weight*(1-1e-12) {
			bins = append(bins, rows[start:i+1])
			start = i + 1
		}
	}
	return bins
}

// byRank splits rows, by ascending score, into runs of equal score.
func byRank(rows []row) [][]row {
	var bins [][]row
	start := 0
	for i := range rows {
		if i == len(rows)-1 || rows[i].rank != rows[i+1].rank {
			bins = append(bins, rows[start:i+1])
			start = i + 1
		}
	}
	return bins
}
