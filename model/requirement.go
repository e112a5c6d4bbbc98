package model

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/dataset"
)

// Requirement is what a constraint demands of the rows of a data set, in the form in which
// it is judged: one number that is to be at most, or at least, its bound. The values
// that it judges are scores or decisions, 0 and 1, one for each row.
type Requirement struct {
	Spec    string  // of the constraint
	On      string  // Scores or Decisions
	Measure string  // "selection_rate_difference", "share", …
	Bound   float64 // of the measure
	AtLeast bool    // the measure must be at least Bound, not at most

	// Comparisons are the groups whose rates are bounded; none for constraints of no family.
	Comparisons []Comparison
	// Unjudged names the groups that some comparison leaves out, as no row of theirs counts, and Small
	// those of too few rows.
	Unjudged, Small []string
	// Inequalities are what must hold, without comparisons.
	Inequalities []Inequality
}

// What constraints bound.
const (
	Scores    = "scores"
	Decisions = "decisions"
)

// Comparison is groups of rows whose rates must not be far apart, any two of them by Bound at most
// or, for a Ratio, by the factor Bound; or whose rates must be at most, or at least, Bound.
type Comparison struct {
	Rate   string // "selection_rate" say
	Kind   Kind
	Bound  float64
	Groups []RateGroup
	Strata *dataset.Strata
	// name and base are those of its inequalities.
	name, base string
}

// RateGroup is a group whose rate is bounded: Constant and the sum of the values of the rows, times the
// weights of their strata.
type RateGroup struct {
	Name     string
	Weight   []float64
	Constant float64
	// Unit is by how much a decision moves the rate; 0 for scores, which can change by as little as one
	// likes. Of rows that have weights it is the mean: a heavy row does not excuse a gap.
	Unit float64
	// Rows is the number of rows that the rate is about.
	Rows int
	mean []float64 // Weight times the number of rows

	// Of the rows that the rate is about: the sum of their weights; that of the squares by the square of
	// this; and the part of it that the offsets of the rate make.
	total, squares, fixed float64

	first, end int // strata from the first to before the end have weights
}

// Tiny reports whether one decision moves the group's rate by more than a difference that
// is bounded. Such a group is held to the bound within one decision: two of them may differ by the
// bound and one decision of each.
func (c *Comparison) Tiny(g *RateGroup) bool { return c.Kind == Difference && g.Unit > c.Bound }

// isEnough reports whether there are groups to be compared.
func (c *Comparison) isEnough() bool {
	return len(c.Groups) > 1 || len(c.Groups) == 1 && !c.Kind.Compares()
}

// Gap returns, of the rates, one for each group, the largest difference or least ratio, or the largest
// or least of them. The ratio of rates that are all 0 is 1.
func (c *Comparison) Gap(rates []float64) float64 {
	least, largest := floats.Min(rates), floats.Max(rates)
	switch {
	case c.Kind == Difference:
		return largest - least
	case c.Kind == AtMost:
		return largest
	case c.Kind == AtLeast:
		return least
	case largest == 0:
		return 1
	}
	return least / largest
}

// allowed returns the difference that two groups may have: the bound, and one decision of each that
// is tiny.
func (c *Comparison) allowed(g, h *RateGroup) float64 {
	return min(c.Bound+c.slack(g)+c.slack(h), 1)
}

// slack is by how much a group may be off, beyond a bound.
func (c *Comparison) slack(g *RateGroup) float64 {
	if c.Tiny(g) {
		return g.Unit
	}
	return 0
}

// extremes returns the groups with the lowest and the highest rate, nil if all are equal.
func (c *Comparison) extremes(rates []float64) *Extremes {
	if c.Kind == HeldShare || floats.Max(rates)-floats.Min(rates) <= roundoff {
		return nil
	}
	of := func(k int) GroupRate { return GroupRate{c.Groups[k].Name, rates[k], c.Groups[k].Rows} }
	return &Extremes{c.Rate, len(rates), of(floats.MinIdx(rates)), of(floats.MaxIdx(rates))}
}

// Excess returns by how much the rates violate the comparison, at most 0 if they don't:
// the difference of two rates, each taken within one decision if its group is tiny, minus
// the bound; for a ratio, the difference of Bound times the largest and the least rate.
func (c *Comparison) Excess(rates []float64) float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for k := range c.Groups {
		rate, slack := rates[k], c.slack(&c.Groups[k])
		low, high = min(low, rate+slack), max(high, rate-slack)
	}
	switch c.Kind {
	case Difference:
		return high - low - c.Bound
	case AtMost:
		return high - c.Bound
	case AtLeast:
		return c.Bound - low
	}
	return c.Bound*high - low
}

// roundoff is what sums of many weights may be off by.
const roundoff = 1e-12

// Without names the groups that the requirement leaves out: those of which no row counts, and those
// of the same requirement on other rows, if given, that have no row at all.
func (r *Requirement) Without(others *Requirement) []string {
	names := slices.Clone(r.Unjudged)
	if others == nil {
		return names
	}
	known := slices.Concat(r.groups(), names, r.Small)
	for _, name := range others.groups() {
		if !slices.Contains(known, name) {
			known, names = append(known, name), append(names, name)
		}
	}
	return names
}

// LeaveOut takes groups out of the comparisons, and names them. It reports whether something is left to
// compare by each rate.
func (r *Requirement) LeaveOut(names []string) bool {
	left := map[string]bool{}
	for k := range r.Comparisons {
		c := &r.Comparisons[k]
		c.Groups = slices.DeleteFunc(c.Groups, func(g RateGroup) bool { return slices.Contains(names, g.Name) })
		left[c.Rate] = left[c.Rate] || c.isEnough()
	}
	r.Comparisons = slices.DeleteFunc(r.Comparisons, func(c Comparison) bool { return !c.isEnough() })
	r.Unjudged = append(r.Unjudged, names...)
	return !slices.Contains(slices.Collect(maps.Values(left)), false)
}

// groups names the groups that have rows, each perhaps several times.
func (r *Requirement) groups() (names []string) {
	for k := range r.Comparisons {
		for g := range r.Comparisons[k].Groups {
			names = append(names, r.Comparisons[k].Groups[g].Name)
		}
	}
	return names
}

// Judgement is how values meet a requirement.
type Judgement struct {
	Achieved float64 // of the measure
	// Undefined says that Achieved, a share or a ratio, stands for 0/0: all values are 0, and the
	// requirement holds.
	Undefined bool
	Excess    float64 // ≤ 0 if the requirement holds, tiny groups within one decision of each
	// Allowed is what Achieved may be where a difference is bounded: Bound, and one decision of
	// each of the two groups that make it, if these are tiny. It is 0 for other requirements.
	Allowed float64
	// WithinOneDecision names, in order, the tiny groups whose rate is further from another
	// group's than the bound: where the requirement holds, by an allowance of one decision of each.
	WithinOneDecision []string
	// Extremes are the groups with the lowest and the highest rate, of those that make Achieved; nil
	// if there are no rates, or all are equal.
	Extremes *Extremes
	// SE is the standard error of Achieved, if rows are drawn independently, together with their weights;
	// 0 if it is not known.
	SE float64
}

// Extremes are the groups with the lowest and the highest rate of a comparison.
type Extremes struct {
	Rate    string    `json:"rate"`   // that is compared, "selection_rate" say
	Groups  int       `json:"groups"` // that are compared
	Lowest  GroupRate `json:"lowest"`
	Highest GroupRate `json:"highest"`
}

// GroupRate is the rate of a group, and the number of rows that it is about.
type GroupRate struct {
	Group string  `json:"group"`
	Value float64 `json:"value"`
	Rows  int     `json:"rows"`
}

// standardError is that of the gap of rates, given squares; 0 if it is not defined.
func (c *Comparison) standardError(rates []float64, squares Totals) float64 {
	low, high := floats.MinIdx(rates), floats.MaxIdx(rates)
	least, largest := rates[low], rates[high]
	switch {
	case squares == nil, c.Kind == HeldShare:
		return 0
	case c.Kind == AtMost:
		return math.Sqrt(c.variance(high, largest, squares))
	case c.Kind == AtLeast:
		return math.Sqrt(c.variance(low, least, squares))
	case largest-least <= roundoff:
		return 0
	}
	below, above := c.variance(low, least, squares), c.variance(high, largest, squares)
	if c.Kind == Difference {
		return math.Sqrt(below + above)
	}
	r := least / largest
	return math.Sqrt(below+float64(r*r*above)) / largest
}

// variance is that of the rate of a group if rows are drawn independently, given squares: that of
// package guarantee for rows that have weights, and no less than that of Kish's effective number of rows.
func (c *Comparison) variance(k int, rate float64, squares Totals) float64 {
	g := &c.Groups[k]
	ones := g.fixed + floats.Dot(g.Weight[g.first:g.end], squares[c.Strata][g.first:g.end])/g.total
	if rate == 0 || rate == 1 {
		return 0
	}
	return max(0, float64(rate*(1-rate)*g.squares),
		float64(ones*(1-rate)*(1-rate))+float64((g.squares-ones)*rate*rate))
}

// squares are totals of values, one for each row, in which each row counts by the square of its weight.
func (r *Requirement) squares(values []float64) Totals {
	t := r.Totals()
	for s, sums := range t {
		weighted := slices.Clone(values)
		s.Weigh(weighted, 0)
		s.Add(sums, weighted, 0)
	}
	return t
}

// ExcessBeyond returns by how much rates of decisions violate the requirement, at most 0 if they
// don't. Of two groups that are too small to be judged, as the standard error of their difference is
// more than half of what may differ, so many times the rest of the error is forgiven. A requirement
// without comparisons has its excess.
func (r *Requirement) ExcessBeyond(decisions []float64, times float64) float64 {
	t := r.Totals()
	t.Add(decisions, 0)
	if r.Comparisons == nil {
		return r.JudgeTotals(t).Excess
	}
	worst, squares := math.Inf(-1), r.squares(decisions)
	for k := range r.Comparisons {
		worst = max(worst, r.Comparisons[k].excessBeyond(t, squares, times))
	}
	return worst
}

func (c *Comparison) excessBeyond(t, squares Totals, times float64) float64 {
	rates, worst := c.rates(t), math.Inf(-1)
	if c.Kind == HeldShare {
		return c.Excess(rates)
	}
	variances := make([]float64, len(rates))
	for k, rate := range rates {
		variances[k] = c.variance(k, rate, squares)
	}
	for i, low := range rates {
		beyond := func(excess, variance, may float64) {
			worst = max(worst, excess-times*max(math.Sqrt(variance)-may/2, 0))
		}
		switch c.Kind {
		case AtMost:
			beyond(low-c.Bound, variances[i], c.Bound)
			continue
		case AtLeast:
			beyond(c.Bound-low, variances[i], 1-c.Bound)
			continue
		}
		for j, high := range rates {
			if i == j {
				continue
			}
			if c.Kind == Ratio {
				beyond(c.Bound*high-low, variances[i]+c.Bound*c.Bound*variances[j], (1-c.Bound)*high)
			} else {
				beyond(high-low-c.Bound, variances[i]+variances[j], c.Bound)
			}
		}
	}
	return worst
}

// rates returns those of all groups.
func (c *Comparison) rates(t Totals) []float64 {
	rates := make([]float64, len(c.Groups))
	for k := range rates {
		g := &c.Groups[k]
		rate := floats.Dot(g.Weight[g.first:g.end], t[c.Strata][g.first:g.end]) + g.Constant
		// More than everybody, or less than nobody, has no variance. Few of tiny scores are no roundoff.
		if whole := math.Round(rate); math.Abs(rate-whole) < roundoff && (whole != 0 || g.Constant != 0) {
			rate = whole
		}
		rates[k] = rate
	}
	return rates
}

// Totals returns totals for the requirement, of no rows.
func (r *Requirement) Totals() Totals {
	t := totalsFor(r.Inequalities)
	for _, c := range r.Comparisons {
		t[c.Strata] = make([]float64, c.Strata.Len())
	}
	return t
}

// Strata returns the strata of its totals, each once.
func (r *Requirement) Strata() (all []*dataset.Strata) {
	add := func(s *dataset.Strata) {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	for _, row := range r.Inequalities {
		add(row.Strata)
	}
	for _, c := range r.Comparisons {
		add(c.Strata)
	}
	return all
}

// Judge judges values, one for each row of the data that the requirement was made for.
func (r *Requirement) Judge(values []float64) Judgement {
	t := r.Totals()
	t.Add(values, 0)
	return r.judge(t, r.squares(values))
}

// JudgeTotals judges the totals of values of all rows. It knows no standard error.
func (r *Requirement) JudgeTotals(t Totals) Judgement { return r.judge(t, nil) }

func (r *Requirement) judge(t, squares Totals) Judgement {
	if r.Comparisons == nil {
		value := largest(r.Inequalities, t)
		return Judgement{Achieved: value, Excess: value - roundoff}
	}
	j := Judgement{Achieved: math.Inf(-1), Excess: math.Inf(-1)}
	if r.AtLeast {
		j.Achieved = math.Inf(1)
	}
	for k := range r.Comparisons {
		c := &r.Comparisons[k]
		rates := c.rates(t)
		if gap := c.Gap(rates); gap < j.Achieved == r.AtLeast && gap != j.Achieved {
			j.Achieved, j.Extremes, j.SE = gap, c.extremes(rates), c.standardError(rates, squares)
			if j.Extremes != nil {
				j.Extremes.Groups = r.count(c.Rate)
			}
			j.Undefined = (c.Kind == Ratio || c.Kind == HeldShare) && floats.Max(rates) == 0
			if c.Kind == Difference {
				j.Allowed = c.allowed(&c.Groups[floats.MinIdx(rates)], &c.Groups[floats.MaxIdx(rates)])
			}
		}
		j.Excess = max(j.Excess, c.Excess(rates)-roundoff)
		j.WithinOneDecision = append(j.WithinOneDecision, c.strained(rates)...)
	}
	slices.Sort(j.WithinOneDecision)
	j.WithinOneDecision = slices.Compact(j.WithinOneDecision)
	return j
}

// count returns how many groups are compared by a rate.
func (r *Requirement) count(rate string) (n int) {
	for _, c := range r.Comparisons {
		if c.Rate == rate {
			n += len(c.Groups)
		}
	}
	return n
}

// Short is by how much scores may fall short of a share or a ratio that counts as reached, whatever
// the tolerance.
const Short = 0.01

// ExcessOfScores returns by how much a requirement on scores that was judged is violated
// beyond a tolerance. Shares and ratios must be right themselves, too: scores that are all
// near 0 have any share, but for the tolerance.
func (r *Requirement) ExcessOfScores(j Judgement, tolerance float64) float64 {
	excess := j.Excess - tolerance
	if r.AtLeast {
		excess = max(excess, r.Bound-j.Achieved-Short)
	}
	return excess
}

// strained names the tiny groups whose rates are further from another group's than the
// bound.
func (c *Comparison) strained(rates []float64) []string {
	least, largest := floats.Min(rates), floats.Max(rates)
	var names []string
	for k := range c.Groups {
		if g := &c.Groups[k]; c.Tiny(g) && max(largest-rates[k], rates[k]-least) > c.Bound+roundoff {
			names = append(names, g.Name)
		}
	}
	return names
}

// NewRequirement states what c demands of the rows of s, of their decisions or scores as
// on says. Groups of which no row counts, or too few, are left out of the comparisons, and named, if enough
// are left.
func NewRequirement(c Constraint, s *dataset.Dataset, on string) (*Requirement, error) {
	r := &Requirement{Spec: c.String(), On: on, Measure: "value"}
	g, ok := c.(GroupConstraint)
	if !ok {
		var err error
		if r.Inequalities, err = inequalities(c, s); err != nil {
			return nil, err
		}
		return r, nil
	}
	var err error
	if r.Comparisons, r.Unjudged, r.Small, err = g.comparisons(s, on); err != nil {
		return nil, fmt.Errorf("constraint %s: %w", r.Spec, err)
	}
	r.Measure, r.Bound, r.AtLeast = g.Measure(on), r.Comparisons[0].Bound, g.Kind.FromBelow()
	return r, nil
}

// largest returns the largest value of the rows, at the bases that suit them best.
func largest(rows []Inequality, t Totals) float64 {
	on := make([]float64, len(rows))
	for j, row := range rows {
		on[j] = row.ValueOf(t)
	}
	WithBases(rows, on)
	return floats.Max(on)
}
