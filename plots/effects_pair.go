package plots

import (
	"math"
	"slices"
)

// EffectPair are the effects of the cells of two columns.
type EffectPair struct {
	Rows, Columns []string    // the features of the two
	Effects       [][]float64 // of each row and column; NaN where no effect is known
	Shares        [][]float64 // of the rows of data that are in the cell
}

// The most rows and columns that a picture has room for.
const (
	mostPairRows    = 10
	mostPairColumns = 14
)

// Fitted returns the pair with its longer side across and with the rows and columns that most rows of
// data are in, as many as there is room for, and how many are left out.
func (p *EffectPair) Fitted() (fitted *EffectPair, left int) {
	if len(p.Rows) > len(p.Columns) {
		p = p.transposed()
	}
	rows, columns := make([]float64, len(p.Rows)), make([]float64, len(p.Columns))
	for i, row := range p.Shares {
		for j, share := range row {
			rows[i], columns[j] = rows[i]+share, columns[j]+share
		}
	}
	keptRows, keptColumns := largest(rows, mostPairRows), largest(columns, mostPairColumns)
	fitted = new(EffectPair)
	for _, j := range keptColumns {
		fitted.Columns = append(fitted.Columns, p.Columns[j])
	}
	for _, i := range keptRows {
		var effects, shares []float64
		for _, j := range keptColumns {
			effects, shares = append(effects, p.Effects[i][j]), append(shares, p.Shares[i][j])
		}
		fitted.Rows = append(fitted.Rows, p.Rows[i])
		fitted.Effects, fitted.Shares = append(fitted.Effects, effects), append(fitted.Shares, shares)
	}
	return fitted, len(rows) - len(keptRows) + len(columns) - len(keptColumns)
}

// largest returns the indices of so many of the largest positive values, ascending.
func largest(values []float64, most int) (indices []int) {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	least := sorted[max(len(sorted)-most, 0)]
	for k, v := range values {
		if v >= least && v > 0 && len(indices) < most {
			indices = append(indices, k)
		}
	}
	return indices
}

func (p *EffectPair) transposed() *EffectPair {
	turned := &EffectPair{Rows: p.Columns, Columns: p.Rows}
	for j := range p.Columns {
		var effects, shares []float64
		for i := range p.Rows {
			effects, shares = append(effects, p.Effects[i][j]), append(shares, p.Shares[i][j])
		}
		turned.Effects, turned.Shares = append(turned.Effects, effects), append(turned.Shares, shares)
	}
	return turned
}

// Largest is the largest size of an effect.
func (p *EffectPair) Largest() (most float64) {
	for _, row := range p.Effects {
		for _, v := range row {
			if isFinite(v) {
				most = max(most, math.Abs(v))
			}
		}
	}
	return most
}

// marks is a cell for each effect, the stronger the larger it is, with its sign where it is large.
func (p *EffectPair) marks() (marks []Mark) {
	const left, right, top, bottom = 116.0, 296.0, 2.0, 114.0
	if len(p.Rows) == 0 || len(p.Columns) == 0 {
		return nil
	}
	const faintest, signedFrom, darkFrom, tallest = 0.04, 0.3, 0.65, 18
	width := (right - left) / float64(len(p.Columns))
	height := min((bottom-top)/float64(len(p.Rows)), tallest)
	most := p.Largest()
	for i, row := range p.Effects {
		y := top + height*float64(i)
		marks = append(marks, textAt(LevelText, left-5, y+height/2+4, "end", cut(p.Rows[i], 17)))
		for j, v := range row {
			if !isFinite(v) || most == 0 {
				continue
			}
			x := left + width*float64(j)
			class, sign := RaisesMark, "+"
			if v < 0 {
				class, sign = LowersMark, "−"
			}
			cell := box(class, x, y, x+width-1, y+height-1)
			cell.Shade = max(math.Abs(v)/most, faintest)
			if class = LevelText; cell.Shade > darkFrom {
				class = DarkText
			}
			if marks = append(marks, cell); cell.Shade >= signedFrom {
				marks = append(marks, textAt(class, x+width/2, y+height/2+4, "middle", sign))
			}
		}
	}
	foot := top + height*float64(len(p.Rows))
	for j, name := range p.Columns {
		x := left + width*(float64(j)+0.5)
		label := textAt(LevelText, x+4, foot+4, "end", cut(name, 9))
		label.Upward = true
		marks = append(marks, label)
	}
	return marks
}
