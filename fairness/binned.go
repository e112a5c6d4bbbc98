package fairness

import (
	"fmt"
	"math"
)

// scoreBins is the number of bins of Binned. Scores between 0 and 1 that differ by less than
// 1/scoreBins may count as equal.
const scoreBins = 1 << 14

// Binned adds up predictions that are too many to be kept and sorted. Their scores must be between
// 0 and 1. Rows of one label and one decision whose scores are in the same of 2¹⁴ equal intervals
// count as rows of their mean score. All figures but these are the same as those of Evaluate, to
// rounding: the AUC, in which pairs within an interval count as ties, and where the bins of the
// reliability table end.
type Binned struct {
	threshold float64
	groups    []Group // names
	apart     int     // of the first ones
	weighted  bool
	others    bins   // all rows that are in none of the groups that are apart, see place
	cells     []bins // the groups
}

// bins are sums of rows.
type bins struct {
	of     []sums
	weight []weightSums // nil if each row has the weight 1
}

// sums are a number of rows, and sums of values that count by weight.
type sums struct {
	Rows        int
	Score, Loss float64
}

// weightSums are sums of weights and of their squares.
type weightSums struct{ Sum, Squares float64 }

func newBins(weighted bool) bins {
	const each = 2 * (scoreBins + 1)
	b := bins{of: make([]sums, each)}
	if weighted {
		b.weight = make([]weightSums, each)
	}
	return b
}

// weightAt returns the weights of bin k.
func (b bins) weightAt(k int) weightSums {
	if b.weight == nil {
		return weightSums{float64(b.of[k].Rows), float64(b.of[k].Rows)}
	}
	return b.weight[k]
}

// add adds sums to bin k.
func (b bins) add(k int, s sums, w weightSums) {
	to := &b.of[k]
	to.Rows += s.Rows
	to.Score += s.Score
	to.Loss += s.Loss
	if b.weight != nil {
		b.weight[k].Sum += w.Sum
		b.weight[k].Squares += w.Squares
	}
}

// merge adds other bins.
func (b bins) merge(other bins) {
	for k, s := range other.of {
		b.add(k, s, other.weightAt(k))
	}
}

// NewBinned returns the figures of no rows, for groups of some names. The first groups, as many as apart says, have no
// row in common. Weighted says that the rows have weights.
func NewBinned(threshold float64, groups []string, apart int, weighted bool) *Binned {
	b := &Binned{threshold: threshold, apart: apart, weighted: weighted, others: newBins(weighted)}
	for _, name := range groups {
		b.groups, b.cells = append(b.groups, Group{Name: name}), append(b.cells, newBins(weighted))
	}
	return b
}

// All stands for all rows where a group is asked for.
const All = -1

// Add adds a row that is in the given groups, of which at most one is of those that are apart. Its weight is 1 unless
// rows have weights.
func (b *Binned) Add(groups []int, score float64, label int8, weight float64) {
	k := b.place(score, label)
	s, w := sums{1, float64(weight * score), float64(weight * logLoss(score, label))}, weightSums{weight, float64(weight * weight)}
	isOther := true
	for _, g := range groups {
		isOther = isOther && g >= b.apart
		b.cells[g].add(k, s, w)
	}
	if isOther {
		b.others.add(k, s, w)
	}
}

// place returns the bin of a row. There are two for each interval, by the label, and two more: the interval of the
// threshold comes twice, first for rows that are not selected.
func (b *Binned) place(score float64, label int8) int {
	k := 2 * interval(score)
	if score >= b.threshold {
		k += 2
	}
	if label > 0 {
		k++
	}
	return k
}

// interval returns which of the intervals a score is in.
func interval(score float64) int { return min(int(score*scoreBins), scoreBins-1) }

// rows returns the rows of a group or of All, merged, by ascending score.
func (b *Binned) rows(group int) []row {
	all := b.others
	if group != All {
		all = b.cells[group]
	} else if b.apart > 0 {
		all = newBins(b.weighted)
		for _, cell := range append(b.cells[:b.apart:b.apart], b.others) {
			all.merge(cell)
		}
	}
	selected := 2 * (interval(min(max(b.threshold, 0), 1)) + 1) // the first bin of selected rows, see place
	var rows []row
	for k, s := range all.of {
		w := all.weightAt(k)
		r := row{
			rows: s.Rows, weight: w.Sum, squares: w.Squares,
			rank: int32(k / 2), label: int8(2*(k%2) - 1), selected: k >= selected,
		}
		switch {
		case r.rows == 0:
			continue
		case r.weight > 0:
			r.score, r.loss = s.Score/r.weight, s.Loss/r.weight
		default: // they change no figure but numbers of rows
			r.score = (float64(k/2) + 0.5) / scoreBins
			if r.selected {
				r.score -= 1. / scoreBins
			}
		}
		rows = append(rows, r)
	}
	return rows
}

// cell returns all rows for 0, and then those of the groups.
func (b *Binned) cell(k int) []row { return b.rows(k - 1) }

// Evaluate returns the figures. Errors: no rows, or a group without rows.
func (b *Binned) Evaluate() (*Report, error) {
	if err := b.validate(); err != nil {
		return nil, err
	}
	return evaluate(b.threshold, b.groups, true, b.cell), nil
}

// Frame compares the groups, as NewFrame does.
func (b *Binned) Frame(o FrameOptions) (*Frame, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("fairness: %w", err)
	}
	if err := b.validate(); err != nil {
		return nil, err
	}
	return o.frame(b.threshold, b.groups, true, b.weighted, b.cell), nil
}

// ROC returns points of the curve of a group, or of All, see the function ROC.
func (b *Binned) ROC(group, parts, least int) []ROCPoint { return roc(b.rows(group), parts, least) }

func (b *Binned) validate() error {
	total := func(sets ...bins) (weight float64) {
		for _, set := range sets {
			for k := range set.of {
				weight += set.weightAt(k).Sum
			}
		}
		return weight
	}
	ok := func(weight float64) bool { return weight > 0 && !math.IsInf(weight, 1) }
	if all := total(append(b.cells[:b.apart:b.apart], b.others)...); !ok(all) {
		return fmt.Errorf("fairness: the weights of all rows are %v", all)
	}
	for k, set := range b.cells {
		if weight := total(set); !ok(weight) {
			return fmt.Errorf("fairness: the weights of group %q are %v", b.groups[k].Name, weight)
		}
	}
	return nil
}
