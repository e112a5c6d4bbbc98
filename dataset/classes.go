package dataset

// ClassWeights returns the weights of the rows, multiplied by positive for the label +1.
func (d *Dataset) ClassWeights(positive float64) []float64 {
	weights := make([]float64, d.Rows())
	for i, y := range d.Y {
		weights[i] = d.Weight(i)
		if y > 0 {
			weights[i] *= positive
		}
	}
	return weights
}

// BalancedWeight is the weight of the label +1 that makes both labels count alike. It is 0 or not
// finite if the rows of a label have no weight.
func (d *Dataset) BalancedWeight() float64 {
	sum := map[int8]float64{}
	for i, y := range d.Y {
		sum[y] += d.Weight(i)
	}
	return sum[-1] / sum[1]
}
