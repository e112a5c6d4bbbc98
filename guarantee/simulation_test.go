package guarantee

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

var long = flag.Bool("long", false, "run the tests that take minutes, too")

// drawn are people of several groups, of whom rows are drawn.
type drawn struct {
	name   string
	r      Requirement
	rows   [][2]int     // of each group, by label
	shares [][2]float64 // of positive decisions among them
	value  float64      // of what is bounded, in truth
	draws  int
}

// draw draws rows; a decision is a score of 0 or 1.
func (d *drawn) draw(random *rand.Rand) *Added {
	a := &Added{Labelled: true, Groups: map[string]AddedGroups{}}
	g := AddedGroups{Sums: make([]Sums, 2*len(d.rows)+2)}
	for k, rows := range d.rows {
		g.Names = append(g.Names, fmt.Sprint("g", k))
		for label, n := range rows {
			s := &g.Sums[2*k+label]
			for range n {
				positive := random.Float64() < d.shares[k][label]
				score := 0.0
				if positive {
					score = 1
				}
				s.Add(score, positive)
			}
			a.Rows += n
		}
	}
	a.Groups["g"] = g
	return a
}

// TestAnswersBySimulation: a wrong answer is not more frequent than stated, at the edge of the bound
// above all. docs/guarantee.md has the figures of -long.
func TestAnswersBySimulation(t *testing.T) {
	const confidence = 0.95
	differ := func(bound float64, labels ...int8) Requirement {
		return Requirement{Spec: "difference", Group: "g", Bound: bound, Labels: labels}
	}
	of := func(name string, r Requirement, value float64, draws, rows int, shares ...float64) drawn {
		d := drawn{name: name, r: r, value: value, draws: draws}
		for _, share := range shares {
			d.rows, d.shares = append(d.rows, [2]int{rows, 0}), append(d.shares, [2]float64{share, share})
		}
		return d
	}
	scores := differ(0.1)
	scores.Scores = true
	odds := of("equalized odds, 2 groups of 300 and 200, TPR at the edge", differ(0.1, 1, -1), 0.1, 20_000, 300, 0.4, 0.4)
	odds.rows[0][1], odds.rows[1][1], odds.shares[0][1] = 200, 200, 0.5
	for _, d := range []drawn{
		of("2 groups of 300, at the edge", differ(0.1), 0.1, 20_000, 300, 0.5, 0.4),
		of("2 groups of 30, at the edge", differ(0.2), 0.2, 20_000, 30, 0.5, 0.3),
		of("2 groups of 300, equal, bound 0", differ(0), 0, 20_000, 300, 0.4, 0.4),
		of("2 groups of 300, half of the bound", differ(0.1), 0.05, 20_000, 300, 0.45, 0.4),
		of("2 groups of 300, 1.5 times the bound", differ(0.1), 0.15, 20_000, 300, 0.55, 0.4),
		of("3 groups of 200, two at the edge", differ(0.1), 0.1, 20_000, 200, 0.5, 0.4, 0.4),
		of("ratio of 0.8, 2 groups of 300", Requirement{Spec: "ratio", Group: "g", Kind: MinRatio, Bound: 0.8}, 0.8, 20_000, 300, 0.4, 0.5),
		odds,
		of("mean scores, 2 groups of 300", scores, 0.1, 20_000, 300, 0.5, 0.4),
		of("group loss, 2 groups of 300", Requirement{Spec: "loss", Group: "g", Kind: MaxRate, Rate: Wrong, Scores: true, Bound: 0.3}, 0.3, 20_000, 300, 0.3, 0.3),
		of("rate at most 0.3, 2 groups of 300", Requirement{Spec: "most", Group: "g", Kind: MaxRate, Bound: 0.3}, 0.3, 20_000, 300, 0.3, 0.3),
		of("rate at least 0.8, 2 groups of 300", Requirement{Spec: "least", Group: "g", Kind: MinRate, Bound: 0.8}, 0.8, 20_000, 300, 0.8, 0.8),
		of("rate at least 0.8, 1.05 times it", Requirement{Spec: "least", Group: "g", Kind: MinRate, Bound: 0.8}, 0.84, 20_000, 300, 0.84, 0.9),
		of("60 groups of 100, equal", differ(0.1), 0, 200, 100, slices.Repeat([]float64{0.4}, 60)...),
	} {
		random := rand.New(rand.NewPCG(1, 2))
		draws := d.draws
		if !*long {
			draws = max(2, draws/100)
		}
		type answers struct {
			test, judged Answer
			missed       bool
		}
		cache := map[string]answers{}
		var satisfied, violated, judgedSatisfied, judgedViolated, missed int
		for range draws {
			a := d.draw(random)
			key := ""
			for _, s := range a.Groups["g"].Sums {
				key += fmt.Sprint(s.Positive, " ")
			}
			got, known := cache[key]
			if !known {
				report, err := Test([]Requirement{d.r}, a, confidence)
				if err != nil {
					t.Fatal(err)
				}
				list, err := Judge([]Requirement{d.r}, a, confidence)
				if err != nil {
					t.Fatal(err)
				}
				const rounding = 1e-9
				got = answers{report.Requirements[0].Answer, list[0].Verdict, *list[0].Lower > d.value+rounding || *list[0].Upper < d.value-rounding}
				cache[key] = got
			}
			count := func(n *int, is bool) {
				if is {
					*n++
				}
			}
			count(&satisfied, got.test == Satisfied)
			count(&violated, got.test == Violated)
			count(&judgedSatisfied, got.judged == Satisfied)
			count(&judgedViolated, got.judged == Violated)
			count(&missed, got.missed)
		}
		share := func(n int) float64 { return float64(n) / float64(draws) }
		t.Logf("| %s | %.4f | %.4f | %.4f | %.4f | %.4f |", d.name, share(satisfied), share(violated), share(judgedSatisfied), share(judgedViolated), share(missed))
		const most = 1 - confidence
		within := d.value <= d.r.Bound != d.r.fromBelow() || d.value == d.r.Bound
		beyond := !within || d.value == d.r.Bound // at the edge both are rare
		chance := 4 * math.Sqrt(most*(1-most)/float64(draws))
		if within && max(share(violated), share(judgedViolated)) > most+chance || beyond && max(share(satisfied), 2*share(judgedSatisfied)) > most+chance ||
			share(missed) > most+chance {
			t.Errorf("%s: more than %v wrong answers", d.name, most)
		}
	}
}

// TestWeightedIntervals: intervals contain the truth as often as stated where weights of 1 and 10 have nothing
// to do with decisions, go with positive ones, or against them.
func TestWeightedIntervals(t *testing.T) {
	const rows, draws, level = 200, 300, 0.95
	r := rand.New(rand.NewPCG(4, 5))
	for _, heavy := range [][2]float64{{0.3, 0.3}, {0.1, 0.8}, {0.6, 0}} { // shares of the weight 10, by decision
		missed, truth := 0, [2]float64{}
		for g, p := range []float64{0.3, 0.2} {
			selected := p * (1 + 9*heavy[1])
			truth[g] = selected / (selected + (1-p)*(1+9*heavy[0]))
		}
		for range draws {
			e := Evidence{Threshold: 0.5, Groups: map[string][]Group{"g": {
				{Name: "a", Member: make([]bool, 2*rows)}, {Name: "b", Member: make([]bool, 2*rows)},
			}}}
			for i := range 2 * rows {
				g := i % 2
				e.Groups["g"][g].Member[i] = true
				score, weight := 0.0, 1.0
				if r.Float64() < []float64{0.3, 0.2}[g] {
					score = 1
				}
				if r.Float64() < heavy[int(score)] {
					weight = 10
				}
				e.Scores, e.Weights = append(e.Scores, score), append(e.Weights, weight)
			}
			list, err := Judge([]Requirement{{Group: "g", Bound: 0.1}}, e, level)
			if err != nil {
				t.Fatal(err)
			}
			if value := math.Abs(truth[0] - truth[1]); *list[0].Lower > value || *list[0].Upper < value {
				missed++
			}
		}
		if share := float64(missed) / draws; share > 1-level+0.02 {
			t.Errorf("weights by decision %v: %v miss the truth %v", heavy, share, truth)
		}
	}
}
