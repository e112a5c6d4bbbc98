package train

import (
	"math"

	"gonum.org/v1/gonum/floats"
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
	a, b, ok := logisticFit(pointsOf(c, d))
	if !ok {
		return
	}
	centre := math.Log(c.Threshold / (1 - c.Threshold))
	calibrated := *c
	calibrated.Weights = make([]float64, len(c.Weights))
	for j, w := range c.Weights {
		calibrated.Weights[j] = a * w
	}
	calibrated.Intercept = float64(a*c.Intercept) + b
	if calibrated.Threshold, ok = threshold(c, &calibrated, d, float64(a*centre)+b); !ok {
		return
	}
	calibrated.Training.Calibration = &classifier.Calibration{Slope: a, Shift: b}
	*c = calibrated
}

// threshold returns σ(centre). Where rounding would change a decision of the classifier before
// it was calibrated, it returns the middle between the scores of negative and of positive
// decisions; false if there is no number between them.
func threshold(before, c *classifier.Classifier, d *dataset.Dataset, centre float64) (float64, bool) {
	below, above := 0.0, 1.0
	after := make([]float64, scoredRows)
	_ = (&Scored{by: before, data: d}).Each(func(lo int, scores []float64) error {
		if err := c.ScoresFrom(after[:len(scores)], d.X, lo); err != nil {
			panic(err) // it has the features of the one before
		}
		for k, s := range after[:len(scores)] {
			// By scores: rounding may put that of a margin just below the centre at the threshold.
			if scores[k] >= before.Threshold {
				above = min(above, s)
			} else {
				below = max(below, s)
			}
		}
		return nil
	})
	if t := 1 / (1 + math.Exp(-centre)); below < t && t <= above {
		return t, true
	}
	t := below + (above-below)/2
	return t, below < t && t <= above
}

// points are margins with labels and weights of sum 1: those of rows or, of decide.Many rows,
// the means of rows of a label with margins in the same of many equal intervals.
type points struct {
	margins, weights []float64
	labels           []int8
}

func pointsOf(c *classifier.Classifier, d *dataset.Dataset) *points {
	margins, shares := decide.NewMargins(d, c.Weights, c.Intercept), decide.NewShares(d.Weights, d.Rows())
	if d.Rows() >= decide.Many {
		return meanPoints(margins, shares, d.Y)
	}
	p := &points{labels: d.Y}
	for lo, t := range margins.All() {
		p.margins = append(p.margins, t...)
		for k := range t {
			p.weights = append(p.weights, shares.At(lo+k))
		}
	}
	return p
}

// meanPoints are the means of margins in equal intervals.
func meanPoints(margins decide.Margins, shares decide.Shares, labels []int8) *points {
	const intervals = 1 << 16
	low, high := math.Inf(1), math.Inf(-1)
	for _, t := range margins.All() {
		low, high = min(low, floats.Min(t)), max(high, floats.Max(t))
	}
	if low == high {
		return new(points) // which decide nothing
	}
	p := &points{make([]float64, 2*intervals), make([]float64, 2*intervals), make([]int8, 2*intervals)}
	for lo, t := range margins.All() {
		for i, m := range t {
			at := 2 * min(int((m-low)/(high-low)*intervals), intervals-1)
			if labels[lo+i] > 0 {
				at++
			}
			share := shares.At(lo + i)
			p.labels[at] = labels[lo+i]
			p.weights[at] += share
			p.margins[at] += float64(share * m)
		}
	}
	for at, w := range p.weights {
		if w > 0 {
			p.margins[at] /= w
		}
	}
	return p
}

// logisticFit returns the most likely A > 0 and B, and whether they exist.
func logisticFit(p *points) (a, b float64, ok bool) {
	if !p.overlap() {
		return 0, 0, false
	}
	// In units of their spread, so that Newton's method starts near the solution.
	mean, std := stat.PopMeanStdDev(p.margins, p.weights)
	standard := *p
	standard.margins = make([]float64, len(p.margins))
	for i, m := range p.margins {
		standard.margins[i] = (m - mean) / std
	}
	a, b, ok = standard.newtonFit()
	return a / std, b - a*mean/std, ok && a > 0
}

// overlap reports whether some row of the label −1 has a larger margin than some row of the
// label +1. Without such rows the likelihood has no maximum.
func (p *points) overlap() bool {
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
func (p *points) newtonFit() (a, b float64, ok bool) {
	const (
		iterations = 50
		tolerance  = 1e-9 // of the mean gradient, far below what a probability is known to
		halvings   = 10
	)
	a = 1
	loss := p.logLikelihood(a, b)
	for range iterations {
		var ga, gb, haa, hab, hbb float64
		for i, m := range p.margins {
			q := 1 / (1 + math.Exp(-(float64(a*m) + b)))
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

// logLikelihood returns the negative mean log-likelihood.
func (p *points) logLikelihood(a, b float64) float64 {
	sum := 0.0
	for i, m := range p.margins {
		t := (float64(a*m) + b) * float64(p.labels[i])
		sum += p.weights[i] * (max(-t, 0) + math.Log1p(math.Exp(-math.Abs(t))))
	}
	return sum
}
