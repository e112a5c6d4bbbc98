package encoding

// knots returns the edges of at most k bins of about equally many values. A value that fills a bin
// alone gets one of its own, so that the others share the rest. No bin has fewer than least values.
func knots(x []float64, k, least int) (edges []float64) {
	total := len(x)
	end := func(from int) int { // of the run of equal values
		to := from + 1
		for to < total && x[to] == x[from] {
			to++
		}
		return to
	}
	heavy := func(n int) bool { return n*k >= total && n >= least }
	bins, light := k, total
	for from := 0; from < total; {
		to := end(from)
		if n := to - from; heavy(n) {
			bins, light = bins-1, light-n
		}
		from = to
	}
	size := max(least, (light+max(bins, 1)-1)/max(bins, 1))
	begin, before := 0, 0 // of the bin; length of the run before
	for from := 0; from < total; {
		to := end(from)
		in := from - begin
		if in >= least && total-from >= least && (in >= size || heavy(to-from) || heavy(before)) {
			edges, begin = append(edges, x[from]+0), from // −0 is 0
		}
		from, before = to, to-from
	}
	return edges
}
