package guarantee

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestPage computes figures of docs/guarantee.md again.
func TestPage(t *testing.T) {
	text, err := os.ReadFile("../docs/guarantee.md")
	if err != nil {
		t.Fatal(err)
	}
	page := strings.Join(strings.Fields(string(text)), " ")
	states := func(format string, args ...any) {
		t.Helper()
		if s := fmt.Sprintf(format, args...); !strings.Contains(page, s) {
			t.Errorf("the page lacks %q", s)
		}
	}
	const delta, level = 0.05, 0.95
	thousands := func(n int) string {
		s := strconv.Itoa(n)
		for i := len(s) - 3; i > 0; i -= 3 {
			s = s[:i] + " " + s[i:]
		}
		return s
	}

	// The largest estimate from which a bound is guaranteed, of two groups of n rows, the smaller rate 0.4.
	largest := func(n int, bound float64, passes func(a, b count) bool) string {
		base, best := n*2/5, -1
		for passes(count{base + best + 1, n}, count{base, n}) {
			best++
		}
		if best < 0 {
			return "–"
		}
		return fmt.Sprintf("%.3f", float64(best)/float64(n))
	}
	for _, rows := range []int{500, 1200, 5000, 20000} {
		line := "| " + thousands(rows) + " |"
		if rows < 1000 {
			line = fmt.Sprintf("| %d |", rows)
		}
		for _, bound := range []float64{0.1, 0.05, 0.02} {
			line += " " + largest(rows/2, bound, func(a, b count) bool {
				return pairOf(a, b, difference, 1, delta).excludes(bound)
			}) + " |"
		}
		states("%s", line)
	}
	union := largest(600, 0.1, func(a, b count) bool {
		_, high := clopperPearson(a.positive, a.rows, delta/2)
		low, _ := clopperPearson(b.positive, b.rows, delta/2)
		return high-low <= 0.1
	})
	states("would need an estimate of at most %s where %s does", union, "0.052")

	// The error of one side at a = b + 0.1.
	for n, least := range map[int]string{100: "0.024 with 100 rows", 300: "0.043 with 300"} {
		most, i := make([]int, n+1), -1 // the largest count of a that passes
		for j := range most {
			for i < n && pairOf(count{i + 1, n}, count{j, n}, difference, 1, delta).excludes(0.1) {
				i++
			}
			most[j] = i
		}
		worst, best := 0.0, 1.0
		for k := range 901 {
			b := float64(k) / 1000
			wrong := 0.0
			for j, m := range most {
				if p := mass(distuv.Binomial{N: float64(n), P: b}, j); m >= 0 && p > 0 {
					if m < n {
						p *= distuv.Binomial{N: float64(n), P: min(b+0.1, 1-1e-15)}.CDF(float64(m))
					}
					wrong += p
				}
			}
			worst, best = max(worst, wrong), min(best, wrong)
		}
		states("The largest error over all true shares is %.4f each time", worst)
		states("%s", least)
		if !strings.HasPrefix(least, fmt.Sprintf("%.3f", best)) {
			t.Errorf("with %d rows the error goes down to %v", n, best)
		}
	}

	// --plan, of numbers of rows that are not simulated and of two that are.
	plan := func(bound, gap, rate float64, kind Kind, shares ...float64) string {
		r := parity(bound)
		r[0].Kind = kind
		n, err := Plan(r, Prospect{Groups: map[string][]float64{"g": shares}, Rate: rate, Gap: gap}, level, 0.9)
		if err != nil {
			t.Fatal(err)
		}
		return thousands(n)
	}
	for _, rate := range []float64{0.1, 0.4} {
		const bound = 0.01
		states("| %v | %v | %s | %s | %s | %s |", rate, bound, plan(bound, 0, rate, MaxDifference, 0.5, 0.5),
			plan(bound, bound/2, rate, MaxDifference, 0.5, 0.5), plan(bound, 0, rate, MaxDifference, 0.1, 0.9),
			plan(bound, bound/2, rate, MaxDifference, 0.1, 0.9))
	}
	states("| 0.1 | 0.1 | %s |", plan(0.1, 0, 0.1, MaxDifference, 0.5, 0.5))
	states("| rate 0.4, difference 0.05 | %s |", plan(0.05, 0, 0.4, MaxDifference, 0.5, 0.5))
}
