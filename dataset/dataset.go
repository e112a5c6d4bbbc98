// Package dataset is labelled data as everything else uses them: immutable sparse rows, groups
// of the people behind the rows, and rows dealt at random into training and test rows. The
// packages below it read data:
//
//	catalogue   data by name or path, whatever the format: start here
//	libsvm      rows that are features already
//	tabular     CSV and Parquet files by columns
//	encoding    features made of the columns of a table
//	packed      rows in a file that is mapped into memory
//	people      the invented applicants that ship with the program, a table
//	census      the invented census that ships with the program, rows of features
//	sparse      the matrix of the rows and its products
//	textfile    text and its faults
package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"math"

	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/internal/rng"
)

// Dataset is labelled rows, shared read-only by everything that uses them.
type Dataset struct {
	Name string         // what a person calls it: "a9a", "synthetic", a path
	X    *sparse.Matrix // rows × features
	Y    []int8         // labels, −1 or +1, one a row
	Rule string         // how the labels of the source were mapped to ±1, for the report
	Hash string         // SHA-256 of the content as read, hexadecimal; see HashOfFiles
	// Files are those of the files that have rows, if the rows are from several; nil otherwise.
	Files []string
	Cols  []string // feature names; nil means "1", "2", … as in LIBSVM

	// Mapped is the file that the rows lie in, which takes no memory of the program; nil if they
	// are in memory.
	Mapped int64

	Weights []float64 // weights ≥ 0 of the rows; nil means that all count alike
	// SampleOf is the number of rows without weights that these are a sample of; 0: of none. Then
	// the weights say how many of those a row stands for, in units that make their mean 1.
	SampleOf   int
	Attributes []Attribute // of the people, from CSV files; see FindGroups
	// Blocks are features that belong together, ascending and apart; nil for rows of features.
	Blocks []Block
	// Orders are what the weights of a monotone classifier keep, ascending and apart.
	Orders []Order
	// Missing are the columns of a CSV file that lack values and that features are made of; nil if
	// nobody has counted.
	Missing []ColumnCount
	// Outside are the columns with numbers outside the range of the training rows.
	Outside []ColumnCount
	Far     []ColumnCount // of these, far outside
	// Unknown are the columns with levels that no feature stands for: training did not see
	// them.
	Unknown []UnknownLevels

	known *knownStrata // see Strata
}

// Block is the features [First, End): those of a column but for the one of missing numbers, which is
// a block of its own, or those of a cross of columns.
type Block struct {
	First, End int
	Bins       bool   // they are the bins of a number that becomes a shape, in its order
	Name       string // of the column or the cross
}

// Order says that the weights of the features [First, End), the bins of a number, do not fall. If
// there is one feature, the number itself, its weight is not negative.
type Order struct {
	First, End int
	Falls      bool   // they do not rise, and it is not positive
	Column     string // of the number
}

// Sign is −1 if the order falls, and otherwise 1.
func (o Order) Sign() float64 {
	if o.Falls {
		return -1
	}
	return 1
}

// Alone reports whether the order is of a single feature.
func (o Order) Alone() bool { return o.End == o.First+1 }

// UnknownLevels are the levels of a column that no feature stands for.
type UnknownLevels struct {
	Column  string `json:"column"`
	Example string `json:"example"` // one of them
	Rows    int    `json:"rows"`    // that have them
}

// ColumnCount is a column and a number of rows, for example the rows without a value.
type ColumnCount struct {
	Column string `json:"column"`
	Rows   int    `json:"rows"`
}

// Validate reports labels or weights that are not one a row. It does not look at their values, so
// that it takes no time.
func (d *Dataset) Validate() error {
	if d.X == nil {
		return fmt.Errorf("%s: no rows", d.Name)
	}
	rows, _ := d.X.Dims()
	if len(d.Y) != rows {
		return fmt.Errorf("%s: %d labels for %d rows", d.Name, len(d.Y), rows)
	}
	if d.Weights != nil && len(d.Weights) != rows {
		return fmt.Errorf("%s: %d weights for %d rows", d.Name, len(d.Weights), rows)
	}
	return nil
}

// Rows returns the number of rows.
func (d *Dataset) Rows() int { return len(d.Y) }

// All returns the number of rows that these rows are, or are a sample of.
func (d *Dataset) All() int { return max(d.Rows(), d.SampleOf) }

// Weighted reports whether the rows have weights. Those that a sample is of have none.
func (d *Dataset) Weighted() bool { return d.Weights != nil && d.SampleOf == 0 }

// Weight returns the weight of row i.
func (d *Dataset) Weight(i int) float64 {
	if d.Weights == nil {
		return 1
	}
	return d.Weights[i]
}

// Features returns the number of columns of X.
func (d *Dataset) Features() int {
	_, cols := d.X.Dims()
	return cols
}

// Fingerprint is what remains of a file's content if its formatting does not matter. Two files
// with the same fingerprint very likely have the same data; it is not certain.
type Fingerprint struct {
	Rows      int `json:"rows"`
	Features  int `json:"features"`
	NonZeros  int `json:"non_zeros"`
	Positives int `json:"positives"`
	Negatives int `json:"negatives"`
}

// Fingerprint counts the content of d.
func (d *Dataset) Fingerprint() Fingerprint {
	f := Fingerprint{Rows: d.Rows(), Features: d.Features(), NonZeros: d.X.NNZ()}
	for _, y := range d.Y {
		switch y {
		case 1:
			f.Positives++
		case -1:
			f.Negatives++
		}
	}
	return f
}

// Summary describes a data set to a person.
type Summary struct {
	Name string `json:"name"`
	Fingerprint
	Density   float64 `json:"density"`    // non-zeros / (rows × features)
	Binary    bool    `json:"binary"`     // every value is 0 or 1
	MinValue  float64 `json:"min_value"`  // of all entries, zeros included
	MaxValue  float64 `json:"max_value"`  // of all entries, zeros included
	Unused    []int   `json:"unused"`     // 1-based features that are 0 in every row
	LabelRule string  `json:"label_rule"` // how the labels of the source were mapped
	SHA256    string  `json:"sha256"`
	// Groups are the columns that form groups, of packed tables.
	Groups []string `json:"groups,omitempty"`
}

// Describe summarises d.
func Describe(d *Dataset) Summary {
	s := Summary{
		Name:        d.Name,
		Fingerprint: d.Fingerprint(),
		Binary:      d.X.Binary(),
		Unused:      []int{},
		LabelRule:   d.Rule,
		SHA256:      d.Hash,
	}
	for k := range d.Attributes {
		s.Groups = append(s.Groups, d.Attributes[k].Name)
	}
	s.MinValue, s.MaxValue = 1, 1
	if !s.Binary {
		s.MinValue, s.MaxValue = math.Inf(1), math.Inf(-1)
		for i := range d.Rows() {
			for _, v := range d.X.Row(i) {
				s.MinValue, s.MaxValue = min(s.MinValue, v), max(s.MaxValue, v)
			}
		}
	}
	entries := float64(s.Rows) * float64(s.Features)
	if entries > 0 {
		s.Density = float64(s.NonZeros) / entries
	}
	switch {
	case s.NonZeros == 0:
		s.MinValue, s.MaxValue = 0, 0
	case float64(s.NonZeros) < entries:
		s.MinValue, s.MaxValue = min(s.MinValue, 0), max(s.MaxValue, 0)
	}
	for j, c := range d.X.Columns() {
		if c.Entries == 0 {
			s.Unused = append(s.Unused, j+1)
		}
	}
	return s
}

// Identities are hashes by which rows are known again. They are computed from the non-zeros and
// the labels.
func Identities(d *Dataset) iter.Seq[uint64] {
	return identities(d, func(i int) uint64 { return uint64(int64(d.Y[i])) })
}

// FeatureIdentities are those of rows whose labels do not matter.
func FeatureIdentities(d *Dataset) iter.Seq[uint64] {
	return identities(d, func(int) uint64 { return 0 })
}

func identities(d *Dataset, label func(row int) uint64) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		var sum uint64
		add := func(j int, v float64) bool { // made once, not for each row
			sum += rng.Mix(rng.Mix(uint64(j)+1) ^ math.Float64bits(v))
			return true
		}
		for i := range d.Y {
			sum = rng.Mix(label(i))
			d.X.Row(i)(add)
			if !yield(rng.Mix(sum)) {
				return
			}
		}
	}
}

// HashOfFiles returns the hash of the content of files, given those of each: that of the only one,
// or the SHA-256 of the hashes of several, one a line.
func HashOfFiles(hashes []string) string {
	if len(hashes) == 1 {
		return hashes[0]
	}
	all := sha256.New()
	for _, hash := range hashes {
		fmt.Fprintln(all, hash)
	}
	return hex.EncodeToString(all.Sum(nil))
}
