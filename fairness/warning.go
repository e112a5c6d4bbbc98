package fairness

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

const (
	// fewRows is the number of rows below which a group is too small to be judged.
	fewRows = 30
	// fewCases is the number of rows below which the metrics that rest on them are
	// hardly known: one row moves a share by more than a tenth.
	fewCases = 10
)

// Warning says which figures rest on too few rows.
type Warning struct {
	Group   string   `json:"group,omitempty"`   // "" for all rows
	Metrics []string `json:"metrics,omitempty"` // nil for all of them
	// Rows is the number of rows that they rest on, the effective one (see Wilson) where
	// rows have weights.
	Rows    float64 `json:"rows"`
	Message string  `json:"message"`
}

// warnings looks for cells, all rows and then the groups, with too few rows.
func (o FrameOptions) warnings(groups []Group, size []sizes, labelled bool) []Warning {
	warnings := []Warning{}
	for k := range size {
		name, title := "", "all rows"
		if k > 0 {
			name = groups[k-1].Name
			title = "group " + name
		}
		rows := size[k][anyRow]
		if rows < fewRows {
			message := fmt.Sprintf("%s: %s, fewer than %d: the figures may be chance", title, effective(rows, anyRow), fewRows)
			warnings = append(warnings, Warning{name, nil, rows, message})
		}
		for _, s := range []stratum{positiveLabel, negativeLabel, positiveDecision} {
			metrics := o.restingOn(s)
			if !labelled || len(metrics) == 0 {
				continue
			}
			list := strings.Join(metrics, ", ")
			switch n := size[k][s]; {
			case n == 0:
				message := fmt.Sprintf("%s: no %v, so there is no %s", title, s, list)
				warnings = append(warnings, Warning{name, metrics, n, message})
			case n < fewCases && rows >= fewCases: // else the warning above says enough
				message := fmt.Sprintf("%s: only %s for %s, fewer than %d: a single row matters much", title, effective(n, s), list, fewCases)
				warnings = append(warnings, Warning{name, metrics, n, message})
			}
		}
	}
	return warnings
}

// restingOn returns the names of the metrics that rest on a part of the rows.
func (o FrameOptions) restingOn(s stratum) []string {
	var names []string
	for _, m := range o.Metrics {
		if slices.Contains(m.over, s) {
			names = append(names, m.Name)
		}
	}
	return names
}

// effective words an effective number of rows.
func effective(n float64, s stratum) string {
	switch {
	case n == 1:
		return strings.Replace("1 "+s.String(), "rows", "row", 1)
	case n == math.Round(n):
		return fmt.Sprintf("%.0f %v", n, s)
	}
	return fmt.Sprintf("%v worth %.1f of equal weight", s, n)
}
