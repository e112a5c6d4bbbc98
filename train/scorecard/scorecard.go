// Package scorecard makes a classifier one of integer points.
package scorecard

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/model/orders"
	"github.com/fairtrain/fairtrain/train/decide"
)

// Problem is what a scorecard is judged by.
type Problem struct {
	Scale classifier.Scale
	Data  *dataset.Dataset // rows that the classifier was trained on
	Judge *decide.Judge    // with the bounds that were trained for
	// OnDecisions is whether requirements are on decisions; others hold within the tolerance.
	OnDecisions bool
	Tolerance   float64
}

// rounding looks for the best scorecard near a classifier. Rounded weights change decisions, so that
// the cutoff is found anew, and every figure is counted on the points themselves.
type rounding struct {
	Problem
	columns []classifier.Column
	blocks  []dataset.Block
	weights []float64 // of the classifier, in points
	counts  []float64 // rows that have a feature
	rows    float64
	cutoff  float64 // of the classifier, in points
	common  int     // the points of everybody
}

// card is a scorecard that was judged.
type card struct {
	decide.Measured
	points []int // of the features
	cutoff int
}

// prices are by how much the mean squared error of the log-odds must fall for a number to have one
// more line. On rows held out the first one costs nothing and saves half to three quarters of the
// lines (docs/scorecard.md); four times as much costs 0.001 of AUC on Adult. Without a price
// scorecards are as exact as integers are.
var prices = []float64{8e-4, 2e-4, 0}

// Make makes a classifier a scorecard: the one of the fewest lines among those that satisfy the
// requirements and are within a standard error of the accuracy of the best. If none satisfies them,
// some points of the one that violates them least are changed by 1.
func (p Problem) Make(trained *classifier.Classifier) error {
	r, err := p.rounding(trained)
	if err != nil {
		return err
	}
	var cards []card
	best := card{Measured: decide.Measured{Excess: math.Inf(1)}}
	for _, price := range prices {
		c := r.judged(r.rounded(price))
		if cards = append(cards, c); c.Better(best.Measured) {
			best = c
		}
	}
	least := best.Accuracy - math.Sqrt(max(0, best.Accuracy*(1-best.Accuracy))/float64(p.Data.All()))
	if k := slices.IndexFunc(cards, func(c card) bool { return c.Excess <= 0 && c.Accuracy >= least }); k >= 0 {
		best = cards[k]
	}
	best = r.repaired(best)
	trained.SetPoints(r.Scale, best.points, r.common, best.cutoff)
	return r.Judge.Err()
}

func (p Problem) rounding(trained *classifier.Classifier) (*rounding, error) {
	r := &rounding{Problem: p, columns: trained.Features.Columns(), rows: float64(p.Data.Rows())}
	if e := trained.Features.Encoding; e != nil {
		r.blocks = e.Blocks()
	}
	const largest = 1e9
	factor := r.Scale.Factor()
	for j, w := range trained.Weights {
		if !(math.Abs(factor*w) < largest) {
			return nil, fmt.Errorf("a scorecard of pdo %v: the weight %v of feature %d has too many points", r.Scale.PDO, w, j+1)
		}
		r.weights = append(r.weights, factor*w)
	}
	for _, c := range p.Data.X.Columns() {
		r.counts = append(r.counts, float64(c.Entries))
	}
	r.counts = append(r.counts, make([]float64, len(r.weights)-len(r.counts))...)
	r.common = int(math.Round(r.Scale.Offset() + factor*trained.Intercept))
	const furthest = 15 // a log-odds of which the score is not 1 but for rounding
	r.cutoff = r.Scale.Offset() + factor*min(max(math.Log(trained.Threshold/(1-trained.Threshold)), -furthest), furthest)
	return r, nil
}

// rounded returns the points of all features. Each bin of a number costs the price, so that
// neighbours of nearly the same points share a line.
func (r *rounding) rounded(price float64) []int {
	points, factor := make([]int, len(r.weights)), r.Scale.Factor()
	for j, w := range r.weights {
		points[j] = int(math.Round(w))
	}
	for _, c := range r.blocks {
		if !c.Bins {
			continue
		}
		people := slices.Clone(r.counts[c.First:c.End])
		for k := range people {
			people[k] = max(people[k], 1)
		}
		parts, _ := classifier.Partition(r.weights[c.First:c.End], people, price*factor*factor*r.rows, math.Round)
		for _, p := range parts {
			for k := p.First; k < p.End; k++ {
				points[c.First+k] = int(p.Level)
			}
		}
	}
	return points
}

// judged returns the scorecard of points with the best cutoff: the most accurate one that satisfies
// the requirements if they are on decisions, and otherwise that of the classifier.
func (r *rounding) judged(points []int) card {
	at := decide.Linear{Weights: make([]float64, len(points)), Intercept: r.Scale.LogOdds(float64(r.common))}
	for j, p := range points {
		at.Weights[j] = float64(p) / r.Scale.Factor()
	}
	if floats.Norm(at.Weights, math.Inf(1)) == 0 {
		at.Weights = nil
	}
	c := card{points: points, cutoff: int(math.Ceil(r.cutoff))}
	margin := func(cutoff int) float64 { return r.Scale.LogOdds(float64(cutoff) - 0.5) }
	if r.OnDecisions {
		const cutoffs, around = 1 << 10, 20 // at most, within such log-odds of that of the classifier
		tried := min(cutoffs, int(2*around*r.Scale.Factor()))
		highest, step := c.cutoff+tried/2, 1/r.Scale.Factor()
		theta, _ := r.Judge.BestOn(&decide.Question{
			At: at, Along: decide.Linear{Intercept: 1}, Grid: decide.Grid{Low: -margin(highest), Step: step, Points: tried},
		})
		c.cutoff = highest - int(math.Round((theta+margin(highest))/step))
	}
	c.Measured = r.Judge.Measure(at, margin(c.cutoff), r.Tolerance)
	return c
}

// repaired changes points of a scorecard that violates a requirement, by 1 and those of the most
// rows first, as long as it gets better.
func (r *rounding) repaired(c card) card {
	const rounds, most = 3, 24 // lines that are changed
	for range rounds {
		before := c.Measured
		for n := range most {
			if c.Excess <= 0 {
				return c
			}
			all := r.largest(c.points) // anew, as lines that become equal are one
			if n >= len(all) {
				break
			}
			for _, by := range []int{+1, -1} {
				points := slices.Clone(c.points)
				for j := all[n].First; j < all[n].End; j++ {
					points[j] += by
				}
				if other := r.judged(points); r.isMonotone(points) && other.Better(c.Measured) {
					c = other
					break
				}
			}
		}
		if !c.Better(before) {
			break
		}
	}
	return c
}

// isMonotone reports whether points keep the orders of the rows.
func (r *rounding) isMonotone(points []int) bool {
	given := make([]float64, len(points))
	for j, p := range points {
		given[j] = float64(p)
	}
	kept := slices.Clone(given)
	orders.Keep(kept, r.Data.Orders)
	return slices.Equal(given, kept)
}

// largest returns the lines of a scorecard as features, those of most rows first.
func (r *rounding) largest(points []int) []dataset.Block {
	var all []dataset.Block
	ofBins := make([]bool, len(points)) // with the feature before
	for _, c := range r.blocks {
		for j := c.First + 1; j < c.End && c.Bins; j++ {
			ofBins[j] = true
		}
	}
	for j := range points {
		if j > 0 && ofBins[j] && points[j] == points[j-1] {
			all[len(all)-1].End = j + 1
			continue
		}
		all = append(all, dataset.Block{First: j, End: j + 1})
	}
	slices.SortStableFunc(all, func(a, b dataset.Block) int {
		return cmp.Compare(floats.Sum(r.counts[b.First:b.End]), floats.Sum(r.counts[a.First:a.End]))
	})
	return all
}
