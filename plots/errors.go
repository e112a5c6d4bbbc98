package plots

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Errors are the values of an error measure, such as a residual, that solvers reached on
// problems.
type Errors struct {
	Measure string
	Solvers []string
	// Value[p][s] ≥ 0 is the error of solver s on problem p, +∞ if it has none.
	Value [][]float64
}

// ErrorBoxes draws, for each of some measures of the same solvers, a panel of boxes on a
// log axis, like the boxes of Box. The axis has the length of the whiskers; marks count
// the values beyond, including 0 and +∞.
func ErrorBoxes(measures []Errors, o Options) (*Figure, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if len(measures) == 0 {
		return nil, errors.New("plots: no measures of errors")
	}
	labels := measures[0].Solvers
	panels := make([]boxPanel, len(measures))
	for i, e := range measures {
		p, err := e.panel(labels)
		if err != nil {
			return nil, fmt.Errorf("plots: %s: %w", e.Measure, err)
		}
		panels[i] = p
	}
	return boxFigure(panels, stylesOf(labels), nil, fmt.Sprintf("%d problems", len(measures[0].Value)), o)
}

// panel is the panel of the measure, with a box for each of the solvers in the order of
// labels.
func (e Errors) panel(labels []string) (boxPanel, error) {
	var all []float64
	for i, row := range e.Value {
		if len(row) != len(e.Solvers) {
			return boxPanel{}, fmt.Errorf("problem %d has %d values for %d solvers", i+1, len(row), len(e.Solvers))
		}
		for s, v := range row {
			if !(v >= 0) {
				return boxPanel{}, fmt.Errorf("the error of %s on problem %d is %v, must be ≥ 0", e.Solvers[s], i+1, v)
			}
			if v > 0 && !math.IsInf(v, 1) {
				all = append(all, v)
			}
		}
	}
	p := boxPanel{title: e.Measure, log: true, limits: logLimits(all, nil), labels: labels}
	p.reach = p.limits
	var whiskers []float64
	for _, label := range labels {
		s := slices.Index(e.Solvers, label)
		if s < 0 {
			return boxPanel{}, fmt.Errorf("there are no values of %s", label)
		}
		values := make([]float64, len(e.Value))
		for i, row := range e.Value {
			values[i] = row[s]
		}
		box, err := p.box(values, 0, style{})
		if err != nil {
			return boxPanel{}, err
		}
		p.values, whiskers = append(p.values, values), append(whiskers, box.AdjLow, box.AdjHigh)
	}
	p.limits = logLimits(whiskers, nil)
	return p, nil
}
