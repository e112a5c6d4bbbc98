package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/fairtrain/fairtrain/fairness"
)

// metrics are the metrics with approximate intervals.
var metrics = []string{"mean_score", "auc", "log_loss", "calibration_gap", "ece"}

// scoreColumns are the columns of their table: the metric in one group, and its gap
// between all groups.
func scoreColumns() []string {
	var columns []string
	for _, name := range metrics {
		columns = append(columns, name, name+" gap")
	}
	return columns
}

// concentration of the scores: a beta distribution with the cell's rate as its mean and so
// many rows behind it. It is very skewed for small and large rates.
const concentration = 4

// population is the distribution of scores of a group; a label is positive with the
// probability of its score.
type population struct {
	rate   float64
	scores distuv.Beta
	truth  map[string]float64
}

// newPopulation computes the true figures. If scores are Beta(a, b), the scores of positive
// rows are Beta(a+1, b) and the scores of negative rows Beta(a, b+1); the mean of S log S
// is a/(a+b) (ψ(a+1) − ψ(a+b+1)).
func newPopulation(rate float64) *population {
	a, b := concentration*rate, concentration*(1-rate)
	p := &population{rate: rate, scores: distuv.Beta{Alpha: a, Beta: b}}
	p.truth = map[string]float64{"mean_score": rate, "calibration_gap": 0, "ece": 0, "auc": math.NaN(), "log_loss": 0}
	if rate == 0 {
		return p
	}
	all := mathext.Digamma(a + b + 1)
	p.truth["log_loss"] = rate*(all-mathext.Digamma(a+1)) + (1-rate)*(all-mathext.Digamma(b+1))
	const points = 2000
	positive, negative := distuv.Beta{Alpha: a + 1, Beta: b}, distuv.Beta{Alpha: a, Beta: b + 1}
	var auc float64
	for k := range points {
		auc += negative.CDF(positive.Quantile((float64(k)+0.5)/points)) / points
	}
	p.truth["auc"] = auc
	return p
}

// draw appends rows.
func (p *population) draw(to *fairness.Predictions, rows int, random *rand.Rand, source *rand.PCG) {
	scores := p.scores
	scores.Src = source
	for range rows {
		s, label := 0.0, int8(-1)
		if p.rate > 0 {
			s = scores.Rand()
		}
		if random.Float64() < s {
			label = 1
		}
		to.Scores, to.Labels = append(to.Scores, s), append(to.Labels, label)
	}
}

// measureScores fills in the coverage of the metrics in one group and of their gaps, with
// all groups alike and with the first one apart.
func (c *cell) measureScores(of map[float64]*population, trials, resamples int) error {
	usual := of[c.rate]
	for run, first := range []*population{usual, of[gapped(c.rate)]} {
		found, err := c.simulateScores(first, usual, trials, resamples, uint64(run))
		if err != nil {
			return err
		}
		for name, coverage := range found {
			c.note(name, coverage)
		}
	}
	return nil
}

// count counts intervals, and the intervals that contain the true value.
type count struct{ covered, all float64 }

func (n *count) add(e fairness.Estimate, truth float64) {
	if !e.Value.Defined() || math.IsNaN(truth) {
		return
	}
	n.all++
	if contains(e, truth) {
		n.covered++
	}
}

func (c *cell) simulateScores(first, usual *population, trials, resamples int, run uint64) (map[string]float64, error) {
	source := rand.NewPCG(uint64(c.groups)<<32+run, uint64(c.rows))
	random := rand.New(source)
	options := fairness.DefaultFrameOptions()
	options.Resamples = resamples
	options.Metrics = fairness.Named(metrics...)
	groups := membership(c.groups, c.rows)
	single, gap := make([]count, len(metrics)), make([]count, len(metrics))
	for trial := range trials {
		p := fairness.Predictions{Threshold: 0.5}
		for g := range groups {
			of := usual
			if g == 0 {
				of = first
			}
			of.draw(&p, c.rows, random, source)
		}
		options.Seed = uint64(trial)
		frame, err := fairness.NewFrame(p, groups, options)
		if err != nil {
			return nil, err
		}
		for k, m := range frame.Metrics {
			single[k].add(m.Groups[0].Estimate, first.truth[m.Name])
			// The gap is between the groups in which the metric is defined.
			if everywhere(m) {
				gap[k].add(m.Difference, math.Abs(first.truth[m.Name]-usual.truth[m.Name]))
			}
		}
	}
	found := map[string]float64{}
	for k, name := range metrics {
		found[name] = single[k].covered / single[k].all
		found[name+" gap"] = gap[k].covered / gap[k].all
	}
	return found, nil
}

// everywhere reports whether a metric is defined in all groups.
func everywhere(m fairness.Comparison) bool {
	return !slices.ContainsFunc(m.Groups, func(g fairness.GroupEstimate) bool { return !g.Value.Defined() })
}

// membership returns groups of consecutive rows.
func membership(groups, rows int) []fairness.Group {
	all := make([]fairness.Group, groups)
	for g := range all {
		all[g] = fairness.Group{Name: string(rune('a' + g)), Member: make([]bool, groups*rows)}
		for i := range rows {
			all[g].Member[g*rows+i] = true
		}
	}
	return all
}
