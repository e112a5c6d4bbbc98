package train

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/train/decide"
)

// calibrate turns the margins m of a classifier into A·m + B, with A and B such that the
// scores σ(A·m + B) are probabilities: they maximise the likelihood of the labels, each
// row counting by its weight, so that the mean score is the base rate (Platt 1999, without
// his prior). Order and decisions stay as they are. It does nothing if the likelihood has
// no maximum at an A > 0, as when all margins are equal or separate the labels.
func calibrate(c *classifier.Classifier, d *dataset.Dataset) {
	margins := make([]float64, d.Rows())
	d.X.MulRange(margins, c.Weights, 0, len(margins))
	for i := range margins {
		margins[i] += c.Intercept
	}
	a, b, ok := logisticFit(margins, d)
	if !ok {
		return
	}
	centre := math.Log(c.Threshold / (1 - c.Threshold))
	decided := decisions(c, d)
	calibrated := *c
	calibrated.Weights = make([]float64, len(c.Weights))
	for j, w := range c.Weights {
		calibrated.Weights[j] = a * w
	}
	calibrated.Intercept = float64(a*c.Intercept) + b
	if calibrated.Threshold, ok = threshold(&calibrated, d, decided, float64(a*centre)+b); !ok {
		return
	}
	calibrated.Training.Calibration = &classifier.Calibration{Slope: a, Shift: b}
	*c = calibrated
}

// decisions returns the decisions of the classifier by its scores: rounding may put the
// score of a margin just below the centre at the threshold.
func decisions(c *classifier.Classifier, d *dataset.Dataset) []bool {
	scores := make([]float64, d.Rows())
	if err := c.Scores(scores, d.X); err != nil {
		panic(err) // the classifier was trained on these features
	}
	return decide.Positive(scores, c.Threshold)
}

// threshold returns σ(centre). Where rounding would change a decision, it returns the
// middle between the scores of negative and of positive decisions; false if there is no
// number between them.
func threshold(c *classifier.Classifier, d *dataset.Dataset, decided []bool, centre float64) (float64, bool) {
	scores := make([]float64, d.Rows())
	if err := c.Scores(scores, d.X); err != nil {
		panic(err) // the classifier was trained on these features
	}
	below, above := 0.0, 1.0
	for i, s := range scores {
		if decided[i] {
			above = min(above, s)
		} else {
			below = max(below, s)
		}
	}
	if t := 1 / (1 + math.Exp(-centre)); below < t && t <= above {
		return t, true
	}
	t := below + (above-below)/2
	return t, below < t && t <= above
}

// logisticFit returns the most likely A > 0 and B, and whether they exist.
func logisticFit(margins []float64, d *dataset.Dataset) (a, b float64, ok bool) {
	weight := make([]float64, d.Rows())
	for i, shares := 0, decide.NewShares(d.Weights, d.Rows()); i < len(weight); i++ {
		weight[i] = shares.At(i)
	}
	if !overlap(margins, d, weight) {
		return 0, 0, false
	}
	// In units of their spread, so that Newton's method starts near the solution.
	mean, std := stat.PopMeanStdDev(margins, weight)
	standard := make([]float64, len(margins))
	for i, m := range margins {
		standard[i] = (m - mean) / std
	}
	a, b, ok = newtonFit(standard, d, weight)
	return a / std, b - a*mean/std, ok && a > 0
}

// overlap reports whether some row of the label −1 has a larger margin than some row of the
// label +1. Without such rows the likelihood has no maximum.
func overlap(margins []float64, d *dataset.Dataset, weight []float64) bool {
	highest, lowest := math.Inf(-1), math.Inf(1)
	for i, m := range margins {
		switch {
		case weight[i] == 0:
		case d.Y[i] > 0:
			lowest = min(lowest, m)
		default:
			highest = max(highest, m)
		}
	}
	return highest > lowest
}

// newtonFit maximises the likelihood by Newton's method; false if it does not converge.
func newtonFit(margins []float64, d *dataset.Dataset, weight []float64) (a, b float64, ok bool) {
	const (
		iterations = 50
		tolerance  = 1e-9 // of the mean gradient, far below what a probability is known to
		halvings   = 10
	)
	a = 1
	loss := logLikelihood(margins, d, weight, a, b)
	for range iterations {
		var ga, gb, haa, hab, hbb float64
		for i, m := range margins {
			p := 1 / (1 + math.Exp(-(float64(a*m) + b)))
			g, h := p, float64(p*(1-p)*weight[i])
			if d.Y[i] > 0 {
				g--
			}
			g = float64(g * weight[i])
			ga, gb = ga+float64(g*m), gb+g
			haa, hab, hbb = haa+float64(h*m*m), hab+float64(h*m), hbb+h
		}
		det := haa*hbb - hab*hab
		if math.Hypot(ga, gb) <= tolerance {
			return a, b, true
		}
		da, db := (hbb*ga-hab*gb)/det, (haa*gb-hab*ga)/det
		step, next := 1.0, math.Inf(1)
		for range halvings {
			if next = logLikelihood(margins, d, weight, a-step*da, b-step*db); next < loss {
				break
			}
			step /= 2
		}
		if !(next < loss) {
			const roundoff = 1e-6 // of the mean gradient, where the loss no longer falls
			return a, b, math.Hypot(ga, gb) <= roundoff
		}
		a, b, loss = a-step*da, b-step*db, next
	}
	return 0, 0, false
}

// logLikelihood returns the negative mean log-likelihood.
func logLikelihood(margins []float64, d *dataset.Dataset, weight []float64, a, b float64) float64 {
	sum := 0.0
	for i, m := range margins {
		t := (float64(a*m) + b) * float64(d.Y[i])
		sum += weight[i] * (max(-t, 0) + math.Log1p(math.Exp(-math.Abs(t))))
	}
	return sum
}
