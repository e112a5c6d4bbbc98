package fairness

import (
	"fmt"
	"slices"
	"strings"
)

// Metric is a figure by name. A metric made outside this package gets intervals of the
// plain Bayesian bootstrap, which are too narrow for few rows.
type Metric struct {
	Name  string
	Value func(*Metrics) Value

	over  []stratum // the rows that the figure rests on
	count bool      // it is a number of rows, not to be compared between groups

	// exact returns the limits of a figure made of shares.
	exact func(c *cell, tail float64) limits
	// calibration says that the figure is the expected calibration error.
	calibration bool
	// span and worst are for the bootstrap: the range of values of a row, and the figure
	// with an extra row.
	span  func(rows []row) span
	worst func(value float64, drawn *tally, extra extraRow, s span) (low, high float64)
}

// NeedsLabels reports whether the metric is undefined for rows without labels.
func (m Metric) NeedsLabels() bool {
	unlabelled := measure([]row{{weight: 1, rows: 1}}, false)
	return !m.Value(&unlabelled).Defined()
}

// Technique returns how the intervals of the metric are found.
func (m Metric) Technique() Technique {
	switch {
	case m.count:
		return NoTechnique
	case m.exact != nil && len(m.over) > 1:
		return Melded
	case m.exact != nil:
		return ClopperPearson
	case m.calibration:
		return ParametricBootstrap
	}
	return BayesianBootstrap
}

// ofSomeRows reports whether the metric is a share or the AUC of rows that a group may lack.
func (m Metric) ofSomeRows() bool {
	return len(m.over) > 0 && !slices.Contains(m.over, anyRow)
}

// approximate reports whether the intervals may be a little too narrow.
func (m Metric) approximate(weighted bool) bool {
	return !m.count && (weighted || m.Technique() != ClopperPearson)
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
		exact := func(c *cell, tail float64) limits {
			return clopperPearson(float64(value(&c.metrics)), c.sizes[of], tail)
		}
		return Metric{Name: name, Value: value, over: []stratum{of}, exact: exact}
	}
	count := func(name string, value func(*Metrics) Value) Metric {
		return Metric{Name: name, Value: value, count: true}
	}
	mean := func(name string, value func(*Metrics) Value, span func([]row) span) Metric {
		return Metric{Name: name, Value: value, over: []stratum{anyRow}, span: span, worst: worstMean}
	}
	labels := []stratum{positiveLabel, negativeLabel}
	return []Metric{
		count("rows", func(m *Metrics) Value { return Value(m.Rows) }),
		share("accuracy", anyRow, func(m *Metrics) Value { return m.Accuracy }),
		{Name: "balanced_accuracy", Value: func(m *Metrics) Value { return m.BalancedAccuracy }, over: labels, exact: balancedLimits},
		share("selection_rate", anyRow, func(m *Metrics) Value { return m.SelectionRate }),
		mean("mean_score", func(m *Metrics) Value { return m.MeanScore }, scoreSpan),
		share("base_rate", anyRow, func(m *Metrics) Value { return part(m.Positives, m.Negatives) }),
		share("tpr", positiveLabel, func(m *Metrics) Value { return m.TPR }),
		share("fpr", negativeLabel, func(m *Metrics) Value { return m.FPR }),
		share("tnr", negativeLabel, func(m *Metrics) Value { return part(m.TrueNegatives, m.FalsePositives) }),
		share("fnr", positiveLabel, func(m *Metrics) Value { return part(m.FalseNegatives, m.TruePositives) }),
		share("precision", positiveDecision, func(m *Metrics) Value { return part(m.TruePositives, m.FalsePositives) }),
		{
			Name: "auc", Value: func(m *Metrics) Value { return m.AUC }, over: labels,
			span: func([]row) span { return span{0, 1} }, worst: worstAUC,
		},
		mean("log_loss", func(m *Metrics) Value { return m.LogLoss }, lossSpan),
		mean("calibration_gap", func(m *Metrics) Value { return m.CalibrationGap },
			func([]row) span { return span{-1, 1} }),
		{Name: "ece", Value: func(m *Metrics) Value { return m.ECE }, over: []stratum{anyRow}, calibration: true},
		count("positives", func(m *Metrics) Value { return m.Positives }),
		count("negatives", func(m *Metrics) Value { return m.Negatives }),
		count("tp", func(m *Metrics) Value { return m.TruePositives }),
		count("fp", func(m *Metrics) Value { return m.FalsePositives }),
		count("tn", func(m *Metrics) Value { return m.TrueNegatives }),
		count("fn", func(m *Metrics) Value { return m.FalseNegatives }),
	}
}

// balancedLimits returns the limits of the mean of the true positive and the true negative
// rate.
func balancedLimits(c *cell, tail float64) limits {
	tpr, tnr := float64(c.metrics.TPR), 1-float64(c.metrics.FPR)
	return halfSum(limits{value: tpr, rows: c.sizes[positiveLabel]},
		limits{value: tnr, rows: c.sizes[negativeLabel]}, tail)
}

// scoreSpan is the span of probabilities, or else the span of the observed scores.
func scoreSpan(rows []row) span {
	low, high := rows[0].score, rows[len(rows)-1].score
	if low >= 0 && high <= 1 {
		return span{0, 1}
	}
	return span{low, high}
}

// lossSpan is the span of the losses that the observed scores have with either label. Losses are
// unbounded but for logLoss's clipping, at which intervals would be of no use; so they suppose that
// no much more extreme scores occur.
func lossSpan(rows []row) span {
	low, high := rows[0].score, rows[len(rows)-1].score
	return span{
		low:  min(logLoss(low, -1), logLoss(high, 1)),
		high: max(logLoss(low, 1), logLoss(high, -1)),
	}
}

// part is the share of one of two disjoint sets of rows in their union.
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

// Named is FindMetrics for names that are known to be metrics. It panics if they are not.
func Named(names ...string) []Metric {
	metrics, err := FindMetrics(names...)
	if err != nil {
		panic(err)
	}
	return metrics
}

// Metrics are the figures of a set of rows. Where rows have weights, counts are sums of
// weights and rates are weighted. All figures that need labels are undefined without
// them; a rate is undefined where its denominator is 0.
type Metrics struct {
	Rows int `json:"rows"` // rows, whatever their weights

	SelectionRate Value `json:"selection_rate"` // share of positive decisions
	MeanScore     Value `json:"mean_score"`

	Accuracy         Value `json:"accuracy"`          // share of decisions equal to the label
	BalancedAccuracy Value `json:"balanced_accuracy"` // mean of TPR and 1 − FPR
	TPR              Value `json:"tpr"`               // selection rate of the positives
	FPR              Value `json:"fpr"`               // selection rate of the negatives

	// AUC is the probability that a positive scores higher than a negative, a tie
	// counting one half.
	AUC Value `json:"auc"`
	// LogLoss is the mean of −log(probability given to the label), for scores that are
	// probabilities; undefined if one is outside [0, 1]. Probabilities are taken as at
	// least 2⁻⁵², so that one confident error can't make it infinite.
	LogLoss Value `json:"log_loss"`

	// CalibrationGap is the mean score minus the base rate (share of positive labels), ECE
	// the expected calibration error: the mean distance of the two in Calibration, the
	// reliability table. Its bins have about equal weight, except for ties; there are ten bins if
	// there are ten rows for each, else fewer. All are undefined if the log loss is.
	CalibrationGap Value            `json:"calibration_gap"`
	ECE            Value            `json:"ece"`
	Calibration    []CalibrationBin `json:"calibration,omitempty"`

	Positives      Value `json:"positives"` // rows with label +1
	Negatives      Value `json:"negatives"`
	TruePositives  Value `json:"tp"`
	FalsePositives Value `json:"fp"`
	TrueNegatives  Value `json:"tn"`
	FalseNegatives Value `json:"fn"`
}

// undefinedMetrics returns the metrics of no rows.
func undefinedMetrics() Metrics {
	none := Undefined()
	return Metrics{
		SelectionRate: none, MeanScore: none,
		Accuracy: none, BalancedAccuracy: none, TPR: none, FPR: none, AUC: none, LogLoss: none,
		CalibrationGap: none, ECE: none,
		Positives: none, Negatives: none, TruePositives: none, FalsePositives: none, TrueNegatives: none, FalseNegatives: none,
	}
}
