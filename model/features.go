package model

import (
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
	used := make([]bool, all)
	d.MarkColumns(used)
	if s != d {
		s.MarkColumns(used)
	}
	count := 0
	for _, u := range used {
		if u {
			count++
		}
	}
	if float64(count) > share*float64(all) {
		return nil
	}
	chosen := make([]int, 0, count)
	for j, u := range used {
		if u {
			chosen = append(chosen, j)
		}
	}
	return chosen
}

// chooseFeatures sets the features that are variables, and the rows. Rows that are not in a sample
// may have any feature.
func (p *statement) chooseFeatures(d, s *dataset.Dataset) {
	p.features, p.d, p.s = p.allFeatures, d.X, s.X
	chosen := Features(d.X, s.X)
	if chosen == nil || d.SampleOf > 0 {
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
