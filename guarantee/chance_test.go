package guarantee

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestChance: the mean of what training rows predict is the share of tests that pass, also where
// positive decisions and the people of a group are few, and many rows whose estimates are taken as
// normal predict nearly the same.
func TestChance(t *testing.T) {
	for _, test := range []struct {
		name        string
		a, b        float64 // rates
		share       float64 // of the first group
		bound       float64
		rows, train int
	}{
		{"halves", 0.42, 0.4, 0.5, 0.06, 1500, 3000},
		{"a fifth", 0.33, 0.3, 0.2, 0.1, 1000, 3000},
		{"hardly any", 0.02, 0.025, 0.08, 0.05, 900, 2100},
	} {
		draw := func(n int, r *rand.Rand) Evidence {
			var first, second count
			for range n {
				if r.Float64() < test.share {
					first.add(r.Float64() < test.a)
				} else {
					second.add(r.Float64() < test.b)
				}
			}
			return people(first, second)
		}
		const runs, tests = 10, 15
		r := rand.New(rand.NewPCG(3, 5))
		predicted, normal, passed := 0.0, 0.0, 0.0
		for range runs {
			training := draw(test.train, r)
			chance, err := Chance(parity(test.bound), training, test.rows, 0.95)
			if err != nil {
				t.Fatal(err)
			}
			predicted += chance / runs
			for range tests {
				ok, err := pass(parity(test.bound), draw(test.rows, r), 0.05)
				if err != nil {
					t.Fatal(err)
				}
				if ok {
					passed += 1. / (runs * tests)
				}
			}
			added, err := training.added()
			if err != nil {
				t.Fatal(err)
			}
			if chance, err = nearlyNormal(parity(test.bound), added, test.rows, 0.05); err != nil {
				t.Fatal(err)
			}
			normal += chance / runs
		}
		t.Logf("%s: predicted %.3f, normal %.3f, passed %.3f", test.name, predicted, normal, passed)
		if math.Abs(normal-predicted) > 0.15 && test.a*test.share > 0.05 {
			t.Errorf("%s: %v was predicted, %v of normal estimates", test.name, predicted, normal)
		}
		if off := math.Abs(predicted - passed); off > 0.15 {
			t.Errorf("%s: %v was predicted, %v passed", test.name, predicted, passed)
		}
	}
}
