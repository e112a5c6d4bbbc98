package guarantee

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

// bernoulli returns n scores of which x are 1.
func bernoulli(x, n int) scores {
	values := make([]float64, n)
	for i := range x {
		values[i] = 1
	}
	return newScores(values)
}

// TestMeanErrorIsBounded checks every outcome of small groups with scores of 0 and 1, the
// worst ones.
func TestMeanErrorIsBounded(t *testing.T) {
	for _, test := range []exactCase{
		{20, 20, difference, 0.3, 0.05},
		{40, 15, difference, 0.4, 0.2},
		{30, 30, difference, -0.2, 0.1},
		{30, 30, ratio, 2, 0.2},
	} {
		t.Run(fmt.Sprintf("%+v", test), func(t *testing.T) {
			passed := test.checkError(t, func(i, j int) bool {
				a, b := bernoulli(i, test.na), bernoulli(j, test.nb)
				return newMeanPair(a, b, test.limit, weightOf(test.limit, test.bound), test.delta).excludes(test.bound)
			})
			if passed == 0 {
				t.Fatal("no outcome passes, so nothing is tested")
			}
		})
	}
}

// TestOneMeanErrorIsBounded is the same for one group.
func TestOneMeanErrorIsBounded(t *testing.T) {
	const n, delta = 60, 0.05
	for _, bound := range []float64{0.1, 0.3, 0.7} {
		law := distuv.Binomial{N: n, P: bound}
		wrong, passed := 0.0, 0
		for x := range n + 1 {
			if newOneMean(bernoulli(x, n), delta).excludes(bound) {
				wrong += law.Prob(float64(x))
				passed++
			}
		}
		if wrong > delta || passed == 0 {
			t.Errorf("mean %v: %d outcomes pass, with probability %v", bound, passed, wrong)
		}
	}
}

// TestMeanErrorBySimulation draws scores as classifiers give them, and rare large ones.
func TestMeanErrorBySimulation(t *testing.T) {
	const draws, delta = 200, 0.05
	r := rand.New(rand.NewPCG(3, 4))
	for name, law := range map[string]distuv.Rander{
		"uniform": distuv.Uniform{Min: 0, Max: 0.8, Src: r},
		"beta":    distuv.Beta{Alpha: 0.3, Beta: 1, Src: r},
		"rare":    distuv.Bernoulli{P: 0.02, Src: r},
	} {
		mean := law.(interface{ Mean() float64 }).Mean()
		for _, n := range []int{50, 500, 3000} {
			wrong, wrongAlone, passes := 0, 0, 0
			for range draws {
				a, b := make([]float64, n), make([]float64, 2*n)
				for i := range a {
					a[i] = law.Rand()
				}
				for i := range b {
					b[i] = law.Rand()
				}
				sa, sb := newScores(a), newScores(b)
				p := newMeanPair(sa, sb, difference, 1, delta)
				if p.excludes(0) {
					wrong++
				}
				if newOneMean(sa, delta).excludes(mean) {
					wrongAlone++
				}
				if p.excludes(5 * p.error) {
					passes++
				}
			}
			if limit := int(draws*delta + 3*math.Sqrt(draws*delta)); wrong > limit || wrongAlone > limit {
				t.Errorf("%s, %d rows: %d and %d of %d tests are wrong, want at most %d", name, n,
					wrong, wrongAlone, draws, limit)
			}
			if n == 3000 && passes < draws*8/10 { // 5 standard errors are 1.9 beyond the limit
				t.Errorf("%s: only %d of %d tests pass", name, passes, draws)
			}
		}
	}
}

// TestGrowthIsALowerBound compares the series with the sum of logarithms.
func TestGrowthIsALowerBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 300).Draw(t, "values")
		m := rapid.Float64Range(0, 1).Draw(t, "m")
		lambda := rapid.Float64Range(-largestBet, largestBet).Draw(t, "lambda")
		want := 0.0
		for _, x := range values {
			want += math.Log1p(lambda * (m - x))
		}
		s := newScores(values)
		got := s.growth(lambda, m)
		l := math.Abs(lambda)
		if slack := float64(len(values)) * l * l * l * l * 0.3; got > want+1e-9 || l <= smallBet &&
			got < want-slack-1e-9 {
			t.Errorf("λ = %v, m = %v: %v, want at most and about %v", lambda, m, got, want)
		}
	})
}

// TestGroupShare: a group of half of the rows with equal scores holds half of them.
func TestGroupShare(t *testing.T) {
	const n = 4000
	values, member := make([]float64, n), make([]bool, n)
	r := rand.New(rand.NewPCG(5, 6))
	for i := range values {
		values[i], member[i] = r.Float64(), i%2 == 0
	}
	e, err := Evidence{Scores: values, Groups: map[string][]Group{"g": {{Name: "g", Member: member}}}}.added()
	if err != nil {
		t.Fatal(err)
	}
	cells, err := e.cells("g")
	if err != nil {
		t.Fatal(err)
	}
	g := newGroupShare(cells[0].scores(anyLabel), cells[1].scores(anyLabel), 0.05)
	low := 1 - upperLimit(g, 0, 1)
	if share := g.share; !(low < share && low > share-0.06) {
		t.Errorf("the group holds at least %v, estimated %v", low, share)
	}
}

func BenchmarkMeanPair(b *testing.B) {
	for _, n := range []int{fewRows, 500_000} {
		b.Run(fmt.Sprintf("rows=%d", 2*n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(7, 8))
			values := make([]float64, n)
			for i := range values {
				values[i] = r.Float64()
			}
			for b.Loop() {
				s := newScores(values)
				upperLimit(newMeanPair(s, s, difference, 1, 0.05), -1, 1)
			}
		})
	}
}
