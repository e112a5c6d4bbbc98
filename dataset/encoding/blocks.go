package encoding

import (
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
	all := rowsOrAll(t, nil)
	attributes := t.Attributes(e.Schema.Groups, all)
	e.spell(attributes)
	for before := 0; before < len(all); before += size {
		rows := all[before:min(before+size, len(all))]
		d, err := e.Apply(t, rows)
		if err != nil {
			return nil, err
		}
		for k := range d.Attributes {
			d.Attributes[k] = attributes[k].Pick(rows)
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
