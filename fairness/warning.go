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
	// fewCases is the number of rows below which the metrics of these rows are uncertain:
	// one row moves a share by more than a tenth.
	fewCases = 10
)

// Warning says which figures rest on too few rows.
type Warning struct {
	Group   string   `json:"group,omitempty"`   // "" for all rows
	Metrics []string `json:"metrics,omitempty"` // nil for all of them
	// Rows is the number of rows that the figures rest on; with weights, the effective
	// number (see Technique).
	Rows    float64 `json:"rows"`
	Message string  `json:"message"`
	// Positives is the number of rows of the group with a positive label, counted likewise;
	// undefined without labels.
	Positives Value `json:"positives"`
}

// warnings looks for cells, all rows and then the groups, with too few rows.
func (o FrameOptions) warnings(groups []string, cells []cell) []Warning {
	warnings := []Warning{}
	for k, c := range cells {
		name, title := "", "all rows"
		if k > 0 {
			name = groups[k-1]
			title = "group " + name
		}
		rows := c.sizes[anyRow]
		if rows < fewRows {
			message := fmt.Sprintf("%s: %s, fewer than %d: not statistically significant%s", title,
				effective(rows, anyRow), fewRows, c.positiveText())
			warnings = append(warnings, Warning{name, nil, rows, message, c.positives()})
		}
		for _, s := range []stratum{positiveLabel, negativeLabel, positiveDecision} {
			metrics := o.restingOn(s)
			if !c.labelled || len(metrics) == 0 {
				continue
			}
			list := strings.Join(metrics, ", ")
			switch n := c.sizes[s]; {
			case n == 0:
				message := fmt.Sprintf("%s: no %v, so there is no %s", title, s, list)
				warnings = append(warnings, Warning{name, metrics, n, message, c.positives()})
			case n < fewCases && rows >= fewCases: // else the warning above says enough
				message := fmt.Sprintf("%s: only %s for %s, fewer than %d: very small group", title,
					effective(n, s), list, fewCases)
				warnings = append(warnings, Warning{name, metrics, n, message, c.positives()})
			}
		}
	}
	return warnings
}

// positives returns the effective number of rows with a positive label.
func (c *cell) positives() Value {
	if !c.labelled {
		return Undefined()
	}
	return Value(c.sizes[positiveLabel])
}

// positiveText words it in brackets.
func (c *cell) positiveText() string {
	if !c.labelled {
		return ""
	}
	return fmt.Sprintf(" (%.3g of them positive)", float64(c.positives()))
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

// effective writes an effective number of rows in words.
func effective(n float64, s stratum) string {
	switch {
	case n == 1:
		return strings.Replace("1 "+s.String(), "rows", "row", 1)
	case n == math.Round(n):
		return fmt.Sprintf("%.0f %v", n, s)
	}
	return fmt.Sprintf("%v worth %.1f of equal weight", s, n)
}
