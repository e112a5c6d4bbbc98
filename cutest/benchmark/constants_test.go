package benchmark

import (
	"math"
	"testing"

	"github.com/fairtrain/fairtrain/problem"
)

// TestConstants compares the estimates with values worked out by hand.
func TestConstants(t *testing.T) {
	for _, test := range []struct {
		text string
		want Constants
	}{
		// At (1.5, 0.5) ∇f = (−1, 1), J = (3, 1), so λ = 2/10; the Hessian of f + λc is
		// diag(2 + 0.4, 0.4) and that of c 2I.
		{circle, Constants{Curvature: 2.4, Slope: math.Sqrt(10), Bend: 2}},
		// Nothing curves; J = (1, 1, 1, 1).
		{plane, Constants{Curvature: 4, Slope: 2, Bend: 0}},
	} {
		i := load(t, test.text)[0]
		p, err := i.Open()
		if err != nil {
			t.Fatal(err)
		}
		x, v := make([]float64, i.N), problem.NewValues(i.N, i.M)
		p.Start(x)
		problem.Exact(p, v, x)
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
