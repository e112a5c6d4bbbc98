package fairness

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// The Bayesian bootstrap (Rubin, Annals of Statistics 9, 1981) gives every row a random
// weight from the standard exponential distribution. Many equal rows together have a
// weight from a gamma distribution, so a million rows take a few hundred draws. Every
// cell is judged on its own: the groups are strata.
//
// Intervals from quantiles of such figures are too narrow for few rows, and have no width
// if all rows are equal. Gaffke (Mathematical Methods of Statistics 14, 2005) adds one
// row with the worst possible value: the largest one for the upper bound, the smallest
// one for the lower. For shares this gives the interval of Clopper and Pearson; with many
// rows it is the interval of the plain bootstrap. For the AUC, the added row is half a
// positive and half a negative.

// mostBins bounds the number of different scores that are drawn separately. Within a bin,
// scores differ so little that merging them reduces no figure's variance by more than a
// thousandth.
const mostBins = 128

// atom stands for rows of similar score with one label and one decision. Its row has
// their mean score and loss, and the weight of one of their effective rows.
type atom struct {
	row
	mass float64 // effective rows
}

// atomsOf returns the atoms of rows, both by ascending score.
func atomsOf(rows []row) []atom {
	var atoms []atom
	for rank, bin := range equalMass(rows, mostBins) {
		for _, label := range []int8{-1, 0, 1} {
			for _, selected := range []bool{false, true} {
				if a := atomOf(bin, label, selected); a.mass > 0 {
					a.rank = int32(rank)
					atoms = append(atoms, a)
				}
			}
		}
	}
	return atoms
}

// atomOf merges the rows of one label and one decision.
func atomOf(rows []row, label int8, selected bool) atom {
	a := atom{row: row{label: label, selected: selected}}
	var sum, squares float64
	for i := range rows {
		if r := &rows[i]; r.label == label && r.selected == selected {
			sum += r.weight
			squares += r.squares
			a.score += r.weight * r.score
			a.loss += r.weight * r.loss
		}
	}
	a.mass = kish(sum, squares)
	a.score, a.loss, a.weight = a.score/sum, a.loss/sum, sum/a.mass
	return a
}

// extraRow has the random weights of the added row with the worst possible value.
type extraRow struct{ weight, positive, negative float64 }

// bootstrap returns the limits of metrics in a cell.
func (c *cell) bootstrap(metrics []Metric, t tails, resamples int, source *rand.PCG) []estimates {
	if len(metrics) == 0 {
		return nil
	}
	atoms := atomsOf(c.rows)
	var merged tally
	for k := range atoms {
		merged.add(&atoms[k].row, atoms[k].mass)
	}
	samples := make([]sample, len(metrics))
	for k, m := range metrics {
		samples[k] = c.sampleOf(m, merged.metrics(c.labelled))
	}
	draw := newWeights(source)
	for range resamples {
		var drawn tally
		for k := range atoms {
			drawn.add(&atoms[k].row, draw.gamma(atoms[k].mass))
		}
		figures := drawn.metrics(c.labelled)
		extra := extraRow{draw.gamma(1) * c.unit(anyRow), draw.gamma(0.5) * c.unit(positiveLabel), draw.gamma(0.5) * c.unit(negativeLabel)}
		for k := range samples {
			samples[k].add(&figures, &drawn, extra)
		}
	}
	found := make([]estimates, len(metrics))
	for k := range samples {
		found[k] = samples[k].limits(t)
	}
	return found
}

// weights draws random weights.
type weights struct {
	source *rand.PCG
	random *rand.Rand
}

func newWeights(source *rand.PCG) weights { return weights{source, rand.New(source)} }

// gamma draws from the gamma distribution of a shape and scale 1. From a shape of 4 on it
// takes the cube of a normal variable (Wilson and Hilferty, PNAS 17, 1931), which is three
// times as fast and has the mean and the variance right to a thousandth.
func (w weights) gamma(shape float64) float64 {
	if shape < 4 {
		return distuv.Gamma{Alpha: shape, Beta: 1, Src: w.source}.Rand()
	}
	root := 1 - 1/(9*shape) + w.random.NormFloat64()/(3*math.Sqrt(shape))
	return shape * max(0, root*root*root)
}

// sample collects the bounds of a metric.
type sample struct {
	Metric
	value       float64
	bias        float64 // of merging rows, about 1e-4 for the AUC
	within      span
	lows, highs []float64
}

// sampleOf prepares to collect a metric; merged are the figures of the atoms.
func (c *cell) sampleOf(m Metric, merged Metrics) sample {
	s := sample{Metric: m, value: float64(m.Value(&c.metrics)), within: everything}
	s.bias = float64(m.Value(&merged)) - s.value
	if m.span != nil {
		s.within = m.span(c.rows)
	}
	return s
}

func (s *sample) add(figures *Metrics, drawn *tally, extra extraRow) {
	low := float64(s.Value(figures)) - s.bias
	high := low
	if s.worst != nil {
		low, high = s.worst(low, drawn, extra, s.within)
	}
	if !math.IsNaN(low) && !math.IsNaN(high) {
		s.lows, s.highs = append(s.lows, low), append(s.highs, high)
	}
}

func (s *sample) limits(t tails) estimates {
	if len(s.lows) == 0 {
		return undefinedLimits(s.value)
	}
	slices.Sort(s.lows)
	slices.Sort(s.highs)
	return t.stretched(limits{
		value: s.value,
		low:   min(s.value, quantile(s.lows, t.single/2)),
		high:  max(s.value, quantile(s.highs, 1-t.single/2)),
	}, s.within)
}

// stretched returns the limits at both tails from the limits at the single tail: there are
// too few samples to find the joint tail among them.
func (t tails) stretched(single limits, s span) estimates {
	factor := t.stretch()
	joint := limits{
		value: single.value,
		low:   single.value - factor*(single.value-single.low),
		high:  single.value + float64(factor*(single.high-single.value)),
	}
	return estimates{single.in(s), joint.in(s)}
}

// span bounds a figure.
type span struct{ low, high float64 }

// in returns limits that are inside the span, as the value is.
func (l limits) in(s span) limits {
	l.low, l.high = max(l.low, s.low), min(l.high, s.high)
	return l
}

// everything is the span of figures without bounds.
var everything = span{math.Inf(-1), math.Inf(1)}

// worstMean returns the mean of a figure over the rows and one more row, at either end of
// the figure's span.
func worstMean(mean float64, drawn *tally, extra extraRow, s span) (low, high float64) {
	weight := drawn.selected + drawn.rest
	total := weight + extra.weight
	return (float64(weight*mean) + float64(extra.weight*s.low)) / total, (float64(weight*mean) +
		float64(extra.weight*s.high)) / total
}

// worstAUC returns the AUC with a bit of a positive below and of a negative above all
// others, and the reverse.
func worstAUC(auc float64, drawn *tally, extra extraRow, _ span) (low, high float64) {
	pairs := (drawn.tp + drawn.fn) * (drawn.fp + drawn.tn)
	total := (drawn.tp + drawn.fn + extra.positive) * (drawn.fp + drawn.tn + extra.negative)
	return auc * pairs / total, 1 - (1-auc)*pairs/total
}

// quantile interpolates linearly between sorted values, of which the first is the quantile
// 0 and the last the quantile 1.
func quantile(sorted []float64, q float64) float64 {
	whole, part := math.Modf(q * float64(len(sorted)-1))
	k := int(whole)
	if part == 0 {
		return sorted[k]
	}
	return float64((1-part)*sorted[k]) + float64(part*sorted[k+1])
}
