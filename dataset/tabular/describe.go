package tabular

import (
	"cmp"
	"math"
	"runtime"
	"slices"

	"github.com/fairtrain/fairtrain/internal/parallel"
)

// ColumnSummary describes a column of a table.
type ColumnSummary struct {
	Name    string       `json:"name"`
	Use     string       `json:"use"` // "label", "weight" or ColumnSpec.As
	Reason  string       `json:"reason,omitempty"`
	Groups  []string     `json:"groups,omitempty"` // the attributes that are made of the column
	Missing *int         `json:"missing"`          // rows; nil if the column is dropped
	Number  *NumberRange `json:"number,omitempty"` // nil for a category, and for a column that is dropped
	Levels  int          `json:"levels,omitempty"` // number of levels of a category
	Most    []LevelCount `json:"most,omitempty"`   // its most frequent levels
	Notes   []Note       `json:"notes,omitempty"`  // other than the reason
}

// NumberRange is the range and the mean of a column's numbers.
type NumberRange struct {
	Unit string  `json:"unit,omitempty"`
	Min  float64 `json:"min"`
	Mean float64 `json:"mean"`
	Max  float64 `json:"max"`
}

// LevelCount is the number of rows of a level.
type LevelCount struct {
	Level string `json:"level"`
	Rows  int    `json:"rows"`
}

// Summaries describes the columns of the file: the label, the weight, and all other columns in
// the order of the schema.
func (t *Table) Summaries() []ColumnSummary {
	notes := map[string][]Note{}
	for _, n := range t.Notes {
		if n.Kind != Dropped && n.Kind != HasUnit { // which stand beside the notes already
			notes[n.Column] = append(notes[n.Column], n)
		}
	}
	var specs []ColumnSpec
	if t.Column(t.Schema.Label.Column) != nil {
		specs = append(specs, ColumnSpec{Name: t.Schema.Label.Column, As: "label"})
	}
	if t.Column(t.Schema.Weight) != nil {
		specs = append(specs, ColumnSpec{Name: t.Schema.Weight, As: "weight"})
	}
	specs = append(specs, t.Schema.Columns...)
	out := make([]ColumnSummary, len(specs))
	parallel.Do(runtime.GOMAXPROCS(0), len(specs), func(k int) { out[k] = t.summary(specs[k], notes) })
	return out
}

// summary describes a column. notes has the notes on all columns, by name.
func (t *Table) summary(spec ColumnSpec, notes map[string][]Note) ColumnSummary {
	s := ColumnSummary{Name: spec.Name, Use: spec.As, Reason: spec.Reason, Groups: t.Schema.GroupsOf(spec.Name), Notes: notes[spec.Name]}
	c := t.Column(spec.Name)
	switch {
	case c == nil:
	case c.Numbers != nil:
		s.Number = &NumberRange{Unit: c.Unit}
		s.Missing = new(s.Number.measure(c))
	default:
		s.Levels = len(c.Levels)
		most, missing := c.mostFrequent()
		s.Most, s.Missing = most, &missing
	}
	return s
}

// measure fills in the range and returns the number of missing values.
func (r *NumberRange) measure(c *Column) (missing int) {
	r.Min, r.Max = math.Inf(1), math.Inf(-1)
	sum, present := 0.0, 0
	for _, v := range c.Numbers {
		if math.IsNaN(v) {
			missing++
			continue
		}
		r.Min, r.Max = min(r.Min, v), max(r.Max, v)
		sum += v
		present++
	}
	if present == 0 {
		r.Min, r.Max = 0, 0
		return missing
	}
	r.Mean = sum / float64(present)
	return missing
}

// mostFrequent returns the most frequent levels and the number of missing values.
func (c *Column) mostFrequent() (most []LevelCount, missing int) {
	const shown = 10
	count := c.Count(nil)
	most = make([]LevelCount, len(c.Levels))
	for k, level := range c.Levels {
		most[k] = LevelCount{level, count[1+k]}
	}
	slices.SortStableFunc(most, func(a, b LevelCount) int { return cmp.Compare(b.Rows, a.Rows) })
	return most[:min(shown, len(most))], count[0]
}
