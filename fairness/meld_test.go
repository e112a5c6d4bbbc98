package fairness

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mathext"
	"pgregory.net/rapid"
)

func shareOf(cases, rows, tail float64) limits { return clopperPearson(cases/rows, rows, tail) }

// someShare draws a share of a few or many rows.
func someShare(t *rapid.T, name string, tail float64) limits {
	rows := rapid.OneOf(rapid.IntRange(1, 20), rapid.IntRange(20, 5000)).Draw(t, name)
	return shareOf(float64(rapid.IntRange(0, rows).Draw(t, name)), float64(rows), tail)
}

// TestMeldedIsFisher: at a gap of 0 the chance is the p-value of Fisher's exact test, a sum of
// hypergeometric probabilities, for differences and for ratios.
func TestMeldedIsFisher(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := someShare(t, "a", 0.05), someShare(t, "b", 0.05)
		x, y := math.Round(a.value*a.rows), math.Round(b.value*b.rows)
		want, cases := 0.0, x+y // P(X ≤ x) given the cases in all
		for k := max(0, cases-b.rows); k <= x; k++ {
			want += math.Exp(mathext.Lbeta(a.rows-k+1, k+1)*-1 - math.Log(a.rows+1) -
				mathext.Lbeta(b.rows-cases+k+1, cases-k+1) - math.Log(b.rows+1) +
				mathext.Lbeta(a.rows+b.rows-cases+1, cases+1) + math.Log(a.rows+b.rows+1))
		}
		for name, g := range map[string]gap{"difference": differences, "ratio": ratios} {
			if got := g.chance(a, b, 0); math.Abs(got-want) > 1e-3*want+1e-9 { // far below any tail that is asked for
				t.Fatalf("%s: %v, by the hypergeometric distribution %v", name, got, want)
			}
		}
	})
}

// TestMeldedLimit: the chance at the limit is the tail, and in many groups the ends are those of all
// pairs, of which most are not computed.
func TestMeldedLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		level := rapid.SampledFrom([]float64{0.5, 0.9, 0.95, 0.999}).Draw(t, "level")
		groups := rapid.IntRange(2, 4).Draw(t, "groups")
		pairs := orders(groups)
		tails := tailsOf(level, len(pairs))
		cells := make([]estimates, 1+groups)
		for k := 1; k <= groups; k++ {
			s := someShare(t, "group", tails.single)
			cells[k] = estimates{s, clopperPearson(s.value, s.rows, tails.joint)}
		}
		for name, g := range map[string]gap{"difference": differences, "ratio": ratios} {
			low, high := 0.0, 0.0
			for _, p := range pairs {
				a, b := cells[p.first], cells[p.second]
				e := g.upper(a.single, b.single, tails.single, -1, 1)
				at, before := g.chance(a.single, b.single, e), g.chance(a.single, b.single, e-2e-10)
				if e < 1 && at > tails.single/2+1e-13 || e > -1+1e-9 && before < tails.single/2-1e-13 {
					t.Fatalf("%s: at the limit %v the chance is %v, just before %v", name, e, at, before)
				}
				high, low = max(high, e), max(low, -g.upper(b.joint, a.joint, tails.joint, -1, 1))
			}
			gotLow, gotHigh := g.ends(cells, pairs, tails)
			if math.Abs(gotLow-low) > 1e-9 || math.Abs(gotHigh-high) > 1e-9 {
				t.Fatalf("%s: [%v, %v], of all pairs [%v, %v]", name, gotLow, gotHigh, low, high)
			}
		}
	})
}

// TestGapCoverage adds up the probabilities of all outcomes whose limits miss the true difference, ratio
// or sum of two shares. A limit misses if and only if the chance at the truth is at most the tail. Each side
// may miss with half of what the level allows, at every level; rates are at and near 0 and 1, and between.
// docs/intervals.md has the least coverage of both sides.
func TestGapCoverage(t *testing.T) {
	page, err := os.ReadFile("../docs/intervals.md")
	if err != nil {
		t.Fatal(err)
	}
	levels := []float64{0.5, 0.8, 0.9, 0.95, 0.99, 0.999}
	for _, sizes := range [][2]int{{3, 3}, {3, 50}, {6, 54}, {12, 13}, {20, 20}, {20, 180}, {60, 540}} {
		n, m := sizes[0], sizes[1]
		first, second := []float64{0, 0.5, 0.98}, []float64{0, 0.3, 0.5}
		for _, l := range []float64{0.3, 0.7, 2} {
			first = append(first, l/float64(n), 1-l/float64(n))
			second = append(second, l/float64(m), 1-l/float64(m))
		}
		if n*m > 1000 {
			first, second = []float64{0, 0.3, 1 - 0.7/float64(n)}, []float64{0.7 / float64(m), 0.6}
		}
		least := make([]float64, len(levels))
		for l := range least {
			least[l] = 1
		}
		for _, p := range first {
			for _, q := range second {
				for l, figures := range misses(n, m, p, q, levels) {
					for k, sides := range figures {
						if max(sides[0], sides[1]) > (1-levels[l])/2 {
							t.Errorf("%d and %d rows with rates %v and %v: the limits %d of level %v are missed with %v",
								n, m, p, q, k, levels[l], sides)
						}
						least[l] = min(least[l], 1-sides[0]-sides[1])
					}
				}
			}
		}
		line := fmt.Sprintf("| %d and %d |", n, m)
		for _, l := range least[2:] {
			line += fmt.Sprintf(" %.4f |", math.Floor(l*1e4)/1e4)
		}
		if !strings.Contains(string(page), line) {
			t.Errorf("docs/intervals.md lacks the line\n%s", line)
		}
	}
}

// misses returns the probabilities of limits that miss the true difference, ratio and sum of two shares, by
// level, figure and side.
func misses(n, m int, p, q float64, levels []float64) [][3][2]float64 {
	is, ps := binomial(n, p)
	js, qs := binomial(m, q)
	missed := make([][3][2]float64, len(levels))
	for a, i := range is {
		for b, j := range js {
			x, y := shareOf(float64(i), float64(n), 0.05), shareOf(float64(j), float64(m), 0.05)
			rest := limits{value: 1 - y.value, rows: y.rows}
			for k, chances := range [3][2]float64{
				{differences.chance(x, y, p-q), differences.chance(y, x, q-p)},
				{ratios.chance(x, y, ratios.of(p, q)), ratios.chance(y, x, ratios.of(q, p))},
				{differences.chance(x, rest, p+q-1), differences.chance(rest, x, 1-p-q)},
			} {
				for side, chance := range chances {
					for l, level := range levels {
						if chance <= (1-level)/2-1e-12 {
							missed[l][k][side] += ps[a] * qs[b]
						}
					}
				}
			}
		}
	}
	return missed
}
