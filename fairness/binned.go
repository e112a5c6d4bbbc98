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
	weighted  bool
	cells     [][]row // all rows and the groups: by interval, decision and label
}

// NewBinned returns the figures of no rows, for groups of some names. Weighted says that the rows
// have weights.
func NewBinned(threshold float64, groups []string, weighted bool) *Binned {
	b := &Binned{threshold: threshold, weighted: weighted, cells: make([][]row, 1+len(groups))}
	for _, name := range groups {
		b.groups = append(b.groups, Group{Name: name})
	}
	for k := range b.cells {
		b.cells[k] = make([]row, 4*scoreBins)
	}
	return b
}

// All stands for all rows where a group is asked for.
const All = -1

// Add adds a row to a group or to All.
func (b *Binned) Add(group int, score float64, label int8, weight float64) {
	k := 4 * min(int(score*scoreBins), scoreBins-1)
	if score >= b.threshold {
		k += 2
	}
	if label > 0 {
		k++
	}
	r := &b.cells[1+group][k]
	r.rows++
	r.weight += weight
	r.squares += float64(weight * weight)
	r.score += float64(weight * score)
	r.loss += float64(weight * logLoss(score, label))
}

// rows returns the rows of a cell, merged, by ascending score.
func (b *Binned) rows(cell int) []row {
	var rows []row
	for k, r := range b.cells[cell] {
		switch {
		case r.rows == 0:
			continue
		case r.weight > 0:
			r.score, r.loss = r.score/r.weight, r.loss/r.weight
		default: // they change no figure but numbers of rows
			r.score, r.loss = (float64(k/4)+0.5)/scoreBins, 0
		}
		r.rank, r.label, r.selected = int32(k/2), int8(2*(k%2)-1), k%4 >= 2
		rows = append(rows, r)
	}
	return rows
}

// Evaluate returns the figures. Errors: no rows, or a group without rows.
func (b *Binned) Evaluate() (*Report, error) {
	if err := b.validate(); err != nil {
		return nil, err
	}
	return evaluate(b.threshold, b.groups, true, b.rows), nil
}

// Frame compares the groups, as NewFrame does.
func (b *Binned) Frame(o FrameOptions) (*Frame, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("fairness: %w", err)
	}
	if err := b.validate(); err != nil {
		return nil, err
	}
	return o.frame(b.threshold, b.groups, true, b.weighted, b.rows), nil
}

// ROC returns points of the curve of a group, or of All, see the function ROC.
func (b *Binned) ROC(group, parts, least int) []ROCPoint { return roc(b.rows(1+group), parts, least) }

func (b *Binned) validate() error {
	for k := range b.cells {
		var weight float64
		for _, r := range b.cells[k] {
			weight += r.weight
		}
		switch {
		case weight > 0 && !math.IsInf(weight, 1):
		case k == 0:
			return fmt.Errorf("fairness: the weights of all rows are %v", weight)
		default:
			return fmt.Errorf("fairness: the weights of group %q are %v", b.groups[k-1].Name, weight)
		}
	}
	return nil
}
