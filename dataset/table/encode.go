package table

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
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
		if _, n := c.count(rows); n > 0 {
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
	var encoders []encoder
	base := 0
	for k := range e.Features {
		f := &e.Features[k]
		c := t.Column(f.Column)
		if c == nil || (c.Numbers == nil) != (f.As == OneHot) {
			return nil, nil, fmt.Errorf("%s: there is no column %q that can become %s", t.Name, f.Column, f.As)
		}
		encoders = append(encoders, f.encoder(c, base))
		base += f.Width()
	}
	for _, c := range e.Crosses {
		encode, err := c.encoder(d, base)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", t.Name, err)
		}
		encoders = append(encoders, encode)
		base += len(c.Cells)
	}
	var b sparse.Builder
	b.Grow(len(encoders) * len(rows))
	for k, i := range rows {
		for _, encode := range encoders {
			encode(&b, k, i)
		}
		b.EndRow(labels[k])
	}
	x, y := b.Finish(base)
	return x, y, nil
}

// encoder appends to the row under construction the features of row k of the rows to encode,
// which is row i of the table.
type encoder func(b *sparse.Builder, k, i int)

// none stands for no feature.
const none = math.MaxUint32

// pushCode appends the feature of a code, or that of a missing value if the code is negative.
func pushCode(b *sparse.Builder, code int32, feature []uint32, missing uint32) {
	j := missing
	if code >= 0 {
		j = feature[code]
	}
	if j != none {
		b.Push(j, 1)
	}
}

// encoder returns the encoder of a cross of the attributes of d, whose features begin at base.
func (c CrossEncoding) encoder(d *dataset.Dataset, base int) (encoder, error) {
	terms := dataset.ParseTerms(c.Groups)
	for _, t := range terms {
		if d.Attribute(t.Attribute) == nil {
			return nil, fmt.Errorf("there is no attribute %q, which is in the features %s", t.Attribute, c.Groups)
		}
	}
	parts := d.Part(terms)
	feature := make([]uint32, len(parts.Names))
	for part, name := range parts.Names {
		feature[part] = none // never seen in training
		if at := slices.Index(c.Cells, name); at >= 0 {
			feature[part] = uint32(base + at)
		}
	}
	return func(b *sparse.Builder, k, _ int) { pushCode(b, parts.Codes[k], feature, none) }, nil
}

// encoder returns the encoder of a column, whose features begin at base.
func (e *ColumnEncoding) encoder(c *Column, base int) encoder {
	first := uint32(base)
	missing := uint32(base + e.Width() - 1) // if e.Missing
	if e.As == OneHot {
		return e.levelEncoder(c, base)
	}
	return func(b *sparse.Builder, _, i int) {
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
	return func(b *sparse.Builder, _, i int) { pushCode(b, c.Codes[i], feature, missing) }
}
