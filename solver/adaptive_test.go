package solver

import (
	"math"
	"math/rand/v2"
	"testing"
)

// At a point that stays where it is all samples count alike: the k-th gain is 1/k, and the
// variance of the estimate r/k.
func TestGainAtRest(t *testing.T) {
	var g gain
	for k := 1; k <= 100; k++ {
		if a, want := g.next(0), 1/float64(k); math.Abs(a-want) > 1e-12 {
			t.Fatalf("gain %d is %v, want %v", k, a, want)
		}
		g.observe(3, 0, 0)
		if variance, want := g.variance(), 3/float64(k); math.Abs(variance-want) > 1e-12 {
			t.Fatalf("the variance after %d samples is %v, want %v", k, variance, want)
		}
	}
}

// The variance that gain keeps is that of the error of the estimate, here of a random walk's
// place from measurements of the place and of each move.
func TestGainVariance(t *testing.T) {
	const (
		runs, steps  = 4000, 60
		fresh, drift = 2.0, 0.5
		moved        = 0.7
	)
	r := rand.New(rand.NewPCG(1, 2))
	squares, variance := 0.0, 0.0
	for range runs {
		var g gain
		err := 0.0
		for k := range steps {
			move := moved
			if k == 0 {
				move = 0
			}
			a := g.next(move)
			// The same sample has the error e here and e − change at the point before.
			e, change := math.Sqrt(fresh)*r.NormFloat64(), move*math.Sqrt(drift)*r.NormFloat64()
			err = a*e + (1-a)*(err+change)
			g.observe(fresh, drift*move*move, move)
		}
		squares += err * err / runs
		variance = g.variance()
	}
	// The relative deviation of the mean of 4000 squares is √(2/4000) = 0.022.
	if ratio := squares / variance; math.Abs(ratio-1) > 0.1 {
		t.Errorf("mean square error %v, the gain says %v", squares, variance)
	}
}

// The curvature rises, falls by a share of 1/window a step, and is 0 for changes that
// are chance.
func TestBending(t *testing.T) {
	var b bending
	b.observe(-1, 1)
	if b.curvature != 0 {
		t.Errorf("the curvature is %v after a negative product of changes, want 0", b.curvature)
	}
	b = bending{}
	for range 3 {
		b.observe(9*0.25, 0.5)
	}
	if math.Abs(b.curvature-3) > 1e-12 {
		t.Errorf("the curvature is %v, want 3", b.curvature)
	}
	before := b.curvature
	if b.observe(0, 1000); math.Abs(b.curvature-before*(1-1./window)) > 1e-12 {
		t.Errorf("the curvature falls from %v to %v", before, b.curvature)
	}
}
