package tabular

import (
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/dataset/tabular/checks"
)

// panel returns the number of distinct values and the number of rows that each of them has, if that is the same
// and more than one for whole numbers or texts without a missing one. Otherwise times is 0.
func (c *collector) panel() (people, times int) {
	switch c.state {
	case numbers:
		if c.unit != "" {
			return 0, 0
		}
		return checks.PanelOfNumbers(c.values)
	}
	if !checks.MayBePanel(len(c.level), len(c.codes)) {
		return 0, 0
	}
	rows := c.count()
	if rows[0] > 0 {
		return 0, 0
	}
	return checks.Panel(slices.Values(rows[1:]))
}

// panelSoFar is panel for texts that are not read to the end: of the values before the last one. It finds only
// people whose rows are one below the other.
func (c *collector) panelSoFar() (people, times int) {
	rows := c.count()
	if rows[0] > 0 {
		return 0, 0
	}
	return checks.Panel(slices.Values(rows[1:len(c.level)]))
}

// named returns the number of distinct values of a column that numbers people by its name, who have several rows
// each, and of these rows; 0 if it is no such column.
func (c *collector) named() (people, rows int) {
	return checks.People(c.name, func() (distinct, rows int) {
		if c.state == numbers {
			if c.unit != "" {
				return 0, 0
			}
			return checks.Wholes(slices.Values(c.values))
		}
		times := c.count()
		return len(c.level), len(c.codes) - times[0]
	})
}

// repetition finds out whether a column numbers people who have several rows each; nil if it does not.
func (c *collector) repetition() *Repetition {
	if people, each := c.panel(); each > 0 {
		return &Repetition{Values: people, Rows: people * each, Each: each}
	}
	if people, rows := c.named(); people > 0 {
		return &Repetition{Values: people, Rows: rows}
	}
	return nil
}

// bareOfPercent returns the share of values without a percent sign, if others have one. It is 0 if they are few.
func (c *collector) bareOfPercent() float64 {
	const few, several = 0.05, 5
	if c.unit != "%" || c.withUnit == 0 {
		return 0
	}
	present := 0
	for _, v := range c.values {
		if !math.IsNaN(v) {
			present++
		}
	}
	bare := present - c.withUnit
	if bare < several || float64(bare) <= few*float64(present) {
		return 0
	}
	return float64(bare) / float64(present)
}
