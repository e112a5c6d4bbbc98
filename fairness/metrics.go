package fairness

import (
	"cmp"
	"math"
	"slices"
)

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

	Positives      Value `json:"positives"` // rows with label +1
	Negatives      Value `json:"negatives"`
	TruePositives  Value `json:"tp"`
	FalsePositives Value `json:"fp"`
	TrueNegatives  Value `json:"tn"`
	FalseNegatives Value `json:"fn"`
}

// leastProbability bounds the probabilities of the log loss from below.
const leastProbability = 0x1p-52

// measure computes the figures of the member rows, of all rows if member is nil. order
// lists all rows by ascending score.
func measure(p *Predictions, member []bool, order []int) Metrics {
	var m Metrics
	var weight, selected, score, loss float64
	var tp, fp, tn, fn float64
	for i, s := range p.Scores {
		if member != nil && !member[i] {
			continue
		}
		m.Rows++
		w := p.weight(i)
		decision := s >= p.Threshold
		weight += w
		score += w * s
		if decision {
			selected += w
		}
		if p.Labels == nil {
			continue
		}
		loss += w * logLoss(s, p.Labels[i])
		switch positive := p.Labels[i] > 0; {
		case positive && decision:
			tp += w
		case positive:
			fn += w
		case decision:
			fp += w
		default:
			tn += w
		}
	}
	m.SelectionRate = ratio(selected, weight)
	m.MeanScore = ratio(score, weight)
	if p.Labels == nil {
		m.undefineLabelled()
		return m
	}
	m.Positives, m.Negatives = Value(tp+fn), Value(fp+tn)
	m.TruePositives, m.FalsePositives, m.TrueNegatives, m.FalseNegatives = Value(tp), Value(fp), Value(tn), Value(fn)
	m.Accuracy = ratio(tp+tn, weight)
	m.TPR = ratio(tp, tp+fn)
	m.FPR = ratio(fp, fp+tn)
	m.BalancedAccuracy = (m.TPR + 1 - m.FPR) / 2
	m.LogLoss = ratio(loss, weight)
	m.AUC = auc(p, member, order)
	return m
}

func (m *Metrics) undefineLabelled() {
	for _, v := range []*Value{
		&m.Accuracy, &m.BalancedAccuracy, &m.TPR, &m.FPR, &m.AUC, &m.LogLoss, &m.Positives, &m.Negatives,
		&m.TruePositives, &m.FalsePositives, &m.TrueNegatives, &m.FalseNegatives,
	} {
		*v = Undefined()
	}
}

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

// auc counts, in order of score, the negatives below each positive. Rows of equal scores
// are taken together: among themselves they count one half.
func auc(p *Predictions, member []bool, order []int) Value {
	var below, positives, pairs float64 // below: negatives with a smaller score
	for start := 0; start < len(order); {
		s := p.Scores[order[start]]
		var tiedPositives, tiedNegatives float64
		end := start
		for ; end < len(order) && p.Scores[order[end]] == s; end++ {
			i := order[end]
			switch {
			case member != nil && !member[i]:
			case p.Labels[i] > 0:
				tiedPositives += p.weight(i)
			default:
				tiedNegatives += p.weight(i)
			}
		}
		pairs += tiedPositives * (below + tiedNegatives/2)
		below += tiedNegatives
		positives += tiedPositives
		start = end
	}
	return ratio(pairs, positives*below)
}

// byScore lists the rows by ascending score.
func byScore(scores []float64) []int {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(scores[i], scores[j]) })
	return order
}

func (p *Predictions) weight(i int) float64 {
	if p.Weights == nil {
		return 1
	}
	return p.Weights[i]
}

// ratio is undefined where there is nothing to divide by.
func ratio(part, whole float64) Value {
	if whole == 0 {
		return Undefined()
	}
	return Value(part / whole)
}
