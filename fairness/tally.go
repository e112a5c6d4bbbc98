package fairness

import (
	"cmp"
	"math"
	"slices"
)

// row is a scored row, ready to be added up many times.
type row struct {
	score, weight float64
	loss          float64 // NaN if the score is not a probability
	index         int32   // among the predictions
	label         int8    // 0 if unknown
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
	for k, o := range order {
		rows[k] = row{score: o.score, weight: 1, index: o.index, selected: o.score >= p.Threshold}
		if p.Weights != nil {
			rows[k].weight = p.Weights[o.index]
		}
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

// tally adds up rows, which come by ascending score, to Metrics.
type tally struct {
	rows           int
	selected, rest float64 // weights of the rows by decision
	score, loss    float64
	tp, fp, tn, fn float64

	pairs float64 // of a positive and a negative with a smaller score; a tie counts one half
	below float64 // negatives with a smaller score than the latest rows
	tied  struct{ score, positives, negatives float64 }
}

// add adds a row so many times.
func (t *tally) add(r *row, times int) {
	w := r.weight * float64(times)
	t.rows += times
	t.score += w * r.score
	t.loss += w * r.loss
	if r.selected {
		t.selected += w
	} else {
		t.rest += w
	}
	if r.score != t.tied.score {
		t.untie()
		t.tied.score = r.score
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

// untie counts the pairs of the rows of one score, once they are all there.
func (t *tally) untie() {
	t.pairs += t.tied.positives * (t.below + t.tied.negatives/2)
	t.below += t.tied.negatives
	t.tied.positives, t.tied.negatives = 0, 0
}

// metrics returns the figures of the rows added; labelled says that they have labels.
func (t *tally) metrics(labelled bool) Metrics {
	t.untie()
	weight := t.selected + t.rest
	m := Metrics{
		Rows:          t.rows,
		SelectionRate: ratio(t.selected, weight),
		MeanScore:     ratio(t.score, weight),
	}
	if !labelled {
		m.undefineLabelled()
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
	return m
}

// measure returns the figures of the member rows, of all rows if member is nil.
func measure(rows []row, member []bool, labelled bool) Metrics {
	var t tally
	for i := range rows {
		if member == nil || member[rows[i].index] {
			t.add(&rows[i], 1)
		}
	}
	return t.metrics(labelled)
}

// ratio is undefined where there is nothing to divide by.
func ratio(part, whole float64) Value {
	if whole == 0 {
		return Undefined()
	}
	return Value(part / whole)
}
