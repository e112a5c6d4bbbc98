package table

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/internal/parallel"
)

// Read reads a file and encodes its rows, all of them.
func (e *Encoding) Read(r io.Reader, opts Options) (*dataset.Dataset, error) {
	t, err := Read(r, e.Schema, opts)
	if err != nil {
		return nil, err
	}
	return e.Apply(t, nil)
}

// Apply encodes the given rows of a table; nil means all. The table must have been read
// with the encoding's schema or be the one it was learned on.
func (e *Encoding) Apply(t *Table, rows []int) (*dataset.Dataset, error) {
	rows = t.rowsOrAll(rows)
	d := &dataset.Dataset{Name: t.Name, Hash: t.Hash, Cols: e.Names()}
	byCode, rule, err := t.labels(e.Schema.Label)
	if err != nil {
		return nil, err
	}
	d.Rule = rule
	labels := make([]int8, len(rows))
	if byCode != nil {
		codes := t.Column(e.Schema.Label.Column).Codes
		for k, i := range rows {
			if codes[i] >= 0 {
				labels[k] = byCode[codes[i]]
			}
		}
	}
	d.Attributes = e.Schema.attributes(t, rows)
	d.Missing = e.missing(t, rows)
	d.Unknown = e.unknown(t, rows)
	if d.X, d.Y, err = e.encode(t, rows, labels, d); err != nil {
		return nil, err
	}
	if w := t.Column(e.Schema.Weight); w != nil && !t.anyLabels {
		d.Weights = w.numbersAt(rows)
	}
	return d, nil
}

// attributes returns the attributes of the given rows, but those whose column t lacks.
func (s *Schema) attributes(t *Table, rows []int) []dataset.Attribute {
	var list []dataset.Attribute
	for _, g := range s.Groups {
		if c := t.Column(g.Column); c != nil {
			list = append(list, g.attribute(c, rows))
		}
	}
	return list
}

// missing counts the given rows without a value, by the columns that features are made of.
func (e *Encoding) missing(t *Table, rows []int) []dataset.ColumnCount {
	var counts []dataset.ColumnCount
	for _, f := range e.Features {
		c := t.Column(f.Column)
		if c == nil {
			continue // encode tells
		}
		n := 0
		for _, i := range rows {
			if c.Numbers != nil && math.IsNaN(c.Numbers[i]) || c.Codes != nil && c.Codes[i] < 0 {
				n++
			}
		}
		if n > 0 {
			counts = append(counts, dataset.ColumnCount{Column: f.Column, Rows: n})
		}
	}
	return counts
}

// unknown finds the levels of the given rows for which no feature stands.
func (e *Encoding) unknown(t *Table, rows []int) []dataset.UnknownLevels {
	var list []dataset.UnknownLevels
	for _, f := range e.Features {
		c := t.Column(f.Column)
		if c == nil || c.Codes == nil || f.As != OneHot || f.Rare {
			continue
		}
		isUnknown := make([]bool, len(c.Levels))
		for code, level := range c.Levels {
			_, known := slices.BinarySearch(f.Levels, level)
			isUnknown[code] = !known
		}
		found := dataset.UnknownLevels{Column: f.Column}
		for _, i := range rows {
			if code := c.Codes[i]; code >= 0 && isUnknown[code] {
				found.Example = c.Levels[code]
				found.Rows++
			}
		}
		if found.Rows > 0 {
			list = append(list, found)
		}
	}
	return list
}

// encode returns the encoded rows, whose attributes d has.
func (e *Encoding) encode(t *Table, rows []int, labels []int8, d *dataset.Dataset) (*sparse.Matrix, []int8, error) {
	encoders := make([]encoder, len(e.Features))
	base := 0
	for k := range e.Features {
		f := &e.Features[k]
		c := t.Column(f.Column)
		if c == nil || (c.Numbers == nil) != (f.As == OneHot) {
			return nil, nil, fmt.Errorf("%s: there is no column %q that can become %s", t.Name, f.Column, f.As)
		}
		encoders[k] = f.encoder(c, base)
		base += f.Width()
	}
	crosses := make([][]int32, len(e.Crosses))
	for k, c := range e.Crosses {
		var err error
		if crosses[k], err = c.features(d, base); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", t.Name, err)
		}
		base += len(c.Cells)
	}
	const block = 1 << 12 // rows
	parts := make([]*sparse.Builder, (len(rows)+block-1)/block)
	parallel.Do(runtime.GOMAXPROCS(0), len(parts), func(part int) {
		b := new(sparse.Builder)
		parts[part] = b
		from, to := part*block, min((part+1)*block, len(rows))
		b.Grow((len(encoders) + len(crosses)) * (to - from))
		for k := from; k < to; k++ {
			for _, encode := range encoders {
				encode(b, rows[k])
			}
			for _, feature := range crosses {
				if feature[k] >= 0 {
					b.Push(uint32(feature[k]), 1)
				}
			}
			b.EndRow(labels[k])
		}
	})
	x, y := sparse.Join(parts, base)
	return x, y, nil
}

// features returns for every row of d the feature of its cell, −1 for none; those of the
// cross begin at base.
func (c CrossEncoding) features(d *dataset.Dataset, base int) ([]int32, error) {
	terms := dataset.ParseTerms(c.Groups)
	for _, t := range terms {
		if d.Attribute(t.Attribute) == nil {
			return nil, fmt.Errorf("there is no attribute %q, which is in the features %s", t.Attribute, c.Groups)
		}
	}
	parts := d.Part(terms)
	features := make([]int32, len(parts.Codes))
	byPart := make([]int32, len(parts.Names))
	for k, name := range parts.Names {
		byPart[k] = -1 // never seen in training
		if at := slices.Index(c.Cells, name); at >= 0 {
			byPart[k] = int32(base + at)
		}
	}
	for i, part := range parts.Codes {
		features[i] = -1
		if part >= 0 {
			features[i] = byPart[part]
		}
	}
	return features, nil
}

// encoder appends the features of a column in row i to the row under construction.
type encoder func(b *sparse.Builder, i int)

// encoder returns that of the column e, whose features begin at base.
func (e *ColumnEncoding) encoder(c *Column, base int) encoder {
	first := uint32(base)
	missing := uint32(base + e.Width() - 1) // if e.Missing
	if e.As == OneHot {
		return e.levelEncoder(c, base)
	}
	return func(b *sparse.Builder, i int) {
		v := c.Numbers[i]
		absent := math.IsNaN(v)
		switch {
		case e.As == Bins && !absent:
			b.Push(first+uint32(e.bin(v)), 1)
		case e.As == Raw && absent:
			b.Push(first, e.Mean)
		case e.As == Raw:
			b.Push(first, v)
		case e.As == Standardise && !absent:
			b.Push(first, (v-e.Mean)/e.SD)
		}
		if absent && e.Missing {
			b.Push(missing, 1)
		}
	}
}

func (e *ColumnEncoding) levelEncoder(c *Column, base int) encoder {
	const none = math.MaxUint32
	other, missing := uint32(none), uint32(none)
	if e.Missing {
		missing = uint32(base + e.Width() - 1)
	}
	if e.Rare {
		other = uint32(base + len(e.Levels))
	}
	feature := make([]uint32, len(c.Levels))
	for code, level := range c.Levels {
		feature[code] = other
		if k, found := slices.BinarySearch(e.Levels, level); found {
			feature[code] = uint32(base + k)
		}
	}
	return func(b *sparse.Builder, i int) {
		j := missing
		if code := c.Codes[i]; code >= 0 {
			j = feature[code]
		}
		if j != none {
			b.Push(j, 1)
		}
	}
}
