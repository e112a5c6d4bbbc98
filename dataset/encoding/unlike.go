package encoding

import (
	"fmt"
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/dataset/tabular"
)

// Unlike says what encoded rows have that the training rows had not, or far less often, where at
// least the given share of the rows has it: levels, missing values, and numbers so unlike those of
// training that they are probably in another unit, or were read otherwise: 19,220 as 19.22, or a
// share as a percentage. A model knows little of such rows. An example of a level is named if
// examples is set: it is a value of a person.
func (e *Encoding) Unlike(d *dataset.Dataset, share float64, examples bool) (list []string) {
	rows := d.Rows()
	some := func(n int) bool { return float64(n) >= share*float64(rows) }
	for _, u := range d.Unknown {
		if !some(u.Rows) {
			continue
		}
		such := ""
		if examples {
			such = fmt.Sprintf(" such as %q,", u.Example)
		}
		list = append(list, fmt.Sprintf("%s: %d of %d rows have values that training had not,%s which count as no level", u.Column, u.Rows, rows, such))
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
		as := "average ones"
		if f.As == tabular.OneHot {
			as = "no level"
		}
		list = append(list, fmt.Sprintf("%s: %d of %d rows have no value, unlike nearly all training rows, and count as %s", f.Column, n, rows, as))
	}
	for k := range d.Attributes {
		a := &d.Attributes[k]
		counted := func(u dataset.UnknownLevels) bool { return u.Column == a.Name }
		if n := e.ofNewGroups(a); n > 0 && some(n) && !slices.ContainsFunc(d.Unknown, counted) {
			list = append(list, fmt.Sprintf("%s: %d of %d rows are of groups that training had not, or hardly", a.Name, n, rows))
		}
	}
	if rows < fewest {
		return list
	}
	columns := d.X.Columns()
	return slices.Concat(list, e.rarer(columns, rows, share), e.drift(columns, rows))
}

// fewest is the least number of rows of which anything is said as a whole.
const fewest = 20

// rarer compares how many rows have a level without a feature, which are the rare ones and those
// that training had not, with how many had one in training. Where these were few, perhaps the
// levels are written otherwise now.
func (e *Encoding) rarer(columns []sparse.Column, rows int, share float64) (list []string) {
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
			list = append(list, fmt.Sprintf("%s: %.0f of %d rows have values that were rare in training, or not there: %.2g %% of its rows had such", f.Column, have, rows, 100*f.RareShare))
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

// drift compares the means and the standard deviations of standardised numbers with those of
// training, which are 0 and 1.
func (e *Encoding) drift(columns []sparse.Column, rows int) (list []string) {
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
			list = append(list, fmt.Sprintf("%s has the mean %.4g and the standard deviation %.4g here, %.4g and %.4g in training: perhaps it is in another unit",
				f.Column, f.Mean+f.SD*mean, f.SD*sd, f.Mean, f.SD))
		}
	}
	return list
}
