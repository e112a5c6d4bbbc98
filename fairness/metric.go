package fairness

import (
	"fmt"
	"strings"
)

// Metric is a figure by name. One made outside this package gets bootstrap intervals.
type Metric struct {
	Name  string
	Value func(*Metrics) Value

	over  []stratum // the rows that the figure rests on
	share bool      // it is the share of some rows among those of over[0]
	count bool      // it is a number of rows, not to be compared between groups
}

// stratum is a part of the rows on which a metric may rest.
type stratum int

const (
	anyRow stratum = iota
	positiveLabel
	negativeLabel
	positiveDecision
	strata // how many there are
)

func (s stratum) String() string {
	return [...]string{"rows", "rows with a positive label", "rows with a negative label", "rows with a positive decision"}[s]
}

func (s stratum) holds(r *row) bool {
	switch s {
	case positiveLabel:
		return r.label > 0
	case negativeLabel:
		return r.label < 0
	case positiveDecision:
		return r.selected
	}
	return true
}

// MetricList returns all metrics of this package, in the order in which to show them. The
// names are those of Metrics in JSON; beyond these there are the base rate (share of
// positive labels), the true and false negative rates, and the precision (share of
// positive labels among positive decisions).
func MetricList() []Metric {
	share := func(name string, of stratum, value func(*Metrics) Value) Metric {
		return Metric{Name: name, Value: value, over: []stratum{of}, share: true}
	}
	count := func(name string, value func(*Metrics) Value) Metric {
		return Metric{Name: name, Value: value, count: true}
	}
	figure := func(name string, value func(*Metrics) Value, over ...stratum) Metric {
		return Metric{Name: name, Value: value, over: over}
	}
	return []Metric{
		count("rows", func(m *Metrics) Value { return Value(m.Rows) }),
		share("accuracy", anyRow, func(m *Metrics) Value { return m.Accuracy }),
		figure("balanced_accuracy", func(m *Metrics) Value { return m.BalancedAccuracy }, positiveLabel, negativeLabel),
		share("selection_rate", anyRow, func(m *Metrics) Value { return m.SelectionRate }),
		figure("mean_score", func(m *Metrics) Value { return m.MeanScore }, anyRow),
		share("base_rate", anyRow, func(m *Metrics) Value { return part(m.Positives, m.Negatives) }),
		share("tpr", positiveLabel, func(m *Metrics) Value { return m.TPR }),
		share("fpr", negativeLabel, func(m *Metrics) Value { return m.FPR }),
		share("tnr", negativeLabel, func(m *Metrics) Value { return part(m.TrueNegatives, m.FalsePositives) }),
		share("fnr", positiveLabel, func(m *Metrics) Value { return part(m.FalseNegatives, m.TruePositives) }),
		share("precision", positiveDecision, func(m *Metrics) Value { return part(m.TruePositives, m.FalsePositives) }),
		figure("auc", func(m *Metrics) Value { return m.AUC }, positiveLabel, negativeLabel),
		figure("log_loss", func(m *Metrics) Value { return m.LogLoss }, anyRow),
		count("positives", func(m *Metrics) Value { return m.Positives }),
		count("negatives", func(m *Metrics) Value { return m.Negatives }),
		count("tp", func(m *Metrics) Value { return m.TruePositives }),
		count("fp", func(m *Metrics) Value { return m.FalsePositives }),
		count("tn", func(m *Metrics) Value { return m.TrueNegatives }),
		count("fn", func(m *Metrics) Value { return m.FalseNegatives }),
	}
}

// part is the share that one of two disjoint sets of rows has in both.
func part(one, other Value) Value { return ratio(float64(one), float64(one+other)) }

// FindMetrics returns the metrics of the given names, in their order. A name that is
// unknown or given twice is an error.
func FindMetrics(names ...string) ([]Metric, error) {
	byName := map[string]Metric{}
	var known []string
	for _, m := range MetricList() {
		byName[m.Name] = m
		known = append(known, m.Name)
	}
	var found []Metric
	seen := map[string]bool{}
	for _, name := range names {
		m, ok := byName[name]
		switch {
		case !ok:
			return nil, fmt.Errorf("there is no metric %q, only %s", name, strings.Join(known, ", "))
		case seen[name]:
			return nil, fmt.Errorf("metric %s is given twice", name)
		}
		seen[name] = true
		found = append(found, m)
	}
	return found, nil
}
