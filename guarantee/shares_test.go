package guarantee

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

// weightOf is the weight that suits a bound on the tests' scale.
func weightOf(l limit, bound float64) float64 {
	if l == ratio {
		return 1 / bound
	}
	return 1
}

// exactCase is a statement about two small groups.
type exactCase struct {
	na, nb int
	limit  limit
	bound  float64
	delta  float64
}

// checkError adds up, for every pair of true shares on a grid at and beyond the edge of the
// statement, the probabilities of all outcomes, i of na and j of nb, that a test passes. It
// returns the number of these outcomes.
func (c exactCase) checkError(t *testing.T, passes func(i, j int) bool) int {
	t.Helper()
	var passed []([2]int)
	for i := range c.na + 1 {
		for j := range c.nb + 1 {
			if passes(i, j) {
				passed = append(passed, [2]int{i, j})
			}
		}
	}
	const steps = 200
	worst := 0.0
	for k := range steps + 1 {
		b := float64(k) / steps
		edge := max(0, c.limit.least(b, c.bound))
		for _, a := range []float64{edge, edge + 0.01, edge + 0.2} {
			if a > 1 {
				continue
			}
			ba, bb := distuv.Binomial{N: float64(c.na), P: a}, distuv.Binomial{N: float64(c.nb), P: b}
			wrong := 0.0
			for _, x := range passed {
				wrong += mass(ba, x[0]) * mass(bb, x[1])
			}
			worst = max(worst, wrong)
			if wrong > c.delta {
				t.Fatalf("shares %v and %v: passes with probability %v, more than %v", a, b, wrong, c.delta)
			}
		}
	}
	t.Logf("%d outcomes pass, largest error %.4f", len(passed), worst)
	return len(passed)
}

// TestShareErrorIsBounded checks every outcome of small groups.
func TestShareErrorIsBounded(t *testing.T) {
	for _, test := range []exactCase{
		{1, 1, difference, 0.5, 0.05},
		{10, 10, difference, 0.1, 0.05},
		{12, 30, difference, 0.2, 0.05},
		{30, 12, difference, 0, 0.05},
		{30, 30, difference, 0.3, 0.2},
		{4, 45, difference, 0.05, 0.01},
		{40, 40, difference, 0.15, 0.5},
		{25, 25, ratio, 1.25, 0.05},
		{12, 40, ratio, 2, 0.1},
		{40, 10, ratio, 1, 0.05},
	} {
		t.Run(fmt.Sprintf("%+v", test), func(t *testing.T) {
			test.checkError(t, func(i, j int) bool {
				a, b := count{i, test.na}, count{j, test.nb}
				return pairOf(a, b, test.limit, weightOf(test.limit, test.bound), test.delta).excludes(test.bound)
			})
		})
	}
}

// mass is the probability of x, also for the shares 0 and 1.
func mass(b distuv.Binomial, x int) float64 {
	switch {
	case b.P == 0 && x == 0 || b.P == 1 && x == int(b.N):
		return 1
	case b.P == 0 || b.P == 1:
		return 0
	}
	return b.Prob(float64(x))
}

// TestShareErrorOfLargeGroups adds up the probabilities, at the edge of the statement, of the
// outcomes that pass. With every count of b a few more counts of a do, see TestShareMonotone.
func TestShareErrorOfLargeGroups(t *testing.T) {
	const delta = 0.05
	for _, test := range []struct {
		na, nb int
		limit  limit
		b      float64
		bound  float64
	}{
		{600, 600, difference, 0.4, 0.1},
		{300, 5000, difference, 0.02, 0.05},
		{5000, 300, difference, 0.9, 0.05},
		{1000, 1000, ratio, 0.4, 1.25},
		{200, 4000, ratio, 0.05, 1.25},
	} {
		da := distuv.Binomial{N: float64(test.na), P: test.limit.least(test.b, test.bound)}
		db := distuv.Binomial{N: float64(test.nb), P: test.b}
		passes := func(i, j int) bool {
			s := pairOf(count{i, test.na}, count{j, test.nb}, test.limit, weightOf(test.limit, test.bound), delta)
			return s.excludes(test.bound)
		}
		// Counts farther from the mean than 8 standard deviations have no weight.
		first, last := int(db.Mean()-8*db.StdDev()), int(db.Mean()+8*db.StdDev())
		most, wrong := max(0, int(da.Mean()-8*da.StdDev())), 0.0
		for j := max(0, first); j <= min(last, test.nb); j++ {
			for most < test.na && passes(most+1, j) {
				most++
			}
			wrong += db.Prob(float64(j)) * da.CDF(float64(most))
		}
		t.Logf("%+v: error %.4f", test, wrong)
		if wrong > delta {
			t.Errorf("%+v: error %v, want at most %v", test, wrong, delta)
		}
	}
}

// TestSharePower checks the power of the test: 1 200 rows in two groups with rates near
// 0.4 show that the gap is within 0.1 up to an estimate of 0.05; no normal approximation
// does so above 0.0535.
func TestSharePower(t *testing.T) {
	pass := func(gap int) bool {
		return pairOf(count{240 + gap, 600}, count{240, 600}, difference, 1, 0.05).excludes(0.1)
	}
	if !pass(30) {
		t.Error("an estimate of 0.05 does not pass")
	}
	if pass(33) {
		t.Error("an estimate of 0.055 passes")
	}
}

// TestShareMonotone: more positive rows in a, fewer in b or a smaller bound never help.
func TestShareMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		na, nb := rapid.IntRange(1, 60).Draw(t, "na"), rapid.IntRange(1, 60).Draw(t, "nb")
		i, j := rapid.IntRange(0, na).Draw(t, "i"), rapid.IntRange(0, nb).Draw(t, "j")
		bound := rapid.Float64Range(0, 0.9).Draw(t, "bound")
		if !pairOf(count{i, na}, count{j, nb}, difference, 1, 0.05).excludes(bound) {
			return
		}
		// The search for cells may end a resolution too early.
		better := bound + 0.02
		if i > 0 && !pairOf(count{i - 1, na}, count{j, nb}, difference, 1, 0.05).excludes(better) {
			t.Errorf("(%d, %d) of (%d, %d) passes %v, but (%d, %d) does not", i, j, na, nb, bound, i-1, j)
		}
		if j < nb && !pairOf(count{i, na}, count{j + 1, nb}, difference, 1, 0.05).excludes(better) {
			t.Errorf("(%d, %d) of (%d, %d) passes %v, but (%d, %d) does not", i, j, na, nb, bound, i, j+1)
		}
		if !pairOf(count{i, na}, count{j, nb}, difference, 1, 0.05).excludes(better) {
			t.Errorf("(%d, %d) of (%d, %d) passes %v, but not %v", i, j, na, nb, bound, better)
		}
	})
}

// TestNewcombeRises: the order of counts is monotone, on which the proof rests.
func TestNewcombeRises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		na, nb := rapid.IntRange(1, 2000).Draw(t, "na"), rapid.IntRange(1, 2000).Draw(t, "nb")
		weight := rapid.Float64Range(0.1, 1).Draw(t, "weight")
		order := newNewcombe(float64(na), float64(nb), weight, rapid.Float64Range(0.001, 0.5).Draw(t, "delta"))
		i, j := rapid.IntRange(0, na-1).Draw(t, "i"), rapid.IntRange(0, nb-1).Draw(t, "j")
		if order.at(i+1, j) < order.at(i, j)-1e-13 || order.at(i, j+1) > order.at(i, j)+1e-13 {
			t.Errorf("T(%d, %d) = %v, T(%d, %d) = %v, T(%d, %d) = %v", i, j, order.at(i, j), i+1, j,
				order.at(i+1, j), i, j+1, order.at(i, j+1))
		}
	})
}

// TestProbabilityIsAnUpperBound compares f with the sum over all outcomes that are at least
// as favourable as the one seen, ties included: T(1, 0) = T(2, 1) for two rows in either
// group, which rounding may separate.
func TestProbabilityIsAnUpperBound(t *testing.T) {
	const tie = 1e-12
	rapid.Check(t, func(t *rapid.T) {
		na, nb := rapid.IntRange(1, 300).Draw(t, "na"), rapid.IntRange(1, 300).Draw(t, "nb")
		s := pairOf(count{rapid.IntRange(0, na).Draw(t, "i"), na},
			count{rapid.IntRange(0, nb).Draw(t, "j"), nb}, difference, 1, 0.05)
		a := rapid.Float64Range(s.a.low, s.a.high).Draw(t, "a")
		b := rapid.Float64Range(s.b.low, s.b.high).Draw(t, "b")
		order := newNewcombe(float64(na), float64(nb), 1, 0.05)
		ba, bb := distuv.Binomial{N: float64(na), P: a}, distuv.Binomial{N: float64(nb), P: b}
		want := 0.0
		for i := range na + 1 {
			for j := range nb + 1 {
				if order.at(i, j) <= s.statistic+tie {
					want += mass(ba, i) * mass(bb, j)
				}
			}
		}
		got := s.probability(a, b)
		if got < want-1e-12 || got > want+2e-9 {
			t.Errorf("n = %d, %d, a = %v, b = %v: f = %v, want %v", na, nb, a, b, got, want)
		}
	})
}

// TestTiesAreInTheRegion: of two equal groups (i, j) and its mirror image (n − j, n − i) are
// equally favourable, so that each is in the region of the other, however T is rounded.
func TestTiesAreInTheRegion(t *testing.T) {
	for _, delta := range []float64{0.5, 0.05, 1e-6} {
		for n := 1; n <= 20; n++ {
			for i := range n + 1 {
				for j := range n + 1 {
					s := pairOf(count{i, n}, count{j, n}, difference, 1, delta)
					k := n - j - s.wa.first
					if k < 0 || k >= len(s.edge) {
						continue // outside of every window
					}
					if s.edge[k] > n-i {
						t.Errorf("δ = %v: (%d, %d) of %d rows each is not in the region of (%d, %d)", delta, n-j, n-i, n, i, j)
					}
				}
			}
		}
	}
}

// TestWindow compares the distribution of a count with gonum's.
func TestWindow(t *testing.T) {
	for _, n := range []int{1, 7, 1000, 500_000} {
		for _, p := range []float64{0, 1e-9, 0.003, 0.5, 0.999, 1} {
			w := newWindow(n, p, p)
			w.set(p)
			law := distuv.Binomial{N: float64(n), P: p}
			for k := 0; k < len(w.mass); k += 1 + len(w.mass)/97 {
				want := mass(law, w.lo+k)
				if math.Abs(w.mass[k]-want) > 1e-7*want+1e-12 { // gonum takes differences of log Γ
					t.Errorf("n = %d, p = %v: P(%d) = %v, want %v", n, p, w.lo+k, w.mass[k], want)
				}
			}
			w.cumulate()
			if w.tail(w.lo) != 1 || w.tail(w.lo+len(w.mass)) != 0 {
				t.Errorf("n = %d, p = %v: the window is not all", n, p)
			}
		}
	}
}

// TestClopperPearson checks the limits by their definition: the tail at a limit is at most
// the given tail, and not much smaller.
func TestClopperPearson(t *testing.T) {
	check := func(x, n int, side string, limit, got, tail float64) {
		if got > tail || got < 0.95*tail {
			t.Errorf("%d of %d: at the %s limit %v the tail is %v, want %v", x, n, side, limit, got, tail)
		}
	}
	for _, tail := range []float64{2.5e-4, 2.5e-9, 1e-12} {
		for _, n := range []int{1, 20, 114, 308} {
			for x := range n + 1 {
				low, high := clopperPearson(x, n, tail)
				for k, sum := 0, 0.0; k <= n && x < n; k++ {
					sum += mass(distuv.Binomial{N: float64(n), P: high}, k)
					if k == x && high < 1 {
						check(x, n, "upper", high, sum, tail)
					}
				}
				for k, sum := n, 0.0; k >= 0 && x > 0; k-- {
					sum += mass(distuv.Binomial{N: float64(n), P: low}, k)
					if k == x && low > 0 {
						check(x, n, "lower", low, sum, tail)
					}
				}
			}
		}
	}
	const n, tail = 1_000_000, 2.5e-4
	_, high := clopperPearson(0, n, tail)
	check(0, n, "upper", high, math.Pow(1-high, n), tail)
	low, high := clopperPearson(n/3, n, tail)
	w := newWindow(n, 0, 1)
	for side, limit := range map[string]float64{"lower": low, "upper": high} {
		w.set(limit)
		w.cumulate()
		if side == "lower" {
			check(n/3, n, side, limit, w.tail(n/3), tail)
		} else {
			check(n/3, n, side, limit, 1-w.tail(n/3+1), tail)
		}
	}
}

// TestErrorOfSmallGroups tries all outcomes for two groups of up to six rows. However a
// requirement is broken, it passes with probability at most δ, and the limit is on the
// wrong side of the true value with probability at most δ.
func TestErrorOfSmallGroups(t *testing.T) {
	const steps = 20
	for _, r := range []Requirement{
		{Kind: MaxDifference, Group: "g", Bound: 0.3},
		{Kind: MaxDifference, Group: "g", Bound: 0.8, Scores: true},
		{Kind: MinRatio, Group: "g", Bound: 0.5},
		{Kind: MinRatio, Group: "g", Bound: 0.05, Scores: true},
	} {
		for _, delta := range []float64{0.05, 0.5} {
			passes, largest := 0, 0.0
			for na := 1; na <= 6; na++ {
				for nb := na; nb <= 6; nb++ {
					verdicts := make([]Verdict, (na+1)*(nb+1))
					for x := range verdicts {
						report, err := Test([]Requirement{r},
							bernoulliRows([]int{x / (nb + 1), x % (nb + 1)}, []int{na, nb}), 1-delta)
						if err != nil {
							t.Fatal(err)
						}
						verdicts[x] = report.Requirements[0]
						if report.Holds {
							passes++
						}
					}
					for x := range (steps + 1) * (steps + 1) {
						a, b := float64(x/(steps+1))/steps, float64(x%(steps+1))/steps
						truth := math.Abs(a - b)
						if r.Kind == MinRatio {
							truth = min(a, b) / max(a, b, 1e-9)
						}
						wrong, beyond := 0.0, 0.0
						for x, v := range verdicts {
							p := mass(distuv.Binomial{N: float64(na), P: a},
								x/(nb+1)) * mass(distuv.Binomial{N: float64(nb), P: b}, x%(nb+1))
							const rounding = 1e-12
							broken := truth > r.Bound+rounding
							off := v.Upper != nil && *v.Upper < truth-rounding
							if r.Kind == MinRatio {
								broken = max(a, b) > 0 && truth < r.Bound-rounding
								off = max(a, b) > 0 && *v.Lower > truth+rounding
							}
							if broken && v.Holds {
								wrong += p
							}
							if off {
								beyond += p
							}
						}
						largest = max(largest, wrong, beyond)
						if wrong > delta || beyond > delta {
							t.Errorf("%+v of %d and %d rows, shares %v and %v: passes with probability %v, the limit is wrong with %v, want at most %v",
								r, na, nb, a, b, wrong, beyond, delta)
						}
					}
				}
			}
			t.Logf("%+v, δ = %v: %d outcomes pass, largest error %.4f", r, delta, passes, largest)
		}
	}
}

// bernoulliRows are groups of scores of which the first are 1 and the others 0.
func bernoulliRows(positive, rows []int) Evidence {
	var e Evidence
	total := 0
	for _, n := range rows {
		total += n
	}
	groups := make([]Group, len(rows))
	for k, n := range rows {
		groups[k] = Group{Name: fmt.Sprint(k), Member: make([]bool, total)}
		for i := range n {
			groups[k].Member[len(e.Scores)] = true
			score := 0.0
			if i < positive[k] {
				score = 1
			}
			e.Scores = append(e.Scores, score)
		}
	}
	e.Threshold = 0.5
	e.Groups = map[string][]Group{"g": groups}
	return e
}

// TestNoPositiveRows has a closed form: the region of (0, 0) contains all outcomes with
// no positive row in a, so the limit of a − b is at least the limit of a alone.
func TestNoPositiveRows(t *testing.T) {
	const n, delta = 100, 0.05
	alone := 1 - math.Pow(delta, 1.0/n)
	got := upperLimit(pairOf(count{0, n}, count{0, n}, difference, 1, delta), 0, 1)
	if !(got > alone && got < 1.5*alone) {
		t.Errorf("0 of %d twice: the difference is at most %v, expected just above %v", n, got, alone)
	}
}

func BenchmarkSharePair(b *testing.B) {
	for _, n := range []int{600, 5000, 500_000} {
		b.Run(fmt.Sprintf("rows=%d", 2*n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				upperLimit(pairOf(count{n * 41 / 100, n}, count{n * 2 / 5, n}, difference, 1, 0.05), -1, 1)
			}
		})
	}
}

// pairOf prepares the tests for two counts, with their region.
func pairOf(a, b count, l limit, weight, delta float64) *sharePair {
	pair := newSharePair(a.within(delta), b.within(delta), l, weight, delta)
	pair.region()
	return pair
}
