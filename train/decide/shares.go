package decide

// Shares are weights of rows, of sum 1.
type Shares struct {
	weights []float64 // nil for equal ones
	total   float64
}

// NewShares scales the weights of rows, nil for equal ones.
func NewShares(weights []float64, rows int) Shares {
	s := Shares{weights, float64(rows)}
	if weights != nil {
		s.total = 0
		for _, w := range weights {
			s.total += w
		}
	}
	return s
}

// At returns the share of row i.
func (s Shares) At(i int) float64 {
	if s.weights == nil {
		return 1 / s.total
	}
	return s.weights[i] / s.total
}
