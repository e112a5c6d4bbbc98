package encoding

import (
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/dataset/tabular"
)

// Drift is something that rows have and the training rows had not, or far less often. A model knows
// little of such rows.
type Drift struct {
	Kind     DriftKind
	Column   string
	Rows, Of int // so many of all rows

	Example       string  // of NewLevels
	IsCategory    bool    // of NewlyMissing
	TrainingShare float64 // of RareLevels: of the training rows that had such

	Range [2]float64 // of OutOfRange and FarOut: the numbers of training
	// Of OtherScale: here and in training.
	Mean, SD, TrainingMean, TrainingSD float64
}

// DriftKind says what differs.
type DriftKind string

// The kinds of drift.
const (
	NewLevels    DriftKind = "new levels"
	NewlyMissing DriftKind = "newly missing"
	NewGroups    DriftKind = "new groups"
	// OutOfRange are numbers outside the range of training, of more rows than chance explains.
	OutOfRange DriftKind = "out of range"
	// FarOut are numbers far outside the range, of which a single row is one too many.
	FarOut DriftKind = "far out of range"
	// RareLevels are levels that were rare in training: perhaps they are written otherwise now.
	RareLevels DriftKind = "rare levels"
	// OtherScale is a number that is probably in another unit, or was read otherwise: 19,220 as
	// 19.22, or a share as a percentage.
	OtherScale DriftKind = "other scale"
)

// Drifts returns the drifts of encoded rows that at least the given share of the rows have.
func (e *Encoding) Drifts(d *dataset.Dataset, share float64) (list []Drift) {
	rows := d.Rows()
	some := func(n int) bool { return float64(n) >= share*float64(rows) }
	for _, u := range d.Unknown {
		if some(u.Rows) {
			list = append(list, Drift{Kind: NewLevels, Column: u.Column, Rows: u.Rows, Of: rows, Example: u.Example})
		}
	}
	missing := map[string]int{}
	for _, m := range d.Missing {
		missing[m.Column] = m.Rows
	}
	for k := range e.Features {
		f := &e.Features[k]
		n := missing[f.Column]
		if n == 0 || f.Missing || !some(n) {
			continue
		}
		list = append(list, Drift{Kind: NewlyMissing, Column: f.Column, Rows: n, Of: rows, IsCategory: f.As == tabular.OneHot})
	}
	far := map[string]int{}
	for _, c := range d.Far {
		far[c.Column] = c.Rows
	}
	for _, c := range d.Outside {
		f := &e.Features[slices.IndexFunc(e.Features, func(f Column) bool { return f.Column == c.Column })]
		n, kind := c.Rows, OutOfRange
		if far := far[c.Column]; far == n || !f.unusual(n, rows) {
			n, kind = far, FarOut
		}
		if n > 0 && some(n) {
			list = append(list, Drift{Kind: kind, Column: c.Column, Rows: n, Of: rows, Range: *f.Range})
		}
	}
	for k := range d.Attributes {
		a := &d.Attributes[k]
		counted := func(u dataset.UnknownLevels) bool { return u.Column == a.Name }
		if n := e.ofNewGroups(a); n > 0 && some(n) && !slices.ContainsFunc(d.Unknown, counted) {
			list = append(list, Drift{Kind: NewGroups, Column: a.Name, Rows: n, Of: rows})
		}
	}
	if rows < fewest {
		return list
	}
	columns := d.X.Columns()
	isRange := func(d Drift) bool { return d.Kind == OutOfRange || d.Kind == FarOut }
	scales := slices.DeleteFunc(e.scales(columns, rows), func(s Drift) bool { // of a few rows
		return slices.ContainsFunc(list, func(d Drift) bool { return d.Kind == FarOut && d.Column == s.Column && d.Rows <= rows/2 })
	})
	list = slices.DeleteFunc(list, func(d Drift) bool { // of which scales say more
		return isRange(d) && slices.ContainsFunc(scales, func(s Drift) bool { return s.Column == d.Column })
	})
	return slices.Concat(list, e.rarer(columns, rows, share), scales)
}

// unusual reports whether more rows than chance explains are outside the range of training, which a
// few rows of training are too.
func (e *Column) unusual(outside, rows int) bool {
	const chance = 3 // standard deviations of a count
	had := float64(rows) * e.OutsideShare
	return float64(outside) > had+chance*math.Sqrt(had)
}

// fewest is the least number of rows of which anything is said as a whole.
const fewest = 20

// rarer compares how many rows have a level without a feature, which are the rare ones and those
// that training had not, with how many had one in training. Where these were few, perhaps the
// levels are written otherwise now.
func (e *Encoding) rarer(columns []sparse.Column, rows int, share float64) (list []Drift) {
	const much, chance = 0.01, 5 // of the rows; in standard deviations of a count
	n, first := float64(rows), 0
	for k := range e.Features {
		f := &e.Features[k]
		at := first + len(f.Levels)
		first += f.Width()
		if !f.Rare || f.RareShare == 0 {
			continue
		}
		have, had := float64(columns[at].Entries), n*f.RareShare
		if have >= n*max(share, much) && have > 2*had+chance*math.Sqrt(had) {
			list = append(list, Drift{Kind: RareLevels, Column: f.Column, Rows: int(have), Of: rows, TrainingShare: f.RareShare})
		}
	}
	return list
}

// ofNewGroups counts the rows with levels of an attribute that e does not name.
func (e *Encoding) ofNewGroups(a *dataset.Attribute) (n int) {
	levels, ok := e.Levels[a.Name]
	if !ok || a.Numbers != nil {
		return 0
	}
	known := make(map[string]bool, len(levels))
	for _, level := range levels {
		known[level] = true
	}
	for k, count := range a.Codes.Count(len(a.Levels)) {
		if level := a.Levels[k]; level != dataset.MissingLevel && !known[level] {
			n += count
		}
	}
	return n
}

// scales compares the means and the standard deviations of standardised numbers with those of
// training, which are 0 and 1.
func (e *Encoding) scales(columns []sparse.Column, rows int) (list []Drift) {
	const far, narrow, wide = 3, 0.02, 50 // in standard deviations of training
	const rounding = 1e-6                 // of one in which all rows are alike
	n, first := float64(rows), 0
	for k := range e.Features {
		f := &e.Features[k]
		at := first
		first += f.Width()
		if f.As != tabular.Standardise {
			continue
		}
		mean := columns[at].Sum / n
		sd := math.Sqrt(max(columns[at].Squares/n-mean*mean, 0))
		if sd < rounding*max(1, math.Abs(mean)) {
			sd = 0
		}
		if math.Abs(mean) > far || sd > wide || sd > 0 && sd < narrow {
			list = append(list, Drift{Kind: OtherScale, Column: f.Column, Rows: rows, Of: rows, Mean: f.Mean + f.SD*mean, SD: f.SD * sd, TrainingMean: f.Mean, TrainingSD: f.SD})
		}
	}
	return list
}
