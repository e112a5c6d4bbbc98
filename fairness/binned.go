package fairness

import (
	"fmt"
	"math"
	"slices"
)

// scoreBins is the number of bins of Binned. Scores between 0 and 1 that differ by less than
// 1/scoreBins may count as equal.
const scoreBins = 1 << 14

// Binned adds up predictions that are too many to be sorted in memory. Their scores must be between
// 0 and 1. Rows of one label and one decision whose scores are in the same of 2¹⁴ equal intervals
// count as rows of their mean score. All figures but these are the same as those of the rows, to
// rounding: the AUC, in which pairs within an interval count as ties, and where the bins of the
// reliability table end.
type Binned struct {
	Threshold float64
	Groups    []string
	Weighted  bool    // rows have weights
	Cells     [][]bin // of all rows, and then of the groups; see index
}

// bin is a number of rows, sums of their weights and of the squares of these, and sums of values by
// weight.
type bin struct {
	Rows                         int
	Weight, Squares, Score, Loss float64
}

func (b *bin) add(other bin) {
	b.Rows += other.Rows
	b.Weight += other.Weight
	b.Squares += other.Squares
	b.Score += other.Score
	b.Loss += other.Loss
}

// NewBinned returns the figures of no rows, for groups of some names.
func NewBinned(threshold float64, groups []string, weighted bool) *Binned {
	b := &Binned{Threshold: threshold, Groups: groups, Weighted: weighted}
	for range 1 + len(groups) {
		b.Cells = append(b.Cells, make([]bin, 2*(scoreBins+1)))
	}
	return b
}

// Add adds a row that is in the given groups. Its weight is 1 unless rows have weights.
func (b *Binned) Add(groups []int, score float64, label int8, weight float64) {
	k := b.index(score, label)
	row := bin{1, weight, float64(weight * weight), float64(weight * score), float64(weight * logLoss(score, label))}
	b.Cells[0][k].add(row)
	for _, g := range groups {
		b.Cells[1+g][k].add(row)
	}
}

// Merge adds other rows of the same groups.
func (b *Binned) Merge(other *Binned) error {
	if !slices.Equal(b.Groups, other.Groups) || b.Threshold != other.Threshold ||
		b.Weighted != other.Weighted || len(b.Cells) != len(other.Cells) {
		return fmt.Errorf("fairness: figures of other groups: %q by %v, expected %q by %v",
			other.Groups, other.Threshold, b.Groups, b.Threshold)
	}
	for c, from := range other.Cells {
		if len(from) != len(b.Cells[c]) {
			return fmt.Errorf("fairness: %d bins, expected %d", len(from), len(b.Cells[c]))
		}
		for k := range from {
			b.Cells[c][k].add(from[k])
		}
	}
	return nil
}

// index returns the bin of a row. There are two for each interval, by the label, and two more: the
// interval of the threshold comes twice, first for rows that are not selected.
func (b *Binned) index(score float64, label int8) int {
	k := 2 * interval(score)
	if score >= b.Threshold {
		k += 2
	}
	if label > 0 {
		k++
	}
	return k
}

// interval returns which of the intervals a score is in.
func interval(score float64) int { return min(int(score*scoreBins), scoreBins-1) }

// rows returns the rows of a cell, merged, by ascending score.
func (b *Binned) rows(cell int) []row {
	selected := 2 * (interval(min(max(b.Threshold, 0), 1)) + 1) // the first bin of selected rows, see index
	var rows []row
	for k, s := range b.Cells[cell] {
		r := row{
			rows: s.Rows, weight: s.Weight, squares: s.Squares,
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

// Judged returns the predictions, to make figures of. Errors: no rows, or a group without rows.
func (b *Binned) Judged() (*Judged, error) {
	for c, cell := range b.Cells {
		weight := 0.0
		for k := range cell {
			weight += cell[k].Weight
		}
		if weight > 0 && !math.IsInf(weight, 1) {
			continue
		}
		if c == 0 {
			return nil, fmt.Errorf("fairness: the weights of all rows are %v", weight)
		}
		return nil, fmt.Errorf("fairness: the weights of group %q are %v", b.Groups[c-1], weight)
	}
	return &Judged{threshold: b.Threshold, groups: b.Groups, labelled: true, weighted: b.Weighted, rows: b.rows}, nil
}
