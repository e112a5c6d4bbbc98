package kkt

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/problem"
)

// shape is a problem of which only dimensions and inequalities are known.
type shape struct {
	problem.Problem
	n, m         int
	inequalities []int
}

func (s shape) Dims() (n, m int)    { return s.n, s.m }
func (s shape) Inequalities() []int { return s.inequalities }

// inequalities is the shape of a problem with m inequalities, equalities one with none.
func inequalities(n, m int) shape {
	s := shape{n: n, m: m}
	for i := range m {
		s.inequalities = append(s.inequalities, i)
	}
	return s
}

func equalities(n, m int) shape { return shape{n: n, m: m} }

// residual is the residual of values of a problem with inequalities, score the score for
// a problem without.
func residual(v *problem.Values) Residual {
	return NewEvaluator(inequalities(len(v.Gradient), len(v.Constraint))).Residual(v)
}

func score(v *problem.Values) Score {
	return NewEvaluator(equalities(len(v.Gradient), len(v.Constraint))).Score(v)
}

// merit is ‖∇f + Jᵀz‖² + ‖z∘c‖², written out.
func merit(v *problem.Values, z []float64) float64 {
	sum := 0.0
	for j, g := range v.Gradient {
		for i, zi := range z {
			g += zi * v.Jacobian.Data[i*v.Jacobian.Stride+j]
		}
		sum += g * g
	}
	for i, c := range v.Constraint {
		sum += z[i] * c * z[i] * c
	}
	return sum
}

// bestOverActiveSets minimises the merit over z ≥ 0 by trying every set of multipliers
// that may be positive.
func bestOverActiveSets(v *problem.Values) float64 {
	n, m := len(v.Gradient), len(v.Constraint)
	b := mat.NewVecDense(n+m, nil)
	for j, g := range v.Gradient {
		b.SetVec(j, -g)
	}
	best := merit(v, make([]float64, m))
	for set := 1; set < 1<<m; set++ {
		var members []int
		for i := range m {
			if set>>i&1 == 1 {
				members = append(members, i)
			}
		}
		a := mat.NewDense(n+m, len(members), nil)
		for k, i := range members {
			for j := range n {
				a.Set(j, k, v.Jacobian.Data[i*v.Jacobian.Stride+j])
			}
			a.Set(n+i, k, v.Constraint[i])
		}
		var svd mat.SVD
		svd.Factorize(a, mat.SVDThin)
		rank := svd.Rank(1e-12)
		if rank == 0 {
			continue
		}
		var s mat.VecDense
		svd.SolveVecTo(&s, b, rank)
		z := make([]float64, m)
		for k, i := range members {
			z[i] = s.AtVec(k)
		}
		if floats.Min(z) >= 0 {
			best = min(best, merit(v, z))
		}
	}
	return best
}

// drawValues draws values with entries in [−2, 2]; about a third of the rows of J repeat
// an earlier row (with its c), vanish, or are active (c = 0).
func drawValues(t *rapid.T, n, m int) *problem.Values {
	entry := rapid.Custom(func(t *rapid.T) float64 { return float64(rapid.IntRange(-2000, 2000).Draw(t, "entry")) / 1000 })
	v := problem.NewValues(n, m)
	for j := range n {
		v.Gradient[j] = entry.Draw(t, "g")
	}
	for i := range m {
		r := v.Jacobian.Data[i*n : (i+1)*n]
		v.Constraint[i] = entry.Draw(t, "c")
		for j := range n {
			r[j] = entry.Draw(t, "J")
		}
		switch rapid.IntRange(0, 8).Draw(t, "special") {
		case 0:
			k := rapid.IntRange(0, i).Draw(t, "copy of")
			copy(r, v.Jacobian.Data[k*n:(k+1)*n])
			v.Constraint[i] = v.Constraint[k]
		case 1:
			clear(r)
		case 2:
			v.Constraint[i] = 0
		}
	}
	return v
}

func TestResidualIsTheBestOverAllActiveSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawValues(t, rapid.IntRange(1, 6).Draw(t, "n"), rapid.IntRange(1, 6).Draw(t, "m"))
		r := residual(v)
		want := bestOverActiveSets(v)
		if got := merit(v, r.Multiplier); math.Abs(got-want) > 1e-10*(1+want) {
			t.Fatalf("z = %v gives %v, the best active set gives %v", r.Multiplier, got, want)
		}
		terms := r.Stationarity*r.Stationarity + r.Complementarity*r.Complementarity
		if math.Abs(terms-want) > 1e-10*(1+want) {
			t.Fatalf("stationarity² + complementarity² = %v, want %v", terms, want)
		}
		violation := 0.0
		for _, c := range v.Constraint {
			violation += max(0, c) * max(0, c)
		}
		if norm := r.Norm(); math.Abs(norm-math.Sqrt(want+violation)) > 1e-9 {
			t.Fatalf("norm = %v, want √(%v + %v)", norm, want, violation)
		}
	})
}

// TestMultipliersAreOptimal checks the optimality conditions of the multiplier problem at
// sizes where trying all active sets is out of reach: with w = −½ of the merit's gradient,
// w = 0 for an equality and z ≥ 0, w ≤ 0, zw = 0 for an inequality.
func TestMultipliersAreOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(1, 40).Draw(t, "n"), rapid.IntRange(2, 25).Draw(t, "m")
		v := drawValues(t, n, m)
		p := inequalities(n, m)
		p.inequalities = p.inequalities[rapid.IntRange(0, m).Draw(t, "equalities"):]
		z := NewEvaluator(p).Residual(v).Multiplier
		for i, inequality := range problem.IsInequality(p) {
			w := 0.0
			if inequality {
				w = -v.Constraint[i] * v.Constraint[i] * z[i]
			}
			for j, g := range v.Gradient {
				for k, zk := range z {
					g += zk * v.Jacobian.Data[k*n+j]
				}
				w -= g * v.Jacobian.Data[i*n+j]
			}
			tol := 1e-9 * (1 + floats.Norm(z, math.Inf(1)))
			if inequality && (z[i] < 0 || w > tol || math.Abs(z[i]*w) > tol*(1+z[i])) ||
				!inequality && math.Abs(w) > tol {
				t.Fatalf("constraint %d, inequality %v: z = %v, w = %v", i, inequality, z[i], w)
			}
		}
	})
}

// TestMixedResidual is the residual of one equality and one inequality, both violated.
func TestMixedResidual(t *testing.T) {
	p := inequalities(3, 2)
	p.inequalities = []int{1}
	v := values([]float64{3, -2, 1}, []float64{-7, 2}, []float64{1, 0, 0}, []float64{0, 2, 0})
	want := Residual{math.Hypot(1, 1), math.Hypot(7, 2), 1, []float64{-3, 0.5}} // z = 4/(4+4)
	if diff := cmp.Diff(want, NewEvaluator(p).Residual(v), cmpopts.EquateApprox(0, 1e-14)); diff != "" {
		t.Error(diff)
	}
}

func TestClosedFormAgreesWithActiveSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawValues(t, rapid.IntRange(1, 10).Draw(t, "n"), 1)
		e := NewEvaluator(inequalities(len(v.Gradient), 1))
		e.nonnegativeMultipliers(v)
		if got, want := singleMultiplier(v), e.multiplier[0]; math.Abs(got-want) > 1e-11*(1+want) {
			t.Fatalf("closed form %v, active set %v", got, want)
		}
	})
}

// values builds Values from literals.
func values(gradient, constraint []float64, jacobian ...[]float64) *problem.Values {
	v := problem.NewValues(len(gradient), len(constraint))
	copy(v.Gradient, gradient)
	copy(v.Constraint, constraint)
	for i, r := range jacobian {
		copy(v.Jacobian.Data[i*v.Jacobian.Stride:], r)
	}
	return v
}

func TestResidual(t *testing.T) {
	tests := map[string]struct {
		v    *problem.Values
		want Residual
	}{
		"active": {
			values([]float64{-3, 0}, []float64{0}, []float64{1, 0}),
			Residual{0, 0, 0, []float64{3}},
		},
		"the multiplier would be negative": {
			values([]float64{3, 4}, []float64{-1}, []float64{1, 0}),
			Residual{5, 0, 0, []float64{0}},
		},
		"violated: z = 4/(4+4)": {
			values([]float64{-2, 0}, []float64{2}, []float64{2, 0}),
			Residual{1, 2, 1, []float64{0.5}},
		},
		"c and its gradient vanish": {
			values([]float64{3, 4}, []float64{0}, []float64{0, 0}),
			Residual{5, 0, 0, []float64{0}},
		},
		"all of them vanish, m = 2": {
			values([]float64{3, 4}, []float64{0, 0}, []float64{0, 0}, []float64{0, 0}),
			Residual{5, 0, 0, []float64{0, 0}},
		},
		"one active, one inactive": {
			values([]float64{-1, -1}, []float64{0, -1}, []float64{1, 1}, []float64{1, 0}),
			Residual{0, 0, 0, []float64{1, 0}},
		},
		"values whose squares underflow": {
			values([]float64{-1e-200, 0}, []float64{0}, []float64{1e-200, 0}),
			Residual{0, 0, 0, []float64{1}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, residual(test.v), cmpopts.EquateApprox(0, 1e-14)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDuplicatedConstraintsShareTheMultiplier(t *testing.T) {
	row := []float64{1, 1}
	r := residual(values([]float64{-1, -1}, []float64{0, 0, 0}, row, row, row))
	if sum := floats.Sum(r.Multiplier); math.Abs(sum-1) > 1e-14 || r.Norm() > 1e-14 {
		t.Errorf("z = %v, residual %v; want multipliers ≥ 0 with sum 1 and no residual", r.Multiplier, r.Norm())
	}
}

func TestScore(t *testing.T) {
	// min x₁ + x₂ on the circle of radius √2, at its solution (−1, −1): λ = ½.
	solution := values([]float64{1, 1}, []float64{0}, []float64{-2, -2})
	tests := map[string]struct {
		v    *problem.Values
		want Score
	}{
		"solution": {solution, Score{0, 0, []float64{0.5}}},
		"a multiplier may be negative; the larger norm counts": {
			values([]float64{3, -4, 1}, []float64{-7}, []float64{1, 0, 0}),
			Score{4, 7, []float64{-3}},
		},
		"repeated row: least norm splits the multiplier": {
			values([]float64{2, 5}, []float64{1, 1}, []float64{1, 0}, []float64{1, 0}),
			Score{5, 1, []float64{-1, -1}},
		},
		"more constraints than variables": {
			values([]float64{4}, []float64{0, 2}, []float64{1}, []float64{1}),
			Score{0, 2, []float64{-2, -2}},
		},
		"the Jacobian vanishes": {
			values([]float64{4, 1}, []float64{0.5}, []float64{0, 0}),
			Score{4, 0.5, []float64{0}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, score(test.v), cmpopts.EquateApprox(0, 1e-14)); diff != "" {
				t.Error(diff)
			}
		})
	}
	if got := score(tests["a multiplier may be negative; the larger norm counts"].v).Max(); got != 7 {
		t.Errorf("score %v, want 7", got)
	}
}

// TestScoreMultiplierIsLeastSquares compares both factorisations with the defining
// property: J(∇f + Jᵀλ) = 0.
func TestScoreMultiplierIsLeastSquares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(1, 8).Draw(t, "n"), rapid.IntRange(1, 8).Draw(t, "m")
		v := drawValues(t, n, m)
		lambda := score(v).Multiplier
		for i := range m {
			projection := 0.0
			for j, g := range v.Gradient {
				for k, l := range lambda {
					g += l * v.Jacobian.Data[k*n+j]
				}
				projection += g * v.Jacobian.Data[i*n+j]
			}
			if math.Abs(projection) > 1e-8*(1+floats.Norm(lambda, 2)) {
				t.Fatalf("∇c_%d has the product %v with the gradient of the Lagrangian, λ = %v", i, projection, lambda)
			}
		}
	})
}

func TestNonFiniteValuesAreInfinitelyBad(t *testing.T) {
	for _, m := range []int{1, 3} {
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			for place, spoil := range map[string]func(*problem.Values){
				"gradient":   func(v *problem.Values) { v.Gradient[1] = bad },
				"constraint": func(v *problem.Values) { v.Constraint[m-1] = bad },
				"Jacobian":   func(v *problem.Values) { v.Jacobian.Data[2*m-1] = bad },
			} {
				v := problem.NewValues(2, m)
				spoil(v)
				r, s := residual(v), score(v)
				if !math.IsInf(r.Norm(), 1) || !math.IsInf(s.Max(), 1) ||
					!math.IsNaN(r.Multiplier[0]) || !math.IsNaN(s.Multiplier[m-1]) {
					t.Errorf("m = %d, %v in the %s: residual %+v, score %+v", m, bad, place, r, s)
				}
			}
		}
	}
}

func TestOverflowIsInfinitelyBad(t *testing.T) {
	steep, flat := []float64{1.7e308, 1.7e308, 1.7e308}, []float64{-1e-5, -1e-5, -1e-5}
	for name, v := range map[string]*problem.Values{
		"m = 1": values(steep, []float64{0}, flat),
		"m = 2": values(steep, []float64{0, 1}, flat, []float64{-1e-5, 0, 0}),
	} {
		r, s := residual(v), score(v)
		for _, term := range []float64{r.Stationarity, r.Feasibility, r.Complementarity, s.Stationarity, s.Feasibility} {
			if !math.IsInf(term, 1) {
				t.Errorf("%s: residual %+v, score %+v; want +Inf throughout", name, r, s)
				break
			}
		}
	}
}

func TestMisusePanics(t *testing.T) {
	for what, misuse := range map[string]func(){
		"values of another problem":            func() { NewEvaluator(inequalities(3, 2)).Residual(problem.NewValues(2, 2)) },
		"a score of a problem with inequality": func() { NewEvaluator(inequalities(2, 2)).Score(problem.NewValues(2, 2)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: accepted", what)
				}
			}()
			misuse()
		}()
	}
}

func TestStridedJacobian(t *testing.T) {
	dense := values([]float64{-1, 2, -3}, []float64{0.5, 0}, []float64{1, 2, 3}, []float64{0, -1, 1})
	wide := *dense
	wide.Jacobian = problem.NewJacobian(2, 5)
	wide.Jacobian.Cols = 3
	for i := range 2 {
		r := wide.Jacobian.Data[i*5 : (i+1)*5]
		copy(r, dense.Jacobian.Data[i*3:(i+1)*3])
		r[3], r[4] = math.NaN(), math.Inf(1) // belongs to somebody else
	}
	if diff := cmp.Diff(residual(dense), residual(&wide)); diff != "" {
		t.Errorf("Residual: %s", diff)
	}
	if diff := cmp.Diff(score(dense), score(&wide)); diff != "" {
		t.Errorf("Score: %s", diff)
	}
}

func TestEvaluatorForgetsThePreviousPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(1, 5).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "m")
		bounded, fixed := NewEvaluator(inequalities(n, m)), NewEvaluator(equalities(n, m))
		for range 3 {
			v := drawValues(t, n, m)
			if diff := cmp.Diff(residual(v), bounded.Residual(v)); diff != "" {
				t.Fatalf("Residual: %s", diff)
			}
			if diff := cmp.Diff(score(v), fixed.Score(v)); diff != "" {
				t.Fatalf("Score: %s", diff)
			}
		}
	})
}

// wellConditionedValues has a Jacobian of full row rank and both active and inactive
// constraints.
func wellConditionedValues(n, m int) *problem.Values {
	v := problem.NewValues(n, m)
	for j := range n {
		v.Gradient[j] = math.Sin(float64(j))
	}
	for i := range m {
		v.Constraint[i] = math.Min(0, math.Cos(float64(i)))
		for j := range n {
			v.Jacobian.Data[i*n+j] = math.Sin(float64((i+1)*(i+j))) / float64(1+(i-j)*(i-j))
		}
	}
	return v
}

func TestEvaluatorDoesNotAllocate(t *testing.T) {
	for _, m := range []int{1, 4, 20} {
		v := wellConditionedValues(50, m)
		bounded, fixed := NewEvaluator(inequalities(50, m)), NewEvaluator(equalities(50, m))
		if allocs := testing.AllocsPerRun(10, func() { bounded.Residual(v) }); allocs != 0 {
			t.Errorf("m = %d: Residual allocates %v times", m, allocs)
		}
		if allocs := testing.AllocsPerRun(10, func() { fixed.Score(v) }); allocs != 0 {
			t.Errorf("m = %d: Score allocates %v times", m, allocs)
		}
	}
}

func BenchmarkResidual(b *testing.B) {
	for _, size := range [][2]int{{123, 1}, {123, 4}, {123, 20}} {
		b.Run(fmt.Sprintf("n=%d/m=%d", size[0], size[1]), func(b *testing.B) {
			v, e := wellConditionedValues(size[0], size[1]), NewEvaluator(inequalities(size[0], size[1]))
			b.ReportAllocs()
			for b.Loop() {
				e.Residual(v)
			}
		})
	}
}

// BenchmarkScore compares the QR route with the singular value decomposition, to
// which a repeated row leads.
func BenchmarkScore(b *testing.B) {
	const n, m = 300, 200
	repeated := wellConditionedValues(n, m)
	copy(repeated.Jacobian.Data[n:2*n], repeated.Jacobian.Data[:n])
	for name, v := range map[string]*problem.Values{"full": wellConditionedValues(n, m), "deficient": repeated} {
		b.Run(fmt.Sprintf("n=%d/m=%d/rank=%s", n, m, name), func(b *testing.B) {
			e := NewEvaluator(equalities(n, m))
			b.ReportAllocs()
			for b.Loop() {
				e.Score(v)
			}
		})
	}
}
