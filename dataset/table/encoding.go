package table

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/quantity"
	"github.com/fairtrain/fairtrain/internal/parallel"
)

// Encoding turns the rows of tables into features. It is learned on training rows and
// then applied to any rows, which it encodes independently of each other. It marshals to
// JSON and back without loss.
//
// What new rows may hold that the training rows did not:
//
//   - a level never seen joins the rare ones, if there are any, or else has all features
//     of its column 0;
//   - a missing value of a category is a level of its own, if it occurred in training,
//     and otherwise a level never seen;
//   - a missing number is replaced by the mean, or falls in no bin, and a feature
//     "column=(missing)" is 1, if that occurred in enough training rows.
//
// It names no level and no group of fewer training rows than Schema.LeastRows: such levels
// are rare ones, and such groups have no feature.
type Encoding struct {
	// Schema is how to read files to be encoded, with nothing left open but how they are
	// written.
	Schema *Schema `json:"schema"`
	// Features are the encoded columns, in the order of the features.
	Features []ColumnEncoding `json:"features"`
	// Crosses are further features, after those of the columns.
	Crosses []CrossEncoding `json:"crosses,omitempty"`
	// Levels are those that the attributes had in training, by the attribute's name, be
	// they features or not: so that it is noticed if rows lack a whole group. Older
	// encodings have none.
	Levels map[string][]string `json:"levels,omitempty"`
	// Folded counts, by column or specification of groups, the levels and groups that fewer
	// than Schema.LeastRows training rows have and that are therefore not named, and the
	// values of a number that is dropped for that. Levels that a column's own min_count
	// throws together are not counted.
	Folded map[string]int `json:"folded,omitempty"`
}

// CrossEncoding has a feature for each of the groups that a specification names, see
// FindGroups, and that occur in training; 1 in the rows of the group.
type CrossEncoding struct {
	Groups string   `json:"groups"`
	Cells  []string `json:"cells"` // the names of the groups
}

// ColumnEncoding says what a column's values become.
type ColumnEncoding struct {
	Column string `json:"column"`
	As     string `json:"as"` // Standardise, Bins, Raw or OneHot

	Levels []string `json:"levels,omitempty"` // with a feature of their own
	Rare   bool     `json:"rare,omitempty"`   // there is a feature for all other levels

	Edges []float64 `json:"edges,omitempty"` // ascending; the bin of v is the number of edges ≤ v
	Mean  float64   `json:"mean,omitempty"`  // of the training rows; stands for a missing number
	SD    float64   `json:"sd,omitempty"`    // standard deviation there, 1 for a constant

	Missing bool `json:"missing,omitempty"` // there is a feature for missing values, the last one
}

// Learn learns the encoding of a table's features from the given rows; nil means all. The
// rows must have labels of both classes.
func Learn(t *Table, rows []int) (*Encoding, error) {
	rows = t.rowsOrAll(rows)
	if err := t.checkClasses(rows); err != nil {
		return nil, err
	}
	e := &Encoding{Schema: t.Schema.withoutRareLabels(t.Column(t.Schema.Label.Column), rows)}
	learned := make([]learnedColumn, len(e.Schema.Columns))
	parallel.Do(runtime.GOMAXPROCS(0), len(learned), func(k int) {
		if spec := e.Schema.Columns[k]; spec.As != Drop {
			learned[k] = e.learn(spec, t.Column(spec.Name), rows)
		}
	})
	for k, l := range learned {
		spec := e.Schema.Columns[k]
		switch {
		case spec.As == Drop:
			continue
		case l.err != nil:
			return nil, fmt.Errorf("%s: %w", t.Name, l.err)
		case l.tooFew:
			e.Schema.Columns[k] = e.Schema.tooFew(spec)
		default:
			e.Features = append(e.Features, l.ColumnEncoding)
		}
		e.fold(spec.Name, l.folded)
	}
	if len(e.Features) == 0 {
		if len(e.Folded) > 0 {
			return nil, fmt.Errorf("%s: no column is a feature: none has values in %d training rows (min_count of the schema, --min-count)", t.Name, e.Schema.LeastRows())
		}
		return nil, fmt.Errorf("%s: no column is a feature", t.Name)
	}
	training := &dataset.Dataset{Name: t.Name, Attributes: t.Schema.attributes(t, rows)}
	e.learnGroups(training.Attributes)
	for _, groups := range t.Schema.Crosses {
		terms := dataset.ParseTerms(groups)
		if err := training.CheckTerms(terms); err != nil {
			return nil, fmt.Errorf("cross %s: %w", groups, err)
		}
		e.learnCross(groups, training.Part(terms))
	}
	return e, nil
}

func (t *Table) rowsOrAll(rows []int) []int {
	if rows != nil {
		return rows
	}
	rows = make([]int, t.Rows)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// checkClasses fails unless the rows have labels of both classes and some weight.
func (t *Table) checkClasses(rows []int) error {
	byCode, rule, err := t.labels(t.Schema.Label)
	if err != nil {
		return err
	}
	if byCode == nil {
		return fmt.Errorf("%s: the rows have no labels to train on", t.Name)
	}
	codes := t.Column(t.Schema.Label.Column).Codes
	seen := map[int8]bool{}
	for _, i := range rows {
		if codes[i] >= 0 {
			seen[byCode[codes[i]]] = true
		}
	}
	if !slices.Contains(byCode, 1) {
		return t.labelError(NotAmong)
	}
	if !seen[1] || !seen[-1] {
		return fmt.Errorf("%s: the %d rows do not have labels of both classes (%s)", t.Name, len(rows), rule)
	}
	if w := t.Column(t.Schema.Weight); w != nil && !slices.ContainsFunc(rows, func(i int) bool { return w.Numbers[i] > 0 }) {
		return fmt.Errorf("%s: the weights %s are all 0", t.Name, w.Name)
	}
	return nil
}

// learnedColumn is what the rows tell about a column.
type learnedColumn struct {
	ColumnEncoding
	tooFew bool // rows with a value, so that there is no encoding
	folded int  // levels or values that are not named
	err    error
}

// learn learns the encoding of a column. It may run for several of them at once.
func (e *Encoding) learn(spec ColumnSpec, c *Column, rows []int) (l learnedColumn) {
	f := &l.ColumnEncoding
	f.Column, f.As = spec.Name, spec.As
	if spec.As == OneHot {
		l.folded = f.learnLevels(c, rows, spec.MinCount, e.Schema.LeastRows())
		return l
	}
	present := make([]float64, 0, len(rows))
	for _, i := range rows {
		if v := c.Numbers[i]; !math.IsNaN(v) {
			present = append(present, v)
		}
	}
	switch n := len(present); {
	case n == 0:
		l.err = fmt.Errorf("column %s: no training row has a value", spec.Name)
		return l
	case n < e.Schema.LeastRows():
		l.tooFew, l.folded = true, n
		return l
	}
	missing := len(rows) - len(present)
	f.Missing = missing > 0 && missing >= e.Schema.LeastRows()
	switch spec.As {
	case Bins:
		f.Edges = quantileEdges(present, spec.Bins, e.Schema.LeastRows())
	case Raw:
		f.Mean = stat.Mean(present, nil)
	case Standardise:
		f.Mean, f.SD = stat.PopMeanStdDev(present, nil)
		if f.SD == 0 {
			f.SD = 1
		}
	}
	if math.IsInf(f.Mean, 0) || math.IsNaN(f.SD) || math.IsInf(f.SD, 0) {
		l.err = fmt.Errorf("column %s: its values are too large to be averaged", spec.Name)
	}
	return l
}

// learnLevels learns the levels that minCount and least rows have, and returns how many
// others at least minCount rows have. If the rare ones have fewer rows together, levels join
// them, the least frequent first: the weight of a few people would be their labels.
func (e *ColumnEncoding) learnLevels(c *Column, rows []int, minCount, least int) (folded int) {
	count := make([]int, len(c.Levels))
	for _, i := range rows {
		if code := c.Codes[i]; code >= 0 {
			count[code]++
		} else {
			e.Missing = true
		}
	}
	var codes []int // of the levels that there are, the least frequent first
	for code, n := range count {
		if n > 0 {
			codes = append(codes, code)
		}
	}
	slices.SortStableFunc(codes, func(a, b int) int { return cmp.Compare(count[a], count[b]) })
	rare := 0
	for _, code := range codes {
		n := count[code]
		if n >= minCount && n >= least && (rare == 0 || rare >= least) {
			e.Levels = append(e.Levels, c.Levels[code])
			continue
		}
		e.Rare = true
		rare += n
		if n >= minCount {
			folded++
		}
	}
	slices.Sort(e.Levels)
	return folded
}

// quantileEdges returns the distinct values of x_⌊Nq/k⌋, q = 1, …, k−1, where x_0 ≤ x_1 ≤ …
// are the N values, which it sorts, but those that make a bin of fewer than least values.
func quantileEdges(values []float64, k, least int) []float64 {
	slices.Sort(values)
	var edges []float64
	from := 0 // of the bin that the next edge ends
	for q := 1; q < k; q++ {
		edge := values[len(values)*q/k]
		to, _ := slices.BinarySearch(values, edge)
		if to == 0 && len(edges) == 0 || to-from >= least && len(values)-to >= least {
			edges = append(edges, edge)
			from = to
		}
	}
	return edges
}

// bin returns the number of edges ≤ v.
func (e *ColumnEncoding) bin(v float64) int {
	k, found := slices.BinarySearch(e.Edges, v)
	if found {
		k++
	}
	return k
}

// Width returns the number of features of the column.
func (e *ColumnEncoding) Width() int {
	n := 1
	switch e.As {
	case OneHot:
		n = len(e.Levels)
	case Bins:
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
func (e *ColumnEncoding) names(names []string) []string {
	switch e.As {
	case OneHot:
		for _, level := range e.Levels {
			names = append(names, e.Column+"="+level)
		}
		if e.Rare {
			names = append(names, e.Column+"=(rare)")
		}
	case Bins:
		names = e.binNames(names)
	default:
		names = append(names, e.Column)
	}
	if e.Missing {
		names = append(names, e.Column+"="+dataset.MissingLevel)
	}
	return names
}

func (e *ColumnEncoding) binNames(names []string) []string {
	last := len(e.Edges) - 1
	if last < 0 {
		return append(names, e.Column+" in (-inf, inf)")
	}
	names = append(names, fmt.Sprintf("%s < %s", e.Column, quantity.Format(e.Edges[0])))
	for k, edge := range e.Edges[:last] {
		names = append(names, fmt.Sprintf("%s in [%s, %s)", e.Column, quantity.Format(edge), quantity.Format(e.Edges[k+1])))
	}
	return append(names, fmt.Sprintf("%s >= %s", e.Column, quantity.Format(e.Edges[last])))
}

// Width returns the number of features.
func (e *Encoding) Width() int {
	n := 0
	for k := range e.Features {
		n += e.Features[k].Width()
	}
	for _, c := range e.Crosses {
		n += len(c.Cells)
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
		names = append(names, c.Cells...)
	}
	return names
}

// UsesGroups returns the attributes in specifications of groups that the features tell
// directly, each once: those whose column is a feature or part of a cross. (A column that
// is no group may tell them all the same, as a husband is told by his relationship.)
func (e *Encoding) UsesGroups(specs []string) []string {
	var used []string
	for _, spec := range specs {
		for _, name := range dataset.AttributesIn(spec) {
			if !slices.Contains(used, name) && e.usesGroup(name) {
				used = append(used, name)
			}
		}
	}
	return used
}

func (e *Encoding) usesGroup(name string) bool {
	column := name
	if k := e.Schema.group(name); k >= 0 {
		column = e.Schema.Groups[k].Column
	}
	return slices.ContainsFunc(e.Features, func(f ColumnEncoding) bool { return f.Column == column }) ||
		slices.ContainsFunc(e.Crosses, func(c CrossEncoding) bool {
			return slices.Contains(e.Schema.groupColumns([]string{c.Groups}), column)
		})
}

// GroupsOf returns the names of the attributes that are made of a column.
func (s *Schema) GroupsOf(column string) []string {
	var names []string
	for _, g := range s.Groups {
		if g.Column == column {
			names = append(names, g.name())
		}
	}
	return names
}

// Validate reports everything that makes e useless, as it may come from a file.
func (e *Encoding) Validate() error {
	if e.Schema == nil {
		return errors.New("schema is missing")
	}
	var v violations
	if err := e.Schema.validate(); err != nil {
		v.add("schema: %w", err)
	}
	if len(e.Features) == 0 {
		v.add("features is empty")
	}
	specs := e.Schema.index()
	for k := range e.Features {
		f := &e.Features[k]
		var spec ColumnSpec
		if at, declared := specs[f.Column]; declared {
			spec = e.Schema.Columns[at]
		}
		f.validate(&v, spec)
	}
	for _, c := range e.Crosses {
		if !slices.Contains(e.Schema.Crosses, c.Groups) {
			v.add("cross %q: is not among the crosses of the schema", c.Groups)
		}
		v.names(fmt.Sprintf("cross %q: cell", c.Groups), c.Cells)
	}
	for name, levels := range e.Levels {
		if e.Schema.group(name) < 0 {
			v.add("levels of %q: the schema has no such group", name)
		}
		v.names(fmt.Sprintf("levels of %q: level", name), levels)
	}
	return errors.Join(v...)
}

// validate reports what is wrong with the encoding of a column that the schema declares to
// be spec.
func (e *ColumnEncoding) validate(v *violations, spec ColumnSpec) {
	if spec.As == "" || spec.As != e.As || e.As == Drop {
		v.add("feature %q: as is %q, but the schema says %q", e.Column, e.As, spec.As)
	}
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	for k, edge := range e.Edges {
		if !finite(edge) || k > 0 && edge <= e.Edges[k-1] {
			v.add("feature %q: edges are %v, must be finite and ascend", e.Column, e.Edges)
			break
		}
	}
	if !slices.IsSorted(e.Levels) || len(slices.Compact(slices.Clone(e.Levels))) < len(e.Levels) {
		v.add("feature %q: levels are not sorted and distinct", e.Column)
	}
	if !finite(e.Mean) || e.As == Standardise && !(e.SD > 0 && finite(e.SD)) {
		v.add("feature %q: mean is %v and sd is %v, must be finite and sd positive", e.Column, e.Mean, e.SD)
	}
}
