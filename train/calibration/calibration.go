// Package calibration makes probabilities of the scores of a classifier, by logistic regression on
// its margins.
package calibration

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/shards"
	"github.com/fairtrain/fairtrain/internal/vmath"
	"github.com/fairtrain/fairtrain/train/decide"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// Calibrate turns the margins m of a classifier into A·m + B, with A and B such that the scores
// σ(A·m + B) are probabilities: they maximise the likelihood of the labels, each row counting by
// its weight, so that the mean score is the base rate, see Fit. Order and decisions stay as they
// are; centre is the margin from which on these are positive, and threshold the one to name where
// the calibrated one is it but for rounding. It does nothing if all margins are equal. The points
// are those of the rows that c was fitted to or, better, margins of rows held out, by classifiers
// made like c. If the rows d are a sample, all are in shards.
func Calibrate(c *classifier.Classifier, p *Points, threshold, centre float64, d *dataset.Dataset, all *shards.Rows) error {
	a, b, ok := p.Fit()
	if !ok {
		return nil
	}
	calibrated := *c
	calibrated.Weights = make([]float64, len(c.Weights))
	for j, w := range c.Weights {
		calibrated.Weights[j] = a * w
	}
	calibrated.Intercept = float64(a*c.Intercept) + b
	if all == nil {
		all = shards.InMemory(d)
	}
	scores, err := (&scoring.Spread{Other: &decide.Linear{Weights: calibrated.Weights, Intercept: calibrated.Intercept}}).Of(c, all)
	if err != nil {
		return err
	}
	if calibrated.Threshold, ok = thresholdOf(scores, float64(a*centre)+b, threshold); !ok {
		return nil
	}
	calibrated.Training.Calibration = &classifier.Calibration{Slope: a, Shift: b}
	*c = calibrated
	return nil
}

// thresholdOf returns σ(centre), or the threshold asked for if that is it but for rounding. Where
// rounding would change a decision of the classifier before it was calibrated, it returns the
// middle between the scores of negative and of positive decisions; false if there is no number
// between them.
func thresholdOf(s *scoring.Spreading, centre, asked float64) (float64, bool) {
	const roundoff = 1e-12
	below, above := max(0, s.Largest), min(1, s.Least)
	t := vmath.SigmoidOf(centre)
	if math.Abs(t-asked) < roundoff {
		t = asked
	}
	if below < t && t <= above {
		return t, true
	}
	t = below + (above-below)/2
	return t, below < t && t <= above
}

// Points are margins with labels and weights of sum 1: those of rows or, of decide.Many rows and of
// rows in shards, the means of rows of a label with margins in the same of many equal intervals.
type Points struct {
	margins, weights []float64
	labels           []int8
}

// Of returns the points of a classifier on rows d.
func Of(c *classifier.Classifier, d *dataset.Dataset, all *shards.Rows) (*Points, error) {
	if d.All() >= decide.Many || d.SampleOf > 0 {
		if all == nil {
			all = shards.InMemory(d)
		}
		return meanPoints(c, all)
	}
	margins := make([]float64, 0, d.Rows())
	by := decide.Linear{Weights: c.Weights, Intercept: c.Intercept}
	for _, t := range by.Margins(d, 0, d.Rows()) {
		margins = append(margins, t...)
	}
	return With(d, margins), nil
}

// With returns the points of rows with the given margins.
func With(d *dataset.Dataset, margins []float64) *Points {
	p := &Points{margins: margins, labels: d.Y, weights: make([]float64, len(margins))}
	for i := range p.weights {
		p.weights[i] = d.Weight(i)
	}
	floats.Scale(1/floats.Sum(p.weights), p.weights)
	return p
}

// meanPoints are the means of margins in equal intervals.
func meanPoints(c *classifier.Classifier, rows *shards.Rows) (*Points, error) {
	ends, err := new(scoring.Spread).Of(c, rows)
	if err != nil || ends.Least == ends.Largest {
		return new(Points), err // which decide nothing
	}
	in, err := (&scoring.Spread{Least: ends.Least, Largest: ends.Largest}).Of(c, rows)
	if err != nil {
		return nil, err
	}
	p := &Points{in.Margins, in.Weights, make([]int8, 2*scoring.Intervals)}
	for at, w := range p.weights {
		p.labels[at] = int8(2*(at%2) - 1)
		if w > 0 {
			p.margins[at] /= w
		}
	}
	return p, nil
}

// WeighClasses makes points of the label +1 count so many times as much; the sum stays 1.
func (p *Points) WeighClasses(positive float64) {
	if positive == 1 {
		return
	}
	for i, label := range p.labels {
		if label > 0 {
			p.weights[i] *= positive
		}
	}
	floats.Scale(1/floats.Sum(p.weights), p.weights)
}

// Fit returns the most likely A > 0 and B, and whether they exist: not if all margins are equal.
// Where margins separate the labels, it is the most likely A with Platt's prior (1999): as if one
// more row of each label had been seen, with any margin. Where no A > 0 is better than 0, as the
// margins say nothing of the labels, A is leastSlope over their spread, 1 at most.
func (p *Points) Fit() (a, b float64, ok bool) {
	const (
		leastSlope  = 1e-3
		leastSpread = 1e-9 // below which margins are equal but for rounding
	)
	// In units of their spread, so that Newton's method starts near the solution.
	mean, std := stat.PopMeanStdDev(p.margins, p.weights)
	if !(std > leastSpread) {
		return 0, 0, false
	}
	standard := *p
	standard.margins = make([]float64, len(p.margins))
	for i, m := range p.margins {
		standard.margins[i] = (m - mean) / std
	}
	if !p.overlap() {
		standard = *standard.withPrior()
	}
	if a, b, ok = standard.newtonFit(); ok && a < leastSlope {
		a, b = min(leastSlope, std), standard.logOdds()
	}
	return a / std, b - a*mean/std, ok
}

// withPrior returns the points with Platt's prior: of n rows of a label, one in n+2 has the other.
func (p *Points) withPrior() *Points {
	rows := map[int8]float64{}
	for _, label := range p.labels {
		rows[label]++
	}
	all := &Points{slices.Concat(p.margins, p.margins), slices.Concat(p.weights, p.weights), slices.Clone(p.labels)}
	for i, label := range p.labels {
		other := 1 / (rows[label] + 2)
		all.labels = append(all.labels, -label)
		all.weights[i] *= 1 - other
		all.weights[len(p.labels)+i] *= other
	}
	return all
}

// overlap reports whether some row of the label −1 has a larger margin than some row of the
// label +1. Without such rows the likelihood has no maximum.
func (p *Points) overlap() bool {
	highest, lowest := math.Inf(-1), math.Inf(1)
	for i, m := range p.margins {
		switch {
		case p.weights[i] == 0:
		case p.labels[i] > 0:
			lowest = min(lowest, m)
		default:
			highest = max(highest, m)
		}
	}
	return highest > lowest
}

// newtonFit maximises the likelihood by Newton's method; false if it does not converge.
func (p *Points) newtonFit() (a, b float64, ok bool) {
	const (
		iterations = 50
		tolerance  = 1e-9 // of the mean gradient, far below what a probability is known to
		halvings   = 30
	)
	b = p.logOdds() // where the curvature is not lost to rounding, as it is far out
	loss := p.logLikelihood(a, b)
	odds, sigmoid := make([]float64, len(p.margins)), make([]float64, len(p.margins))
	for range iterations {
		var ga, gb, haa, hab, hbb float64
		for i, m := range p.margins {
			odds[i] = float64(a*m) + b
		}
		vmath.Sigmoid(sigmoid, odds) // the same on every processor, as training needs the result
		for i, m := range p.margins {
			q := sigmoid[i]
			g, h := q, float64(q*(1-q)*p.weights[i])
			if p.labels[i] > 0 {
				g--
			}
			g = float64(g * p.weights[i])
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
			if next = p.logLikelihood(a-step*da, b-step*db); next < loss {
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

// logOdds returns those of the base rate, to the digits that are the same on every processor. Both
// labels must occur.
func (p *Points) logOdds() float64 {
	var positive, negative float64
	for i, w := range p.weights {
		if p.labels[i] > 0 {
			positive += w
		} else {
			negative += w
		}
	}
	return float64(float32(math.Log(positive / negative)))
}

// logLikelihood returns the negative mean log-likelihood.
func (p *Points) logLikelihood(a, b float64) float64 {
	t := make([]float64, len(p.margins))
	for i, m := range p.margins {
		t[i] = (float64(a*m) + b) * float64(p.labels[i])
	}
	loss := make([]float64, len(t))
	vmath.RobustSlope(loss, make([]float64, len(t)), t, math.Inf(1))
	return floats.Dot(loss, p.weights)
}
