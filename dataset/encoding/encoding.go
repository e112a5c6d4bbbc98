// Package encoding turns the columns of tables into features. It learns from training rows,
// and applies to any rows what it has learned.
//
//	Encoding   what the columns become, encoding.go
//	Learn      an encoding from a table, learn.go
//	Apply      the rows of a table as a data set, apply.go; in Blocks, blocks.go
package encoding

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
)

// Encoding turns the rows of tables into features. It is learned on training rows and then
// applied to any rows. It encodes each row independently of all others. It marshals to JSON
// and back without loss.
//
// New rows may hold what the training rows did not:
//
//   - a level never seen joins the rare ones, if there are any, or else has all features
//     of its column 0;
//   - a missing value of a category is a level of its own, if it occurred in training,
//     and otherwise a level never seen;
//   - a missing number has a feature "column=(missing)", if that occurred in enough training rows;
//     otherwise, and where the number is no bin, it is replaced by the mean, or by the median to
//     find its bin.
//
// It names no level and no group that fewer training rows than tabular.Schema.LeastRows have.
// Such a level counts as rare, and such a group has no feature.
type Encoding struct {
	// Schema says how to read the files to be encoded. It leaves nothing open but how they are
	// written.
	Schema *tabular.Schema `json:"schema"`
	// Features are the encoded columns, in the order of the features.
	Features []Column `json:"features"`
	// Crosses are further features, after those of the columns. Those of pairs are the last ones.
	Crosses []Cross `json:"crosses,omitempty"`
	// Levels are the levels that every attribute had in training, by the attribute's name,
	// whether they are features or not. So it is noticed if rows lack a whole group. Older
	// encodings have no Levels.
	Levels map[string][]string `json:"levels,omitempty"`
	// Folded counts what is not named because fewer than tabular.Schema.LeastRows training rows
	// have it: levels, by their column; groups, by their specification; and the values of a
	// number that is dropped for this reason. Levels that a column's own min_count throws
	// together are not counted.
	Folded map[string]int `json:"folded,omitempty"`
}

// Cross has a feature for each of its cells that occurs in training. The feature is 1 in the rows
// of the cell. The cells are the groups of a specification, or those of a pair of columns.
type Cross struct {
	Groups string   `json:"groups,omitempty"` // see dataset.FindGroups
	Cells  []string `json:"cells,omitempty"`  // the names of the groups
	// Columns are two columns in few bins or levels: a cell is a feature of each, whose numbers At has,
	// ascending.
	Columns []Column `json:"columns,omitempty"`
	At      [][2]int `json:"at,omitempty"`
}

// Pair reports whether the cells are those of a pair of columns.
func (c *Cross) Pair() bool { return len(c.Columns) == 2 }

// Width returns the number of features of the cross.
func (c *Cross) Width() int { return len(c.Cells) + len(c.At) }

// Name returns the specification, or the names of the two columns.
func (c *Cross) Name() string {
	if !c.Pair() {
		return c.Groups
	}
	return c.Columns[0].Column + " × " + c.Columns[1].Column
}

// Column says what a column's values become.
type Column struct {
	Column string `json:"column"`
	As     string `json:"as"` // Standardise, Bins, Shape, Raw, LogOdds or OneHot

	Levels []string `json:"levels,omitempty"` // that have a feature of their own
	Rare   bool     `json:"rare,omitempty"`   // there is a feature for all other levels
	// RareShare is the share of the training rows that have one of the other levels; 0 if it is not
	// known. A model file has it in its reference.
	RareShare float64 `json:"-"`

	Edges []float64 `json:"edges,omitempty"` // ascending; the bin of v is the number of edges ≤ v
	Mean  float64   `json:"mean,omitempty"`  // of the training rows; replaces a missing number
	SD    float64   `json:"sd,omitempty"`    // standard deviation in the training rows, 1 for a constant
	// Median is that of the numbers of the training rows, in whose bin a missing number falls if there
	// is no feature for it; nil in older files, where it falls in none.
	Median *float64 `json:"median,omitempty"`
	// Range is the smallest and the largest number of the training rows, but for the LeastRows−1
	// smallest and the LeastRows−1 largest ones; nil in older files and of few rows.
	Range *[2]float64 `json:"range,omitempty"`
	// OutsideShare is the share of the training rows outside the range; at most that in the encoding
	// of a model file.
	OutsideShare float64 `json:"-"`

	Missing bool `json:"missing,omitempty"` // there is a feature for missing values, the last one
}

// leastOdds are those of a probability of 0; 1 has its inverse.
const leastOdds = 0x1p-40

// Value returns what the number v counts as: itself, or its log-odds.
func (e *Column) Value(v float64) float64 {
	if e.As == tabular.LogOdds {
		return math.Log(max(v, leastOdds)) - math.Log(max(1-v, leastOdds))
	}
	return v
}

// Binned reports whether the features of the column are bins of a number.
func (e *Column) Binned() bool { return e.As == tabular.Bins || e.As == tabular.Shape }

// outside reports whether a number lies outside the range of the training rows, by more than so many
// times the width of that range.
func (e *Column) outside(v, widths float64) bool {
	if e.Range == nil {
		return false
	}
	low, high := e.Range[0], e.Range[1]
	by := widths * (high - low)
	return (widths == 0 || by > 0) && (v < low-by || v > high+by)
}

// farWidths is how far from the range a number is far away. Not one in 10 000 numbers whose tail
// falls as slowly as the square is, and 5123 is where 5.123 was meant.
const farWidths = 9

// Blocks returns the features that belong together.
func (e *Encoding) Blocks() (list []dataset.Block) {
	first := 0
	add := func(name string, width int, bins bool) {
		if width > 0 {
			list = append(list, dataset.Block{First: first, End: first + width, Bins: bins, Name: name})
			first += width
		}
	}
	for k := range e.Features {
		f := &e.Features[k]
		width := f.Width()
		if f.As != tabular.OneHot && f.Missing {
			width--
		}
		add(f.Column, width, f.As == tabular.Shape && width > 1)
		add(f.Column, f.Width()-width, false)
	}
	for k := range e.Crosses {
		add(e.Crosses[k].Name(), e.Crosses[k].Width(), false)
	}
	return list
}

// Additive reports whether some number becomes a shape.
func (e *Encoding) Additive() bool {
	return slices.ContainsFunc(e.Blocks(), func(b dataset.Block) bool { return b.Bins })
}

// Orders returns what the weights keep if the score is monotone in the numbers for which the schema
// says so.
func (e *Encoding) Orders() (list []dataset.Order) {
	monotone := map[string]string{}
	for _, spec := range e.Schema.Columns {
		monotone[spec.Name] = spec.Monotone
	}
	first := 0
	for k := range e.Features {
		f := &e.Features[k]
		o := dataset.Order{First: first, End: first + f.Width(), Falls: monotone[f.Column] == tabular.Falling, Column: f.Column}
		first = o.End
		if f.Missing {
			o.End--
		}
		if monotone[f.Column] != "" && !(f.Binned() && o.Alone()) {
			list = append(list, o)
		}
	}
	return list
}

// Width returns the number of features of the column.
func (e *Column) Width() int {
	n := 1
	switch e.As {
	case tabular.OneHot:
		n = len(e.Levels)
	case tabular.Bins, tabular.Shape:
		n = len(e.Edges) + 1
	}
	if e.Rare {
		n++
	}
	if e.Missing {
		n++
	}
	return n
}

// names appends the names of the features.
func (e *Column) names(names []string) []string {
	switch e.As {
	case tabular.OneHot:
		for _, level := range e.Levels {
			names = append(names, e.Column+"="+level)
		}
		if e.Rare {
			names = append(names, e.Column+"=(rare)")
		}
	case tabular.Bins, tabular.Shape:
		names = e.binNames(names)
	default:
		names = append(names, e.Column)
	}
	if e.Missing {
		names = append(names, e.Column+"="+dataset.MissingLevel)
	}
	return names
}

func (e *Column) binNames(names []string) []string {
	for k := range len(e.Edges) + 1 {
		names = append(names, e.Column+" "+e.Bounds(k).Name())
	}
	return names
}

// Bounds are those of a bin, to which AtLeast belongs and Below does not; nil for none.
type Bounds struct {
	AtLeast *float64 `json:"at_least,omitempty"`
	Below   *float64 `json:"below,omitempty"`
}

// Bounds returns those of the bin that feature k of the column is; none of a feature that is no bin.
func (e *Column) Bounds(k int) (b Bounds) {
	if k > 0 && k <= len(e.Edges) {
		b.AtLeast = &e.Edges[k-1]
	}
	if k < len(e.Edges) {
		b.Below = &e.Edges[k]
	}
	return b
}

// Has reports whether v is in the bin.
func (b Bounds) Has(v float64) bool {
	return (b.AtLeast == nil || *b.AtLeast <= v) && (b.Below == nil || v < *b.Below)
}

// Name is the end of a feature's name: "< 18", "in [18, 21)", ">= 65".
func (b Bounds) Name() string {
	switch {
	case b.AtLeast == nil && b.Below == nil:
		return "in (-inf, inf)"
	case b.AtLeast == nil:
		return "< " + numparse.Format(*b.Below)
	case b.Below == nil:
		return ">= " + numparse.Format(*b.AtLeast)
	}
	return fmt.Sprintf("in [%s, %s)", numparse.Format(*b.AtLeast), numparse.Format(*b.Below))
}

// Equal reports whether two encodings make the same features of the same columns, and the same
// groups, in any order. Either may be nil, for none.
func (e *Encoding) Equal(other *Encoding) bool { return bytes.Equal(e.inOrder(), other.inOrder()) }

// inOrder is the JSON of an encoding, with what its schema says of groups and columns by name.
func (e *Encoding) inOrder() []byte {
	if e != nil && e.Schema != nil {
		sorted, schema := *e, *e.Schema
		schema.Groups = slices.SortedFunc(slices.Values(schema.Groups), func(a, b tabular.GroupSpec) int {
			return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Column, b.Column))
		})
		schema.Columns = slices.SortedFunc(slices.Values(schema.Columns),
			func(a, b tabular.ColumnSpec) int { return cmp.Compare(a.Name, b.Name) })
		sorted.Schema, e = &schema, &sorted
	}
	text, err := json.Marshal(e)
	if err != nil {
		panic(err) // it has finite numbers and text only, see Validate
	}
	return text
}

// Width returns the number of features.
func (e *Encoding) Width() int {
	n := 0
	for k := range e.Features {
		n += e.Features[k].Width()
	}
	for _, c := range e.Crosses {
		n += c.Width()
	}
	return n
}

// Names returns the names of the features: "education=Bachelors", "age in [25, 31)",
// "hours-per-week".
func (e *Encoding) Names() []string {
	names := make([]string, 0, e.Width())
	for k := range e.Features {
		names = e.Features[k].names(names)
	}
	for _, c := range e.Crosses {
		names = append(names, c.names()...)
	}
	return names
}

// Validate reports everything that makes e useless, as it may come from a file.
func (e *Encoding) Validate() error {
	if e.Schema == nil {
		return errors.New("schema is missing")
	}
	var errs []error
	add := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if err := e.Schema.Validate(); err != nil {
		add("schema: %w", err)
	}
	if len(e.Features) == 0 {
		add("features is empty")
	}
	specs := map[string]tabular.ColumnSpec{}
	for _, spec := range e.Schema.Columns {
		specs[spec.Name] = spec
	}
	for k := range e.Features {
		errs = append(errs, e.Features[k].validate(specs[e.Features[k].Column]))
	}
	for k := range e.Crosses {
		errs = append(errs, e.Crosses[k].validate(e))
	}
	for _, name := range slices.Sorted(maps.Keys(e.Levels)) {
		levels := e.Levels[name]
		if e.Schema.GroupIndex(name) < 0 {
			add("levels of %q: the schema has no such group", name)
		}
		// a blank is a level where none is missing
		named := slices.DeleteFunc(slices.Clone(levels), func(level string) bool { return level == "" })
		errs = append(errs, tabular.CheckNames(fmt.Sprintf("levels of %q: level", name), named))
	}
	return errors.Join(errs...)
}

// validate reports what is wrong with a cross of an encoding.
func (c *Cross) validate(e *Encoding) error {
	var errs []error
	add := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("cross %q: "+format, append([]any{c.Name()}, args...)...))
	}
	switch len(c.Columns) {
	case 0:
		if !slices.Contains(e.Schema.Crosses, c.Groups) {
			add("is not among the crosses of the schema")
		}
		errs = append(errs, tabular.CheckNames(fmt.Sprintf("cross %q: cell", c.Groups), c.Cells))
		return errors.Join(errs...)
	case 2:
	default:
		add("has %d columns, must be 2", len(c.Columns))
		return errors.Join(errs...)
	}
	for k := range c.Columns {
		f := &c.Columns[k]
		at := slices.IndexFunc(e.Features, func(whole Column) bool { return whole.Column == f.Column })
		if at < 0 {
			add("%q is not a feature", f.Column)
		} else if number := e.Features[at].As != tabular.OneHot; number != (f.As == tabular.Shape) {
			add("%q is %q in it, but a feature as %q", f.Column, f.As, e.Features[at].As)
		} else if e.monotone(f.Column) {
			add("%q must be monotone", f.Column)
		}
		errs = append(errs, f.validate(tabular.ColumnSpec{As: f.As}))
		if f.Width() > math.MaxUint8 {
			add("%q has %d features in it, must have at most %d", f.Column, f.Width(), math.MaxUint8)
		}
	}
	for k, at := range c.At {
		if min(at[0], at[1]) < 0 || at[0] >= c.Columns[0].Width() || at[1] >= c.Columns[1].Width() ||
			k > 0 && slices.Compare(at[:], c.At[k-1][:]) <= 0 {
			add("at is %v, must be numbers of features of both columns that ascend", c.At)
			break
		}
	}
	return errors.Join(errs...)
}

// validate reports what is wrong with the encoding of a column. The schema declares the column
// to be spec; the zero value means that it does not declare it.
func (e *Column) validate(spec tabular.ColumnSpec) error {
	var errs []error
	add := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("feature %q: "+format, append([]any{e.Column}, args...)...))
	}
	if spec.As == "" || spec.As != e.As || e.As == tabular.Drop {
		add("as is %q, but the schema says %q", e.As, spec.As)
	}
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	for k, edge := range e.Edges {
		if !finite(edge) || k > 0 && edge <= e.Edges[k-1] {
			add("edges are %v, must be finite and ascend", e.Edges)
			break
		}
	}
	if r := e.Range; r != nil && !(finite(r[0]) && finite(r[1]) && r[0] <= r[1]) {
		add("range is %v, must be finite and ascend", *r)
	}
	if !slices.IsSorted(e.Levels) || len(slices.Compact(slices.Clone(e.Levels))) < len(e.Levels) {
		add("levels are not sorted and distinct")
	}
	if !finite(e.Mean) || e.As == tabular.Standardise && !(e.SD >= numparse.Least && finite(e.SD)) {
		add("mean is %v and sd is %v, must be finite and sd at least %.0e", e.Mean, e.SD, numparse.Least)
	}
	return errors.Join(errs...)
}
