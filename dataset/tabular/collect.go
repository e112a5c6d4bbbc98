package tabular

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular/checks"
	"github.com/fairtrain/fairtrain/dataset/tabular/delimited"
	"github.com/fairtrain/fairtrain/dataset/tabular/identity"
	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
	"github.com/fairtrain/fairtrain/dataset/textfile"
)

const (
	// undecided is the number of distinct values up to which a column that is not declared is
	// collected as categories. Its type is decided at the end of the file.
	undecided = 1 << 12
	// mostLevels is the largest number of distinct values of a category that is not declared.
	mostLevels = 1 << 16
)

// collecting is what a column is taken for while the file is read.
type collecting int

const (
	categories collecting = iota
	numbers
	anything // categories, unless it turns out otherwise
	hashes   // only which rows have equal values
	nothing
)

// collector takes the values of a column one by one.
type collector struct {
	name    string
	missing []string // values that stand for a missing one
	// what of these values reads as a number: other spellings of it, as 9999.0, are missing, too
	missingNumbers []float64
	state          collecting
	decided        bool                     // the state was declared, not found out
	declared       bool                     // by Options, so that the column is a feature
	dropped        bool                     // by the schema, but its values tell rows of one person
	anyUnit        bool                     // numbers may have any unit; the first unit found is the unit of all
	weight         bool                     // numbers must be ≥ 0 and present
	score          bool                     // numbers must be from 0 to 1 and present
	unit           string                   // of the numbers
	each           func(value string) error // also takes every value; or nil
	repeats        *collector               // the column whose name it has in the header; or nil
	repeatsAt      int                      // its index
	differs        bool                     // from that column, in some row so far
	repeatFault    bool                     // that is a fault
	unread         bool                     // the column's type has no texts
	lenient        bool                     // whatever is no number is missing
	odd            oddValues
	inTheWay       oddValues // too many for a column of numbers, which it would be but for them
	units          []string  // several, of what would be numbers in one of them
	facts

	values   []float64         // of the rows, if they are numbers
	decimals numparse.Decimals // of the values
	coded    bool              // some of the numbers are codes

	hashed []uint64 // hashes of the values of the rows, 0 for a missing one

	// of the rows, if they are not: 0 for a missing value, else one more than the number of the
	// level
	codes []uint32
	index map[string]uint32 // the codes of levels and of missing values
	level []string          // in order of appearance
	seen  []delimited.Place // where each level first occurs
	isNew bool              // the last value is a new level; its place is still to be noted
	bytes float64           // that the levels take
}

// facts are what the checks find out about a column that is not declared. infer decides by them
// what becomes of the column, why, and with which notes.
type facts struct {
	reason  string             // why it can't be used
	days    bool               // they are dates
	key     string             // why they are an identifier; "" if they are not
	several *checks.Repetition // nil unless they may be an identifier with several rows of values
	sure    bool               // they are, by the name of the column, or as each has as many rows
	numbers checks.Findings    // if they are numbers
}

// newCollector returns the collector of a column. If declared, the schema declares the column
// to be spec.
func newCollector(name string, s *Schema, spec ColumnSpec, declared bool, missing []string) *collector {
	c := &collector{name: name, missing: missing, index: map[string]uint32{}}
	for _, text := range missing {
		c.index[text] = 0
		if v, _, ok := numparse.ParseDecimal(text); ok {
			c.missingNumbers = append(c.missingNumbers, v)
		}
	}
	c.decided = true
	switch {
	case name == s.Label.Column:
		c.state = categories
	case name == s.Weight:
		c.state, c.weight = numbers, true
	case declared && spec.numeric() || s.cuts(name):
		c.state, c.unit, c.score = numbers, spec.Unit, spec.As == LogOdds
		c.anyUnit = spec.Unit == "" && (!declared || spec.As == Drop)
		c.lenient = spec.NotNumbers == Missing
	case declared && spec.As == OneHot || s.grouped(name):
		c.state = categories
	case declared || s.Others == Drop:
		c.state = nothing
	default:
		c.state, c.decided, c.anyUnit = anything, false, true
	}
	return c
}

// declare sets the type of a column that the schema leaves open.
func (c *collector) declare(state collecting) {
	c.state, c.decided, c.declared, c.anyUnit = state, true, true, true
}

// addAll takes the values of column k up to the first fault.
func (c *collector) addAll(r *rows, k int) valueFault {
	values, arePlain := r.columns[k], c.missingNumbers == nil && !c.weight
	lines, isText := values.(texts)
	for _, i := range r.used {
		switch c.state {
		case nothing:
			return valueFault{row: math.MaxInt32}
		case numbers:
			v, whole, ok := values.Number(i)
			if ok && arePlain && (whole || c.decimals.Mark == numparse.Point) && math.Abs(v) < 1<<53 && !(c.score && (v < 0 || v > 1)) {
				c.coded = c.coded || isText && lines[i][0] == '0' && numparse.IsCode(lines[i])
				c.values = append(c.values, v)
				continue
			}
		}
		value := r.value(i, k)
		if msg := c.add(value); msg != "" {
			return valueFault{i, k, msg}
		}
		if c.isNew {
			c.seen = append(c.seen, r.place(i, k))
			c.isNew = false
		}
	}
	return valueFault{row: math.MaxInt32}
}

// add takes a value, or says what is wrong with the value.
func (c *collector) add(value string) (fault string) {
	switch c.state {
	case nothing:
		return ""
	case numbers:
		return c.addNumber(value)
	case hashes:
		c.hash(value)
		return ""
	}
	code, found := c.index[value]
	if !found {
		value = strings.Clone(value) // value is part of a row's text
		c.level = append(c.level, value)
		code = uint32(len(c.level))
		c.index[value] = code
		c.isNew = true
		c.bytes += float64(len(value)) + perLevel
	}
	c.codes = append(c.codes, code)
	if c.state == anything && !found {
		c.decide()
	}
	return ""
}

// count counts the rows by their codes.
func (c *collector) count() []int {
	count := make([]int, 1+len(c.level))
	for _, code := range c.codes {
		count[code]++
	}
	return count
}

func (c *collector) addNumber(text string) (fault string) {
	missing := slices.Contains(c.missing, text)
	value, unit, ok := math.NaN(), "", true
	if !missing {
		value, unit, ok = c.decimals.Parse(text, len(c.values))
		c.decimals.Settle(c.values)
		missing = ok && unit == "" && slices.Contains(c.missingNumbers, value)
	}
	if missing {
		return c.addMissing()
	}
	if ok && c.anyUnit && c.unit == "" && unit != numparse.Scaled {
		c.unit = strings.Clone(unit) // which is part of a row's text
	}
	isNumber := ok && numparse.Fits(unit, c.unit)
	switch {
	case !isNumber && (c.lenient || !c.decided || numparse.IsUndefined(text)):
		return c.addOdd(text)
	case !ok:
		return "value " + textfile.Quote(text) + ", expected a number (--missing VALUE if it stands for none)"
	case !isNumber:
		return "value " + textfile.Quote(text) + " has a unit that the column has not (unit of the schema)"
	case c.score && !(value >= 0 && value <= 1):
		return "value " + textfile.Quote(text) + ", expected a score from 0 to 1 (1/(1 + exp(-x)) of log-odds x, x/100 of percent)"
	case c.weight && value < 0:
		return "the weight is negative"
	case c.weight && value > 0 && value < numparse.Least:
		return fmt.Sprintf("the weight is %.3g, expected 0 or at least %.0e", value, numparse.Least)
	}
	c.coded = c.coded || numparse.IsCode(text)
	c.values = append(c.values, value)
	return ""
}

func (c *collector) addMissing() (fault string) {
	switch {
	case c.weight:
		return "the weight is missing"
	case c.score:
		return "the score is missing, and nothing is known of this row without it (leave such rows out)"
	}
	c.values = append(c.values, math.NaN())
	return ""
}

// decide decides what the column is once there are many distinct values.
func (c *collector) decide() {
	switch len(c.level) {
	case undecided:
		c.tryNumbers()
	case mostLevels:
		codes, levels := c.codes, c.level
		c.forget()
		c.state = hashes
		of := make([]uint64, 1+len(levels))
		for k, level := range levels {
			of[1+k] = identity.Text(level)
		}
		for _, code := range codes {
			c.hashed = append(c.hashed, of[code])
		}
	}
}

// hash takes a value of which only the hash is stored.
func (c *collector) hash(value string) {
	if slices.Contains(c.missing, value) {
		c.hashed = append(c.hashed, 0)
		return
	}
	c.hashed = append(c.hashed, identity.Text(value))
}

// toNumbers makes the column numeric. levels are the numbers of the codes.
func (c *collector) toNumbers(levels []float64, unit string, d numparse.Decimals) {
	for k, v := range levels {
		if unit == "" && slices.Contains(c.missingNumbers, v) {
			levels[k] = math.NaN()
		}
	}
	inDoubt := map[uint32]float64{} // by code
	for _, doubt := range d.Doubts {
		inDoubt[uint32(doubt.At)] = doubt.Value
	}
	d.Doubts = nil
	values := make([]float64, 0, cap(c.codes))
	for _, code := range c.codes {
		if other, ok := inDoubt[code]; ok {
			d.Doubts = append(d.Doubts, numparse.Doubt{At: len(values), Value: other})
		}
		values = append(values, levels[code])
	}
	c.forget()
	c.state, c.unit, c.anyUnit, c.values, c.decimals = numbers, unit, true, values, d
}

// forget drops the column, and the memory that its values take.
func (c *collector) forget() {
	c.state = nothing
	c.codes, c.index, c.level, c.seen, c.values, c.isNew, c.bytes = nil, nil, nil, nil, nil, false, 0
	c.hashed = nil
}

// column returns what was collected, with sorted levels; nil for a column that is dropped.
func (c *collector) column() *Column {
	switch c.state {
	case hashes, nothing:
		return nil
	case numbers:
		return &Column{Name: c.name, Numbers: c.values, Unit: c.unit}
	}
	order := make([]int, len(c.level)) // order[k] is the number of the k-th level by name
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(c.level[a], c.level[b]) })
	out := &Column{
		Name: c.name, Codes: dataset.MakeCodes(len(c.codes), len(c.level)),
		Levels: make([]string, len(order)), seen: make([]delimited.Place, len(order)),
	}
	place := make([]int, 1+len(order)) // of codes; that of missing values stays 0
	for k, at := range order {
		out.Levels[k], out.seen[k], place[1+at] = c.level[at], c.seen[at], 1+k
	}
	for i, code := range c.codes {
		out.Codes.Put(i, place[code])
	}
	return out
}
