package fairness

import "math"

// pair is two cells of a line of the frame, by size of the metric; nil if there are none.
type pair struct{ low, high int }

// farthest returns the cells of which the difference is that of the groups, and those of
// which the ratio is, from the values for all rows and then for the groups.
func farthest(values []float64, to Reference) (difference, ratio *pair) {
	if to == ToGroups {
		extremes := extremePair(values)
		return extremes, extremes
	}
	for k := 1; k < len(values); k++ {
		if math.IsNaN(values[k]) || math.IsNaN(values[0]) {
			continue
		}
		p := &pair{0, k}
		if values[k] < values[0] {
			p = &pair{k, 0}
		}
		if difference == nil || p.difference(values) > difference.difference(values) {
			difference = p
		}
		// A group whose ratio has no meaning must not hide behind the others.
		if r := p.ratio(values); ratio == nil || math.IsNaN(r) || r < ratio.ratio(values) {
			ratio = p
		}
	}
	return difference, ratio
}

// extremePair returns the groups with the smallest and the largest value, nil if the value
// is defined in fewer than two.
func extremePair(values []float64) *pair {
	var p pair
	defined := 0
	for k := 1; k < len(values); k++ {
		if math.IsNaN(values[k]) {
			continue
		}
		if defined++; defined == 1 {
			p = pair{k, k}
		}
		if values[k] < values[p.low] {
			p.low = k
		}
		if values[k] >= values[p.high] { // two groups even if all are equal
			p.high = k
		}
	}
	if defined < 2 {
		return nil
	}
	return &p
}

// difference and ratio are those of the larger and the smaller cell; in samples the larger
// may be the smaller one.
func (p *pair) difference(values []float64) float64 { return values[p.high] - values[p.low] }

// ratio is NaN where it has no meaning: for figures below 0, and for 0 by 0.
func (p *pair) ratio(values []float64) float64 {
	low, high := values[p.low], values[p.high]
	if low < 0 || high < 0 {
		return math.NaN()
	}
	return low / high
}

// difference estimates the difference of a pair of cells.
func (o FrameOptions) difference(p *pair, values []float64, drawn [][]float64) Estimate {
	if p == nil {
		return none()
	}
	e := Estimate{Value(p.difference(values)), Undefined(), Undefined()}
	if e.Value.Defined() {
		e.Low, e.High = percentiles(drawn, p.difference, o.Level)
	}
	if e.Low < 0 { // the sign is not sure
		e.Low, e.High = 0, max(-e.Low, e.High)
	}
	return e
}

// ratio estimates the ratio of a pair of cells.
func (o FrameOptions) ratio(p *pair, values []float64, drawn [][]float64) Estimate {
	if p == nil {
		return none()
	}
	e := Estimate{Value(p.ratio(values)), Undefined(), Undefined()}
	if e.Value.Defined() {
		e.Low, e.High = percentiles(drawn, p.ratio, o.Level)
	}
	if e.High > 1 { // which one is larger is not sure
		e.Low, e.High = min(e.Low, 1/e.High), 1
	}
	return e
}

func none() Estimate { return Estimate{Undefined(), Undefined(), Undefined()} }
