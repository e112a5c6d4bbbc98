package decide

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Of Many rows not every point at which a decision changes is looked at. Changes are added up
// between the points of a grid, where the decisions are then known exactly.

// gridPoints is the number of points of a grid; between two of them the decisions on 10⁸ rows
// change about 1500 times, or 1500 / gridPoints times on the second grid, around the best point of
// the first. Shards answer with numbers for each point, so theirs have fewer: between two of them
// some 0.02 % of all decisions change, on the second grid one of 4·10⁶.
const (
	gridPoints   = 1 << 16
	shardsPoints = 1 << 12
)

// Grid has points in equal steps from Low on, and an end.
type Grid struct {
	Low, Step float64
	Points    int
}

func (j *Judge) newGrid(low, high float64) Grid {
	points := gridPoints
	if j.shards != nil {
		points = shardsPoints
	}
	return Grid{low, (high - low) / float64(points), points}
}

func (g Grid) at(k int) float64 { return g.Low + float64(k)*g.Step }

// interval returns k for a number above point k, up to point k+1 or the end; −1 below the grid and
// the number of points beyond it.
func (g Grid) interval(x float64) int {
	k := math.Ceil((x-g.Low)/g.Step) - 1
	return int(min(max(k, -1), float64(g.Points)))
}

// bestOnGrid returns the best point of two grids.
func (j *Judge) bestOnGrid(l Line, centre float64) Point {
	low, high := j.extent(l, centre)
	first := j.newGrid(low, high)
	best := j.gridBest(l, first, centre)
	around := 2 * first.Step
	low, high = max(low, best.Theta-around), min(high, best.Theta+around)
	if finer := j.gridBest(l, j.newGrid(low, high), centre); finer.Better(best) {
		return finer
	}
	return best
}

// extent returns the ends of the line, or where decisions begin and end to change.
func (j *Judge) extent(l Line, centre float64) (low, high float64) {
	low, high = l.Low, l.High
	if !math.IsInf(low, -1) && !math.IsInf(high, 1) {
		return low, high
	}
	var least, largest [2 * Parts]float64
	for k := range least {
		least[k], largest[k] = math.Inf(1), math.Inf(-1)
	}
	for set, rows := range j.sets(l) {
		InParts(rows.t.Rows(), func(part, lo, hi int) {
			low, high := &least[set*Parts+part], &largest[set*Parts+part]
			slopes := make([]float64, blockRows)
			for first, t := range rows.t.between(lo, hi) {
				for k, d := range rows.d.Range(slopes, first, first+len(t)) {
					if theta := (centre - t[k]) / d; d != 0 {
						*low, *high = min(*low, theta), max(*high, theta)
					}
				}
			}
		})
	}
	first, last := floats.Min(least[:]), floats.Max(largest[:])
	if first > last {
		first, last = 0, 0 // no decision changes
	}
	beyond := 1 + (last-first)/gridPoints
	return max(low, first-beyond), min(high, last+beyond)
}

// gridBest returns the best point of a grid.
func (j *Judge) gridBest(l Line, g Grid, centre float64) Point {
	a := j.ask(&Question{Centre: centre, Grid: g, Apart: -1}, l)
	a.addUp(g.Points)
	best, now := Point{Excess: math.Inf(1)}, Tally{slots: make([]float64, len(j.base))}
	for k := range g.Points {
		j.tallyTo(&now, a, k, g.Points)
		if p := (Point{g.at(k), now.Accuracy, j.Excess(&now)}); p.Better(best) {
			best = p
		}
	}
	return best
}

// addUp makes changes at points numbers at them.
func (a *Answer) addUp(points int) {
	for _, changes := range append([][]float64{a.Right}, a.Positive...) {
		for part := range slices.Chunk(changes, points) {
			floats.CumSum(part, part)
		}
	}
}

// thresholdsOnGrid returns the best amounts to add to the margins of each cell, nil if none satisfy
// the requirements. Where the grid is coarse a finer one around them is searched, too.
func (j *Judge) thresholdsOnGrid(p *Partition, t Margins, centre float64) []float64 {
	l := Line{T: t, D: Margins{d: t.d, intercept: -1}, Low: math.Inf(-1), High: math.Inf(1)}
	g := j.newGrid(j.extent(l, centre))
	found := j.amounts(j.curvesOnGrid(p, l, g, nil, centre), centre)
	if found == nil || j.shards == nil {
		return found
	}
	finer := j.curvesOnGrid(p, l, j.newGrid(-2*g.Step, 2*g.Step), found, centre)
	if more := j.amounts(finer, centre); more != nil {
		floats.Add(found, more)
	}
	return found
}

// curvesOnGrid returns a curve for each cell, with cuts at points of a grid, of margins to which an
// offset was added.
func (j *Judge) curvesOnGrid(p *Partition, l Line, g Grid, offset []float64, centre float64) []curve {
	at := slices.IndexFunc(j.touched, func(on touched) bool { return on.Strata == p.Strata })
	a := j.ask(&Question{Centre: centre, Grid: g, Apart: at, Offset: offset}, l)
	a.addUp(g.Points)
	positive := func(stratum int) []float64 { return a.Positive[at][stratum*g.Points : (stratum+1)*g.Points] }
	curves := make([]curve, p.cells)
	for c := range curves {
		u := &curves[c]
		u.rate = make([][]float64, len(j.comparisons))
		right, negatives, positives := a.Right[c*g.Points:(c+1)*g.Points], positive(2*c), positive(2*c+1)
		rows := func(k int) float64 { return negatives[k] + positives[k] }
		last := g.Points - 1 // where the threshold is highest
		every, before := (rows(0)-rows(last))/mostCuts, rows(last)
		rates := make([]float64, len(j.comparisons))
		for k := last; k >= 0; k-- {
			if rows(k)-before <= every && k > 0 && k < last {
				continue
			}
			before = rows(k)
			for m, comparison := range j.comparisons {
				if c < len(comparison.Groups) {
					weight := comparison.Groups[c].Weight
					rates[m] = (weight[2*c]*negatives[k] + weight[2*c+1]*positives[k]) * j.unit
				}
			}
			u.cut(centre+g.at(k), right[k]*j.perRow, rates)
		}
		u.index()
	}
	return curves
}
