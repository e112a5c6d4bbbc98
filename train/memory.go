package train

// Memory estimates the bytes that Run takes at its peak, garbage included, from
// measurements: of 10⁵ to 10⁶ features, 3·10⁵ rows of 21 values, and 10⁶ rows of one. Most
// are vectors of the methods, and of the search for decisions. The values of mapped rows take
// none; docs/scale.md has measurements of them.
func (o *Options) Memory() float64 {
	const perFeature, perRow, perValue = 1600, 1000, 40
	d := o.Data
	need := perFeature*float64(d.Features()) + perRow*float64(d.Rows())
	if !d.Mapped {
		need += perValue * float64(d.X.NNZ())
	}
	return need
}
