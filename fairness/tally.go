package fairness

import (
	"cmp"
	"math"
	"slices"
)

// row is a scored row, ready to be added up many times, or several that are merged into one: their
// mean score and loss, and the sums of the others.
type row struct {
	score, weight float64
	squares       float64 // of the weights
	loss          float64 // NaN if the score is not a probability
	rows          int
	index         int32 // among the predictions
	rank          int32 // of the score; rows of equal score have the same
	label         int8  // 0 if unknown
	selected      bool
}

// byScore returns the rows of valid predictions by ascending score.
func (p *Predictions) byScore() []row {
	type key struct { // less to move about than a row
		score float64
		index int32
	}
	order := make([]key, len(p.Scores))
	for i, s := range p.Scores {
		order[i] = key{s, int32(i)}
	}
	slices.SortFunc(order, func(a, b key) int { return cmp.Compare(a.score, b.score) })
	rows := make([]row, len(order))
	rank := int32(0)
	for k, o := range order {
		if k > 0 && o.score != order[k-1].score {
			rank++
		}
		rows[k] = row{score: o.score, weight: 1, rows: 1, index: o.index, rank: rank, selected: o.score >= p.Threshold}
		if p.Weights != nil {
			rows[k].weight = p.Weights[o.index]
		}
		rows[k].squares = float64(rows[k].weight * rows[k].weight)
		if p.Labels != nil {
			rows[k].label = p.Labels[o.index]
			rows[k].loss = logLoss(o.score, rows[k].label)
		}
	}
	return rows
}

// leastProbability bounds the probabilities of the log loss from below.
const leastProbability = 0x1p-52

// logLoss is −log of the probability that the score gives to the label, NaN if the score
// is not a probability.
func logLoss(score float64, label int8) float64 {
	if score < 0 || score > 1 {
		return math.NaN()
	}
	if label < 0 {
		score = 1 - score
	}
	return -math.Log(max(score, leastProbability))
}

// tally adds up rows, given by ascending score, to Metrics.
type tally struct {
	selected, rest float64 // weights of the rows by decision
	score, loss    float64
	tp, fp, tn, fn float64

	pairs float64 // of a positive and a negative with a smaller score; a tie counts one half
	below float64 // negatives with a smaller score than the latest rows
	tied  struct {
		rank                 int32
		positives, negatives float64
	}
}

// add adds a row, its weight multiplied by times.
func (t *tally) add(r *row, times float64) {
	w := r.weight * times
	t.score += w * r.score
	t.loss += w * r.loss
	if r.selected {
		t.selected += w
	} else {
		t.rest += w
	}
	if r.rank != t.tied.rank {
		t.untie()
		t.tied.rank = r.rank
	}
	switch {
	case r.label > 0 && r.selected:
		t.tp += w
		t.tied.positives += w
	case r.label > 0:
		t.fn += w
		t.tied.positives += w
	case r.label < 0 && r.selected:
		t.fp += w
		t.tied.negatives += w
	case r.label < 0:
		t.tn += w
		t.tied.negatives += w
	}
}

// untie counts the pairs of the rows of one score, after all of them were added.
func (t *tally) untie() {
	t.pairs += t.tied.positives * (t.below + t.tied.negatives/2)
	t.below += t.tied.negatives
	t.tied.positives, t.tied.negatives = 0, 0
}

// metrics returns the figures of the added rows that need only sums; labelled says that
// the rows have labels.
func (t *tally) metrics(labelled bool) Metrics {
	t.untie()
	weight := t.selected + t.rest
	m := undefinedMetrics()
	m.SelectionRate = ratio(t.selected, weight)
	m.MeanScore = ratio(t.score, weight)
	if !labelled {
		return m
	}
	m.Positives, m.Negatives = Value(t.tp+t.fn), Value(t.fp+t.tn)
	m.TruePositives, m.FalsePositives = Value(t.tp), Value(t.fp)
	m.TrueNegatives, m.FalseNegatives = Value(t.tn), Value(t.fn)
	m.Accuracy = ratio(t.tp+t.tn, weight)
	m.TPR = ratio(t.tp, t.tp+t.fn)
	m.FPR = ratio(t.fp, t.fp+t.tn)
	m.BalancedAccuracy = (m.TPR + 1 - m.FPR) / 2
	m.LogLoss = ratio(t.loss, weight)
	m.AUC = ratio(t.pairs, (t.tp+t.fn)*(t.fp+t.tn))
	if m.LogLoss.Defined() { // the scores are probabilities
		m.CalibrationGap = ratio(t.score-t.tp-t.fn, weight)
	}
	return m
}

// measure returns the figures of rows by ascending score.
func measure(rows []row, labelled bool) Metrics {
	var t tally
	count := 0
	for i := range rows {
		t.add(&rows[i], 1)
		count += rows[i].rows
	}
	m := t.metrics(labelled)
	m.Rows = count
	if m.CalibrationGap.Defined() {
		_, size := effectiveSizes(rows)
		bins := reliability(rows, size[anyRow])
		m.ECE = expectedCalibrationError(bins)
		for _, b := range bins {
			m.Calibration = append(m.Calibration, b.CalibrationBin)
		}
	}
	return m
}

// kolmogorovSmirnov returns the largest difference of the shares of the negatives and of the
// positives below a score, of rows by ascending score with the given metrics.
func kolmogorovSmirnov(rows []row, m *Metrics) Value {
	largest, positives, negatives := Value(0), Value(0), Value(0)
	for i, r := range rows {
		if r.label > 0 {
			positives += Value(r.weight)
		} else {
			negatives += Value(r.weight)
		}
		if i+1 == len(rows) || rows[i+1].rank != r.rank {
			largest = max(largest, negatives/m.Negatives-positives/m.Positives, positives/m.Positives-negatives/m.Negatives)
		}
	}
	if !(m.Positives > 0 && m.Negatives > 0) {
		return Undefined()
	}
	return largest
}

// members returns the rows that are in a group, all if member is nil.
func members(rows []row, member []bool) []row {
	if member == nil {
		return rows
	}
	part := make([]row, 0, count(member))
	for i := range rows {
		if member[rows[i].index] {
			part = append(part, rows[i])
		}
	}
	return part
}

// ratio is undefined where there is nothing to divide by.
func ratio(part, whole float64) Value {
	if whole == 0 {
		return Undefined()
	}
	return Value(part / whole)
}
