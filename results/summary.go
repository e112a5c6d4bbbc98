package results

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/internal/names"
)

// Spread describes the values of a method's runs. A run that ended badly (diverged or
// failed), or whose value is missing, counts as +∞, worse than any, in the quantiles; mean
// and deviation leave it out.
type Spread struct {
	N              int     // finite values
	Mean, SD       float64 // of these N values; NaN for N = 0, SD is 0 for N = 1
	Q1, Median, Q3 float64
}

// MarshalJSON writes all figures, null for those that are not finite: too few runs came to an end.
func (s Spread) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Mean   *float64 `json:"mean"`
		SD     *float64 `json:"sd"`
		Median *float64 `json:"median"`
		Q1     *float64 `json:"q1"`
		Q3     *float64 `json:"q3"`
		N      int      `json:"n"`
	}{orNull(s.Mean), orNull(s.SD), orNull(s.Median), orNull(s.Q1), orNull(s.Q3), s.N})
}

// orNull is nil for a number that JSON has no word for.
func orNull(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// Values is the spread of the figures at a point.
type Values struct {
	Objective  Spread `json:"objective"`
	Constraint Spread `json:"constraint"` // the largest c_i
	KKT        Spread `json:"kkt_residual"`
}

// Reach says when the runs of a method came to a KKT residual.
type Reach struct {
	Tolerance float64
	Runs      int // that reached it
	// Samples is the number within which at least half of the runs reached it; NaN if
	// fewer did.
	Samples float64
}

// MarshalJSON writes null for samples within which fewer than half of the runs came to the
// residual.
func (r Reach) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Tolerance float64  `json:"kkt_residual"`
		Runs      int      `json:"runs"`
		Samples   *float64 `json:"samples"`
	}{r.Tolerance, r.Runs, orNull(r.Samples)})
}

// Feasible says how many runs of a method end with every c_i at most a violation.
type Feasible struct {
	Violation float64 `json:"violation"`
	Runs      int     `json:"runs"`
}

// violations are the c for which tables count the runs that end at or below.
var violations = []float64{0, 1e-3}

// Summary describes the runs of a method.
type Summary struct {
	Label    string         `json:"name"`
	Method   string         `json:"-"`
	Runs     int            `json:"runs"`
	Statuses map[Status]int `json:"statuses"` // how many runs ended with each
	Values                  // at the last recorded points
	Feasible []Feasible     `json:"feasible"` // of the last points
	Best     Values         `json:"best"`     // at the points with the smallest KKT residual
	Reached  []Reach        `json:"reached"`
	Seconds  Spread         `json:"seconds"`
	Notes    []string       `json:"notes,omitempty"`
}

// Summarise describes the runs of every label, in the order of their first appearance.
// Notes say which runs ended badly and which seeds a label lacks that others have.
func Summarise(runs []Run, tolerances []float64) []Summary {
	var labels []string
	byLabel := map[string][]Run{}
	seeds := map[uint64]bool{}
	for _, r := range runs {
		if _, ok := byLabel[r.Label]; !ok {
			labels = append(labels, r.Label)
		}
		byLabel[r.Label] = append(byLabel[r.Label], r)
		seeds[r.Seed] = true
	}
	summaries := []Summary{}
	for _, label := range labels {
		s := summarise(byLabel[label], tolerances)
		s.Notes = append(s.Notes, missingSeeds(label, byLabel[label], seeds)...)
		summaries = append(summaries, s)
	}
	return summaries
}

func summarise(runs []Run, tolerances []float64) Summary {
	s := Summary{Label: runs[0].Label, Method: runs[0].Method, Runs: len(runs), Statuses: map[Status]int{}}
	for _, violation := range violations {
		s.Feasible = append(s.Feasible, Feasible{Violation: violation})
	}
	var final, best points
	seconds := make([]float64, len(runs))
	for i, r := range runs {
		s.Statuses[r.Status]++
		seconds[i] = r.Seconds
		bad := r.EndedBadly()
		final.add(r.Final(), bad)
		best.add(r.Best(), bad)
		for k := range s.Feasible {
			if f := &s.Feasible[k]; !bad && r.Final().LargestConstraint() <= f.Violation {
				f.Runs++
			}
		}
		if bad {
			note := fmt.Sprintf("%s: the run of seed %d %s", names.Method(r.Label), r.Seed, r.Status)
			if r.Error != "" {
				note += ": " + r.Error
			}
			s.Notes = append(s.Notes, note)
		}
	}
	if note := AboveStart(runs); note != "" {
		s.Notes = append(s.Notes, note)
	}
	s.Values, s.Best, s.Seconds = final.values(), best.values(), NewSpread(seconds)
	for _, tolerance := range tolerances {
		s.Reached = append(s.Reached, reach(runs, tolerance))
	}
	return s
}

// AboveStart says how many runs of a label end with an objective above that of their start; ""
// for none. Far out all scores saturate: gradients vanish, and the KKT residual with them.
func AboveStart(runs []Run) string {
	n := 0
	for _, r := range runs {
		if !r.EndedBadly() && len(r.Points) > 0 && r.Final().Objective > r.Points[0].Objective {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %d of %d runs ended above the objective of the start; if far out, where gradients vanish, a small KKT residual says nothing",
		names.Method(runs[0].Label), n, len(runs))
}

// points collects values of several runs.
type points struct{ objective, constraint, kkt []float64 }

func (p *points) add(at Point, bad bool) {
	value := func(x float64) float64 {
		if bad || math.IsNaN(x) {
			return math.Inf(1)
		}
		return x
	}
	p.objective = append(p.objective, value(at.Objective))
	p.constraint = append(p.constraint, value(at.LargestConstraint()))
	p.kkt = append(p.kkt, value(at.KKT()))
}

func (p *points) values() Values {
	return Values{NewSpread(p.objective), NewSpread(p.constraint), NewSpread(p.kkt)}
}

// reach looks for the first recorded points with a residual of at most the tolerance.
func reach(runs []Run, tolerance float64) Reach {
	r := Reach{Tolerance: tolerance, Samples: math.NaN()}
	var samples []float64
	for _, run := range runs {
		if i := run.Reached(tolerance); i >= 0 {
			samples = append(samples, float64(run.Points[i].Samples))
		}
	}
	r.Runs = len(samples)
	if half := (len(runs) + 1) / 2; len(samples) >= half {
		slices.Sort(samples)
		r.Samples = samples[half-1]
	}
	return r
}

func missingSeeds(label string, runs []Run, seeds map[uint64]bool) []string {
	var missing []uint64
	for seed := range seeds {
		if !slices.ContainsFunc(runs, func(r Run) bool { return r.Seed == seed }) {
			missing = append(missing, seed)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	return []string{fmt.Sprintf("%s: no run of seed %s", names.Method(label), strings.Trim(fmt.Sprint(missing), "[]"))}
}

// NewSpread describes values, of which +∞ stands for a bad or missing one.
func NewSpread(values []float64) Spread {
	sorted := slices.Sorted(slices.Values(values))
	s := Spread{Q1: quantile(sorted, 0.25), Median: quantile(sorted, 0.5), Q3: quantile(sorted, 0.75)}
	finite := sorted
	if i := slices.IndexFunc(sorted, func(x float64) bool { return math.IsInf(x, 1) }); i >= 0 {
		finite = sorted[:i]
	}
	s.N = len(finite)
	s.Mean, s.SD = meanSD(finite)
	return s
}

// meanSD returns the mean and the sample standard deviation (divisor n − 1).
func meanSD(x []float64) (mean, sd float64) {
	if len(x) == 0 {
		return math.NaN(), math.NaN()
	}
	for _, v := range x {
		mean += v / float64(len(x))
	}
	if len(x) == 1 {
		return mean, 0
	}
	sum := 0.0
	for _, v := range x {
		sum += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(sum / float64(len(x)-1))
}

// quantile interpolates linearly between order statistics (Hyndman and Fan's type 7, the
// default of R); NaN for no values.
func quantile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	h := p * float64(len(sorted)-1)
	i := int(h)
	if fraction := h - float64(i); fraction > 0 && sorted[i+1] != sorted[i] { // ∞ − ∞ is NaN
		return sorted[i] + fraction*(sorted[i+1]-sorted[i])
	}
	return sorted[i]
}
