package solver

import "github.com/fairtrain/fairtrain/problem"

// smoothness has the Lipschitz constants that the paper derives from the constants of its
// assumptions (Proposition le:lambda).
type smoothness struct {
	lambda  float64 // L_λ, of the multiplier mapping λ(x)
	base    float64 // the part of L_ρ that does not depend on ρ
	penalty float64 // L_c² + M L_J, the factor of ρ in L_ρ
}

func newSmoothness(c problem.Constants) smoothness {
	nu2 := c.Nu * c.Nu
	nu4, nu6 := nu2*nu2, nu2*nu2*nu2
	lc2, lj2 := float64(c.Lc*c.Lc), float64(c.LJ*c.LJ)
	lambda := (2*c.G*lc2*c.LJ/nu2 + float64(c.G*c.LJ) + float64(c.Lc*c.Lf)) / nu2
	lambda1 := 8*c.G*lj2*lc2*c.Lc/nu6 +
		2*c.Lc*(float64(2*c.LJ*c.Lc*c.Lf)+float64(3*c.G*lj2)+float64(c.G*c.Lc*c.Lhc))/nu4 +
		(float64(2*c.LJ*c.Lf)+float64(c.Lhc*c.G)+float64(c.Lc*c.Lhf))/nu2
	return smoothness{
		lambda:  lambda,
		base:    c.Lf + float64(2*lambda*c.Lc) + float64(c.M*lambda1) + c.G*c.Lc*c.LJ/nu2,
		penalty: lc2 + float64(c.M*c.LJ),
	}
}

// at returns L_ρ, the Lipschitz constant of ∇ₓ𝓛(x, ρ) for Fletcher's augmented
// Lagrangian 𝓛 (eq. ALM).
func (s smoothness) at(rho float64) float64 { return s.base + float64(rho*s.penalty) }
