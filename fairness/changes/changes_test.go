package changes

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// population is a group of simulated people.
type population struct {
	people   int
	positive float64    // share of the positive label
	before   [2]float64 // probability of a positive decision by label: the false and the true positive rate
	flip     [2]float64 // probabilities that a negative and that a positive decision changes
	// churn is the part of people who are decided on once more, with the same probabilities
	churn float64
}

// one and other differ in all rates, before and after, by as much.
var (
	one   = population{700, 0.5, [2]float64{0.35, 0.9}, [2]float64{}, 0.3}
	other = population{900, 0.15, [2]float64{0.1, 0.5}, [2]float64{}, 0.3}
)

// draw draws the people of groups.
func draw(r *rand.Rand, groups []population) *Table {
	bit := func(p float64) int {
		if r.Float64() < p {
			return 1
		}
		return 0
	}
	t := &Table{Groups: []Groups{{Spec: "g"}}}
	for _, g := range groups {
		var c Counts
		for range g.people {
			label := bit(g.positive)
			before := bit(g.before[label])
			after := before ^ bit(g.flip[before])
			if bit(g.churn) == 1 {
				after = bit(g.before[label])
			}
			c.Add(label, before, after, 1)
		}
		t.Groups[0].Names = append(t.Groups[0].Names, string(rune('a'+len(t.Groups[0].Names))))
		t.Groups[0].Of = append(t.Groups[0].Of, c)
		t.All.merge(&c)
	}
	return t
}

// TestFalseAlarms draws people of whom no difference rose, and counts how often some side effect is
// called worse.
func TestFalseAlarms(t *testing.T) {
	const draws = 800
	odds := [2]float64{0.2, 0.7}
	apart := [2]float64{0.3, 0.8}
	same := func(people int, before [2]float64, up, down float64) population {
		return population{people, 0.4, before, [2]float64{up, down}, 0}
	}
	rare := func(people int) population {
		return population{people, 0.05, [2]float64{0.02, 0.5}, [2]float64{0.01, 0.2}, 0}
	}
	few := func(p population) population { p.people = 230; return p }
	many := []population{}
	for k := range 12 {
		many = append(many, same(80+60*k, odds, 0.05, 0.05))
	}
	for name, groups := range map[string][]population{
		"nothing changes":      {same(900, odds, 0, 0), same(300, odds, 0, 0)},
		"equal groups":         {same(900, odds, 0.1, 0.1), same(300, odds, 0.1, 0.1)},
		"equal and rarer":      {same(900, odds, 0, 0.5), same(300, odds, 0, 0.5)},
		"few people":           {same(2000, odds, 0.05, 0.1), same(80, odds, 0.05, 0.1)},
		"hardly a change":      {same(3000, odds, 0.002, 0.002), same(1000, odds, 0.002, 0.002)},
		"apart as before":      {same(1500, odds, 0, 0), same(500, apart, 0, 0)},
		"twelve equal groups":  many,
		"rare positives":       {rare(2000), rare(700)},
		"others, as far apart": {one, other},
		"so few":               {few(one), few(other)},
		"among many":           append([]population{one, other}, many...),
	} {
		r, alarms := rand.New(rand.NewPCG(1, 2)), 0
		for range draws {
			if c := draw(r, groups).Judge("test", nil); len(c.Worse()) > 0 {
				alarms++
			}
		}
		rate := float64(alarms) / draws
		t.Logf("%s: %.3f", name, rate)
		if allowed := Alpha + 3*math.Sqrt(Alpha*(1-Alpha)/draws); rate > allowed {
			t.Errorf("%s: false alarms in %.3f of draws, allowed are %.3f", name, rate, allowed)
		}
	}
}

// TestPower asserts that what rises much is seen.
func TestPower(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	groups := []population{
		{1500, 0.5, [2]float64{0.2, 0.7}, [2]float64{0, 0.15}, 0},
		{1500, 0.4, [2]float64{0.2, 0.7}, [2]float64{0.12, 0}, 0},
		{12, 0.5, [2]float64{0.2, 0.7}, [2]float64{0, 0}, 0},
	}
	c := draw(r, groups).Judge("test", Bounded{"g": {"selection_rate"}})
	worse := map[string]SideEffect{}
	for _, e := range c.Worse() {
		worse[e.Measure] = e
	}
	for _, name := range []string{"tpr_difference", "fpr_difference"} {
		if e, ok := worse[name]; !ok || e.After < e.Before+0.05 || len(e.Without) != 1 {
			t.Errorf("%s: %+v", name, e)
		}
	}
	if len(c.SideEffects) != 4 { // what is bounded is no side effect
		t.Errorf("side effects: %+v", c.SideEffects)
	}
}

// TestStandardErrors compares standard errors with those of many draws of the same population.
func TestStandardErrors(t *testing.T) {
	groups := []population{one, other}
	const draws = 1500
	r := rand.New(rand.NewPCG(5, 6))
	n := len(rates)
	sums, squares, errors := make([]float64, n), make([]float64, n), make([]float64, n)
	for range draws {
		for k, e := range draw(r, groups).Judge("", nil).SideEffects {
			change := float64(e.After - e.Before)
			sums[k] += change
			squares[k] += change * change
			errors[k] += float64(e.SE)
		}
	}
	for k := range rates {
		mean := sums[k] / draws
		want, got := math.Sqrt(squares[k]/draws-mean*mean), errors[k]/draws
		if math.Abs(got/want-1) > 0.06 {
			t.Errorf("%s: standard error %.4f on average, of draws it is %.4f", rates[k].name, got, want)
		}
	}
}

// TestRates compares rates with those of rows.
func TestRates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type row struct {
			label, before, after int
			weight               float64
		}
		bit := rapid.IntRange(0, 1)
		rows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) row {
			weight := float64(rapid.IntRange(1, 3).Draw(t, "weight"))
			return row{bit.Draw(t, "label"), bit.Draw(t, "before"), bit.Draw(t, "after"), weight}
		}), 0, 20).Draw(t, "rows")
		var c Counts
		sums := map[string]float64{}
		for _, r := range rows {
			c.Add(r.label, r.before, r.after, r.weight)
			for name, of := range map[string][2]bool{
				"selected": {r.after == 1, true},
				"tpr":      {r.after == 1, r.label == 1}, "fpr": {r.after == 1, r.label == 0},
				"precision": {r.label == 1, r.after == 1}, "accuracy": {r.label == r.after, true},
				"up": {r.after > r.before, true}, "down": {r.after < r.before, true},
			} {
				if of[1] {
					sums[name+" about"] += r.weight
					if of[0] {
						sums[name] += r.weight
					}
				}
			}
		}
		g := newGroup("g", "a", &c)
		for name, got := range map[string]float64{
			"selected": float64(g.After.SelectionRate), "tpr": float64(g.After.TPR), "fpr": float64(g.After.FPR),
			"precision": float64(g.After.Precision), "accuracy": float64(g.After.Accuracy),
		} {
			about := sums[name+" about"]
			if want := sums[name] / about; math.IsNaN(got) != (about == 0) || about > 0 && got != want {
				t.Fatalf("%s is %v, want %v", name, got, want)
			}
		}
		if g.Rows != len(rows) || g.Changed() > g.Rows {
			t.Fatalf("%+v of %d rows", g, len(rows))
		}
	})
}

// TestRise compares the probability of a rise with that of all pairs of groups, which is the least.
func TestRise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.Float64Range(0.01, 0.99)
		list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) (m moments) {
			m.rate = [2]float64{unit.Draw(t, "before") / 20, unit.Draw(t, "after")}
			a, b := unit.Draw(t, "variance")/50, unit.Draw(t, "variance")/50
			both := 0.9 * math.Sqrt(a*b) * unit.Draw(t, "correlation")
			m.cov = [2][2]float64{{a, both}, {both, b}}
			return m
		}), 2, 7).Draw(t, "groups")
		best := 0.0
		for first := range list {
			for last := range list {
				least := math.Inf(1)
				for high := range list {
					for low := range list {
						if high != low && first != last {
							over := list[first].rate[1] - list[last].rate[1] - (list[high].rate[0] - list[low].rate[0])
							least = min(least, over/math.Sqrt(varianceOf(list, first, last, high, low)))
						}
					}
				}
				if first != last {
					best = max(best, least)
				}
			}
		}
		pairs := float64(len(list) * (len(list) - 1))
		if want, got := min(1, pairs*math.Erfc(best/math.Sqrt2)/2), rise(list); got < want-1e-12 {
			t.Fatalf("probability %v, of all pairs %v", got, want)
		}
	})
}
