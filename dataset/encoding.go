package dataset

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Encoding turns the rows of tables into features. It is learned on training rows and
// then applied to any rows, which it encodes independently of each other. It marshals to
// JSON and back without loss.
//
// What new rows may hold that the training rows did not:
//
//   - a level never seen joins the rare ones, if there are any, or else has all features
//     of its column 0;
//   - a missing value of a category is a level of its own, if it occurred in training,
//     and otherwise a level never seen;
//   - a missing number is replaced by the mean, or falls in no bin, and a feature
//     "column=(missing)" is 1, if that occurred in training.
type Encoding struct {
	// Schema is how to read files to be encoded, with nothing left open but how they are
	// written.
	Schema *Schema `json:"schema"`
	// Features are the encoded columns, in the order of the features.
	Features []ColumnEncoding `json:"features"`
}

// ColumnEncoding says what a column's values become.
type ColumnEncoding struct {
	Column string `json:"column"`
	As     string `json:"as"` // Standardise, Bins, Raw or OneHot

	Levels []string `json:"levels,omitempty"` // with a feature of their own
	Rare   bool     `json:"rare,omitempty"`   // there is a feature for all other levels

	Edges []float64 `json:"edges,omitempty"` // ascending; the bin of v is the number of edges ≤ v
	Mean  float64   `json:"mean,omitempty"`  // of the training rows; stands for a missing number
	SD    float64   `json:"sd,omitempty"`    // standard deviation there, 1 for a constant

	Missing bool `json:"missing,omitempty"` // there is a feature for missing values, the last one
}

// Learn learns the encoding of a table's features from the given rows; nil means all. The
// rows must have labels of both classes.
func Learn(t *Table, rows []int) (*Encoding, error) {
	rows = t.rowsOrAll(rows)
	if err := t.checkClasses(rows); err != nil {
		return nil, err
	}
	e := &Encoding{Schema: t.Schema}
	for _, spec := range t.Schema.Columns {
		if spec.As == Drop {
			continue
		}
		c, err := spec.learn(t.Column(spec.Name), rows)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Name, err)
		}
		e.Features = append(e.Features, c)
	}
	if len(e.Features) == 0 {
		return nil, fmt.Errorf("%s: no column is a feature", t.Name)
	}
	return e, nil
}

func (t *Table) rowsOrAll(rows []int) []int {
	if rows != nil {
		return rows
	}
	rows = make([]int, t.Rows)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// checkClasses fails unless the rows have labels of both classes and some weight.
func (t *Table) checkClasses(rows []int) error {
	byCode, rule, err := t.labels(t.Schema.Label)
	if err != nil {
		return err
	}
	if byCode == nil {
		return fmt.Errorf("%s: the rows have no labels to train on", t.Name)
	}
	codes := t.Column(t.Schema.Label.Column).Codes
	seen := map[int8]bool{}
	for _, i := range rows {
		if codes[i] >= 0 {
			seen[byCode[codes[i]]] = true
		}
	}
	if !seen[1] || !seen[-1] {
		return fmt.Errorf("%s: the %d rows do not have labels of both classes (%s)", t.Name, len(rows), rule)
	}
	if w := t.Column(t.Schema.Weight); w != nil && !slices.ContainsFunc(rows, func(i int) bool { return w.Numbers[i] > 0 }) {
		return fmt.Errorf("%s: the weights %s are all 0", t.Name, w.Name)
	}
	return nil
}

// learn learns the encoding of a column.
func (spec ColumnSpec) learn(c *Column, rows []int) (ColumnEncoding, error) {
	e := ColumnEncoding{Column: spec.Name, As: spec.As}
	if spec.As == OneHot {
		e.learnLevels(c, rows, spec.MinCount)
		return e, nil
	}
	present := make([]float64, 0, len(rows))
	for _, i := range rows {
		if v := c.Numbers[i]; !math.IsNaN(v) {
			present = append(present, v)
		}
	}
	if len(present) == 0 {
		return e, fmt.Errorf("column %s: no training row has a value", spec.Name)
	}
	e.Missing = len(present) < len(rows)
	switch spec.As {
	case Bins:
		e.Edges = quantileEdges(present, spec.Bins)
	case Raw:
		e.Mean = stat.Mean(present, nil)
	case Standardise:
		e.Mean, e.SD = stat.PopMeanStdDev(present, nil)
		if e.SD == 0 {
			e.SD = 1
		}
	}
	if math.IsInf(e.Mean, 0) || math.IsNaN(e.SD) || math.IsInf(e.SD, 0) {
		return e, fmt.Errorf("column %s: its values are too large to be averaged", spec.Name)
	}
	return e, nil
}

func (e *ColumnEncoding) learnLevels(c *Column, rows []int, minCount int) {
	count := make([]int, len(c.Levels))
	for _, i := range rows {
		if code := c.Codes[i]; code >= 0 {
			count[code]++
		} else {
			e.Missing = true
		}
	}
	for code, n := range count {
		switch {
		case n > 0 && n >= minCount:
			e.Levels = append(e.Levels, c.Levels[code])
		case n > 0:
			e.Rare = true
		}
	}
}

// quantileEdges returns the distinct values of x_⌊Nq/k⌋, q = 1, …, k−1, where x_0 ≤ x_1 ≤ …
// are the N values, which it sorts.
func quantileEdges(values []float64, k int) []float64 {
	slices.Sort(values)
	var edges []float64
	for q := 1; q < k; q++ {
		edges = append(edges, values[len(values)*q/k])
	}
	return slices.Compact(edges)
}

// bin returns the number of edges ≤ v.
func (e *ColumnEncoding) bin(v float64) int {
	k, found := slices.BinarySearch(e.Edges, v)
	if found {
		k++
	}
	return k
}

// width returns the number of features of the column.
func (e *ColumnEncoding) width() int {
	n := 1
	switch e.As {
	case OneHot:
		n = len(e.Levels)
	case Bins:
		n = len(e.Edges) + 1
	}
	if e.Rare {
		n++
	}
	if e.Missing {
		n++
	}
	return n
}

// names appends the names of the features.
func (e *ColumnEncoding) names(names []string) []string {
	switch e.As {
	case OneHot:
		for _, level := range e.Levels {
			names = append(names, e.Column+"="+level)
		}
		if e.Rare {
			names = append(names, e.Column+"=(rare)")
		}
	case Bins:
		names = e.binNames(names)
	default:
		names = append(names, e.Column)
	}
	if e.Missing {
		names = append(names, e.Column+"="+MissingLevel)
	}
	return names
}

func (e *ColumnEncoding) binNames(names []string) []string {
	last := len(e.Edges) - 1
	if last < 0 {
		return append(names, e.Column+" in (-inf, inf)")
	}
	names = append(names, fmt.Sprintf("%s < %s", e.Column, formatNumber(e.Edges[0])))
	for k, edge := range e.Edges[:last] {
		names = append(names, fmt.Sprintf("%s in [%s, %s)", e.Column, formatNumber(edge), formatNumber(e.Edges[k+1])))
	}
	return append(names, fmt.Sprintf("%s >= %s", e.Column, formatNumber(e.Edges[last])))
}

// Width returns the number of features.
func (e *Encoding) Width() int {
	n := 0
	for k := range e.Features {
		n += e.Features[k].width()
	}
	return n
}

// Names returns the names of the features: "education=Bachelors", "age in [25, 31)",
// "hours-per-week".
func (e *Encoding) Names() []string {
	names := make([]string, 0, e.Width())
	for k := range e.Features {
		names = e.Features[k].names(names)
	}
	return names
}

// Read reads a file and encodes its rows, all of them.
func (e *Encoding) Read(r io.Reader, opts CSVOptions) (*Dataset, error) {
	t, err := ReadTable(r, e.Schema, opts)
	if err != nil {
		return nil, err
	}
	return e.Apply(t, nil)
}

// Apply encodes the given rows of a table; nil means all. The table must have been read
// with the encoding's schema or be the one it was learned on.
func (e *Encoding) Apply(t *Table, rows []int) (*Dataset, error) {
	rows = t.rowsOrAll(rows)
	d := &Dataset{Name: t.Name, Hash: t.Hash, Cols: e.Names()}
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
	if d.X, d.Y, err = e.encode(t, rows, labels); err != nil {
		return nil, err
	}
	if w := t.Column(e.Schema.Weight); w != nil {
		d.Weights = make([]float64, len(rows))
		for k, i := range rows {
			d.Weights[k] = w.Numbers[i]
		}
	}
	for _, g := range e.Schema.Groups {
		if c := t.Column(g.Column); c != nil {
			d.Attributes = append(d.Attributes, g.attribute(c, rows))
		}
	}
	return d, nil
}

// encode returns the encoded rows.
func (e *Encoding) encode(t *Table, rows []int, labels []int8) (*Matrix, []int8, error) {
	encoders := make([]encoder, len(e.Features))
	base := 0
	for k := range e.Features {
		f := &e.Features[k]
		c := t.Column(f.Column)
		if c == nil || (c.Numbers == nil) != (f.As == OneHot) {
			return nil, nil, fmt.Errorf("%s: there is no column %q that can become %s", t.Name, f.Column, f.As)
		}
		encoders[k] = f.encoder(c, base)
		base += f.width()
	}
	b := Builder{idx: make([]uint32, 0, len(encoders)*len(rows))}
	for k, i := range rows {
		for _, encode := range encoders {
			encode(&b, i)
		}
		b.endRow(labels[k])
	}
	x, y := b.Finish(base)
	return x, y, nil
}

// encoder appends the features of a column in row i to the row under construction.
type encoder func(b *Builder, i int)

// encoder returns that of the column e, whose features begin at base.
func (e *ColumnEncoding) encoder(c *Column, base int) encoder {
	first := uint32(base)
	missing := uint32(base + e.width() - 1) // if e.Missing
	if e.As == OneHot {
		return e.levelEncoder(c, base)
	}
	return func(b *Builder, i int) {
		v := c.Numbers[i]
		absent := math.IsNaN(v)
		switch {
		case e.As == Bins && !absent:
			b.push(first+uint32(e.bin(v)), 1)
		case e.As == Raw && absent:
			b.push(first, e.Mean)
		case e.As == Raw:
			b.push(first, v)
		case e.As == Standardise && !absent:
			b.push(first, (v-e.Mean)/e.SD)
		}
		if absent && e.Missing {
			b.push(missing, 1)
		}
	}
}

func (e *ColumnEncoding) levelEncoder(c *Column, base int) encoder {
	const none = math.MaxUint32
	other, missing := uint32(none), uint32(none)
	if e.Missing {
		missing = uint32(base + e.width() - 1)
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
	return func(b *Builder, i int) {
		j := missing
		if code := c.Codes[i]; code >= 0 {
			j = feature[code]
		}
		if j != none {
			b.push(j, 1)
		}
	}
}

// Validate reports everything that makes e useless, as it may come from a file.
func (e *Encoding) Validate() error {
	if e.Schema == nil {
		return errors.New("schema is missing")
	}
	var v violations
	if err := e.Schema.Validate(); err != nil {
		v.add("schema: %w", err)
	}
	if len(e.Features) == 0 {
		v.add("features is empty")
	}
	for k := range e.Features {
		e.Features[k].validate(&v, e.Schema)
	}
	return errors.Join(v...)
}

func (e *ColumnEncoding) validate(v *violations, s *Schema) {
	spec, declared := s.Column(e.Column)
	if !declared || spec.As != e.As || e.As == Drop {
		v.add("feature %q: as is %q, but the schema says %q", e.Column, e.As, spec.As)
	}
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	for k, edge := range e.Edges {
		if !finite(edge) || k > 0 && edge <= e.Edges[k-1] {
			v.add("feature %q: edges are %v, must be finite and ascend", e.Column, e.Edges)
			break
		}
	}
	if !slices.IsSorted(e.Levels) || len(slices.Compact(slices.Clone(e.Levels))) < len(e.Levels) {
		v.add("feature %q: levels are not sorted and distinct", e.Column)
	}
	if !finite(e.Mean) || e.As == Standardise && !(e.SD > 0 && finite(e.SD)) {
		v.add("feature %q: mean is %v and sd is %v, must be finite and sd positive", e.Column, e.Mean, e.SD)
	}
}
