package model

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/linalg"
)

// Contradiction returns the specifications of constraints that no scores can satisfy
// together, however the rows are scored, nil if none are found. It is a proof: there are
// multipliers y ≥ 0 of the constraints with Σ_j y_j c_j > 0 for all scores and bases
// (Farkas' lemma), found by a linear program and then checked. Constraints on scores that
// only scores of 0 satisfy, which σ is not, contradict each other as well; decisions may
// all be 0. Of the constraints that are named none can be left out of the proof.
//
// That none are found is no proof of the opposite: no weights may lead to the scores that
// satisfy the constraints.
func (p *Fair) Contradiction() []string {
	if p.cellOf == nil && len(p.cells) > 1 {
		return nil // sums over the same rows, which are not independent
	}
	var specs []string
	for _, s := range p.specs {
		if !slices.Contains(specs, s) {
			specs = append(specs, s)
		}
	}
	sums := p.oneSidedSums()
	if !p.contradictory(specs, sums) {
		return nil
	}
	for k := 0; k < len(specs); {
		without := slices.Delete(slices.Clone(specs), k, k+1)
		if p.contradictory(without, sums) {
			specs = without
		} else {
			k++
		}
	}
	return specs
}

// oneSided is a sum u = Σ |factor| σ / |S| over the rows of a cell whose factors have the
// same sign. Scores give it any value between 0 and limit, whatever the other sums are. It
// enters constraint j as slope[j]·u.
type oneSided struct {
	slope []float64
	limit float64
}

func (p *Fair) oneSidedSums() []oneSided {
	var sums []oneSided
	for _, c := range p.cells {
		for _, sign := range []float64{+1, -1} {
			s := oneSided{slope: make([]float64, p.m)}
			for k, f := range c.factor {
				s.limit += max(sign*f, 0) * p.strata.Total(k) / float64(p.population)
			}
			if s.limit > 0 {
				floats.AddScaled(s.slope, sign, c.tuple)
				sums = append(sums, s)
			}
		}
	}
	return sums
}

// inequality is Σ_k slope_k u_k + baseSlope·ℓ + constant ≤ 0, where the k-th sum is u_k
// times its limit, 0 ≤ u_k ≤ 1, and ℓ is any number.
type inequality struct {
	slope     []float64
	base      string
	baseSlope float64
	constant  float64
}

// contradictory reports whether there is a proof that the constraints of the given
// specifications contradict each other.
func (p *Fair) contradictory(specs []string, sums []oneSided) bool {
	var all, homogeneous []inequality
	positive := inequality{slope: make([]float64, len(sums)), constant: 1}
	for j, r := range p.constraints {
		if !slices.Contains(specs, p.specs[j]) {
			continue
		}
		c := inequality{slope: make([]float64, len(sums)), base: r.Base, baseSlope: r.Slope, constant: r.Constant}
		for k, s := range sums {
			c.slope[k] = s.slope[j] * s.limit
		}
		all = append(all, c)
		if r.Tempered || r.Constant != 0 {
			continue
		}
		homogeneous = append(homogeneous, c)
		for k, s := range c.slope {
			if s != 0 {
				positive.slope[k] = -1
			}
		}
	}
	if violated(all) {
		return true
	}
	// What satisfies homogeneous inequalities and is not 0 can be scaled so that a sum
	// reaches its limit, Σ_k u_k ≥ 1. If nothing does, all scores are 0.
	return floats.Norm(positive.slope, 1) > 0 && violated(append(homogeneous, positive))
}

// violated reports whether there is a y ≥ 0 of sum 1 with which the mean of the
// inequalities is never satisfied. Its least value, if the bases cancel, is
//
//	Σ_j y_j constant_j − Σ_k z_k,  z_k = max(0, −Σ_j y_j slope_jk),
//
// to be maximised over y, z, w ≥ 0 with Σ_j y_j slope_jk + z_k = w_k.
func violated(rows []inequality) bool {
	if len(rows) == 0 {
		return false
	}
	var bases []string
	for _, r := range rows {
		if r.base != "" && !slices.Contains(bases, r.base) {
			bases = append(bases, r.base)
		}
	}
	m, n := len(rows), len(rows[0].slope)
	height := n + len(bases) + 1
	// Columns y and w; those of the basis to start from are z, and of the other rows what
	// they lack, at a prohibitive cost. A little of each z, different ones, keeps the method
	// from standing still; the proof does not need it.
	const (
		prohibitive = 1e3
		little      = 1e-9
		pivots      = 20 // for each column, where about one is usual
	)
	a, b := make([][]float64, height), make([]float64, height)
	cost, basisCost := make([]float64, m+n), make([]float64, height)
	for i := range a {
		a[i] = make([]float64, m+n)
		basisCost[i] = prohibitive
	}
	for k := range n {
		a[k][m+k] = -1
		b[k], basisCost[k] = little*(1+float64(k)/float64(n)), 1
	}
	for j, r := range rows {
		for k, s := range r.slope {
			a[k][j] = s
		}
		if r.base != "" {
			a[n+slices.Index(bases, r.base)][j] = r.baseSlope
		}
		a[height-1][j] = 1
		cost[j] = -r.constant
	}
	b[height-1] = 1
	y := linalg.Simplex(a, b, cost, basisCost, pivots*(m+n+height))[:m]
	return proves(y, rows)
}

// proves reports whether the mean of the inequalities with weights y is positive beyond
// rounding, so that a mistake of the linear program can't pass for a proof.
func proves(y []float64, rows []inequality) bool {
	const (
		certain = 1e-6 // in the units of the constraints
		unbased = 1e-9 // what rounding leaves of the bases
	)
	least, slope, bases := 0.0, make([]float64, len(rows[0].slope)), map[string]float64{}
	for j, r := range rows {
		weight := max(y[j], 0)
		least += float64(weight * r.constant)
		floats.AddScaled(slope, weight, r.slope)
		bases[r.base] += weight * r.baseSlope
	}
	for _, s := range slope {
		least += min(s, 0)
	}
	for _, s := range bases {
		if math.Abs(s) > unbased {
			return false
		}
	}
	return least > certain
}
