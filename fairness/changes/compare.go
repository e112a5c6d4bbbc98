package changes

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/fairtrain/fairtrain/fairness"
)

// SideEffect is the largest difference of a rate between groups, before and after.
type SideEffect struct {
	Measure string         `json:"measure"` // such as tpr_difference
	Group   string         `json:"group"`   // specification of the groups
	Before  fairness.Value `json:"before"`
	After   fairness.Value `json:"after"`
	// SE is the standard error of the change, which is one of the same people.
	SE fairness.Value `json:"se"`
	// P is the probability, at most, of such a rise by chance, of any of the side effects.
	P     fairness.Value `json:"p"`
	Worse bool           `json:"worse"` // P is at most Alpha
	// Without are groups that are left out, as the rate is about fewer than Least of their people.
	Without []string `json:"without,omitempty"`
}

const (
	// Alpha is the probability, at most, that a side effect is called worse if none is.
	Alpha = 0.05
	// Least is the number of people that a rate must be about, before and after, for their group to be
	// compared, if there are two such groups.
	Least = 30
)

// moments are a rate of a group before and after, and the covariance of both for want of people.
type moments struct {
	rate [2]float64 // before and after
	cov  [2][2]float64
}

// momentsOf returns those of a group. A rate is a mean over a mean, so that its error is, to first
// order, the mean of (count − rate·about) / (mean of about) over the same people for both decisions.
//
// Added to each cell is a part of a person: a half of one for the test, as Agresti and Min (Statistics
// in Medicine 24, 2005) do for paired shares. Otherwise no variance would be left where nobody, or
// everybody, changed.
func (r *rate) momentsOf(c *Counts, added float64) (m moments) {
	all := c.sum(func(int, int, int) bool { return true })
	unit := 1.0 // the weight of an effective person
	if all.Weight > 0 {
		unit = all.Squares / all.Weight
	}
	with := *c
	with.each(func(_, _, _ int, n *Count) {
		n.Weight += float64(added * unit)
		n.Squares += float64(added * unit * unit)
	})
	var about [2]float64
	for side := range 2 {
		v, _ := r.value(&with, side)
		m.rate[side] = float64(v)
		about[side] = with.sum(func(label, before, after int) bool {
			return r.about(label, pick(before, after, side))
		}).Weight
	}
	with.each(func(label, before, after int, n *Count) {
		var error [2]float64
		for side := range 2 {
			switch d := pick(before, after, side); {
			case !r.about(label, d):
			case r.count(label, d):
				error[side] = (1 - m.rate[side]) / about[side]
			default:
				error[side] = -m.rate[side] / about[side]
			}
		}
		for i := range 2 {
			for j := range 2 {
				m.cov[i][j] += float64(n.Squares * error[i] * error[j])
			}
		}
	})
	return m
}

// compare compares the groups, without correction for other comparisons.
func (r *rate) compare(of *Groups) SideEffect {
	e := SideEffect{Measure: r.difference(), Group: of.Spec, P: 1, SE: fairness.Undefined()}
	judged := of.large(r, Least)
	tested := len(judged) >= 2
	if !tested {
		judged = of.large(r, 1)
	} else {
		for g, name := range of.Names {
			if !slices.Contains(judged, g) {
				e.Without = append(e.Without, name)
			}
		}
	}
	if len(judged) < 2 {
		e.Before, e.After, e.P = fairness.Undefined(), fairness.Undefined(), fairness.Undefined()
		return e
	}
	var plain, adjusted []moments
	for _, g := range judged {
		plain = append(plain, r.momentsOf(&of.Of[g], 0))
		adjusted = append(adjusted, r.momentsOf(&of.Of[g], 0.5))
	}
	low, high := extremes(plain, 0)
	before := plain[high].rate[0] - plain[low].rate[0]
	last, first := extremes(plain, 1)
	after := plain[first].rate[1] - plain[last].rate[1]
	e.Before, e.After = fairness.Value(before), fairness.Value(after)
	e.SE = fairness.Value(math.Sqrt(varianceOf(plain, first, last, high, low)))
	if tested && after > before {
		e.P = fairness.Value(rise(adjusted))
	}
	return e
}

// large returns the groups of which at least so many people count, before and after.
func (of *Groups) large(r *rate, least int) (list []int) {
	for g := range of.Names {
		_, before := r.value(&of.Of[g], 0)
		_, after := r.value(&of.Of[g], 1)
		if min(before, after) >= least {
			list = append(list, g)
		}
	}
	return list
}

// extremes returns the groups with the lowest and the highest rate on a side.
func extremes(list []moments, side int) (low, high int) {
	for g := range list {
		if list[g].rate[side] < list[low].rate[side] {
			low = g
		}
		if list[g].rate[side] > list[high].rate[side] {
			high = g
		}
	}
	return low, high
}

// varianceOf returns the variance of (after first − after last) − (before high − before low).
// Different groups are of different people.
func varianceOf(list []moments, first, last, high, low int) float64 {
	v := list[first].cov[1][1] + list[last].cov[1][1] + list[high].cov[0][0] + list[low].cov[0][0]
	both := func(after, before int, sign float64) {
		if after == before {
			v += float64(2 * sign * list[after].cov[0][1])
		}
	}
	both(first, high, -1)
	both(first, low, 1)
	both(last, high, 1)
	both(last, low, -1)
	return max(v, 0)
}

// rise returns the probability, at most, of such differences after if the largest difference did not rise.
//
// It rose if the difference of some two groups after is larger than that of any two before. For two
// groups in mind each of these comparisons is a test of its own, and all must be passed (an
// intersection-union test), so that none needs a correction. That the two are those that pass best is
// corrected by Bonferroni, for they may be any two.
func rise(list []moments) float64 {
	up, down := sorted(list, 0, 1), sorted(list, 0, -1)
	best := 0.0
	for _, first := range easiest(list, 1) {
		for _, last := range easiest(list, -1) {
			if first != last {
				highest, lowest := hardest(list, up, first, last), hardest(list, down, first, last)
				best = max(best, surest(list, first, last, highest, lowest))
			}
		}
	}
	pairs := float64(len(list) * (len(list) - 1)) // either may be the higher one
	return min(1, pairs*distuv.UnitNormal.Survival(best))
}

// surest returns by how many standard errors, at least, the difference of two groups after is larger
// than those before, of some groups and others.
func surest(list []moments, first, last int, highest, lowest []int) float64 {
	after, least := list[first].rate[1]-list[last].rate[1], math.Inf(1)
	for _, high := range highest {
		for _, low := range lowest {
			if high == low && (high == first || high == last) {
				continue // another one stands for itself and all that are easier to exceed
			}
			over := after - (list[high].rate[0] - list[low].rate[0])
			if over <= 0 {
				return 0
			}
			least = min(least, over/math.Sqrt(varianceOf(list, first, last, high, low)))
		}
	}
	return least
}

// sorted returns the groups by falling (sign 1) or rising (−1) rate on a side.
func sorted(list []moments, side int, sign float64) []int {
	order := make([]int, len(list))
	for g := range order {
		order[g] = g
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(sign*list[b].rate[side], sign*list[a].rate[side])
	})
	return order
}

// easiest returns the groups with which a difference after may be the surest: those further out than all
// that are as certain.
func easiest(list []moments, sign float64) (kept []int) {
	least := math.Inf(1)
	for _, g := range sorted(list, 1, sign) {
		if v := list[g].cov[1][1]; v < least {
			kept, least = append(kept, g), v
		}
	}
	return kept
}

// hardest returns, of groups sorted by how far out they are before, those that are hardest to exceed: a
// group is not if one before it is less certain. The two after are always among them, as their errors
// before and after depend on each other.
func hardest(list []moments, order []int, first, last int) []int {
	kept, most := []int{first, last}, 0.0
	for _, g := range order {
		if v := list[g].cov[0][0]; g != first && g != last && v > most {
			kept, most = append(kept, g), v
		}
	}
	return kept
}

// correctForMany corrects the probabilities of several side effects by Holm's method, and judges them.
func correctForMany(list []SideEffect) {
	var order []int
	for k := range list {
		if list[k].P.Defined() {
			order = append(order, k)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[a].P, list[b].P) })
	largest := fairness.Value(0)
	for place, k := range order {
		largest = max(largest, min(1, list[k].P*fairness.Value(len(order)-place)))
		list[k].P = largest
		list[k].Worse = largest <= Alpha
	}
}
