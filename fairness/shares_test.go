package fairness

// Evaluate computes all figures for all rows and for each group. Its errors are those of
// Predictions.By.
func Evaluate(p Predictions, groups []Group) (*Report, error) {
	j, err := p.By(groups)
	if err != nil {
		return nil, err
	}
	return j.Evaluate(), nil
}

// NewFrame compares groups in the chosen metrics.
func NewFrame(p Predictions, groups []Group, o FrameOptions) (*Frame, error) {
	j, err := p.By(groups)
	if err != nil {
		return nil, err
	}
	return j.Frame(o)
}

// Share is a number of cases among rows, such as 30 of 100 selected. With weights, Rows is
// an effective number and neither need be whole.
type Share struct{ Cases, Rows float64 }

// Interval returns the share with the interval of Clopper and Pearson at a level.
// It is undefined for no rows.
func (s Share) Interval(level float64) Estimate {
	return clopperPearson(s.Cases/s.Rows, s.Rows, 1-level).estimate()
}

// CompareShares returns the largest difference and the smallest ratio between the shares of
// any two of several groups that have no rows in common, with intervals for the true
// largest difference and the true smallest ratio. Groups without rows are left out.
func CompareShares(shares []Share, level float64) (difference, ratio Estimate) {
	pairs := orders(len(shares))
	t := tailsOf(level, len(pairs))
	cells := make([]estimates, 1+len(shares)) // the first, of all rows, plays no part
	for k, s := range shares {
		p := s.Cases / s.Rows
		cells[k+1] = estimates{clopperPearson(p, s.Rows, t.single), clopperPearson(p, s.Rows, t.joint)}
	}
	return compared(cells, pairs, t)
}
