package guarantee

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestRareHeavyDecisions: intervals of a rate in one of two groups hold where its decisions are rare and have
// the large weights, so that a sample without any has the small ones alone.
func TestRareHeavyDecisions(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const draws = 1500
	most := 0.0
	for _, c := range []struct {
		n            int
		p            float64 // of a decision
		heavy, light float64 // weights of those, and of the others
		spread       float64 // of the logarithm of a factor of all weights
	}{
		{300, 0.005, 10, 1, 0},
		{2000, 0.001, 10, 1, 0},
		{100, 0.02, 10, 1, 0},
		{40, 0.05, 10, 1, 0},
		{40, 0.2, 10, 1, 0},
		{300, 0.02, 30, 1, 0},
		{300, 0.03, 3, 1, 0},
		{300, 0.01, 1, 10, 0},
		{2000, 0.02, 10, 1, 0},
		{300, 0.02, 1, 1, 0.7},
		{300, 0.3, 1, 1, 0.7},
	} {
		value := c.p * c.heavy / (c.p*c.heavy + (1-c.p)*c.light)
		missed := 0
		for range draws {
			e := Evidence{Threshold: 0.5, Groups: map[string][]Group{"g": {{Name: "a"}, {Name: "b"}}}}
			row := func(group int, p float64) {
				score, weight := 0.0, c.light
				if random.Float64() < p {
					score, weight = 1, c.heavy
				}
				weight *= math.Exp(c.spread * random.NormFloat64())
				e.Scores, e.Weights = append(e.Scores, score), append(e.Weights, weight)
				for k := range 2 {
					g := &e.Groups["g"][k]
					g.Member = append(g.Member, k == group)
				}
			}
			for range c.n {
				row(0, c.p)
			}
			for range 20 {
				row(1, 0.5)
			}
			added, err := e.added()
			if err != nil {
				t.Fatal(err)
			}
			cells, err := added.cells("g")
			if err != nil {
				t.Fatal(err)
			}
			a := cells[0].arm(anyLabel, Positive, true)
			low, _ := clopperPearson(a.least, a.count, 0.025)
			_, high := clopperPearson(a.most, a.count, 0.025)
			if value < low || value > high {
				missed++
			}
		}
		share := float64(missed) / draws
		if most = max(most, share); share > 0.05 {
			t.Errorf("%+v: %.1f %% miss the truth", c, 100*share)
		}
	}
	t.Logf("at most %.1f %% miss the truth", 100*most)
}
