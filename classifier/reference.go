package classifier

import (
	"fmt"
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
)

// Reference is what the model file says about the rows on which the model was trained:
// averages, and how well columns predict groups. It has no rows, and nothing about fewer
// than MinCount rows.
type Reference struct {
	Rows int `json:"rows"`
	// Counts are rounded to multiples of MinCount rows.
	MinCount int `json:"min_count"`
	// Mean and SD are the means of the features and their standard deviations. For a feature that
	// is 0 or 1 they are computed from the rounded count; the means of the levels of a category add
	// up to 1. For any other feature that is not 0 in fewer than MinCount rows they are 0.
	Mean []float64 `json:"mean"`
	SD   []float64 `json:"sd"`
	// Groups are the specifications whose groups columns were compared with.
	Groups  []string `json:"groups"`
	Proxies []Proxy  `json:"proxies"`
	Leaks   []Leak   `json:"leaks,omitempty"`
	// InformationValues are those of the columns of tables, the largest first; none if the rows have
	// too few labels.
	InformationValues []InformationValue `json:"information_values,omitempty"`
	// Sample is the number of the rows that this program had, if the others were in shards: Proxies
	// and Leaks are of them.
	Sample int `json:"sample,omitempty"`
	// OtherRows says that these are other rows than those of training.
	OtherRows bool `json:"-"`
}

// Columns are sums over the columns of rows.
type Columns []sparse.Column

// Add adds other rows, which may have more columns.
func (c *Columns) Add(others *Columns) {
	if n := len(*others) - len(*c); n > 0 {
		*c = append(*c, make(Columns, n)...)
	}
	for j, from := range *others {
		to := &(*c)[j]
		to.Entries += from.Entries
		to.Sum += from.Sum
		to.Squares += from.Squares
		to.Other = to.Other || from.Other
	}
}

// Measure returns the reference of rows with the features of the model. Columns are compared
// with the groups of the specifications and with the named groups of the rows.
// Specifications for which the rows have no groups are left out.
func (f *Features) Measure(d *dataset.Dataset, groups []string) (*Reference, error) {
	return f.MeasureSample(d, d.X.Columns(), groups)
}

// MeasureSample is Measure for rows that may be a sample, and for the sums over the columns of
// all rows.
func (f *Features) MeasureSample(d *dataset.Dataset, columns Columns, groups []string) (*Reference, error) {
	if d.Features() > f.Count || len(columns) != d.Features() {
		return nil, fmt.Errorf("the data have %d features, the model has %d", len(columns), f.Count)
	}
	r := &Reference{Rows: d.All(), MinCount: f.LeastRows(), Mean: make([]float64, f.Count), SD: make([]float64, f.Count)}
	if d.SampleOf > 0 {
		r.Sample = d.Rows()
	}
	r.moments(columns)
	for _, c := range f.Columns() {
		if !c.number() {
			r.complete(columns, c.First, c.End)
		}
	}
	groups = slices.Clone(groups)
	for _, a := range d.Attributes {
		if a.Levels != nil {
			groups = append(groups, a.Name)
		}
	}
	for k, spec := range groups {
		groups[k] = dataset.Whole(spec) // of each of its groups a column predicts the same, whichever others are compared
	}
	slices.Sort(groups)
	r.proxies(f, d, slices.Compact(groups))
	return r, nil
}

// moments stores the means and standard deviations of columns.
func (r *Reference) moments(columns Columns) {
	n := float64(r.Rows)
	for j, c := range columns {
		switch {
		case !c.Other:
			share := r.rounded(c.Entries) / n
			r.Mean[j], r.SD[j] = share, math.Sqrt(share*(1-share))
		case c.Entries >= r.MinCount:
			r.Mean[j] = c.Sum / n
			r.SD[j] = math.Sqrt(max(c.Squares/n-r.Mean[j]*r.Mean[j], 0))
		}
	}
}

// complete scales the shares of the levels of a category, as rounded, to the share of the rows that
// have one of them, mostly 1: a row that is average in everything has a level, too.
func (r *Reference) complete(columns Columns, first, end int) {
	if end-first < 2 || end > len(columns) {
		return
	}
	entries, sum := 0, 0.0
	for j := first; j < end; j++ {
		entries, sum = entries+columns[j].Entries, sum+r.Mean[j]
	}
	if sum == 0 {
		return
	}
	scale := r.rounded(entries) / float64(r.Rows) / sum
	if entries == r.Rows {
		scale = 1 / sum
	}
	for j := first; j < end; j++ {
		share := min(r.Mean[j]*scale, 1)
		r.Mean[j], r.SD[j] = share, math.Sqrt(share*(1-share))
	}
}

// rounded returns a number of rows to the nearest multiple of MinCount, but at most Rows.
func (r *Reference) rounded(count int) float64 {
	unit := float64(r.MinCount)
	return min(unit*math.Round(float64(count)/unit), float64(r.Rows))
}

// validate reports what is wrong with the reference of a model with the given features.
func (r *Reference) validate(f *Features) error {
	switch {
	case r.Rows < 1 || r.MinCount < 1:
		return fmt.Errorf("reference: rows is %d and min_count is %d, must be at least 1", r.Rows, r.MinCount)
	case len(r.Mean) != f.Count || len(r.SD) != f.Count:
		return fmt.Errorf("reference: mean has %d and sd has %d entries for %d features", len(r.Mean), len(r.SD), f.Count)
	}
	return nil
}
