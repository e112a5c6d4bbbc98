package table

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset/delimited"
	"github.com/fairtrain/fairtrain/dataset/quantity"
	"github.com/fairtrain/fairtrain/dataset/suspect"
	"github.com/fairtrain/fairtrain/dataset/textfile"
)

const (
	// undecided is the number of distinct values up to which a column that is not declared is
	// kept as categories. What it is, is decided at the end of the file.
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
	nothing
)

// collector takes the values of a column one by one.
type collector struct {
	name           string
	missing        []string  // values that stand for a missing one
	missingNumbers []float64 // what of these values reads as a number: other spellings of it, as 9999.0, are missing, too
	state          collecting
	decided        bool                     // the state was declared, not found out
	declared       bool                     // by Options, so that the column is a feature
	anyUnit        bool                     // numbers may have any unit; the first unit found is the unit of all
	weight         bool                     // numbers must be ≥ 0 and present
	unit           string                   // of the numbers
	withUnit       int                      // number of values that have it
	each           func(value string) error // also takes every value; or nil
	typed          bool                     // the column's type is a number, whose decimals follow a point
	reason         string                   // why the state is nothing, "" for too many values
	unread         bool                     // the column's type has no texts
	almost         string                   // of almostNumbers, if there are too many values to keep them
	days           bool                     // of areDays; false for a column that is decided
	key            string                   // of keyOf; "" for a column that is decided, or of days
	several        *Repetition              // nil for a column that does not number people with several rows

	expected int       // number of values of the whole file, about; 0 if nobody knows
	values   []float64 // of the rows, or of their codes if there are some
	decimals decimals  // of the values

	codes codes
	last  uint32            // the last code
	index map[string]int    // of the levels: their codes
	known *delimited.Column // of the values
	level []string          // in order of appearance
	seen  []delimited.Place
	isNew bool // the last value is a new level; its place is still to be noted
	grown []growth
}

// growth is the memory that a level takes, and the first row that has the level.
type growth struct {
	row   int32
	bytes float64
}

// newCollector returns the collector of a column. If declared, the schema declares the column
// to be spec.
func newCollector(name string, s *Schema, spec ColumnSpec, declared bool, missing []string) *collector {
	c := &collector{name: name, missing: missing, index: map[string]int{}, known: new(delimited.Column)}
	for _, text := range missing {
		if v, _, ok := quantity.ParseDecimal(text); ok {
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
		c.state, c.unit = numbers, spec.Unit
		c.anyUnit = spec.Unit == "" && (!declared || spec.As == Drop)
	case declared && spec.As == OneHot || s.grouped(name):
		c.state = categories
	case declared || s.Others == Drop:
		c.state = nothing
		c.known.Nothing()
	default:
		c.state, c.decided = anything, false
	}
	return c
}

// declare says what a column is that the schema leaves open.
func (c *collector) declare(state collecting) {
	c.state, c.decided, c.declared, c.anyUnit = state, true, true, true
}

// addAll takes the values of column k up to the first fault.
func (c *collector) addAll(r *rows, k int) valueFault {
	c.grown = c.grown[:0]
	fault := valueFault{row: math.MaxInt32}
	switch c.state {
	case nothing:
		return fault
	case numbers:
		c.values = grow(c, c.values, len(r.used))
	default:
		c.growCodes(len(r.used))
	}
	for left := r.used; len(left) > 0; left = left[1:] {
		if left = left[c.addUsual(r, left, k):]; len(left) == 0 {
			break
		}
		i := left[0]
		value := r.Value(i, k)
		if fault.msg = c.add(value); fault.msg != "" {
			fault.row, fault.column = i, k
			return fault
		}
		if c.isNew {
			c.seen = append(c.seen, r.Place(i, k))
			c.isNew = false
			c.grown = append(c.grown, growth{i, float64(len(value)) + perLevel})
		} else {
			c.learn(r, i, k) // most values of numbers never return
		}
	}
	return fault
}

// addUsual takes values of column k, up to the first that needs add. It does what add does, but faster. It
// returns the number of values that it took.
func (c *collector) addUsual(r *rows, rows []int32, k int) int {
	switch c.state {
	case numbers:
		if c.missingNumbers != nil || c.weight {
			return 0
		}
		before := len(c.values)
		c.values = r.numbers(c.values, rows, k, c)
		return len(c.values) - before
	case nothing:
		return 0
	}
	to := &c.codes
	before := to.len()
	switch {
	case to.wide != nil:
		to.wide = appendCodes(c, to.wide, r, rows, k)
	case to.medium != nil:
		to.medium = appendCodes(c, to.medium, r, rows, k)
	default:
		to.narrow = appendCodes(c, to.narrow, r, rows, k)
	}
	return to.len() - before
}

// learn remembers the value of a row that add has taken, so that addUsual takes it from now on.
func (c *collector) learn(r *rows, row int32, k int) {
	switch {
	case c.state == nothing:
		c.known.Nothing()
	case c.state != numbers:
		r.learn(c.known, row, k, c.last)
	case c.missingNumbers == nil && !c.weight:
		c.known.Numbers(c.decimals.mark != quantity.Point, slices.Contains(c.missing, ""))
	}
}

// add takes a value, or says what is wrong with the value.
func (c *collector) add(value string) (fault string) {
	switch c.state {
	case nothing:
		return ""
	case numbers:
		return c.addNumber(value)
	}
	code, known := 0, slices.Contains(c.missing, value)
	if !known {
		code, known = c.index[value]
	}
	if !known {
		value = strings.Clone(value) // value is part of a row's text
		c.level = append(c.level, value)
		code = len(c.level)
		c.index[value] = code
		c.isNew = true
	}
	c.putCode(code)
	c.last = uint32(code)
	if c.state == anything && !known {
		c.decide()
	}
	return ""
}

func (c *collector) addNumber(text string) (fault string) {
	missing := slices.Contains(c.missing, text)
	value, unit, ok := math.NaN(), "", true
	if !missing {
		value, unit, ok = c.decimals.parse(text, len(c.values))
		c.decimals.settle(c.values)
		missing = ok && unit == "" && slices.Contains(c.missingNumbers, value)
	}
	switch {
	case missing && c.weight:
		return "the weight is missing"
	case missing:
		c.values = append(c.values, math.NaN())
		return ""
	}
	if ok && c.anyUnit && c.unit == "" {
		c.unit = strings.Clone(unit) // which is part of a row's text
	}
	switch {
	case !ok && !c.decided:
		return "value " + textfile.Quote(text) + ` after thousands of numbers (--missing VALUE, if it stands for a missing one; or declare the column, as "one-hot" or "drop", in a schema)`
	case !ok && suspect.IsDay(text):
		return "value " + textfile.Quote(text) + ", expected a number, not a day (add a column of its year, such as 1980, which is a number)"
	case !ok:
		if c.weight {
			return "value " + textfile.Quote(text) + ", expected a number"
		}
		return "value " + textfile.Quote(text) + ", expected a number, or none where it is missing"
	case unit != "" && !quantity.SameUnit(unit, c.unit):
		return "value " + textfile.Quote(text) + " has a unit that the column has not (unit of the schema)"
	case c.weight && value < 0:
		return "the weight is negative"
	case c.weight && value > 0 && value < quantity.Least:
		return fmt.Sprintf("the weight is %.3g, expected 0 or at least %.0e", value, quantity.Least)
	}
	if unit != "" {
		c.withUnit++
	}
	c.values = append(c.values, value)
	return ""
}

// decide decides what the column is once there are many distinct values.
func (c *collector) decide() {
	switch len(c.level) {
	case undecided:
		if c.tryNumbers(); c.state == numbers {
			c.dropCodes()
		}
	case mostLevels:
		if people, each := c.panelSoFar(); each > 0 {
			c.several = &Repetition{Values: people, Each: each}
		} else if people, rows := c.named(); people > 0 {
			c.several = &Repetition{Values: people, Rows: rows}
		}
		if text := c.almostNumbers(0); text != "" {
			c.almost = "; in the first rows, " + text
		}
		c.forget()
	}
}

// tryNumbers makes a column numeric if all of its levels are numbers and no level is a code.
func (c *collector) tryNumbers() {
	values, unit, d, ok := quantities(c.level)
	if !ok || slices.ContainsFunc(c.level, quantity.IsCode) {
		return
	}
	if unit != "" {
		rows := c.codes.view().Count(len(values))
		for k, level := range c.level {
			if _, u, _ := quantity.Parse(level, d.likely()); u != "" {
				c.withUnit += rows[1+k]
			}
		}
	}
	c.toNumbers(values, unit, d)
}

// quantities returns the levels as numbers, by their codes, their unit and their decimals. It is not ok
// unless all levels are numbers.
func quantities(levels []string) (values []float64, unit string, d decimals, ok bool) {
	values = make([]float64, 1+len(levels))
	values[0] = math.NaN() // of missing values
	for k, level := range levels {
		v, u, ok := d.parse(level, 1+k)
		if !ok {
			return nil, "", d, false
		}
		if unit, ok = quantity.CommonUnit(unit, u); !ok {
			return nil, "", d, false
		}
		values[1+k] = v
		d.settle(values)
	}
	return values, unit, d, len(levels) > 0
}

// toNumbers makes the column numeric. values are the numbers of the codes.
func (c *collector) toNumbers(values []float64, unit string, d decimals) {
	for k, v := range values {
		if unit == "" && slices.Contains(c.missingNumbers, v) {
			values[k] = math.NaN()
		}
	}
	kept := c.codes
	c.codes = codes{}
	c.forget()
	c.state, c.unit, c.values, c.decimals, c.codes = numbers, unit, values, d, kept
}

// dropCodes gives each row a number of its own.
func (c *collector) dropCodes() {
	levels, kept := c.values, c.codes.view()
	defer func() { c.codes = codes{} }()
	c.values = grow(c, []float64(nil), kept.Len())
	inDoubt := map[int]float64{} // by code
	for _, doubt := range c.decimals.doubts {
		inDoubt[doubt.at] = doubt.value
	}
	c.decimals.doubts = nil
	for code := range kept.All() {
		if other, ok := inDoubt[code]; ok {
			c.decimals.doubts = append(c.decimals.doubts, doubt{len(c.values), other})
		}
		c.values = append(c.values, levels[code])
	}
}

// grow makes room for n more values, or for all that are expected. Large slices grow by doubling:
// append would copy them more often, and slices.Grow writes zeros into what is not in use.
func grow[T any](c *collector, s []T, n int) []T {
	switch {
	case cap(s)-len(s) >= n:
		return s
	case len(s)+n <= c.expected:
		return append(make([]T, 0, c.expected), s...)
	}
	return append(make([]T, 0, len(s)+max(n, len(s))), s...)
}

// forget drops the column, and the memory that its values take.
func (c *collector) forget() {
	c.state = nothing
	c.codes = codes{}
	c.index, c.level, c.seen, c.isNew = nil, nil, nil, false
}

// column returns what was collected, with sorted levels. It returns nil for a column that is
// dropped. It changes the codes of categories, so that it may be called but once for one of them.
func (c *collector) column() *Column {
	switch c.state {
	case nothing:
		return nil
	case numbers:
		return &Column{Name: c.name, Codes: c.codes.view(), Numbers: c.values, Unit: c.unit}
	}
	order := make([]int, len(c.level)) // order[k] is the number of the k-th level by name
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(c.level[a], c.level[b]) })
	out := &Column{Name: c.name, Codes: c.codes.view(), Levels: make([]string, len(order)), seen: make([]delimited.Place, len(order))}
	place := make([]int, 1+len(order)) // of codes; that of missing values stays 0
	for k, at := range order {
		out.Levels[k], out.seen[k], place[1+at] = c.level[at], c.seen[at], 1+k
	}
	c.codes.renumber(place)
	return out
}
