package benchmark

import (
	"math"
	"slices"
	"testing"

	"github.com/fairtrain/fairtrain/experiment"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
)

// TestConstants compares the estimates with values worked out by hand.
func TestConstants(t *testing.T) {
	for _, test := range []struct {
		text string
		want constants
	}{
		// At (1.5, 0.5) ∇f = (−1, 1), J = (3, 1), so λ = 2/10; the Hessian of f + λc is diag(2
		// + 0.4, 0.4), and the Hessian of c is 2I.
		{circle, constants{Curvature: 2.4, Slope: math.Sqrt(10), Bend: 2}},
		// Nothing curves; J = (1, 1, 1, 1).
		{plane, constants{Curvature: 4, Slope: 2, Bend: 0}},
	} {
		i := load(t, test.text)[0]
		p, err := i.Open()
		if err != nil {
			t.Fatal(err)
		}
		x, v := make([]float64, i.N), problem.NewValues(i.N, i.M)
		p.Start(x)
		p.Evaluate(v, x, nil)
		got := estimateConstants(p, x, v)
		for _, pair := range [][2]float64{
			{got.Curvature, test.want.Curvature}, {got.Slope, test.want.Slope}, {got.Bend, test.want.Bend},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-4*pair[1]+1e-9 {
				t.Errorf("%s: constants %+v, want %+v", i.Name, got, test.want)
				break
			}
		}
	}
}

// TestUnits gives methods constants: their steps must scale with the problem.
func TestUnits(t *testing.T) {
	preset := loadPreset(t, "paper-cutest-1e-2")
	k := constants{Curvature: 8, Slope: 3, Bend: 5}
	method := func(name string) solver.Method {
		m := slices.IndexFunc(preset.Methods, func(m experiment.MethodSpec) bool { return m.Method == name })
		created, err := k.method(preset.Candidates(&preset.Methods[m], 0)[0])
		if err != nil {
			t.Fatal(err)
		}
		return created
	}
	if m := method("fsfo").(*solver.FSFO); m.Eta != 0.1/17 || m.BatchJ != 1 {
		t.Errorf("FSFO has η = %v and batches of %d, want 0.1/(8 + 9) and 1", m.Eta, m.BatchJ)
	}
	if m := method("ssqp").(*solver.SSQP); m.L != 80 || m.Gamma != 50 || m.H != 1 {
		t.Errorf("SSQP has L = %v, Γ = %v, h = %v, want 80, 50, 1", m.L, m.Gamma, m.H)
	}
	if m := method("slqpm").(*solver.SLQPM); m.Rho != 8 || math.Abs(m.Eta-0.01) > 1e-15 {
		t.Errorf("SLQPM has ρ = %v, η = %v, want 8, 0.01", m.Rho, m.Eta)
	}
	if m := method("stoc-ialm").(*solver.StocIALM); m.Lf != 8 || m.Lc != 3 || m.FirstBatch != 5 {
		t.Errorf("Stoc-iALM has L_f = %v, L_c = %v, first batch %d, want 8, 3, 5", m.Lf, m.Lc, m.FirstBatch)
	}
}
