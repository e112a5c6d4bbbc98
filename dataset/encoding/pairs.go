package encoding

import (
	"cmp"
	"runtime"
	"slices"

	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/internal/parallel"
)

// Coarse is a column in few bins or levels, which may be crossed with those of another one.
type Coarse struct {
	Column
	// Codes are the numbers of the features that rows have, Width() where there is none.
	Codes []uint8
}

// The most bins of a number, about, and levels of a category, the most frequent ones.
const (
	coarseBins   = 8
	coarseLevels = 14
)

// Coarse returns the columns that may be crossed: those of several bins or levels in the training rows of
// a table, nil for all, in which the score need not be monotone. The codes are of other rows.
func (e *Encoding) Coarse(t *tabular.Table, training, rows []int) []*Coarse {
	list := make([]*Coarse, len(e.Features))
	parallel.Do(runtime.GOMAXPROCS(0), len(list), func(k int) {
		c := t.Column(e.Features[k].Column)
		column := e.coarse(&e.Features[k], c, training)
		list[k] = &Coarse{column, column.codes(c, rowsOrAll(t, rows))}
	})
	return slices.DeleteFunc(list, func(c *Coarse) bool { return c.Width() < 2 || e.monotone(c.Column.Column) })
}

// monotone reports whether the score is to be monotone in a column. No cell of a pair is.
func (e *Encoding) monotone(column string) bool {
	return slices.ContainsFunc(e.Schema.Columns, func(c tabular.ColumnSpec) bool { return c.Name == column && c.Monotone != "" })
}

func (e *Encoding) coarse(f *Column, c *tabular.Column, rows []int) Column {
	coarse := Column{Column: f.Column, As: f.As, Levels: f.Levels, Rare: f.Rare, Missing: f.Missing}
	if c.Numbers != nil {
		values := c.Present(rows)
		slices.Sort(values)
		coarse.As, coarse.Edges = tabular.Shape, knots(values, coarseBins, e.Schema.LeastRows())
		return coarse
	}
	if len(f.Levels) > coarseLevels {
		count := c.Count(rows)
		rowsOf := map[string]int{}
		for k, level := range c.Levels {
			rowsOf[level] = count[1+k]
		}
		levels := slices.SortedStableFunc(slices.Values(f.Levels), func(a, b string) int { return cmp.Compare(rowsOf[b], rowsOf[a]) })
		coarse.Levels, coarse.Rare = levels[:coarseLevels], true
		slices.Sort(coarse.Levels)
	}
	return coarse
}

// codes returns the number of the feature that each row has, Width() for none.
func (e *Column) codes(c *tabular.Column, rows []int) []uint8 {
	codes := make([]uint8, 0, len(rows))
	encode, _ := e.encoder(c, 0)
	for first := 0; first < len(rows); first += fewRows {
		few := rows[first:min(first+fewRows, len(rows))]
		var entries [2 * fewRows]entry
		encode(entries[:], 2, few, first)
		for k := range few {
			codes = append(codes, uint8(e.code(entries[2*k:2*k+2])))
		}
	}
	return codes
}

// code is that of a row with given entries.
func (e *Column) code(entries []entry) int {
	for _, at := range entries {
		if at.value != 0 {
			return int(at.feature)
		}
	}
	return e.Width()
}

// Cross returns the encoding with further features: of a pair of columns the cells that enough of the
// training rows have, nil for all rows.
func (e *Encoding) Cross(t *tabular.Table, rows []int, a, b *Coarse) *Encoding {
	cross := Cross{Columns: []Column{a.Column, b.Column}}
	rows = rowsOrAll(t, rows)
	count := map[[2]int]int{}
	others := b.codes(t.Column(b.Column.Column), rows)
	for i, code := range a.codes(t.Column(a.Column.Column), rows) {
		count[[2]int{int(code), int(others[i])}]++
	}
	for i := range a.Width() {
		for j := range b.Width() {
			if at := [2]int{i, j}; count[at] >= e.Schema.LeastRows() {
				cross.At = append(cross.At, at)
			}
		}
	}
	crossed := *e
	crossed.Crosses = append(slices.Clone(e.Crosses), cross)
	return &crossed
}

// names returns the names of the cells.
func (c *Cross) names() []string {
	names := slices.Clone(c.Cells)
	if c.Pair() {
		axes := c.Axes()
		for _, at := range c.At {
			names = append(names, axes[0][at[0]]+" × "+axes[1][at[1]])
		}
	}
	return names
}

// Axes returns the names of the features of the two columns of a pair.
func (c *Cross) Axes() [2][]string {
	return [2][]string{c.Columns[0].names(nil), c.Columns[1].names(nil)}
}

// pairEncoder stores the entry of the cell of two columns of a table. Its features begin at base.
func (c *Cross) pairEncoder(t *tabular.Table, base int) encoder {
	a, b := &c.Columns[0], &c.Columns[1]
	first, _ := a.encoder(t.Column(a.Column), 0)
	second, _ := b.encoder(t.Column(b.Column), 0)
	wide := b.Width() + 1
	ofCell := make([]entry, (a.Width()+1)*wide)
	for k, at := range c.At {
		ofCell[at[0]*wide+at[1]] = entry{uint32(base + k), 1}
	}
	return func(dst []entry, stride int, rows []int, from int) (none counts) {
		var own, other [2 * fewRows]entry
		first(own[:], 2, rows, from)
		second(other[:], 2, rows, from)
		for k := range rows {
			dst[k*stride] = ofCell[a.code(own[2*k:2*k+2])*wide+b.code(other[2*k:2*k+2])]
		}
		return none
	}
}
