package problem_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/problem/problemtest"
)

func quadratic(n, m int) *problemtest.Quadratic {
	return problemtest.NewQuadratic(n, m, 40, 5, 0.3, rand.New(rand.NewPCG(uint64(n), uint64(m))))
}

// TestCounted follows the counts through a SPIDER step by hand. At however many points a batch
// is evaluated, its samples count once for each quantity that it estimates.
func TestCounted(t *testing.T) {
	q := quadratic(4, 2)
	p := problem.NewCounted(q)
	r := rand.New(rand.NewPCG(1, 1))
	x, y := []float64{1, 2, 3, 4}, []float64{0, 0, 1, 1}
	g, c, j := make([]float64, 4), make([]float64, 2), problem.NewJacobian(2, 4)

	var f, k problem.Batch
	p.DrawObjective(&f, 7, r)
	p.Evaluate(&problem.Values{Gradient: g}, x, &f)
	p.Evaluate(&problem.Values{Gradient: g}, y, &f) // the same samples at another point
	problem.Objective(p, x, &f)
	p.DrawConstraint(&k, 5, r)
	p.Evaluate(&problem.Values{Constraint: c}, x, &k)
	p.Evaluate(&problem.Values{Jacobian: j}, x, &k) // one batch, two quantities
	p.DrawConstraint(&k, 5, r)
	p.Evaluate(&problem.Values{Jacobian: j}, x, &k) // fresh samples in the same memory
	want := problem.Counters{
		Objective:  problem.Count{Calls: 1, Samples: 7, Evaluations: 7},
		Gradient:   problem.Count{Calls: 2, Samples: 7, Evaluations: 14},
		Constraint: problem.Count{Calls: 1, Samples: 5, Evaluations: 5},
		Jacobian:   problem.Count{Calls: 2, Samples: 10, Evaluations: 10},
	}
	if diff := cmp.Diff(want, p.Counters); diff != "" {
		t.Errorf("counters (-want +got):\n%s", diff)
	}
	if samples, evaluations := p.Counters.Samples(), p.Counters.Evaluations(); samples != 22 || evaluations != 29 {
		t.Errorf("N_sam = %d, evaluations %d, want 22 and 29", samples, evaluations)
	}

	p.Evaluate(problem.NewValues(4, 2), x, nil)
	if got := p.Counters.Samples(); got != 22+3*40 {
		t.Errorf("after an exact evaluation N_sam = %d, want %d", got, 22+3*40)
	}
	if passes := problem.Passes(p, 240); passes != 2 {
		t.Errorf("240 samples are %v passes, want 2", passes)
	}
}

// TestStandardIsExact checks that slacks and scales can be undone.
func TestStandardIsExact(t *testing.T) {
	q := quadratic(5, 3).AtMost(0, 2)
	s, err := problem.NewStandard(q, []float64{2, 3, 0.5})
	if err != nil {
		t.Fatal(err)
	}
	n, m := s.Dims()
	if left := s.Inequalities(); len(left) > 0 {
		t.Errorf("inequalities %v are left", left)
	}
	if n != 7 || m != 3 || !slices.Equal(s.NonNegative(), []int{5, 6}) {
		t.Fatalf("dimensions %d, %d, bounded %v", n, m, s.NonNegative())
	}
	z := []float64{1, -2, 0.5, 3, -1, 0.7, 0.2}
	standard, inner, back := problem.NewValues(n, m), problem.NewValues(5, 3), problem.NewValues(5, 3)
	s.Evaluate(standard, z, nil)
	q.Evaluate(inner, z[:5], nil)
	wantC := []float64{2*inner.Constraint[0] + 0.7, 3 * inner.Constraint[1], 0.5*inner.Constraint[2] + 0.2}
	if diff := cmp.Diff(wantC, standard.Constraint, cmpopts.EquateApprox(1e-14, 1e-14)); diff != "" {
		t.Errorf("c (-want +got):\n%s", diff)
	}
	for i, want := range [][]float64{{1, 0}, {0, 0}, {0, 1}} {
		if got := standard.Jacobian.Data[i*n+5 : i*n+7]; !slices.Equal(got, want) {
			t.Errorf("slack columns of row %d are %v, want %v", i, got, want)
		}
	}
	s.Original(back, standard, z)
	if diff := cmp.Diff(inner, back, cmpopts.EquateApprox(1e-14, 1e-14)); diff != "" {
		t.Errorf("undone (-want +got):\n%s", diff)
	}
}

func TestStandardStart(t *testing.T) {
	q := quadratic(5, 3).AtMost(0, 1, 2)
	s, err := problem.NewStandard(q, nil)
	if err != nil {
		t.Fatal(err)
	}
	z, c := make([]float64, 8), make([]float64, 3)
	s.Start(z)
	q.Evaluate(&problem.Values{Constraint: c}, z[:5], nil)
	for i, ci := range c {
		if want := max(0, -ci); z[5+i] != want {
			t.Errorf("slack %d starts at %v, want %v", i, z[5+i], want)
		}
	}
}

// known has bounds of its constants.
type known struct {
	*problemtest.Quadratic
	constants problem.Constants
}

func (k known) Bounds() problem.Constants { return k.constants }

// TestStandardNu fixes any of the slacks at their bounds. ν bounds the singular values of the
// Jacobian that is left.
func TestStandardNu(t *testing.T) {
	q := quadratic(5, 3).AtMost(0, 1, 2)
	j := problem.NewJacobian(3, 5)
	q.Evaluate(&problem.Values{Jacobian: j}, nil, nil)
	s, err := problem.NewStandard(known{q, problem.Constants{Nu: smallest(j)}}, []float64{2, 3, 0.5})
	if err != nil {
		t.Fatal(err)
	}
	nu := s.Bounds().Nu
	all := problem.NewJacobian(3, 8)
	s.Evaluate(&problem.Values{Jacobian: all}, make([]float64, 8), nil)
	for fixed := range 1 << 3 {
		left := problem.NewJacobian(3, 8)
		copy(left.Data, all.Data)
		for i := range 3 {
			if fixed>>i&1 == 1 {
				left.Data[i*8+5+i] = 0
			}
		}
		if sigma := smallest(left); !(nu > 0 && nu <= sigma) {
			t.Errorf("ν = %v, the smallest singular value with the slacks %03b fixed is %v", nu, fixed, sigma)
		}
	}
	if s, err = problem.NewStandard(q, nil); err != nil || s.Bounds().Nu != 0 {
		t.Errorf("ν = %v, error %v; want 0: nothing is known of the gradients", s.Bounds().Nu, err)
	}
}

// smallest returns the smallest singular value of a matrix.
func smallest(a blas64.General) float64 {
	var svd mat.SVD
	svd.Factorize(mat.NewDense(a.Rows, a.Cols, a.Data), mat.SVDNone)
	return floats.Min(svd.Values(nil))
}

func TestStandardRefuses(t *testing.T) {
	q := quadratic(5, 2)
	for name, build := range map[string]func() (*problem.Standard, error){
		"too few scales": func() (*problem.Standard, error) { return problem.NewStandard(q, []float64{1}) },
		"a zero scale":   func() (*problem.Standard, error) { return problem.NewStandard(q, []float64{1, 0}) },
	} {
		if _, err := build(); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// TestStandardSuite holds the wrappers to the contract.
func TestStandardSuite(t *testing.T) {
	s, err := problem.NewStandard(quadratic(5, 3).AtMost(0, 2), []float64{2, 3, 0.5})
	if err != nil {
		t.Fatal(err)
	}
	problemtest.Check(t, problem.NewCounted(s), problemtest.DefaultOptions())
}
