package encoding

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
	"github.com/fairtrain/fairtrain/internal/parallel"
)

// Learn learns the encoding of a table's features from the given rows; nil means all. The
// rows must have labels of both classes.
func Learn(t *tabular.Table, rows []int) (*Encoding, error) { return LearnShapes(t, rows, 0) }

// LearnShapes is Learn for an additive model: every number becomes a shape of at most so many bins,
// unless the schema says raw. With 0 bins the schema's words stand.
func LearnShapes(t *tabular.Table, rows []int, bins int) (*Encoding, error) {
	if err := t.CheckClasses(rows); err != nil {
		return nil, err
	}
	d := &dataset.Dataset{Name: t.Name, Attributes: t.Attributes(t.Schema.Groups, rowsOrAll(t, rows))}
	e := begin(t, rows)
	for k := range e.Schema.Columns {
		if c := &e.Schema.Columns[k]; bins > 0 && (c.As == tabular.Standardise || c.As == tabular.Bins) {
			c.As, c.Bins = tabular.Shape, bins
		}
	}
	learned := make([]learnedColumn, len(e.Schema.Columns))
	parallel.Do(runtime.GOMAXPROCS(0), len(learned), func(k int) {
		learned[k] = e.learn(e.Schema.Columns[k], t, rows)
	})
	return e.finish(d, learned)
}

// begin returns an encoding that has the schema. All labels that are not positive mean −1 in it if
// one of them is rare; but if one of them is a blank, which otherwise is no label, the rare ones
// have no meaning.
func begin(t *tabular.Table, of []int) *Encoding {
	schema, rows := t.Schema, map[string]int{} // with each label
	if label := t.Column(schema.Label.Column); label != nil {
		for k, n := range label.Count(of)[1:] {
			rows[label.Levels[k]] = n
		}
	}
	learned := *schema
	learned.Columns = slices.Clone(learned.Columns)
	isRare := func(value string) bool { n := rows[value]; return n > 0 && n < learned.LeastRows() }
	if negative := schema.Label.Negative; slices.ContainsFunc(negative, isRare) {
		learned.Label.Negative = nil
		if slices.ContainsFunc(negative, func(v string) bool { return slices.Contains(schema.Missing, v) && !isRare(v) }) {
			learned.Label.Negative = slices.DeleteFunc(slices.Clone(negative), isRare)
		}
	}
	return &Encoding{Schema: &learned}
}

// finish learns all but the columns. d has the attributes of the rows.
func (e *Encoding) finish(d *dataset.Dataset, learned []learnedColumn) (*Encoding, error) {
	name := d.Name
	for k, l := range learned {
		spec := e.Schema.Columns[k]
		switch {
		case spec.As == tabular.Drop:
			continue
		case l.err != nil:
			return nil, fmt.Errorf("%s: %w", name, l.err)
		case l.tooFew:
			// Their mean would tell about a few people.
			reason := fmt.Sprintf("fewer than %d training rows have a value", e.Schema.LeastRows())
			e.Schema.Columns[k] = tabular.ColumnSpec{Name: spec.Name, As: tabular.Drop, Reason: reason}
		default:
			e.Features = append(e.Features, l.encoding)
		}
		e.fold(spec.Name, l.folded)
	}
	if len(e.Features) == 0 {
		if len(e.Folded) > 0 {
			return nil, fmt.Errorf("%s: no column is a feature: none has values in %d training rows (min_count of the schema, --min-count)", name, e.Schema.LeastRows())
		}
		return nil, fmt.Errorf("%s: no column is a feature: all others are dropped or form groups (--numeric or --categorical COLUMN, or --use-group, makes features)", name)
	}
	for k := range d.Attributes {
		a := &d.Attributes[k]
		if a.Levels == nil {
			continue
		}
		if e.Levels == nil {
			e.Levels = map[string][]string{}
		}
		e.Levels[a.Name] = e.named(a.Name, a.Levels, a.Codes.Count(len(a.Levels)))
	}
	for _, groups := range e.Schema.Crosses {
		terms := dataset.ParseTerms(groups)
		if err := d.CheckTerms(terms); err != nil {
			return nil, fmt.Errorf("cross %s: %w", groups, err)
		}
		parts := d.Part(terms)
		for _, c := range e.Schema.Columns {
			if c.Monotone != "" && slices.Contains(e.Schema.GroupColumns(groups), c.Name) {
				return nil, fmt.Errorf("%s: column %s can't be monotone: the groups %s are features, too", name, c.Name, groups)
			}
		}
		e.Crosses = append(e.Crosses, Cross{Groups: groups, Cells: e.named(groups, parts.Names, parts.Codes.Count(len(parts.Names)+1))})
	}
	return e, nil
}

// learnedColumn is what the training rows tell about a column.
type learnedColumn struct {
	encoding Column
	tooFew   bool // too few rows have a value, so there is no encoding
	folded   int  // number of levels or values that are not named
	err      error
}

// learn learns the encoding of a column. It may run for several columns at once.
func (e *Encoding) learn(spec tabular.ColumnSpec, t *tabular.Table, rows []int) (l learnedColumn) {
	f, c := &l.encoding, t.Column(spec.Name)
	f.Column, f.As = spec.Name, spec.As
	switch spec.As {
	case tabular.Drop:
		return l
	case tabular.OneHot:
		l.folded = f.learnLevels(c.Levels, c.Count(rows), spec.MinCount, e.Schema.LeastRows())
		return l
	}
	values := c.Present(rows)
	switch n := len(values); {
	case n == 0:
		l.err = fmt.Errorf("column %s: no training row has a value", spec.Name)
		return l
	case n < e.Schema.LeastRows():
		l.tooFew, l.folded = true, n
		return l
	}
	all := t.Rows
	if rows != nil {
		all = len(rows)
	}
	f.Missing = all-len(values) >= max(1, e.Schema.LeastRows())
	if spec.As == tabular.LogOdds {
		logOdds := make([]float64, len(values))
		for k, v := range values {
			logOdds[k] = f.Value(v)
		}
		f.Mean, _ = moments(logOdds)
	} else if spec.As == tabular.Raw || spec.As == tabular.Standardise {
		f.Mean, f.SD = moments(values) // in the order of the rows
	}
	slices.Sort(values)
	if least := e.Schema.LeastRows(); len(values) >= 2*least-1 {
		f.Range = &[2]float64{values[least-1] + 0, values[len(values)-least] + 0} // −0 is 0
		outside := 0
		for _, v := range slices.Concat(values[:least-1], values[len(values)-least+1:]) {
			if f.outside(v, 0) {
				outside++
			}
		}
		f.OutsideShare = float64(outside) / float64(all)
	}
	if f.Binned() && !f.Missing {
		f.Median = new(values[len(values)/2] + 0)
	}
	switch spec.As {
	case tabular.Bins:
		f.Edges = quantileEdges(values, spec.Bins, e.Schema.LeastRows())
	case tabular.Shape:
		f.Edges = knots(values, spec.Bins, e.Schema.LeastRows())
	case tabular.Raw:
		f.SD = 0 // which it does not use
	case tabular.Standardise:
		f.SD = cmp.Or(f.SD, 1)
	}
	if math.IsNaN(f.Mean) || math.IsInf(f.SD, 0) {
		l.err = fmt.Errorf("column %s: its values are too large to be averaged", spec.Name)
	}
	if f.As == tabular.Standardise && f.SD < numparse.Least {
		l.err = fmt.Errorf("column %s: its values have the standard deviation %.3g, expected at least %.0e (is its unit right?)", spec.Name, f.SD, numparse.Least)
	}
	return l
}

// learnLevels learns the levels that at least minCount and at least least rows have; count has the
// rows of each code. All other levels are rare. If the rare levels together have fewer than least
// rows, further levels become rare, the least frequent first: otherwise the weight of the rare
// levels would tell the labels of a few people. It returns how many levels with at least minCount
// rows are rare.
func (e *Column) learnLevels(levels []string, count []int, minCount, least int) (folded int) {
	e.Missing = count[0] > 0
	ascending := make([]int, len(levels))
	all, rare := count[0], 0
	for k := range ascending {
		ascending[k] = k
		all += count[1+k]
	}
	slices.SortFunc(ascending, func(a, b int) int {
		return cmp.Or(cmp.Compare(count[1+a], count[1+b]), cmp.Compare(levels[a], levels[b]))
	})
	for _, k := range ascending {
		n := count[1+k]
		switch {
		case n == 0:
		case n >= minCount && n >= least && (rare == 0 || rare >= least):
			e.Levels = append(e.Levels, levels[k])
		default:
			e.Rare = true
			rare += n
			if n >= minCount {
				folded++
			}
		}
	}
	slices.Sort(e.Levels)
	if e.Rare {
		e.RareShare = float64(rare) / float64(all)
	}
	return folded
}

// quantileEdges returns the distinct values of x_⌊Nq/k⌋, q = 1, …, k−1, where x_0 ≤ x_1 ≤ …
// are the N values. It leaves out an edge that would make a bin of fewer than least values.
func quantileEdges(x []float64, k, least int) (edges []float64) {
	from := 0 // of the bin that the next edge ends
	for q := 1; q < k; q++ {
		edge := x[len(x)*q/k] + 0 // −0 is 0
		to, _ := slices.BinarySearch(x, edge)
		if to == 0 && len(edges) == 0 || to-from >= least && len(x)-to >= least && to > from {
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

// named returns the names that enough rows have. count[k] is how many rows have name k.
func (e *Encoding) named(of string, names []string, count []int) []string {
	var list []string
	folded := 0
	for k, name := range names {
		switch n := count[k]; {
		case n >= e.Schema.LeastRows():
			list = append(list, name)
		case n > 0:
			folded++
		}
	}
	e.fold(of, folded)
	return list
}

// moments returns the mean and the standard deviation, which is that of a population: 0 for equal
// values. Both are NaN if a value is infinite. Sums have about 106 binary digits, and values are
// added in the order of the rows. So the results have the digits of a float64.
func moments(values []float64) (mean, sd float64) {
	var sum, squares twofold
	for _, v := range values {
		sum.add(v)
		squares.addProduct(v, v)
	}
	n := float64(len(values))
	total := sum.high + sum.low
	mean = total / n
	if least, most := slices.Min(values), slices.Max(values); least == most && !math.IsInf(least, 0) {
		return mean, 0
	}
	// With n values x, the variance is (n Σx² − (Σx)²) / n².
	rest := sum.low - (total - sum.high)
	var spread twofold
	spread.addProduct(n, squares.high)
	spread.addProduct(n, squares.low)
	spread.addProduct(-total, total)
	spread.addProduct(-2*total, rest)
	// the squares of tiny numbers are 0
	return mean, max(math.Sqrt(max(spread.high+spread.low, 0))/n, math.SmallestNonzeroFloat64)
}

// twofold is the sum of two numbers, of which low is what rounding took from high.
type twofold struct{ high, low float64 }

func (s *twofold) add(v float64) {
	high := s.high + v
	added := high - s.high
	s.low += (s.high - (high - added)) + (v - added)
	s.high = high
}

// addProduct adds the product of two numbers.
func (s *twofold) addProduct(a, b float64) {
	p := float64(a * b)
	s.add(p)
	s.low += math.FMA(a, b, -p)
}
