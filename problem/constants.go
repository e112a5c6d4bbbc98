package problem

import (
	"cmp"
	"slices"
)

// Constants are the constants of the paper's Assumptions 1–4 on a set X that contains
// the iterates. A method turns them into projection radii and step sizes.
//
//	Assumption 1   ‖∇f(x)‖ ≤ G,  ‖c(x)‖ ≤ M
//	Assumption 2   E‖∇F(x;ξ)−∇f(x)‖² ≤ σ_f²,  E‖∇F(x;ξ)−∇F(y;ξ)‖² ≤ L_f²‖x−y‖²,
//	               and likewise σ_c, L_c for C and σ_J, L_J for ∇C
//	Assumption 3   ‖∇²f(x)−∇²f(y)‖ ≤ L_h^f‖x−y‖,  ‖∇²c(x)−∇²c(y)‖ ≤ L_h^c‖x−y‖
//	Assumption 4   every singular value of ∇c(x) is at least ν
//
// Norms of vectors are Euclidean. For a matrix, the Frobenius norm may stand for the spectral
// norm, because it is never smaller.
type Constants struct {
	G      float64 // bound of ‖∇f‖
	M      float64 // bound of ‖c‖
	Lf     float64 // mean-square Lipschitz constant of ∇F
	Lc     float64 // mean-square Lipschitz constant of C, hence a bound of ‖∇c‖
	LJ     float64 // mean-square Lipschitz constant of ∇C
	Lhf    float64 // Lipschitz constant of ∇²f
	Lhc    float64 // Lipschitz constant of ∇²c
	SigmaF float64 // standard deviation of ∇F
	SigmaC float64 // standard deviation of C
	SigmaJ float64 // standard deviation of ∇C
	Nu     float64 // lower bound of the singular values of ∇c; 0 if unknown
}

// Constant is a named constant.
type Constant struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// Known lists the constants that are known.
func (c Constants) Known() []Constant {
	all := []Constant{
		{"G", c.G},
		{"M", c.M},
		{"L_f", c.Lf},
		{"L_c", c.Lc},
		{"L_J", c.LJ},
		{"L_h^f", c.Lhf},
		{"L_h^c", c.Lhc},
		{"σ_f", c.SigmaF},
		{"σ_c", c.SigmaC},
		{"σ_J", c.SigmaJ},
		{"ν", c.Nu},
	}
	return slices.DeleteFunc(all, func(k Constant) bool { return !(k.Value > 0) })
}

// Bounder is implemented by problems that can bound their constants from the data.
type Bounder interface {
	Bounds() Constants
}

// Bounds returns p's own bounds of its constants, or unknown ones if it has none.
func Bounds(p Problem) Constants {
	if b, ok := p.(Bounder); ok {
		return b.Bounds()
	}
	return Constants{}
}

// Or returns c with its unknown constants taken from other.
func (c Constants) Or(other Constants) Constants {
	return Constants{
		G: cmp.Or(c.G, other.G), M: cmp.Or(c.M, other.M),
		Lf: cmp.Or(c.Lf, other.Lf), Lc: cmp.Or(c.Lc, other.Lc), LJ: cmp.Or(c.LJ, other.LJ),
		Lhf: cmp.Or(c.Lhf, other.Lhf), Lhc: cmp.Or(c.Lhc, other.Lhc),
		SigmaF: cmp.Or(c.SigmaF, other.SigmaF), SigmaC: cmp.Or(c.SigmaC,
			other.SigmaC), SigmaJ: cmp.Or(c.SigmaJ, other.SigmaJ),
		Nu: cmp.Or(c.Nu, other.Nu),
	}
}
