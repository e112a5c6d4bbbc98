package encoding

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/table"
	"github.com/fairtrain/fairtrain/internal/parallel"
)

// Learn learns the encoding of a table's features from the given rows; nil means all. The
// rows must have labels of both classes.
func Learn(t *table.Table, rows []int) (*Encoding, error) {
	if err := t.CheckClasses(rows); err != nil {
		return nil, err
	}
	e := &Encoding{Schema: withoutRareLabels(t, rows)}
	learned := make([]learnedColumn, len(e.Schema.Columns))
	parallel.Do(runtime.GOMAXPROCS(0), len(learned), func(k int) {
		if spec := e.Schema.Columns[k]; spec.As != table.Drop {
			learned[k] = e.learn(spec, t.Column(spec.Name), rows)
			t.Release()
		}
	})
	for k, l := range learned {
		spec := e.Schema.Columns[k]
		switch {
		case spec.As == table.Drop:
			continue
		case l.err != nil:
			return nil, fmt.Errorf("%s: %w", t.Name, l.err)
		case l.tooFew:
			// Their mean would tell about a few people.
			reason := fmt.Sprintf("fewer than %d training rows have a value", e.Schema.LeastRows())
			e.Schema.Columns[k] = table.ColumnSpec{Name: spec.Name, As: table.Drop, Reason: reason}
		default:
			e.Features = append(e.Features, l.encoding)
		}
		e.fold(spec.Name, l.folded)
	}
	if len(e.Features) == 0 {
		if len(e.Folded) > 0 {
			return nil, fmt.Errorf("%s: no column is a feature: none has values in %d training rows (min_count of the schema, --min-count)", t.Name, e.Schema.LeastRows())
		}
		return nil, fmt.Errorf("%s: no column is a feature", t.Name)
	}
	e.learnGroups(t, rows)
	if len(t.Schema.Crosses) == 0 {
		return e, nil
	}
	training := &dataset.Dataset{Name: t.Name, Attributes: t.Attributes(t.Schema.Groups, rowsOrAll(t, rows))}
	for _, groups := range t.Schema.Crosses {
		terms := dataset.ParseTerms(groups)
		if err := training.CheckTerms(terms); err != nil {
			return nil, fmt.Errorf("cross %s: %w", groups, err)
		}
		e.learnCross(groups, training.Part(terms))
	}
	return e, nil
}

func rowsOrAll(t *table.Table, rows []int) []int {
	if rows != nil {
		return rows
	}
	rows = make([]int, t.Rows)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// learnedColumn is what the training rows tell about a column.
type learnedColumn struct {
	encoding Column
	tooFew   bool // too few rows have a value, so there is no encoding
	folded   int  // number of levels or values that are not named
	err      error
}

// learn learns the encoding of a column. It may run for several columns at once.
func (e *Encoding) learn(spec table.ColumnSpec, c *table.Column, rows []int) (l learnedColumn) {
	f := &l.encoding
	f.Column, f.As = spec.Name, spec.As
	if spec.As == table.OneHot {
		l.folded = f.learnLevels(c, rows, spec.MinCount, e.Schema.LeastRows())
		return l
	}
	present, free := c.Present(rows)
	defer free()
	switch n := len(present); {
	case n == 0:
		l.err = fmt.Errorf("column %s: no training row has a value", spec.Name)
		return l
	case n < e.Schema.LeastRows():
		l.tooFew, l.folded = true, n
		return l
	}
	missing := len(rows) - len(present)
	if rows == nil {
		missing = len(c.Numbers) - len(present)
	}
	f.Missing = missing > 0 && missing >= e.Schema.LeastRows()
	switch spec.As {
	case table.Bins:
		f.Edges = quantileEdges(present, spec.Bins, e.Schema.LeastRows())
	case table.Raw:
		f.Mean = stat.Mean(present, nil)
	case table.Standardise:
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

// learnLevels learns the levels that at least minCount and at least least rows have. All other
// levels are rare. If the rare levels together have fewer than least rows, further levels
// become rare, the least frequent first: otherwise the weight of the rare levels would tell
// the labels of a few people. It returns how many levels with at least minCount rows are rare.
func (e *Column) learnLevels(c *table.Column, rows []int, minCount, least int) (folded int) {
	count, missing := c.Count(rows)
	e.Missing = missing > 0
	var codes []int // of the levels that occur, the least frequent first
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
// are the N values. It leaves out an edge that would make a bin of fewer than least values. It
// sorts the values.
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

// What few people have would tell who they are. An encoding leaves the house with its model.
// So it does not name what fewer than Schema.LeastRows training rows have.

// fold notes how many levels of a column, or how many groups of a specification, are not
// named.
func (e *Encoding) fold(of string, count int) {
	if count == 0 {
		return
	}
	if e.Folded == nil {
		e.Folded = map[string]int{}
	}
	e.Folded[of] = max(e.Folded[of], count)
}

// Folds returns the columns and the specifications of groups with something that is not named,
// sorted.
func (e *Encoding) Folds() []string { return slices.Sorted(maps.Keys(e.Folded)) }

// withoutRareLabels returns a copy of the schema of t in which all labels that are not
// positive mean −1, if one of them is rare among the rows.
func withoutRareLabels(t *table.Table, rows []int) *table.Schema {
	learned := *t.Schema
	learned.Columns = slices.Clone(learned.Columns)
	label := t.Column(learned.Label.Column)
	count, _ := label.Count(rows)
	for code, n := range count {
		if n > 0 && n < learned.LeastRows() && slices.Contains(t.Schema.Label.Negative, label.Levels[code]) {
			learned.Label.Negative = nil
		}
	}
	return &learned
}

// learnGroups learns the levels that the attributes have in the training rows.
func (e *Encoding) learnGroups(t *table.Table, rows []int) {
	levels, counts := countLevels(t, t.Schema.Groups, rows)
	for k, a := range t.Attributes(t.Schema.Groups, []int{}) {
		if levels[k] == nil {
			continue
		}
		if e.Levels == nil {
			e.Levels = map[string][]string{}
		}
		e.Levels[a.Name] = e.named(a.Name, levels[k], counts[k])
	}
}

// learnCross learns which groups of a cross have a feature.
func (e *Encoding) learnCross(groups string, parts dataset.Parting) {
	count := make([]int, len(parts.Names)+1) // the last of rows in no part
	for code := range parts.Codes.All() {
		count[code]++
	}
	e.Crosses = append(e.Crosses, Cross{groups, e.named(groups, parts.Names, count)})
}

// named returns the names that enough rows have. count has the number of rows of each name.
func (e *Encoding) named(of string, names []string, count []int) []string {
	var list []string
	folded := 0
	for k, name := range names {
		switch {
		case count[k] >= e.Schema.LeastRows():
			list = append(list, name)
		case count[k] > 0:
			folded++
		}
	}
	e.fold(of, folded)
	return list
}
