package decide

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"

	"github.com/fairtrain/fairtrain/dataset"
)

// Where the groups are features of the model, the weight of a group moves the threshold of
// this group alone. This is what post-processing does with a finished model, but within the
// class of linear models.

// Partition is disjoint groups that together are all rows, and the features that tell them
// apart.
type Partition struct {
	*dataset.Strata // their groups are the cells

	cells    int
	features []int // columns that have one value in each cell here, but not the same in all
	effect   *mat.Dense
}

// NewPartition returns the groups of a specification, with the effect that a change of
// the weights of their features, and of the intercept, has on the margins of each group. It
// returns nil if no such change moves the margins of any one group alone.
func (j *Judge) NewPartition(spec string, intercept bool) *Partition {
	strata, err := j.d.Strata(spec)
	if err != nil {
		return nil
	}
	p := &Partition{Strata: strata, cells: len(strata.Names)}
	if strata.InNoGroup() > 0 {
		p.cells++ // all others
	}
	values := p.constants(j.d)
	width := len(p.features)
	if intercept {
		width++
	}
	if width < p.cells {
		return nil
	}
	p.effect = mat.NewDense(p.cells, width, nil)
	for c := range p.cells {
		for k, feature := range p.features {
			p.effect.Set(c, k, values[c][feature])
		}
		if intercept {
			p.effect.Set(c, width-1, 1)
		}
	}
	return p
}

// constants finds the features that are constant in each cell but not over all rows, and
// returns every cell's values.
func (p *Partition) constants(d *dataset.Dataset) []map[int]float64 {
	type seen struct {
		value float64
		rows  int
	}
	size := make([]int, p.cells) // of the rows so far
	in := make([]map[int]*seen, p.cells)
	for c := range in {
		in[c] = map[int]*seen{}
	}
	mixed := make([]bool, d.Features())
	for i := range d.Rows() {
		c := p.Group(i)
		size[c]++
		for j, v := range d.X.Row(i) {
			if mixed[j] {
				continue
			}
			s := in[c][j]
			if s == nil {
				s = &seen{value: v}
				in[c][j] = s
			}
			s.rows++
			mixed[j] = s.value != v
		}
		// Now and then, as few features are not mixed, and looking them up takes time.
		if rows := i + 1; rows&(rows-1) == 0 || rows == d.Rows() {
			for c := range in {
				for j, s := range in[c] {
					mixed[j] = mixed[j] || s.rows != size[c]
				}
			}
			if !slices.Contains(mixed, false) {
				return nil // as where the groups' own column is no feature
			}
		}
	}
	values := make([]map[int]float64, p.cells)
	for c := range values {
		values[c] = map[int]float64{}
	}
	for j := range d.Features() {
		constant, differs := true, false
		for c := range p.cells {
			s := in[c][j]
			if s == nil {
				continue // 0 in all of the cell
			}
			constant = constant && !mixed[j]
			values[c][j] = s.value
		}
		for c := range p.cells {
			differs = differs || values[c][j] != values[0][j]
		}
		if constant && differs {
			p.features = append(p.features, j)
		}
	}
	return values
}

// Shift adds to x the change of least norm that adds so much to the margins of each cell;
// false if there is none.
func (p *Partition) Shift(x, margins []float64) bool {
	var svd mat.SVD
	if !svd.Factorize(p.effect, mat.SVDThin) {
		return false
	}
	const negligible = 1e-10
	rank := svd.Rank(negligible)
	if rank < p.cells {
		return false
	}
	var change mat.Dense
	svd.SolveTo(&change, mat.NewDense(p.cells, 1, margins), rank)
	for k, j := range p.features {
		x[j] += change.At(k, 0)
	}
	if _, width := p.effect.Dims(); width > len(p.features) {
		x[len(x)-1] += change.At(width-1, 0)
	}
	return true
}

// curve is the outcome of every threshold of one cell: cut k makes the k highest margins
// positive; in a large group, or of Many rows, about so many.
type curve struct {
	threshold []float64
	correct   []float64   // what the cell adds to the accuracy
	rate      [][]float64 // of each comparison, ascending
	highest   [][]int32   // highest[l][k] is the best cut of k, …, k + 2^l − 1
}

// mostCuts bounds the cuts of a cell.
const mostCuts = 4096

// curves returns a curve for each cell, given the margins.
func (j *Judge) curves(p *Partition, t []float64) []curve {
	rows := make([][]int32, p.cells)
	for i := range t {
		c := p.Group(i)
		rows[c] = append(rows[c], int32(i))
	}
	curves := make([]curve, p.cells)
	for c := range curves {
		slices.SortFunc(rows[c], func(a, b int32) int { return cmp.Compare(t[b], t[a]) })
		curves[c] = j.curve(rows[c], t, c)
	}
	return curves
}

// curve returns the curve of cell c, whose rows are ordered by descending margin.
func (j *Judge) curve(rows []int32, t []float64, c int) curve {
	u := curve{rate: make([][]float64, len(j.comparisons))}
	correct := 0.0
	for _, i := range rows {
		if j.d.Y[i] < 0 {
			correct += j.weight.At(int(i))
		}
	}
	rates := make([]float64, len(j.comparisons))
	every := max(1, len(rows)/mostCuts)
	last := -every
	cut := func(k int) {
		var at float64
		switch {
		case k == 0:
			at = t[rows[0]] + 1
		case k == len(rows):
			at = t[rows[k-1]] - 1
		case t[rows[k-1]] == t[rows[k]] || k-last < every:
			return
		default:
			at = middle(t[rows[k]], t[rows[k-1]])
		}
		last = k
		u.cut(at, correct, rates)
	}
	cut(0)
	for k, i := range rows {
		correct += float64(j.weight.At(int(i)) * float64(j.d.Y[i]))
		j.addRates(rates, c, int(i))
		cut(k + 1)
	}
	u.index()
	return u
}

// addRates adds a positive decision on a row of cell c to the rates of the cell.
func (j *Judge) addRates(rates []float64, c, row int) {
	for m, comparison := range j.comparisons {
		if c < len(comparison.Groups) {
			s := comparison.Strata
			rates[m] += comparison.Groups[c].Weight[s.Of(row)] * s.Weight(row)
		}
	}
}

// cut adds a cut.
func (u *curve) cut(threshold, correct float64, rates []float64) {
	u.threshold, u.correct = append(u.threshold, threshold), append(u.correct, correct)
	for m, r := range rates {
		u.rate[m] = append(u.rate[m], r)
	}
}

// index prepares best.
func (u *curve) index() {
	first := make([]int32, len(u.correct))
	for k := range first {
		first[k] = int32(k)
	}
	u.highest = [][]int32{first}
	for step := 1; 2*step <= len(first); step *= 2 {
		below := u.highest[len(u.highest)-1]
		next := make([]int32, len(first)-2*step+1)
		for k := range next {
			next[k] = below[k]
			if other := below[k+step]; u.correct[other] > u.correct[next[k]] {
				next[k] = other
			}
		}
		u.highest = append(u.highest, next)
	}
}

// best returns the most accurate cut from lo to hi−1.
func (u *curve) best(lo, hi int) int32 {
	level := 0
	for 2<<level <= hi-lo {
		level++
	}
	a, b := u.highest[level][lo], u.highest[level][hi-1<<level]
	if u.correct[b] > u.correct[a] {
		return b
	}
	return a
}

// mostBases bounds the combinations of bases that are tried at a time.
const mostBases = 10_000

// Thresholds returns the amounts to add to the margins of each cell. They make the
// decisions as accurate as possible under the comparisons; nil if no amounts satisfy
// these. All comparisons must be of the cells.
func (j *Judge) Thresholds(p *Partition, t Margins, centre float64) []float64 {
	if t.kept == nil {
		return j.thresholdsOnGrid(p, t, centre)
	}
	return j.amounts(j.curves(p, t.kept), centre)
}

// amounts returns those of the best cuts.
//
// Decisions satisfy a comparison if the rates of all cells lie between some base and the
// base plus the bound. It is enough to try bases that are the rate of some cut.
// Thresholds tries all of them. If they are too many, it tries some at equal steps, and
// then the bases around the best at ever smaller steps.
func (j *Judge) amounts(curves []curve, centre float64) []float64 {
	bases := make([][]float64, len(j.comparisons))
	low, high := make([]int, len(bases)), make([]int, len(bases)) // looked through, high included
	for m, c := range j.comparisons {
		bases[m] = c.bases(curves, m)
		high[m] = len(bases[m]) - 1
	}
	points := int(math.Pow(mostBases, 1/float64(len(bases))))
	const enough = 8 // for the steps to become smaller
	if points < enough {
		return nil
	}
	var found []int32
	most := math.Inf(-1)
	chosen, at, base := make([]int, len(bases)), make([]int, len(bases)), make([]float64, len(bases))
	for finest := false; !finest; {
		step := make([]int, len(bases))
		finest = true
		for m := range step {
			step[m] = (high[m] - low[m] + points) / points
			finest = finest && step[m] == 1
		}
		var look func(m int)
		look = func(m int) {
			if m < len(base) {
				for at[m] = low[m]; at[m] <= high[m]; at[m] += step[m] {
					base[m] = bases[m][at[m]]
					look(m + 1)
				}
				return
			}
			if cuts, correct := j.cutsWithin(curves, base); cuts != nil && correct > most {
				found, most = cuts, correct
				copy(chosen, at)
			}
		}
		look(0)
		for m := range low {
			low[m] = max(low[m], chosen[m]-step[m])
			high[m] = min(high[m], chosen[m]+step[m])
		}
	}
	if found == nil {
		return nil
	}
	margins := make([]float64, len(curves))
	for c, k := range found {
		margins[c] = centre - curves[c].threshold[k]
	}
	return margins
}

// bases returns, ascending, the least rates that the cells may have under the comparison,
// which is the m-th.
func (c comparison) bases(curves []curve, m int) []float64 {
	var list []float64
	for g := range c.Groups {
		slack := 0.0
		if group := &c.Groups[g]; c.Tiny(group) {
			slack = group.Unit
		}
		for _, rate := range curves[g].rate[m] {
			list = append(list, rate+slack)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// cutsWithin returns the most accurate cuts with all rates within the bounds from the given
// bases on, nil if there are none.
func (j *Judge) cutsWithin(curves []curve, base []float64) ([]int32, float64) {
	cuts, correct := make([]int32, len(curves)), 0.0
	for c := range curves {
		u := &curves[c]
		lo, hi := 0, len(u.correct)
		for m, comparison := range j.comparisons {
			if c >= len(comparison.Groups) {
				continue // all others
			}
			from, to := comparison.window(c, base[m])
			lo = max(lo, sort.SearchFloat64s(u.rate[m], from))
			hi = min(hi, sort.Search(len(u.rate[m]), func(k int) bool { return u.rate[m][k] > to }))
		}
		if lo >= hi {
			return nil, 0
		}
		cuts[c] = u.best(lo, hi)
		correct += u.correct[cuts[c]]
	}
	return cuts, correct
}

// window returns the rates that group g may have if the least rate of all groups is base.
func (c comparison) window(g int, base float64) (from, to float64) {
	from, to = base, base+c.Bound
	if c.Ratio {
		to = base / c.Bound
	}
	if group := &c.Groups[g]; c.Tiny(group) {
		from, to = from-group.Unit, to+group.Unit
	}
	return from - roundoff, to + roundoff
}

// roundoff is less than any difference between two rates.
const roundoff = 1e-10
