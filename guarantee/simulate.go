package guarantee

import "math/rand/v2"

// The power of a plan is that of estimates that are nearly normal. In small groups, and where rates
// are near 0 or 1, they are not, and the numbers of people of each group vary. So a plan of few
// rows is tried out.

const (
	mostRowsTried = 20_000    // that are tried out
	mostTrials    = 1000      // of a plan
	mostDrawn     = 3_000_000 // rows, in all trials
)

// enough returns a number of rows, at least as many as given, with which the tests of simulated
// people pass as often as asked.
func (p Prospect) enough(requirements []Requirement, rows int, delta, power float64) (int, error) {
	for ; rows < mostRowsTried; rows += 1 + rows/20 {
		r := rand.New(rand.NewPCG(1, uint64(rows)))
		trials := min(mostTrials, mostDrawn/rows)
		allowed := int((1 - power) * float64(trials)) // failures of all requirements together
		for k := range requirements {
			for n := 0; n < trials && allowed >= 0; n++ {
				passed, err := p.passes(&requirements[k], rows, delta, r)
				if err != nil {
					return 0, err
				}
				if !passed {
					allowed--
				}
			}
		}
		if allowed >= 0 {
			break
		}
	}
	return rows, nil
}

// passes draws rows of people, and reports whether they guarantee a requirement.
func (p Prospect) passes(r *Requirement, rows int, delta float64, random *rand.Rand) (bool, error) {
	return pass([]Requirement{*r}, p.draw(r, rows, random), delta)
}

// draw draws rows of people, with scores of 0 and 1: their variance is the largest that their mean
// allows.
func (p Prospect) draw(r *Requirement, rows int, random *rand.Rand) Evidence {
	shares, _ := p.shares(r.Group) // were checked
	e := Evidence{Scores: make([]float64, rows), Labels: make([]int8, rows), Threshold: 0.5}
	groups := make([]Group, len(shares))
	for k := range groups {
		groups[k] = Group{string(rune('a' + k)), make([]bool, rows)}
	}
	for i := range rows {
		group, at := 0, random.Float64()
		for group < len(shares) && at >= shares[group] {
			at -= shares[group]
			group++
		}
		rate := p.Rate
		if group == 0 {
			rate -= p.Gap
		}
		if group < len(groups) {
			groups[group].Member[i] = true
		}
		if e.Labels[i] = -1; random.Float64() < p.Positive {
			e.Labels[i] = 1
		}
		happens := random.Float64() < rate
		if r.Kind == MaxLoss && e.Labels[i] > 0 {
			happens = !happens // no loss
		}
		if happens {
			e.Scores[i] = 1
		}
	}
	if r.Kind == MinShare {
		groups = groups[:1] // compared with all others
	}
	e.Groups = map[string][]Group{r.Group: groups}
	return e
}
