package tabular

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular/checks"
	"github.com/fairtrain/fairtrain/dataset/tabular/delimited"
	"github.com/fairtrain/fairtrain/dataset/textfile"
)

// Schema declares how a CSV file is written and what its columns are. Read finds out from the file
// what a schema leaves open. The zero value leaves everything open.
type Schema struct {
	Name  string `toml:"name,omitempty" json:"name,omitempty"`
	About string `toml:"about,omitempty" json:"about,omitempty"`

	delimited.Format

	// Names are the names of the columns of a file without a header.
	Names []string `toml:"names,omitempty" json:"names,omitempty"`
	// OtherNames give columns of the header another name, unless the file has a column of that name; of
	// several columns with one other name the last in the alphabet.
	OtherNames map[string]string `toml:"other_names,omitempty" json:"other_names,omitempty"`
	// Missing are the values that stand for a missing one, COLUMN=VALUE in one column; nil means
	// DefaultMissing.
	Missing []string `toml:"missing,omitzero" json:"missing"`
	// Others says what becomes of columns that are not declared: "" finds it out from their
	// values, Drop drops them.
	Others string `toml:"other_columns,omitempty" json:"other_columns,omitempty"`
	// MinCount is the least number of training rows for everything that a model names: levels
	// of categories, groups and bins. 0 means DefaultMinCount.
	MinCount int `toml:"min_count,omitzero" json:"min_count,omitempty"`
	// Weight names the column with the weights ≥ 0 of the rows.
	Weight string `toml:"weight,omitempty" json:"weight,omitempty"`

	Label  LabelSpec   `toml:"label,omitempty" json:"label"`
	Groups []GroupSpec `toml:"group,omitempty" json:"group,omitempty"`
	// Columns are the columns with features, in the order of the encoded rows, and the columns
	// without features.
	Columns []ColumnSpec `toml:"column,omitempty" json:"column,omitempty"`
	// Crosses are specifications of groups, as dataset.FindGroups takes them. Every one of
	// these groups that occurs in training becomes a binary feature.
	Crosses []string `toml:"crosses,omitempty" json:"crosses,omitempty"`
}

// DefaultMissing returns the values that stand for a missing one unless a schema says
// otherwise: a question mark, and what spreadsheets and pandas write and read.
func DefaultMissing() []string {
	return []string{"", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NaT", "null", "NULL"}
}

// DefaultMinCount is the least number of training rows for everything that a model names,
// unless a schema says otherwise.
const DefaultMinCount = 5

// LabelSpec says which column is the label and what its values mean. Values are compared
// without a final full stop, because some files have one (UCI's adult.test).
type LabelSpec struct {
	// Column is the name of the label. If it is empty, a column named label, target, class,
	// outcome or y is the label, or the last one, if its values can be those of a label.
	Column string `toml:"column,omitempty" json:"column,omitempty"`
	// Positive are the values that mean +1; ">0" and the like, with >, >=, < or <=, are all such
	// numbers, and other numbers mean −1. If there are none, the larger of two numbers means +1, or
	// one of yes, true, y, t and positive.
	Positive []string `toml:"positive,omitempty" json:"positive,omitempty"`
	// Negative are the values that mean −1. If there are none, all other values mean −1.
	Negative []string `toml:"negative,omitempty" json:"negative,omitempty"`
	// Skip are the values of rows to leave out, such as rows without an outcome yet.
	Skip []string `toml:"skip,omitempty" json:"skip,omitempty"`
}

// GroupSpec declares that a column parts the rows into groups.
type GroupSpec struct {
	Column string `toml:"column" json:"column"`
	// Name of the attribute; "" means the name of the column.
	Name string `toml:"name,omitempty" json:"name,omitempty"`
	// Cuts part the numbers of a column. They ascend. A value belongs to the first cut that it
	// does not exceed.
	Cuts []float64 `toml:"cuts,omitempty" json:"cuts,omitempty"`
	// Number says that the column is a number, and that only specifications of groups cut it,
	// as in age<25.
	Number bool `toml:"number,omitempty" json:"number,omitempty"`
	// Levels are the names of the parts; there is one more part than cuts.
	Levels []string `toml:"levels,omitempty" json:"levels,omitempty"`
	// Merge gives several values of the column a common name, or one value another name.
	Merge map[string][]string `toml:"merge,omitempty" json:"merge,omitempty"`
}

func (g GroupSpec) name() string { return cmp.Or(g.Name, g.Column) }

// numeric reports whether the column is taken as a number.
func (g GroupSpec) numeric() bool { return g.Number || len(g.Cuts) > 0 }

// What becomes of a column, ColumnSpec.As.
const (
	Standardise = "standardise" // a number minus its mean, divided by its standard deviation
	Bins        = "bins"        // a number's quantile bin, one binary feature a bin
	Shape       = "shape"       // a number's bin, whose weights form a smooth function of the number
	Raw         = "raw"         // a number as it is
	LogOdds     = "log-odds"    // log(p/(1−p)) of a number p from 0 to 1
	OneHot      = "one-hot"     // a category, one binary feature a level
	Drop        = "drop"        // no feature
)

func uses() []string { return []string{Standardise, Bins, Shape, Raw, LogOdds, OneHot, Drop} }

// ColumnSpec says what becomes of a column.
type ColumnSpec struct {
	Name string `toml:"name" json:"name"`
	As   string `toml:"as" json:"as"` // Standardise, Bins, Shape, Raw, LogOdds, OneHot or Drop
	// Unit of a number, such as "%", "$" or "months". Values may come with the unit or
	// without.
	Unit string `toml:"unit,omitempty" json:"unit,omitempty"`
	// Decimal decides how a number's values are read if no value of the column decides it. With ","
	// 1,200 is 1.2 and 1.200 is 1200; with "." it is the other way round. "" goes by the
	// file's other columns.
	Decimal string `toml:"decimal,omitempty" json:"decimal,omitempty"`
	// NotNumbers is Missing if values of a number that are none count as missing ones; otherwise only
	// what programs write in place of a number does, such as #DIV/0!, and others are faults.
	NotNumbers string `toml:"not_numbers,omitempty" json:"not_numbers,omitempty"`
	// Bins is the number of quantile bins, or the largest number of bins of a shape; at least 2.
	Bins int `toml:"bins,omitzero" json:"bins,omitempty"`
	// Monotone is Rising or Falling if the score must not fall, or not rise, with the number.
	Monotone string `toml:"monotone,omitempty" json:"monotone,omitempty"`
	// MinCount is the least number of training rows for a level of a category. Levels with
	// fewer rows are merged.
	MinCount int `toml:"min_count,omitzero" json:"min_count,omitempty"`
	// Reason says why a column is dropped.
	Reason string `toml:"reason,omitempty" json:"reason,omitempty"`
	// SeveralRows says in how many rows the values of an identifier are; nil for other columns.
	SeveralRows *checks.Repetition `toml:"several_rows,omitempty" json:"several_rows,omitempty"`
}

// Missing is the value of ColumnSpec.NotNumbers.
const Missing = "missing"

// The directions of ColumnSpec.Monotone.
const (
	Rising  = "+"
	Falling = "-"
)

func (c ColumnSpec) numeric() bool {
	return slices.Contains([]string{Standardise, Bins, Shape, Raw, LogOdds}, c.As)
}

// column returns the declaration of a column, if there is one.
func (s *Schema) column(name string) (spec ColumnSpec, ok bool) {
	k := slices.IndexFunc(s.Columns, func(c ColumnSpec) bool { return c.Name == name })
	if k < 0 {
		return ColumnSpec{}, false
	}
	return s.Columns[k], true
}

// index returns the positions of the columns by their names. It is for looking up many columns.
func (s *Schema) index() map[string]int {
	index := make(map[string]int, len(s.Columns))
	for k, c := range s.Columns {
		index[c.Name] = k
	}
	return index
}

// cuts reports whether a group cuts the numbers of the column.
func (s *Schema) cuts(column string) bool {
	return s.cutBy(column) >= 0
}

// cutBy returns the index of the first group that takes a column as a number, −1 for none.
func (s *Schema) cutBy(column string) int {
	return slices.IndexFunc(s.Groups, func(g GroupSpec) bool { return g.Column == column && g.numeric() })
}

// grouped reports whether a column defines groups.
func (s *Schema) grouped(column string) bool {
	return slices.ContainsFunc(s.Groups, func(g GroupSpec) bool { return g.Column == column })
}

// merges reports whether a group gives values of the column a common name.
func (s *Schema) merges(column string) bool {
	return slices.ContainsFunc(s.Groups, func(g GroupSpec) bool { return g.Column == column && g.Merge != nil })
}

// missing returns the values that stand for a missing one.
func (s *Schema) missing() []string {
	switch {
	case s.Missing == nil:
		return DefaultMissing()
	case len(s.Missing) > 0 && !slices.Contains(s.Missing, ""):
		return append([]string{""}, s.Missing...) // a blank is no value
	}
	return s.Missing
}

// missingIn returns what means a missing value in a column: also what missing ones are called, but
// in the label no value that is a decision.
func (s *Schema) missingIn(column string) []string {
	missing := slices.Clone(s.missing())
	if len(missing) > 0 {
		missing = append(missing, dataset.MissingLevel)
	}
	for _, v := range missing { // some are those of one column
		if value, ok := strings.CutPrefix(v, column+"="); ok {
			missing = append(missing, value)
		}
	}
	if column != s.Label.Column {
		return missing
	}
	return slices.DeleteFunc(missing, func(v string) bool {
		return slices.Contains(s.Label.Positive, v) || slices.Contains(s.Label.Negative, v)
	})
}

// LeastRows returns the least number of training rows for everything that a model names.
func (s *Schema) LeastRows() int { return cmp.Or(s.MinCount, DefaultMinCount) }

// Validate reports everything that is wrong with s, for any file. Messages name the table and
// the key as in the schema file.
func (s *Schema) Validate() error {
	var v violations
	v.check(s.Format.Validate())
	v.check(CheckNames("names", s.Names))
	if s.Others != "" && s.Others != Drop {
		v.add("other_columns is %q, must be %q or absent", s.Others, Drop)
	}
	if s.MinCount < 0 {
		v.add("min_count is %d, must be ≥ 1", s.MinCount)
	}
	s.Label.validate(&v)
	names := make([]string, len(s.Columns))
	for k, c := range s.Columns {
		names[k] = c.Name
		c.validate(&v)
		if c.Name == s.Label.Column || c.Name == s.Weight {
			v.add("column %q: is the label or the weight already", c.Name)
		}
	}
	v.check(CheckNames("column", names))
	attributes := make([]string, len(s.Groups))
	for k, g := range s.Groups {
		attributes[k] = g.name()
		g.validate(&v)
		s.validateGroup(&v, g)
	}
	v.check(CheckNames("group", attributes))
	for _, spec := range s.Crosses {
		for _, name := range dataset.AttributesIn(spec) {
			if !slices.Contains(attributes, name) {
				v.add("crosses: %q names %q, which is no group%s", spec, name, textfile.DidYouMean(name, attributes))
			}
		}
	}
	if s.Weight != "" && s.Weight == s.Label.Column {
		v.add("weight: column %q is the label", s.Weight)
	}
	return errors.Join(v...)
}

// validateGroup checks a group against the columns: a column is either a number that is cut,
// or a category.
func (s *Schema) validateGroup(v *violations, g GroupSpec) {
	c, declared := s.column(g.Column)
	switch {
	case g.Column == s.Label.Column || g.Column == s.Weight:
		v.add("group %q: column %q is the label or the weight", g.name(), g.Column)
	case declared && c.numeric() && !g.numeric():
		v.add("group %q: column %q is a number (as = %q), so that cuts are needed (of a [[group]] of a schema), or a range as in %s<25", g.name(), g.Column, c.As, g.name())
	case declared && c.As == OneHot && g.numeric():
		v.add("group %q: cuts of a column that is a category (as = %q)", g.name(), c.As)
	case !g.numeric() && s.cuts(g.Column):
		v.add("group %q: the group %q cuts column %q as a number, and can be named in its place",
			g.name(), s.Groups[s.cutBy(g.Column)].name(), g.Column)
	}
}

// violations collects what is wrong with a schema.
type violations []error

func (v *violations) add(format string, args ...any) { *v = append(*v, fmt.Errorf(format, args...)) }

// check adds err unless it is nil.
func (v *violations) check(err error) { *v = append(*v, err) } // errors.Join leaves nil out

// CheckNames returns an error unless all names differ and none is empty. Messages say by the
// key what is named.
func CheckNames(key string, names []string) error {
	var v violations
	seen := map[string]bool{}
	for k, name := range names {
		switch {
		case name == "":
			v.add("%s %d has no name", key, k+1)
		case seen[name]:
			v.add("%s %q is given twice", key, name)
		}
		seen[name] = true
	}
	return errors.Join(v...)
}

func (l LabelSpec) validate(v *violations) {
	if len(l.Positive) == 0 && len(l.Negative) > 0 {
		v.add("label.negative needs label.positive")
	}
	meanings := map[string]string{}
	for _, list := range []struct {
		key    string
		values []string
	}{{"positive", l.Positive}, {"negative", l.Negative}, {"skip", l.Skip}} {
		for _, value := range list.values {
			if first, seen := meanings[labelKey(value)]; seen && first != list.key {
				v.add("label.%s contains %q, as label.%s does already", list.key, value, first)
			}
			meanings[labelKey(value)] = list.key
		}
	}
}

func (g GroupSpec) validate(v *violations) {
	name := g.name()
	if g.Column == "" {
		v.add("group %q: column is missing", name)
	}
	if len(g.Cuts) > 0 && len(g.Merge) > 0 {
		v.add("group %q: has both cuts and merge", name)
	}
	if g.Number && len(g.Cuts)+len(g.Merge) > 0 {
		v.add("group %q: number is for a column without cuts and merge", name)
	}
	if len(g.Cuts) > 0 && len(g.Levels) != len(g.Cuts)+1 || len(g.Cuts) == 0 && len(g.Levels) > 0 {
		v.add("group %q: %d levels for %d cuts, must be one more than cuts", name, len(g.Levels), len(g.Cuts))
	}
	for k, cut := range g.Cuts {
		if math.IsNaN(cut) || math.IsInf(cut, 0) || k > 0 && cut <= g.Cuts[k-1] {
			v.add("group %q: cuts are %v, must be finite and ascend", name, g.Cuts)
			break
		}
	}
	if len(g.Levels) > 0 {
		v.check(CheckNames(fmt.Sprintf("group %q: level", name), g.Levels))
	}
	owner := map[string]bool{}
	for _, level := range slices.Sorted(maps.Keys(g.Merge)) {
		for _, value := range g.Merge[level] {
			one := value
			if isMissing(value) {
				one = dataset.MissingLevel // all of them are
			}
			if owner[one] {
				v.add("group %q: merge has %q twice", name, value)
			}
			owner[one] = true
		}
	}
}

func (c ColumnSpec) validate(v *violations) {
	if !slices.Contains(uses(), c.As) {
		v.add("column %q: as is %q, must be one of %q%s", c.Name, c.As, uses(), textfile.DidYouMean(c.As, uses()))
		return
	}
	switch {
	case (c.As == Bins || c.As == Shape) && c.Bins < 2:
		v.add("column %q: bins is %d, must be at least 2", c.Name, c.Bins)
	case c.As != Bins && c.As != Shape && c.Bins != 0:
		v.add("column %q: bins is %d, but as is %q", c.Name, c.Bins, c.As)
	}
	if c.MinCount < 0 || c.As != OneHot && c.MinCount != 0 {
		v.add("column %q: min_count is %d, must be ≥ 0 and with as = %q only", c.Name, c.MinCount, OneHot)
	}
	if c.Unit != "" && c.As == OneHot {
		v.add("column %q: has a unit, but as is %q, not a number", c.Name, c.As)
	}
	if c.Decimal != "" && c.Decimal != "." && c.Decimal != "," || c.Decimal != "" && c.As == OneHot {
		v.add("column %q: decimal is %q, must be \".\" or \",\" and of a number", c.Name, c.Decimal)
	}
	if c.NotNumbers != "" && (c.NotNumbers != Missing || c.As == OneHot) {
		v.add("column %q: not_numbers is %q, must be %q and of a number", c.Name, c.NotNumbers, Missing)
	}
	if c.Monotone != "" && (c.Monotone != Rising && c.Monotone != Falling || !c.numeric()) {
		v.add("column %q: monotone is %q and as is %q, must be \"+\" or \"-\" and of a number", c.Name, c.Monotone, c.As)
	}
	if c.Reason != "" && c.As != Drop {
		v.add("column %q: has a reason to be dropped, but as is %q", c.Name, c.As)
	}
}
