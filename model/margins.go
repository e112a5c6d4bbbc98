package model

import (
	"sync"

	"github.com/fairtrain/fairtrain/dataset/sparse"
)

// InMargins returns the problem whose variables are the margins of the rows, without the intercept
// and the bases, which are variables of both, and products with the rows, for which margins have
// gradients of the problem as coefficients. It returns nil where features are not several times
// the rows, or have so many entries that these cost more than vectors of all features, where L2 makes
// the objective depend on more than the margins, and where not all rows are here, for objective and
// constraints.
func (p *Fair) InMargins() (*Fair, *sparse.Products, error) {
	const several, entries = 4, 32
	rows := len(p.labels)
	switch {
	case p.s != p.d || p.options.L2 != 0 || p.options.Remote != nil || p.mapped.Bytes > 0,
		p.features < several*rows || p.d.NNZ() > entries*p.features:
		return nil, nil, nil
	}
	products := p.d.Products()
	if products == nil {
		return nil, nil, nil
	}
	s := *p.statement
	s.d = sparse.Identity(rows) // of margins
	s.s = s.d
	s.n += rows - s.features
	s.features, s.allFeatures, s.chosen = rows, rows, nil
	if s.intercept >= 0 {
		s.intercept = rows
	}
	s.units, s.rootMeanSquares = sync.OnceValue(s.measureUnits), sync.OnceValue(s.measureRoots)
	o := p.options
	if o.Start != nil {
		o.Start = make([]float64, s.n-len(s.bases))
		p.d.MulRange(o.Start, p.start, 0, rows)
		copy(o.Start[rows:], p.start[p.features:])
	}
	margins, err := s.with(o)
	return margins, products, err
}
