package train

// Memory estimates the bytes that Run takes at its peak, garbage included. It is fitted to
// measurements with 10⁵ to 10⁶ features, 3·10⁵ rows of 21 values, and 10⁶ rows of one
// value. Most of the memory is vectors of the methods, and of the search for decisions.
func (o *Options) Memory() float64 {
	const perFeature, perRow, perValue = 1600, 1000, 40
	d := o.Data
	return perFeature*float64(d.Features()) + perRow*float64(d.Rows()) + perValue*float64(d.X.NNZ())
}
