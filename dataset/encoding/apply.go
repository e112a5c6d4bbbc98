package encoding

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/internal/parallel"
)

// Read reads a file and encodes all of its rows.
func (e *Encoding) Read(r io.Reader, opts tabular.Options) (*dataset.Dataset, error) {
	t, err := tabular.Read(r, e.Schema, opts)
	if err != nil {
		return nil, err
	}
	return e.Apply(t, nil)
}

// Apply encodes the given rows of a table; nil means all. The table must have been read with
// the encoding's schema, or be the table that the encoding was learned on.
func (e *Encoding) Apply(t *tabular.Table, rows []int) (*dataset.Dataset, error) {
	rows = rowsOrAll(t, rows)
	d := &dataset.Dataset{Name: t.Name, Hash: t.Hash, Files: t.Files, Cols: e.Names()}
	labels, rule, err := t.Labels(e.Schema.Label, rows)
	if err != nil {
		return nil, err
	}
	d.Rule = rule
	d.Attributes = t.Attributes(e.Schema.Groups, rows)
	e.spell(d.Attributes)
	d.Weights = t.Weights(e.Schema.Weight, rows)
	d.Unknown = e.unknown(t, rows)
	d.Y = labels
	if d.X, err = e.encode(t, rows, d); err != nil {
		return nil, err
	}
	return d, nil
}

func rowsOrAll(t *tabular.Table, rows []int) []int {
	if rows != nil {
		return rows
	}
	rows = make([]int, t.Rows)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// unknown finds the levels of the given rows that no feature stands for.
func (e *Encoding) unknown(t *tabular.Table, rows []int) []dataset.UnknownLevels {
	list := make([]dataset.UnknownLevels, len(e.Features))
	parallel.Do(runtime.GOMAXPROCS(0), len(list), func(k int) {
		f, found := &e.Features[k], &list[k]
		c := t.Column(f.Column)
		found.Column = f.Column
		if c == nil || c.Numbers != nil || f.As != tabular.OneHot || f.Rare {
			return
		}
		isUnknown := make([]bool, 1+len(c.Levels)) // by code
		for k, level := range c.Levels {
			_, known := f.find(level)
			isUnknown[1+k] = !known
		}
		if !slices.Contains(isUnknown, true) {
			return
		}
		for _, i := range rows {
			if code := c.Codes.At(i); isUnknown[code] {
				found.Example = c.Levels[code-1]
				found.Rows++
			}
		}
	})
	return slices.DeleteFunc(list, func(u dataset.UnknownLevels) bool { return u.Rows == 0 })
}

// encode returns the encoded rows. d has the attributes of the rows, and gets the number of rows
// without a value, for every column that features are made of.
func (e *Encoding) encode(t *tabular.Table, rows []int, d *dataset.Dataset) (*sparse.Matrix, error) {
	var encoders []encoder
	var numbers []uint32 // the features with values
	var all slots
	base := 0
	for k := range e.Features {
		f := &e.Features[k]
		c := t.Column(f.Column)
		if c == nil || (c.Numbers == nil) != (f.As == tabular.OneHot) {
			return nil, fmt.Errorf("%s: there is no column %q that can become %s", t.Name, f.Column, f.As)
		}
		if f.isNumber() {
			numbers = append(numbers, uint32(base))
		}
		encoders = append(encoders, f.encoder(c, base, all))
		base += f.Width()
		all = all.plus(f.slots())
	}
	for _, c := range e.Crosses {
		features, err := c.features(d, base)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Name, err)
		}
		encoders = append(encoders, crossEncoder(features, all.ones))
		base += len(c.Cells)
		all.ones++
	}
	const perBlock = 1 << 12 // rows
	missing := make([]atomic.Int64, len(encoders))
	joined := sparse.Joiner{Cols: base, Rows: len(rows)}
	builders := make([]sparse.Builder, 4*runtime.GOMAXPROCS(0))
	for begin := 0; begin < len(rows); begin += perBlock * len(builders) {
		left := (len(rows) - begin + perBlock - 1) / perBlock
		parallel.Do(runtime.GOMAXPROCS(0), min(left, len(builders)), func(k int) {
			lo := begin + k*perBlock
			draft := drafts{slots: all, values: make([]float64, draftRows*all.values), ones: make([]uint32, draftRows*all.ones)}
			for first := lo; first < min(lo+perBlock, len(rows)); first += draftRows {
				part := rows[first:min(first+draftRows, lo+perBlock, len(rows))]
				for j, encode := range encoders {
					if count := encode(&draft, part, first); count > 0 {
						missing[j].Add(int64(count))
					}
				}
				draft.addTo(&builders[k], len(part), numbers)
			}
		})
		for k := range builders {
			joined.Append(&builders[k])
		}
	}
	d.Missing = []dataset.ColumnCount{}
	for k := range e.Features {
		if n := int(missing[k].Load()); n > 0 {
			d.Missing = append(d.Missing, dataset.ColumnCount{Column: e.Features[k].Column, Rows: n})
		}
	}
	m, _ := joined.Finish()
	return m, nil
}

// features returns for every row of d the feature of its group, −1 for none. The features of
// the cross begin at base.
func (c Cross) features(d *dataset.Dataset, base int) ([]int32, error) {
	terms := dataset.ParseTerms(c.Groups)
	for _, t := range terms {
		if d.Attribute(t.Attribute) == nil {
			return nil, fmt.Errorf("there is no attribute %q, which is in the features %s", t.Attribute, c.Groups)
		}
	}
	parts := d.Part(terms)
	features := make([]int32, parts.Codes.Len())
	byPart := make([]int32, len(parts.Names)+1)
	byPart[len(parts.Names)] = -1 // in no part
	for k, name := range parts.Names {
		byPart[k] = -1 // never seen in training
		if at := slices.Index(c.Cells, name); at >= 0 {
			byPart[k] = int32(base + at)
		}
	}
	for i := range features {
		features[i] = byPart[parts.Codes.At(i)]
	}
	return features, nil
}
