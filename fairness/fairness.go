// Package fairness judges predictions: how good they are, how they treat groups of rows,
// and how far apart the groups are. It has scores and labels, no models.
//
//	Judged        predictions by group, this file; many rows are added up, binned.go
//	Report        all figures of all rows and of groups, this file
//	Frame         any metrics by group, with intervals, frame.go
//	Metrics       the figures of one set of rows, metric.go; how they add up, tally.go
//	Technique     how an interval is found, interval.go; of a gap between groups, gap.go
//	Value         a figure that may be undefined, value.go
package fairness

import (
	"errors"
	"fmt"
	"math"
)

// Predictions are scored rows.
type Predictions struct {
	Scores    []float64 // one a row, larger means more likely positive
	Threshold float64   // the decision is positive where score ≥ Threshold
	Labels    []int8    // −1 or +1, one a row; nil if unknown
	Weights   []float64 // ≥ 0, one a row; nil means 1 each
}

// Group is a named set of rows. Groups may overlap.
type Group struct {
	Name   string
	Member []bool // one a row
}

// Others is the name of the complement of a group that is given alone.
const Others = "others"

// Judged is predictions by group, to make figures of: of rows, see Predictions.By, or of rows that
// are added up, see Binned.
type Judged struct {
	threshold          float64
	groups             []string
	labelled, weighted bool
	rows               func(cell int) []row // by ascending score: first all rows, then the groups
}

// By returns predictions by group. A single group comes with its complement under the name Others,
// unless it is empty. Errors: no rows, lengths that differ, a score or threshold that is not
// finite, a label other than ±1, a weight that is negative or not finite, a group without rows, two
// groups of one name.
func (p Predictions) By(groups []Group) (*Judged, error) {
	err := p.validate()
	if err == nil {
		groups, err = completed(groups, len(p.Scores))
	}
	if err != nil {
		return nil, fmt.Errorf("fairness: %w", err)
	}
	j := &Judged{threshold: p.Threshold, labelled: p.Labels != nil, weighted: p.Weights != nil}
	for _, g := range groups {
		j.groups = append(j.groups, g.Name)
	}
	all := p.byScore()
	j.rows = func(cell int) []row {
		if cell == 0 {
			return all
		}
		return members(all, groups[cell-1].Member)
	}
	return j, nil
}

// Report is what Evaluate finds. The figures of all rows stand at its top level; the
// disparities compare the groups' decisions.
type Report struct {
	Metrics
	// Gini is 2·AUC − 1. KS is the Kolmogorov-Smirnov distance of the scores of both labels: the
	// largest difference of true and false positive rates at any threshold.
	Gini      Value          `json:"gini"`
	KS        Value          `json:"ks"`
	Threshold float64        `json:"threshold"`
	Groups    []GroupMetrics `json:"groups"`
	Disparities
}

// Disparities say how far apart the groups' decisions are.
type Disparities struct {
	// DemographicParityDifference and DemographicParityRatio compare selection rates.
	DemographicParityDifference Value `json:"demographic_parity_difference"`
	DemographicParityRatio      Value `json:"demographic_parity_ratio"`
	// EqualOpportunityDifference compares true positive rates.
	EqualOpportunityDifference Value `json:"equal_opportunity_difference"`
	// EqualizedOddsDifference is the larger of the differences of true positive rates
	// and of false positive rates.
	EqualizedOddsDifference Value `json:"equalized_odds_difference"`
	// PredictiveParityDifference compares precisions: shares of positive labels among positive
	// decisions.
	PredictiveParityDifference Value `json:"predictive_parity_difference"`
}

// NoDisparities are those of groups that are not compared.
func NoDisparities() Disparities {
	return Disparities{Undefined(), Undefined(), Undefined(), Undefined(), Undefined()}
}

// GroupMetrics are the figures of one group.
type GroupMetrics struct {
	Name string `json:"name"`
	Metrics
}

// Evaluate computes all figures for all rows and for each group.
func (j *Judged) Evaluate() *Report {
	var cells []cell
	for k := range 1 + len(j.groups) {
		cells = append(cells, cell{metrics: measure(j.rows(k), j.labelled)})
	}
	return j.report(cells)
}

// report makes the report from the cells: first all rows, then the groups.
func (j *Judged) report(cells []cell) *Report {
	r := &Report{Metrics: cells[0].metrics, Threshold: j.threshold, Groups: make([]GroupMetrics, len(j.groups))}
	r.Gini, r.KS = 2*r.AUC-1, kolmogorovSmirnov(j.rows(0), &r.Metrics)
	for i, name := range j.groups {
		r.Groups[i] = GroupMetrics{name, cells[i+1].metrics}
	}
	selectionRate := func(m *Metrics) Value { return m.SelectionRate }
	tpr := func(m *Metrics) Value { return m.TPR }
	fpr := func(m *Metrics) Value { return m.FPR }
	r.DemographicParityDifference = r.Difference(selectionRate)
	r.DemographicParityRatio = r.Ratio(selectionRate)
	r.EqualOpportunityDifference = r.Difference(tpr)
	r.EqualizedOddsDifference = max(r.Difference(tpr), r.Difference(fpr))
	r.PredictiveParityDifference = r.Difference(func(m *Metrics) Value { return part(m.TruePositives, m.FalsePositives) })
	return r
}

// Difference returns the largest minus the smallest value of a metric among the groups
// in which it is defined, undefined for fewer than two of them.
func (r *Report) Difference(metric func(*Metrics) Value) Value {
	low, high := r.extremes(metric)
	return high - low
}

// Ratio is like Difference, but returns the smallest value divided by the largest,
// undefined also where both are 0.
func (r *Report) Ratio(metric func(*Metrics) Value) Value {
	low, high := r.extremes(metric)
	return low / high
}

func (r *Report) extremes(metric func(*Metrics) Value) (low, high Value) {
	defined := 0
	low, high = Value(math.Inf(1)), Value(math.Inf(-1))
	for i := range r.Groups {
		if v := metric(&r.Groups[i].Metrics); v.Defined() {
			defined++
			low, high = min(low, v), max(high, v)
		}
	}
	if defined < 2 {
		return Undefined(), Undefined()
	}
	return low, high
}

func (p *Predictions) validate() error {
	rows := len(p.Scores)
	switch {
	case rows == 0:
		return errors.New("no rows")
	case p.Labels != nil && len(p.Labels) != rows:
		return fmt.Errorf("%d labels for %d scores", len(p.Labels), rows)
	case p.Weights != nil && len(p.Weights) != rows:
		return fmt.Errorf("%d weights for %d scores", len(p.Weights), rows)
	case !isFinite(p.Threshold):
		return fmt.Errorf("the threshold is %v", p.Threshold)
	}
	for i, s := range p.Scores {
		if !isFinite(s) {
			return fmt.Errorf("the score of row %d is %v", i+1, s)
		}
	}
	for i, y := range p.Labels {
		if y != 1 && y != -1 {
			return fmt.Errorf("the label of row %d is %d, must be -1 or +1", i+1, y)
		}
	}
	for i, w := range p.Weights {
		if !isFinite(w) || w < 0 {
			return fmt.Errorf("the weight of row %d is %v, must be ≥ 0 and finite", i+1, w)
		}
	}
	return nil
}

// completed checks the groups and adds the complement of a single one.
func completed(groups []Group, rows int) ([]Group, error) {
	for _, g := range groups {
		if len(g.Member) != rows {
			return nil, fmt.Errorf("group %q has %d entries for %d rows", g.Name, len(g.Member), rows)
		}
		if count(g.Member) == 0 {
			return nil, fmt.Errorf("group %q has no rows", g.Name)
		}
	}
	if len(groups) == 1 && count(groups[0].Member) < rows {
		others := make([]bool, rows)
		for i, in := range groups[0].Member {
			others[i] = !in
		}
		groups = []Group{groups[0], {Others, others}}
	}
	seen := map[string]bool{}
	for _, g := range groups {
		if seen[g.Name] {
			return nil, fmt.Errorf("two groups are named %q", g.Name)
		}
		seen[g.Name] = true
	}
	return groups, nil
}

func count(member []bool) int {
	n := 0
	for _, in := range member {
		if in {
			n++
		}
	}
	return n
}

func isFinite(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }
