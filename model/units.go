package model

import (
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/dataset/sparse"
)

// Units returns the size of every feature: the root mean square of its values that are not
// zero, over D, or over S for a feature that D has not. It is 1 for the intercept, the bases
// and features that no row has, or that are below 1e-162, as their squares vanish. A feature
// in another unit has another size, by the same factor, so that x_j·Units_j means the same in
// every unit. Zeros don't count, so that the size is 1 for features that are 0 or 1, however
// rare, and for standardised numbers. The slice is to be read only.
func (p *Fair) Units() []float64 { return p.units() }

func (p *statement) measureUnits() []float64 {
	unit := slices.Repeat([]float64{1}, p.n)
	if p.d.Binary() && p.s.Binary() {
		return unit
	}
	for _, x := range slices.Compact([]*sparse.Matrix{p.s, p.d}) {
		for j, c := range x.Columns() {
			if c.Squares > 0 {
				unit[j] = size(c.Squares, c.Entries)
			}
		}
	}
	return unit
}

// size is the root mean square, 1 where it is so but for rounding: such features then keep
// their values to the last bit.
func size(sum float64, count int) float64 {
	const rounding = 1e-9
	if rms := math.Sqrt(sum / float64(count)); math.Abs(rms-1) > rounding {
		return rms
	}
	return 1
}
