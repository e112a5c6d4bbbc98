package model

import (
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
)

// Features returns those that are variables of a problem of rows d and s, nil for all: those
// that rows have. Nothing depends on the others, whose weights stay 0. Only where they are
// many is it worth the copy of the rows.
func Features(d, s *sparse.Matrix) []int {
	const (
		many  = 1 << 16
		share = 0.75 // of features that rows have
	)
	_, all := d.Dims()
	if all < many {
		return nil
	}
	var chosen []int
	columns, others := d.Columns(), s.Columns()
	for j := range all {
		if columns[j].Entries > 0 || j < len(others) && others[j].Entries > 0 {
			chosen = append(chosen, j)
		}
	}
	if float64(len(chosen)) > share*float64(all) {
		return nil
	}
	return chosen
}

// chooseFeatures sets the features that are variables, and the rows. Rows that are not in a sample
// may have any feature.
func (p *statement) chooseFeatures(d, s *dataset.Dataset) {
	p.features, p.d, p.s = p.allFeatures, d.X, s.X
	chosen := Features(d.X, s.X)
	if chosen == nil || d.SampleOf > 0 || len(d.Blocks) > 0 {
		return
	}
	p.features, p.chosen = len(chosen), chosen
	p.d = d.X.SelectColumns(chosen)
	if p.s = p.d; s.X != d.X {
		p.s = s.X.SelectColumns(chosen)
	}
}

// AllFeatures turns a vector with an entry for every variable, or for the first ones, into
// one with an entry for every feature of the data: those that are no variables have the other
// value. It returns x itself where all are.
func (p *statement) AllFeatures(x []float64, other float64) []float64 {
	if p.chosen == nil {
		return x
	}
	all := make([]float64, p.allFeatures, p.allFeatures+len(x)-p.features)
	for j := range all {
		all[j] = other
	}
	for k, j := range p.chosen {
		all[j] = x[k]
	}
	return append(all, x[p.features:]...)
}

// Chosen is the inverse of AllFeatures: the entries of the variables.
func (p *statement) Chosen(all []float64) []float64 {
	if p.chosen == nil {
		return all
	}
	x := make([]float64, p.features, p.features+len(all)-p.allFeatures)
	for k, j := range p.chosen {
		x[k] = all[j]
	}
	return append(x, all[p.allFeatures:]...)
}

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
