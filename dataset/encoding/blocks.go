package encoding

import (
	"iter"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular"
)

// Blocks encodes all rows of a table as Apply does, but hands them over in blocks of so many
// rows, with the number of rows before the block. Levels of attributes are the same in each
// block: those of the tabular. Memory is that of a block, and of the tabular. Blocks returns what
// Apply says about the rows as a whole, without the rows.
func (e *Encoding) Blocks(t *tabular.Table, size int, each func(d *dataset.Dataset, before int) error) (*dataset.Dataset, error) {
	whole := &dataset.Dataset{Name: t.Name, Hash: t.Hash, Files: t.Files, Cols: e.Names()}
	missing, unknown := map[string]int{}, map[string]dataset.UnknownLevels{}
	var groups []GroupCount
	for d := range attributes(t, e.Schema.Groups, nil) {
		groups = addGroups(groups, d)
	}
	for before, rows := range blocks(t, nil, size) {
		d, err := e.Apply(t, rows)
		if err != nil {
			return nil, err
		}
		for k := range d.Attributes {
			recode(&d.Attributes[k], groups[k].Levels)
		}
		for _, c := range d.Missing {
			missing[c.Column] += c.Rows
		}
		for _, u := range d.Unknown {
			u.Rows += unknown[u.Column].Rows
			unknown[u.Column] = u
		}
		whole.Rule = d.Rule
		if err := each(d, before); err != nil {
			return nil, err
		}
	}
	for _, f := range e.Features {
		if rows := missing[f.Column]; rows > 0 {
			whole.Missing = append(whole.Missing, dataset.ColumnCount{Column: f.Column, Rows: rows})
		}
		if u, found := unknown[f.Column]; found {
			whole.Unknown = append(whole.Unknown, u)
		}
	}
	return whole, nil
}

// recode gives an attribute the levels of more rows.
func recode(a *dataset.Attribute, levels []string) {
	if !begins(levels, a.Levels) {
		codes := dataset.MakeCodes(a.Codes.Len(), len(levels)-1)
		place := make([]int, len(a.Levels))
		for k, level := range a.Levels {
			place[k] = slices.Index(levels, level)
		}
		for i := range codes.Len() {
			codes.Put(i, place[a.Codes.At(i)])
		}
		a.Codes = codes
	}
	a.Levels = levels
}

// blocks returns the given rows in blocks of at most size rows, with the number of rows before
// the block; nil means all rows. A block is valid until the next one.
func blocks(t *tabular.Table, rows []int, size int) iter.Seq2[int, []int] {
	return func(yield func(int, []int) bool) {
		if rows != nil {
			for before := 0; before < len(rows); before += size {
				if !yield(before, rows[before:min(before+size, len(rows))]) {
					return
				}
			}
			return
		}
		block := make([]int, 0, min(size, t.Rows))
		for before := 0; before < t.Rows; before += size {
			block = block[:0]
			for i := before; i < min(before+size, t.Rows); i++ {
				block = append(block, i)
			}
			if !yield(before, block) {
				return
			}
		}
	}
}
