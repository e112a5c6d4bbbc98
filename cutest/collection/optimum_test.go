package collection

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/fairtrain/fairtrain/kkt"
	"github.com/fairtrain/fairtrain/problem"
)

// TestOptimum checks that Solution, or else the point that newton finds, satisfies the
// optimality conditions with a least-squares multiplier and has the value Optimum.
func TestOptimum(t *testing.T) {
	for _, p := range All() {
		t.Run(p.Name, func(t *testing.T) {
			if math.IsNaN(p.Optimum) {
				t.Skip("the optimum is not known")
			}
			if p.Name == "ELEC" {
				t.Skip("its solutions are not isolated, which newton is not made for")
			}
			n, m := p.Dims()
			x := p.Solution
			if x == nil {
				x = newton(p)
			}
			v := problem.NewValues(n, m)
			p.Evaluate(v, x, nil)
			if score := kkt.NewEvaluator(p).Score(v); !(score.Max() <= 1e-8) {
				t.Errorf("at %v: stationarity %g, feasibility %g", x, score.Stationarity, score.Feasibility)
			}
			if !(math.Abs(v.Objective-p.Optimum) <= 1e-9*max(1, math.Abs(p.Optimum))) {
				t.Errorf("f is %.17g, want %.17g", v.Objective, p.Optimum)
			}
		})
	}
}

// newton goes from the start of p to a point with small optimality conditions: sequential
// quadratic programming with the Hessian of the Lagrangian, made positive definite in the
// step it takes, and a line search on f + ν‖c‖₁ unless the full step, near a solution,
// improves the optimality conditions.
func newton(p *Problem) []float64 {
	n, m := p.Dims()
	x, trial := make([]float64, n), make([]float64, n)
	p.Start(x)
	lambda := make([]float64, m)
	v := problem.NewValues(n, m)
	for range 500 {
		p.Evaluate(v, x, nil)
		score := kkt.NewEvaluator(p).Score(v).Max()
		if score <= 1e-11 {
			break
		}
		hessian := lagrangian(p, x, lambda)
		var step []float64
		for shift := 0.0; shift < 1e12; shift = max(4*shift, 1e-3) {
			step = quadraticStep(hessian, shift, v)
			if step != nil && curvature(hessian, shift, step[:n]) >= 1e-6*floats.Dot(step[:n], step[:n]) {
				break
			}
		}
		if step == nil {
			break
		}
		copy(lambda, step[n:])
		penalty := 1 + 2*floats.Norm(lambda, math.Inf(1))
		slope := floats.Dot(v.Gradient, step[:n]) - penalty*floats.Norm(v.Constraint, 1)
		merit := v.Objective + penalty*floats.Norm(v.Constraint, 1)
		floats.AddTo(trial, x, step[:n])
		if p.Evaluate(v, trial, nil); score < 1 && kkt.NewEvaluator(p).Score(v).Max() <= score/2 {
			copy(x, trial)
			continue
		}
		for length := 1.0; length > 1e-12; length /= 2 {
			floats.AddScaledTo(trial, x, length, step[:n])
			p.Evaluate(&problem.Values{Constraint: v.Constraint}, trial, nil)
			value := problem.Objective(p, trial, nil) + penalty*floats.Norm(v.Constraint, 1)
			if value <= merit+1e-4*length*slope+1e-13*math.Abs(merit) {
				break
			}
		}
		copy(x, trial)
	}
	return x
}

// lagrangian returns the Hessian of f + λᵀc by central differences.
func lagrangian(p *Problem, x, lambda []float64) *mat.Dense {
	n, m := p.Dims()
	x = slices.Clone(x)
	jacobian := problem.NewJacobian(m, n)
	gradient := func() []float64 {
		g := make([]float64, n)
		p.Evaluate(&problem.Values{Gradient: g}, x, nil)
		p.Evaluate(&problem.Values{Jacobian: jacobian}, x, nil)
		for i, l := range lambda {
			floats.AddScaled(g, l, jacobian.Data[i*n:][:n])
		}
		return g
	}
	h := mat.NewDense(n, n, nil)
	for j, xj := range x {
		d := math.Cbrt(0x1p-52) * max(1, math.Abs(xj))
		x[j] = xj + d
		column := gradient()
		x[j] = xj - d
		floats.Sub(column, gradient())
		floats.Scale(1/(2*d), column)
		h.SetCol(j, column)
		x[j] = xj
	}
	return h
}

// quadraticStep returns the step and the multipliers of the quadratic programme, nil if
// its matrix is singular.
func quadraticStep(hessian *mat.Dense, shift float64, v *problem.Values) []float64 {
	n, m := len(v.Gradient), len(v.Constraint)
	k := mat.NewDense(n+m, n+m, nil)
	k.Slice(0, n, 0, n).(*mat.Dense).Copy(hessian)
	for j := range n {
		k.Set(j, j, k.At(j, j)+shift)
	}
	jacobian := mat.NewDense(m, n, v.Jacobian.Data)
	k.Slice(n, n+m, 0, n).(*mat.Dense).Copy(jacobian)
	k.Slice(0, n, n, n+m).(*mat.Dense).Copy(jacobian.T())
	rhs := mat.NewVecDense(n+m, slices.Concat(v.Gradient, v.Constraint))
	rhs.ScaleVec(-1, rhs)
	var step mat.VecDense
	if err := step.SolveVec(k, rhs); err != nil {
		return nil
	}
	return step.RawVector().Data
}

// curvature returns dᵀ(H + shift I)d.
func curvature(hessian *mat.Dense, shift float64, d []float64) float64 {
	vector := mat.NewVecDense(len(d), d)
	return mat.Inner(vector, hessian, vector) + shift*floats.Dot(d, d)
}
