package collection

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/cutest"
	"github.com/fairtrain/fairtrain/internal/datatest"
	"github.com/fairtrain/fairtrain/internal/rng"
	"github.com/fairtrain/fairtrain/problem"
)

// sizes are the parameters that make a SIF file, whose defaults may be small, the problem
// of All.
var sizes = map[string]map[string]string{
	"DTOC1L":   {"N": "10"},
	"DTOC1NB":  {"N": "10"},
	"DTOC1NC":  {"N": "10"},
	"DTOC6":    {"N": "101"},
	"ELEC":     {"NP": "50"},
	"LUKVLE1":  {"N": "100"},
	"LUKVLE3":  {"N": "100"},
	"LUKVLE4C": {"N": "100"},
	"LUKVLE7":  {"N": "100"},
	"LUKVLE10": {"N": "100"},
	"ORTHREGA": {"LEVELS": "3"},
	"ORTHREGD": {"NPTS": "50"},
	"ORTHRGDM": {"NPTS": "50"},
}

// oracle decodes the SIF file of p, or skips the test if there is none.
func oracle(tb testing.TB, dir string, p *Problem, params map[string]string) *cutest.Oracle {
	tb.Helper()
	name := strings.ReplaceAll(p.Name, "-", "m")
	if name == "HS111LNP" {
		name = "HS111" // the same but for bounds, which oracles ignore
	}
	f, err := os.Open(filepath.Join(dir, name+".SIF"))
	if errors.Is(err, fs.ErrNotExist) {
		tb.Skip(err)
	}
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	sif, err := cutest.Decode(f, name+".SIF", cutest.Options{Params: params})
	if err != nil {
		tb.Fatal(err)
	}
	o, err := cutest.NewOracle(sif)
	if err != nil {
		tb.Fatal(err)
	}
	return o
}

// TestAgainstSIF compares every problem with its SIF file, if there is one, at the start
// and near it.
func TestAgainstSIF(t *testing.T) {
	dir := datatest.Path(t, "sif")
	for _, p := range All() {
		t.Run(p.Name, func(t *testing.T) {
			compareWithSIF(t, dir, p, sizes[p.Name])
		})
	}
	for _, test := range []struct {
		p      *Problem
		params map[string]string
	}{
		{DTOC1NB(3), map[string]string{"N": "3"}},
		{DTOC6(11), map[string]string{"N": "11"}},
		{ELEC(25), map[string]string{"NP": "25"}},
		{ELEC(200), map[string]string{"NP": "200"}},
		{LUKVLE1(10), map[string]string{"N": "10"}},
		{LUKVLE3(10), map[string]string{"N": "10"}},
		{LUKVLE4C(10), map[string]string{"N": "10"}},
		{LUKVLE7(10), map[string]string{"N": "10"}},
		{LUKVLE10(10), map[string]string{"N": "10"}},
		{ORTHREGA(1), map[string]string{"LEVELS": "1"}},
		{ORTHREGD(7), map[string]string{"NPTS": "7"}},
	} {
		t.Run(test.p.Name+" of another size", func(t *testing.T) {
			compareWithSIF(t, dir, test.p, test.params)
		})
	}
}

func compareWithSIF(t *testing.T, dir string, p *Problem, params map[string]string) {
	o := oracle(t, dir, p, params)
	n, m := p.Dims()
	if on, om := o.Dims(); on != n || om != m {
		t.Fatalf("n = %d and m = %d, the SIF file has %d and %d", n, m, on, om)
	}
	x, xo := make([]float64, n), make([]float64, n)
	p.Start(x)
	o.Start(xo)
	if !floats.EqualApprox(x, xo, 1e-12) {
		t.Fatalf("starts at %v, the SIF file at %v", x, xo)
	}
	compareValues(t, p, o, x)
	r := rng.New(1, "collection", p.Name)
	for j := range x {
		x[j] += 0.1 * r.NormFloat64()
	}
	compareValues(t, p, o, x)
}

// compareValues grants rounding relative to the largest entry of a kind, and HS100LNP the
// third of its objective that the file writes with eleven digits.
func compareValues(t *testing.T, got, want problem.Problem, x []float64) {
	t.Helper()
	const tolerance = 1e-10
	n, m := got.Dims()
	v, w := problem.NewValues(n, m), problem.NewValues(n, m)
	got.Evaluate(v, x, nil)
	want.Evaluate(w, x, nil)
	for _, kind := range []struct {
		name      string
		got, want []float64
	}{
		{"f", []float64{v.Objective}, []float64{w.Objective}},
		{"∇f", v.Gradient, w.Gradient},
		{"c", v.Constraint, w.Constraint},
		{"J", v.Jacobian.Data, w.Jacobian.Data},
	} {
		scale := max(1, floats.Norm(kind.want, math.Inf(1)))
		for k := range kind.want {
			if !(math.Abs(kind.got[k]-kind.want[k]) <= tolerance*scale) {
				t.Errorf("entry %d of %s is %v, the SIF file gives %v", k, kind.name, kind.got[k], kind.want[k])
			}
		}
	}
}

// BenchmarkAgainstSIF times f, ∇f, c and J together, here and by the evaluator of SIF
// files.
func BenchmarkAgainstSIF(b *testing.B) {
	dir := datatest.Path(b, "sif")
	for _, p := range All() {
		name := p.Name
		if !slices.Contains([]string{"HS6", "HS111LNP", "DTOC1NC", "LUKVLE1", "ELEC"}, name) {
			continue
		}
		n, m := p.Dims()
		x, v := make([]float64, n), problem.NewValues(n, m)
		p.Start(x)
		evaluate := func(p problem.Problem) func(*testing.B) {
			return func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					p.Evaluate(v, x, nil)
				}
			}
		}
		b.Run("problem="+name+"/evaluator=collection", evaluate(p))
		b.Run("problem="+name+"/evaluator=sif", evaluate(oracle(b, dir, p, sizes[name])))
	}
}
