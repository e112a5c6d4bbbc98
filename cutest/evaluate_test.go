package cutest

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestSeparateEvaluations checks that each method gives what All gives, in any order.
func TestSeparateEvaluations(t *testing.T) {
	p := mustDecode(t, sifText(nonlinearData, nonlinearCode))
	e := p.NewEvaluator()
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-10, 10), p.N(), p.N()).Draw(t, "x")
		want, got := p.NewValues(), p.NewValues()
		p.NewEvaluator().All(want, x)
		for _, what := range rapid.Permutation([]string{"f", "g", "c", "J", "all"}).Draw(t, "order") {
			switch what {
			case "f":
				got.Objective = e.Objective(x)
			case "g":
				got.Objective = e.Gradient(got.Gradient, x)
			case "c":
				e.Constraints(got.Constraints, x)
			case "J":
				e.Jacobian(got.Jacobian, x)
			case "all":
				e.All(got, x)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("values (-all +separate):\n%s", diff)
		}
	})
}

// TestNoAllocations checks that evaluating allocates nothing.
func TestNoAllocations(t *testing.T) {
	p := mustDecode(t, sifText(nonlinearData, nonlinearCode))
	e, v, x := p.NewEvaluator(), p.NewValues(), p.Start()
	allocations := testing.AllocsPerRun(100, func() {
		e.All(v, x)
		e.Objective(x)
		e.Gradient(v.Gradient, x)
		e.Constraints(v.Constraints, x)
		e.Jacobian(v.Jacobian, x)
	})
	if allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}

// TestDirectionalDerivatives compares the derivatives of every file with differences
// along a direction: the files state derivatives by hand.
func TestDirectionalDerivatives(t *testing.T) {
	for _, path := range sifFiles(t, dataDir(t)) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".SIF"), func(t *testing.T) {
			p := decodeFile(t, path, nil)
			x := p.Start()
			d := make([]float64, p.N())
			for j := range x {
				x[j] += 0.01 * math.Sin(float64(j+1)) * max(1, math.Abs(x[j]))
				d[j] = math.Cos(float64(j+1)) * max(1, math.Abs(x[j]))
			}
			e, v := p.NewEvaluator(), p.NewValues()
			e.All(v, x)
			const h = 1e-5
			at := func(step float64) *Values {
				y := make([]float64, p.N())
				for j := range y {
					y[j] = x[j] + step*d[j]
				}
				w := p.NewValues()
				e.All(w, y)
				return w
			}
			plus, minus, plus2, minus2 := at(h), at(-h), at(2*h), at(-2*h)
			check := func(what string, slope float64, size float64, f func(*Values) float64) {
				difference := (8*(f(plus)-f(minus)) - (f(plus2) - f(minus2))) / (12 * h)
				scale := max(1, size, math.Abs(f(v)))
				if math.IsNaN(difference) || math.IsInf(difference, 0) {
					return // not defined round this point
				}
				if math.Abs(difference-slope) > 1e-5*scale {
					t.Errorf("%s has slope %.9g, differences give %.9g", what, slope, difference)
				}
			}
			slope, size := 0.0, 0.0
			for j, g := range v.Gradient {
				slope += g * d[j]
				size += math.Abs(g * d[j])
			}
			check("f", slope, size, func(v *Values) float64 { return v.Objective })
			for i, c := range p.Constraints {
				slope, size := 0.0, 0.0
				for k := p.RowStart[i]; k < p.RowStart[i+1]; k++ {
					term := v.Jacobian[k] * d[p.Columns[k]]
					slope += term
					size += math.Abs(term)
				}
				check(c.Name, slope, size, func(v *Values) float64 { return v.Constraints[i] })
			}
		})
	}
}
