package encoding

import (
	"iter"
	"maps"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular"
)

// Statistics are what rows tell an encoding.
type Statistics struct {
	Rows    int
	Labels  map[string]int            // rows with each value of the label
	Groups  []GroupCount              // of each group of the schema
	Crosses map[string]map[string]int // rows in each group, by the cross
}

// ColumnCount is what rows tell about a column. It is empty for a column that is dropped.
type ColumnCount struct {
	Missing int
	Levels  map[string]int // rows with each level of a category
	Moments Moments        // of the numbers that are not missing; empty for Bins
	Values  []float64      // the numbers that are not missing, ascending, for Bins
}

// GroupCount is in how many rows an attribute has each of its levels.
type GroupCount struct {
	Name   string
	Levels []string // none if Number says so
	Rows   []int
	Number bool // the attribute has numbers
}

// countRows counts the given rows, without their columns; nil means all rows.
func countRows(t *tabular.Table, rows []int) *Statistics {
	s := &Statistics{Rows: t.Rows, Labels: map[string]int{}, Crosses: map[string]map[string]int{}}
	if rows != nil {
		s.Rows = len(rows)
	}
	if label := t.Column(t.Schema.Label.Column); label != nil {
		s.Labels, _ = byLevel(label, rows)
	}
	for _, cross := range t.Schema.Crosses {
		s.Crosses[cross] = map[string]int{}
	}
	for d := range attributes(t, t.Schema.Groups, rows) {
		s.Groups = addGroups(s.Groups, d)
		for cross, count := range s.Crosses {
			terms := dataset.ParseTerms(cross)
			if d.CheckTerms(terms) != nil {
				continue // none of these rows is in such a group
			}
			parts := d.Part(terms)
			for code := range parts.Codes.All() {
				if code < len(parts.Names) {
					count[parts.Names[code]]++
				}
			}
		}
	}
	return s
}

// attributes returns the attributes of the given rows in blocks of rows; nil means all rows.
func attributes(t *tabular.Table, groups []tabular.GroupSpec, rows []int) iter.Seq[*dataset.Dataset] {
	const size = 1 << 15
	return func(yield func(*dataset.Dataset) bool) {
		for _, block := range blocks(t, rows, size) {
			if !yield(&dataset.Dataset{Name: t.Name, Attributes: t.Attributes(groups, block)}) {
				return
			}
		}
	}
}

// addGroups adds the rows of d to counts; nil are those of no rows.
func addGroups(counts []GroupCount, d *dataset.Dataset) []GroupCount {
	if counts == nil {
		counts = make([]GroupCount, len(d.Attributes))
	}
	for k, a := range d.Attributes {
		g := GroupCount{Name: a.Name, Levels: a.Levels, Number: a.Numbers != nil, Rows: make([]int, len(a.Levels))}
		for code := range a.Codes.All() {
			g.Rows[code]++
		}
		counts[k].add(g)
	}
	return counts
}

// countColumn counts the given rows by their value of a column; nil means all rows.
func countColumn(t *tabular.Table, spec tabular.ColumnSpec, rows []int) (count ColumnCount) {
	c := t.Column(spec.Name)
	switch spec.As {
	case tabular.Drop:
		return count
	case tabular.OneHot:
		count.Levels, count.Missing = byLevel(c, rows)
		return count
	}
	rowCount, values := t.Rows, c.Numbers
	if rows != nil {
		rowCount = len(rows)
	}
	if spec.As == tabular.Bins || rows != nil {
		values = c.Present(rows)
	}
	if spec.As == tabular.Bins {
		slices.Sort(values)
		count.Values, count.Missing = values, rowCount-len(values)
		return count
	}
	count.Moments.Add(values)
	count.Missing = rowCount - count.Moments.Count
	return count
}

// byLevel counts the given rows by level, and those without one; nil means all rows. Levels without a
// row are left out.
func byLevel(c *tabular.Column, rows []int) (levels map[string]int, missing int) {
	count := c.Count(rows)
	levels = map[string]int{}
	for k, level := range c.Levels {
		if n := count[1+k]; n > 0 {
			levels[level] = n
		}
	}
	return levels, count[0]
}

// present returns the number of rows whose value is not missing.
func (c *ColumnCount) present() int {
	n := c.Moments.Count
	for _, times := range c.runs() {
		n += times
	}
	return n
}

// rows returns the number of rows of a category.
func (c *ColumnCount) rows() int {
	n := c.Missing
	for _, times := range c.Levels {
		n += times
	}
	return n
}

// runs returns every value once, ascending, and in how many rows it is.
func (c *ColumnCount) runs() iter.Seq2[float64, int] {
	return func(yield func(float64, int) bool) {
		for k := 0; k < len(c.Values); {
			v, n := c.Values[k], 0
			for ; k < len(c.Values) && c.Values[k] == v; k++ {
				n++
			}
			if !yield(v+0, n) { // −0 is 0
				return
			}
		}
	}
}

// add adds the counts of other rows.
func (g *GroupCount) add(other GroupCount) {
	levels, place := joinLevels(g.Levels, other.Levels)
	rows := make([]int, len(levels))
	for _, from := range []*GroupCount{g, &other} {
		for k, level := range from.Levels {
			rows[place(k, level)] += from.Rows[k]
		}
	}
	*g = GroupCount{Name: other.Name, Levels: levels, Rows: rows, Number: other.Number}
}

// joinLevels joins the levels that an attribute has in different rows, and says where level k of
// either is. They are sorted, or else begin alike. That of missing values is the last.
func joinLevels(a, b []string) (levels []string, place func(k int, level string) int) {
	same := func(k int, _ string) int { return k }
	switch {
	case begins(a, b):
		return a, same
	case begins(b, a):
		return b, same
	}
	at := map[string]int{}
	for _, level := range slices.Concat(a, b) {
		at[level] = 0
	}
	_, missing := at[dataset.MissingLevel]
	delete(at, dataset.MissingLevel)
	levels = slices.Sorted(maps.Keys(at))
	if missing {
		levels = append(levels, dataset.MissingLevel)
	}
	for k, level := range levels {
		at[level] = k
	}
	return levels, func(_ int, level string) int { return at[level] }
}

// begins reports whether a list begins with another one.
func begins(list, with []string) bool {
	return len(list) >= len(with) && slices.Equal(list[:len(with)], with)
}
