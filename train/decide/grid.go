package decide

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Of Many rows not every point at which a decision changes is looked at. Changes are added up
// between the points of a grid, where the decisions are then known exactly.

// gridPoints is the number of points of a grid; between two of them the decisions on 10⁸ rows
// change about 1500 times, or 1500 / gridPoints times on the second grid, around the best point of
// the first.
const gridPoints = 1 << 16

// grid has gridPoints points in equal steps from low on, and an end.
type grid struct{ low, step float64 }

func newGrid(low, high float64) grid { return grid{low, (high - low) / gridPoints} }

func (g grid) at(k int) float64 { return g.low + float64(k)*g.step }

// interval returns k for a number above point k, up to point k+1 or the end; −1 below the grid and
// gridPoints beyond it.
func (g grid) interval(x float64) int {
	k := math.Ceil((x-g.low)/g.step) - 1
	return int(min(max(k, -1), gridPoints))
}

// bestOnGrid returns the best point of two grids.
func (j *Judge) bestOnGrid(l Line, centre float64) Point {
	low, high := l.extent(centre)
	best := j.gridBest(l, newGrid(low, high), centre)
	around := 2 * (high - low) / gridPoints
	low, high = max(low, best.Theta-around), min(high, best.Theta+around)
	if finer := j.gridBest(l, newGrid(low, high), centre); finer.Better(best) {
		return finer
	}
	return best
}

// extent returns the ends of the line, or where decisions begin and end to change.
func (l Line) extent(centre float64) (low, high float64) {
	low, high = l.Low, l.High
	if !math.IsInf(low, -1) && !math.IsInf(high, 1) {
		return low, high
	}
	var least, largest [2 * parts]float64
	for k := range least {
		least[k], largest[k] = math.Inf(1), math.Inf(-1)
	}
	for set, rows := range l.sets() {
		inParts(rows.t.Rows(), func(part, lo, hi int) {
			low, high := &least[set*parts+part], &largest[set*parts+part]
			rows.each(lo, hi, func(_ int, t, d float64) {
				if theta := (centre - t) / d; d != 0 {
					*low, *high = min(*low, theta), max(*high, theta)
				}
			})
		})
	}
	first, last := floats.Min(least[:]), floats.Max(largest[:])
	if first > last {
		first, last = 0, 0 // no decision changes
	}
	beyond := 1 + (last-first)/gridPoints
	return max(low, first-beyond), min(high, last+beyond)
}

// sets returns the rows of the line: one set, or those to train on and those of the constraints.
func (l Line) sets() []lineRows {
	if l.Same {
		return []lineRows{{l.T, l.D}}
	}
	return []lineRows{{l.T, l.D}, {l.TS, l.DS}}
}

// lineRows are the margins of rows on a line.
type lineRows struct{ t, d Margins }

// each calls do with the margin of every row from lo to hi−1 and its slope.
func (r lineRows) each(lo, hi int, do func(i int, t, d float64)) {
	buffer := make([]float64, blockRows)
	for first, t := range r.t.between(lo, hi) {
		for k, d := range r.d.Range(buffer, first, first+len(t)) {
			do(first+k, t[k], d)
		}
	}
}

// gridBest returns the best point of a grid.
func (j *Judge) gridBest(l Line, g grid, centre float64) Point {
	var changes [parts][]Tally // nil for parts that few rows don't have
	for set, rows := range l.sets() {
		onD, onS := set == 0, set == 1 || l.Same
		inParts(rows.t.Rows(), func(part, lo, hi int) {
			if changes[part] == nil {
				changes[part] = j.noChanges()
			}
			rows.each(lo, hi, func(i int, t, d float64) {
				j.change(changes[part], g, i, t, d, centre, onD, onS)
			})
		})
	}
	now := Tally{slots: append([]float64(nil), j.base...)}
	best := Point{Excess: math.Inf(1)}
	for k := range gridPoints {
		for _, part := range changes {
			if part != nil {
				now.add(&part[k])
			}
		}
		if p := (Point{g.at(k), now.Accuracy, j.Excess(&now)}); p.Better(best) {
			best = p
		}
	}
	return best
}

// noChanges are those at the points of a grid, of no rows.
func (j *Judge) noChanges() []Tally {
	n := len(j.base)
	changes, slots := make([]Tally, gridPoints), make([]float64, gridPoints*n)
	for k := range changes {
		changes[k].slots = slots[k*n : (k+1)*n]
	}
	return changes
}

// change adds the decisions on a row: that at the first point of the grid, and its change at the
// first point where it is another one.
func (j *Judge) change(at []Tally, g grid, i int, t, d, centre float64, onD, onS bool) {
	positive := positiveAt(g.low, t, d, centre)
	if onD && positive == (j.d.Y[i] > 0) {
		at[0].Accuracy += j.weight.At(i)
	}
	if onS && positive {
		j.move(&at[0], i, 1)
	}
	if d == 0 {
		return
	}
	k := g.interval((centre - t) / d)
	if k < 0 || k+1 >= gridPoints {
		return
	}
	c := crossing{row: int32(i), change: sign(d > 0)}
	if onD {
		j.cross(&at[k+1], c, onS)
	} else {
		c.onS = true
		j.cross(&at[k+1], c, false)
	}
}

// curvesOnGrid returns a curve for each cell, with cuts at points of a grid.
func (j *Judge) curvesOnGrid(p *Partition, margins Margins) []curve {
	least, largest := math.Inf(1), math.Inf(-1)
	for _, t := range margins.All() {
		least, largest = min(least, floats.Min(t)), max(largest, floats.Max(t))
	}
	g := newGrid(least-1, largest+1)
	type interval struct {
		rows    int
		correct float64
		rates   []float64
	}
	cells := make([][]interval, p.cells)
	wrong := make([]float64, p.cells) // at the highest threshold
	for c := range cells {
		cells[c] = make([]interval, gridPoints)
		for k := range cells[c] {
			cells[c][k].rates = make([]float64, len(j.comparisons))
		}
	}
	for lo, t := range margins.All() {
		for k, m := range t {
			i := lo + k
			c, y := p.Group(i), float64(j.d.Y[i])
			in := &cells[c][g.interval(m)]
			in.rows++
			in.correct += y * j.weight.At(i)
			j.addRates(in.rates, c, i)
			if y < 0 {
				wrong[c] += j.weight.At(i)
			}
		}
	}
	curves := make([]curve, p.cells)
	for c := range curves {
		u := &curves[c]
		u.rate = make([][]float64, len(j.comparisons))
		rates, correct := make([]float64, len(j.comparisons)), wrong[c]
		rows, every := 0, (p.Size(2*c)+p.Size(2*c+1))/mostCuts
		u.cut(g.at(gridPoints), correct, rates)
		for k := gridPoints - 1; k >= 0; k-- {
			in := &cells[c][k]
			correct += in.correct
			floats.Add(rates, in.rates)
			if rows += in.rows; rows > every || k == 0 {
				u.cut(g.at(k), correct, rates)
				rows = 0
			}
		}
		u.index()
	}
	return curves
}
