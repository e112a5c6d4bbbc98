package decide

import "math"

// Shares are weights of rows, of sum 1 before Worth.
type Shares struct {
	weights []float64 // nil for equal ones
	total   float64

	labels []int8     // nil if both kinds of right decisions count alike
	worth  [2]float64 // of a right decision on a row of the class −1, and of the class +1
}

// NewShares scales the weights of rows, nil for equal ones.
func NewShares(weights []float64, rows int) Shares {
	s := Shares{weights: weights, total: float64(rows)}
	if weights != nil {
		s.total = 0
		for _, w := range weights {
			s.total += w
		}
	}
	return s
}

// Worth returns the shares of right decisions on rows with labels. Whoever decides positively for
// probabilities of at least σ(centre) = T finds a wrong positive decision as bad as T/(1−T) missed
// ones: so the shares are multiplied by 2T and 2(1−T). They are multiples of a millionth or so,
// because sums of counts must be exact.
func (s Shares) Worth(labels []int8, centre float64) Shares {
	if centre == 0 {
		return s
	}
	const unit = 1 << 20
	s.labels = labels
	negative := math.Round(2 * unit / (1 + math.Exp(-centre)))
	s.worth[0] = min(max(negative, 1), 2*unit-1) / unit
	s.worth[1] = 2 - s.worth[0]
	return s
}

// At returns the share of row i. It is small enough to be inlined.
func (s *Shares) At(i int) float64 {
	if s.labels != nil {
		return s.worthAt(i)
	}
	if s.weights == nil {
		return 1 / s.total
	}
	return s.weights[i] / s.total
}

func (s *Shares) worthAt(i int) float64 {
	share := 1 / s.total
	if s.weights != nil {
		share = s.weights[i] / s.total
	}
	if s.labels[i] > 0 {
		return share * s.worth[1]
	}
	return share * s.worth[0]
}
