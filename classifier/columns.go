package classifier

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strconv"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/tabular"
)

// Column is a column of the source as the model uses it: the features First to End−1. Every
// feature belongs to one column. Of LIBSVM data, each feature is a column.
type Column struct {
	Name       string
	First, End int
	// Encoding says what the features are; nil for LIBSVM data and for a cross.
	Encoding *encoding.Column
	// Cross has the features of groups or of a pair of columns; nil otherwise.
	Cross *encoding.Cross
}

// Columns returns the columns in the order of their features.
func (f *Features) Columns() []Column {
	return slices.AppendSeq(make([]Column, 0, f.Count), f.columnsWhere(func(int, int) bool { return true }))
}

// countColumns returns the number of columns.
func (f *Features) countColumns() int {
	if f.Kind == LIBSVM {
		return f.Count
	}
	return len(f.Encoding.Features) + len(f.Encoding.Crosses)
}

// columnsWhere yields columns of which a function says so, given their first features and their
// ends. Others cost nothing, not even their names.
func (f *Features) columnsWhere(wanted func(first, end int) bool) iter.Seq[Column] {
	return func(yield func(Column) bool) {
		if f.Kind == LIBSVM {
			for j := range f.Count {
				if wanted(j, j+1) && !yield(Column{Name: f.name(j), First: j, End: j + 1}) {
					return
				}
			}
			return
		}
		first := 0
		for k := range f.Encoding.Features {
			e := &f.Encoding.Features[k]
			end := first + e.Width()
			if wanted(first, end) && !yield(Column{Name: e.Column, First: first, End: end, Encoding: e}) {
				return
			}
			first = end
		}
		for k := range f.Encoding.Crosses {
			c := &f.Encoding.Crosses[k]
			end := first + c.Width()
			if wanted(first, end) && !yield(Column{Name: c.Name(), First: first, End: end, Cross: c}) {
				return
			}
			first = end
		}
	}
}

// name is the name of a feature.
func (f *Features) name(j int) string {
	if f.Names != nil {
		return f.Names[j]
	}
	return strconv.Itoa(j + 1)
}

// number reports whether the first feature of the column is a number in a unit, and not one
// of several levels.
func (c *Column) number() bool {
	switch {
	case c.Cross != nil:
		return false
	case c.Encoding == nil:
		return true
	}
	return c.Encoding.As == tabular.Standardise || c.Encoding.As == tabular.Raw || c.logOdds()
}

// standardised reports whether the feature of a number is its distance from the mean, in standard
// deviations.
func (c *Column) standardised() bool {
	return c.Encoding != nil && c.Encoding.As == tabular.Standardise
}

// logOdds reports whether the feature of a number is its log-odds.
func (c *Column) logOdds() bool { return c.Encoding != nil && c.Encoding.As == tabular.LogOdds }

// missing is the feature of missing values, −1 if there is none.
func (c *Column) missing() int {
	if c.Encoding == nil || !c.Encoding.Missing {
		return -1
	}
	return c.End - 1
}

// unit is the change of the column for a change of 1 in its feature: its standard
// deviation in the training rows, if it is standardised.
func (c *Column) unit() float64 {
	if c.standardised() {
		return c.Encoding.SD
	}
	return 1
}

// mean is the mean of a number in the training rows, which stands for a missing one; 0 of LIBSVM
// features.
func (c *Column) mean() float64 {
	if c.Encoding == nil {
		return 0
	}
	return c.Encoding.Mean
}

// imputed is the feature of a missing number.
func (c *Column) imputed() float64 {
	if c.standardised() {
		return 0
	}
	return c.mean()
}

// unnamed is what has no feature of its own in a category, empty if every value has one.
func (c *Column) unnamed() string {
	switch {
	case c.number():
		return ""
	case c.Cross != nil:
		return otherLevel
	case c.Encoding.Rare || c.Encoding.Binned():
		if c.Encoding.Missing || c.Encoding.Median != nil {
			return ""
		}
		return dataset.MissingLevel
	}
	return otherLevel // a value that training had not, and a missing one unless that was frequent
}

// otherLevel stands for values without a feature.
const otherLevel = "(other)"

// value returns the value of a column in words, as "age=31" or "education=Bachelors";
// features are the row's features from First to End−1.
func (f *Features) value(c *Column, features []float64) string {
	if j := c.missing(); j >= 0 && features[j-c.First] != 0 {
		return c.Name + "=" + dataset.MissingLevel
	}
	if !c.number() {
		for k, v := range features {
			if v != 0 {
				return f.name(c.First + k)
			}
		}
		return c.Name + "=" + cmp.Or(c.unnamed(), otherLevel)
	}
	v := features[0]
	switch {
	case c.standardised():
		v = c.restored(v)
	case c.logOdds():
		v = roundedBy(sigmoid(v), 1)
	}
	return c.Name + "=" + plain(v)
}

// restored returns the number of which a feature is, without the rounding of standardising: to 13
// digits of the larger one of mean and standard deviation.
func (c *Column) restored(feature float64) float64 {
	mean, sd := c.Encoding.Mean, c.Encoding.SD
	v := mean + float64(sd*feature)
	return roundedBy(v, max(math.Abs(mean), sd, math.Abs(v)))
}

// roundedBy returns a number rounded to 13 digits of another one.
func roundedBy(v, size float64) float64 {
	digits := 12 - int(math.Floor(math.Log10(size)))
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'f', max(digits, 0), 64), 64)
	if err != nil || rounded == 0 {
		return 0
	}
	return rounded
}

// plain writes a number with all of its digits, and with an exponent only where it would be mostly
// zeros.
func plain(v float64) string {
	if size := math.Abs(v); size != 0 && (size < 1e-6 || size >= 1e15) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
