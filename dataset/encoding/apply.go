package encoding

import (
	"fmt"
	"io"
	"math"
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
	d := &dataset.Dataset{
		Name: t.Name, Hash: t.Hash, Files: t.Files,
		Cols: e.Names(), Blocks: e.Blocks(), Orders: e.Orders(),
	}
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

// encode returns the encoded rows. d has the attributes of the rows, and gets the numbers of rows
// without a value, and of rows outside the range of training, for every column that features are
// made of.
func (e *Encoding) encode(t *tabular.Table, rows []int, d *dataset.Dataset) (*sparse.Matrix, error) {
	var encoders []encoder
	base, stride := 0, 0
	add := func(encode encoder, features, entries int) {
		from := stride
		encoders = append(encoders, func(dst []entry, stride int, rows []int, first int) counts {
			return encode(dst[from:], stride, rows, first)
		})
		base, stride = base+features, stride+entries
	}
	for k := range e.Features {
		f := &e.Features[k]
		c := t.Column(f.Column)
		if c == nil || (c.Numbers == nil) != (f.As == tabular.OneHot) {
			return nil, fmt.Errorf("%s: there is no column %q that can become %s", t.Name, f.Column, f.As)
		}
		encode, entries := f.encoder(c, base)
		add(encode, f.Width(), entries)
	}
	for _, c := range e.Crosses {
		encode, err := c.encoder(t, d, base)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Name, err)
		}
		add(encode, c.Width(), 1)
	}
	const perBlock = 1 << 12 // rows
	totals := make([]atomic.Int64, kinds*len(encoders))
	joined := sparse.Joiner{Cols: base, Rows: len(rows)}
	builders := make([]sparse.Builder, 4*runtime.GOMAXPROCS(0))
	for begin := 0; begin < len(rows); begin += perBlock * len(builders) {
		left := (len(rows) - begin + perBlock - 1) / perBlock
		parallel.Do(runtime.GOMAXPROCS(0), min(left, len(builders)), func(k int) {
			lo := begin + k*perBlock
			entries := make([]entry, fewRows*stride)
			for first := lo; first < min(lo+perBlock, len(rows)); first += fewRows {
				few := rows[first:min(first+fewRows, lo+perBlock, len(rows))]
				for j, encode := range encoders {
					for kind, n := range encode(entries, stride, few, first) {
						if n > 0 {
							totals[kinds*j+kind].Add(int64(n))
						}
					}
				}
				for i := range few {
					for _, at := range entries[i*stride:][:stride] {
						builders[k].Push(at.feature, at.value)
					}
					builders[k].EndRow(1)
				}
			}
		})
		for k := range builders {
			joined.Append(&builders[k])
		}
	}
	d.Missing = []dataset.ColumnCount{}
	for k := range e.Features {
		for kind, list := range [kinds]*[]dataset.ColumnCount{&d.Missing, &d.Outside, &d.Far} {
			if n := int(totals[kinds*k+kind].Load()); n > 0 {
				*list = append(*list, dataset.ColumnCount{Column: e.Features[k].Column, Rows: n})
			}
		}
	}
	m, _ := joined.Finish()
	return m, nil
}

// entry is a feature of a row and its value; a value of 0 is not stored.
type entry struct {
	feature uint32
	value   float64
}

// fewRows are encoded at once, so that their entries stay in the cache while one column after the
// other adds its own.
const fewRows = 1 << 6

// encoder stores the entries of a column for the given rows of a table: those of the k-th row from
// dst[k·stride] on, each feature above the one before. These rows are the rows first, first+1, …
// of the result.
type encoder func(dst []entry, stride int, rows []int, first int) counts

// counts are numbers of rows: without a value, with a number outside the range of training, and with
// one far outside.
type counts [kinds]int

const (
	missing = iota
	outside
	far
	kinds
)

// missingEntry is that of a row without a value. The features of the column begin at base.
func (e *Column) missingEntry(base int) (at entry) {
	if e.Missing {
		at = entry{uint32(base + e.Width() - 1), 1}
	}
	return at
}

// encoder returns the encoder of a column, whose features begin at base, and its entries a row.
func (e *Column) encoder(c *tabular.Column, base int) (encode encoder, entries int) {
	if e.As == tabular.OneHot {
		return e.levelEncoder(c, base), 1
	}
	return e.numberEncoder(c, base), 2
}

// numberEncoder stores two entries: of the number or its bin, and of a missing value.
func (e *Column) numberEncoder(c *tabular.Column, base int) encoder {
	absent, mean, sd := 0.0, e.Mean, e.SD
	if e.As == tabular.Raw || e.As == tabular.LogOdds {
		absent, mean, sd = e.Mean, 0, 1 // a missing value is the mean
	}
	return func(dst []entry, stride int, rows []int, _ int) (n counts) {
		var memory [fewRows]float64
		numbers := memory[:len(rows)]
		c.NumbersOf(numbers, rows)
		for k, v := range numbers {
			value, indicator := entry{uint32(base), absent}, entry{}
			switch {
			case math.IsNaN(v):
				n[missing]++
				indicator = e.missingEntry(base)
				if e.Median != nil {
					value = entry{uint32(base + e.bin(*e.Median)), 1}
				}
			case e.Binned():
				value = entry{uint32(base + e.bin(v)), 1}
			default:
				value.value = (e.Value(v) - mean) / sd
			}
			if e.outside(v, 0) {
				n[outside]++
			}
			if e.outside(v, farWidths) {
				n[far]++
			}
			dst[k*stride], dst[k*stride+1] = value, indicator
		}
		return n
	}
}

// levelEncoder stores the entry of the level.
func (e *Column) levelEncoder(c *tabular.Column, base int) encoder {
	ofCode := make([]entry, 1+len(c.Levels))
	ofCode[0] = e.missingEntry(base)
	for i, level := range c.Levels {
		if k, found := e.find(level); found {
			ofCode[1+i] = entry{uint32(base + k), 1}
		} else if e.Rare {
			ofCode[1+i] = entry{uint32(base + len(e.Levels)), 1}
		}
	}
	return func(dst []entry, stride int, rows []int, _ int) (n counts) {
		for k, i := range rows {
			code := c.Codes.At(i)
			if code == 0 {
				n[missing]++
			}
			dst[k*stride] = ofCode[code]
		}
		return n
	}
}

// encoder stores the entry of the cell of a row of t, of which d has the attributes. The features of
// the cross begin at base.
func (c *Cross) encoder(t *tabular.Table, d *dataset.Dataset, base int) (encoder, error) {
	if c.Pair() {
		return c.pairEncoder(t, base), nil
	}
	terms := dataset.ParseTerms(c.Groups)
	for _, t := range terms {
		if d.Attribute(t.Attribute) == nil {
			return nil, fmt.Errorf("there is no attribute %q, which is in the features %s", t.Attribute, c.Groups)
		}
	}
	parts := d.Part(terms)
	ofPart := make([]entry, len(parts.Names)+1) // none of a group that training did not see
	for k, name := range parts.Names {
		if at := slices.Index(c.Cells, name); at >= 0 {
			ofPart[k] = entry{uint32(base + at), 1}
		}
	}
	return func(dst []entry, stride int, rows []int, first int) counts {
		for k := range rows {
			dst[k*stride] = ofPart[parts.Codes.At(first+k)]
		}
		return counts{}
	}, nil
}

// find returns the number of a level, or of one of its spellings.
func (e *Column) find(level string) (k int, found bool) {
	if k, found = slices.BinarySearch(e.Levels, level); found {
		return k, true
	}
	for _, other := range spellings(level) {
		if k, found = slices.BinarySearch(e.Levels, other); found {
			return k, true
		}
	}
	return 0, false
}

// bin returns the number of edges ≤ v.
func (e *Column) bin(v float64) int {
	k, found := slices.BinarySearch(e.Edges, v)
	if found {
		k++
	}
	return k
}
