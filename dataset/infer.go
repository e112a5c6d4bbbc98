package dataset

import (
	"fmt"
	"slices"
	"strings"
)

const (
	// rareCount is min_count of categories that are not declared.
	rareCount = 10
	// fewRows is the number of rows below which a column is not suspected to be a key.
	fewRows = 20
	// usualLevels is the number of levels above which a category that is not declared
	// is taken for free text.
	usualLevels = 1000
)

// complete turns what was collected into the columns of the table, and finds out what the
// schema leaves open.
func (t *tableReader) complete() {
	s := *t.schema
	s.Missing = s.missing()
	s.Columns = slices.Clone(s.Columns)
	if !*t.Format.Header && s.Names == nil {
		for _, c := range t.columns {
			s.Names = append(s.Names, c.name)
		}
	}
	if s.Label.Column == "" {
		if c := t.guessLabel(); c != nil {
			s.Label.Column = c.name
		}
	}
	for _, c := range t.columns {
		if c.name != s.Label.Column && c.name != s.Weight {
			if _, declared := s.Column(c.name); !declared {
				s.Columns = append(s.Columns, c.infer(t.Rows, s.Others))
			}
		}
		if column := c.column(); column != nil {
			t.Columns = append(t.Columns, column)
		}
	}
	s.Others = Drop // of later files
	if c := t.Column(s.Label.Column); c != nil {
		s.Label = completeLabel(s.Label, c.Levels)
	}
	t.Schema = &s
}

// guessLabel returns the column that is most likely the label, or nil.
func (t *tableReader) guessLabel() *collector {
	candidate := func(c *collector) bool {
		_, declared := t.schema.Column(c.name)
		return c.state == anything && len(c.level) == 2 && !declared && !slices.Contains(c.codes, -1)
	}
	for _, c := range t.columns {
		if slices.Contains([]string{"label", "target", "class", "outcome", "y"}, strings.ToLower(c.name)) && candidate(c) {
			return c
		}
	}
	if last := t.columns[len(t.columns)-1]; candidate(last) {
		return last
	}
	return nil
}

// completeLabel fills in which of the levels mean +1, if that is clear, and −1.
func completeLabel(l LabelSpec, levels []string) LabelSpec {
	if len(l.Positive) == 0 && len(levels) == 2 {
		l.Positive = positiveOf(levels)
	}
	if len(l.Positive) > 0 && len(l.Negative) == 0 {
		for _, level := range levels {
			if !hasLabel(l.Positive, level) && !hasLabel(l.Skip, level) && !hasLabel(l.Negative, level) {
				l.Negative = append(l.Negative, level)
			}
		}
	}
	return l
}

// positiveOf returns the one of two levels that means +1, nil if that is not clear.
func positiveOf(levels []string) []string {
	if values, _, ok := quantities(levels); ok && values[0] != values[1] {
		if values[0] > values[1] {
			return levels[:1]
		}
		return levels[1:]
	}
	pairs := [][2]string{{"no", "yes"}, {"n", "y"}, {"false", "true"}, {"f", "t"}, {"negative", "positive"}}
	for _, pair := range pairs {
		for k, level := range levels {
			if strings.EqualFold(level, pair[1]) && strings.EqualFold(levels[1-k], pair[0]) {
				return []string{level}
			}
		}
	}
	return nil
}

// infer decides what becomes of a column that is not declared, of the given number of
// rows; others is Schema.Others.
func (c *collector) infer(rows int, others string) ColumnSpec {
	spec := ColumnSpec{Name: c.name, As: OneHot, MinCount: rareCount}
	drop := func(format string, args ...any) ColumnSpec {
		return ColumnSpec{Name: c.name, As: Drop, Reason: fmt.Sprintf(format, args...)}
	}
	if others == Drop {
		return drop("the schema does not declare it")
	}
	if c.state == nothing {
		return drop("too many distinct values for a category")
	}
	distinct := len(c.level)
	if c.state == anything && distinct > 2 {
		if values, unit, ok := quantities(c.level); ok {
			c.toNumbers(values, unit)
		}
	}
	switch {
	case c.state == numbers && !c.decided && rows >= fewRows && c.counts():
		spec = drop("it counts the rows")
	case c.state == numbers:
		return ColumnSpec{Name: c.name, As: Standardise, Unit: c.unit}
	case c.decided: // for groups, and a feature too
		return spec
	case distinct == 0:
		spec = drop("it has no values")
	case distinct == 1 && !slices.Contains(c.codes, -1):
		spec = drop("all its values are equal")
	case distinct > usualLevels || rows >= fewRows && distinct > rows/2:
		spec = drop("%d distinct values in %d rows, too many for a category", distinct, rows)
	}
	if spec.As == Drop {
		c.forget()
	}
	return spec
}

// counts reports whether the numbers ascend by one from row to row.
func (c *collector) counts() bool {
	for i, v := range c.values {
		if v != c.values[0]+float64(i) {
			return false
		}
	}
	return true
}
