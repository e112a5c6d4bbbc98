package tabular

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset/tabular/delimited"
	"github.com/fairtrain/fairtrain/dataset/textfile"
)

// LabelFault is the reason why a label can't be used.
type LabelFault int

// The faults of labels, and what mends them.
const (
	NoLabel       LabelFault = iota // LabelSpec.Column is not known
	NoPositive                      // LabelSpec.Positive is not known
	NotAmong                        // no row has one of LabelSpec.Positive
	MissingLabels                   // rows have no label; LabelSpec.Skip can leave them out
)

// LabelError reports why a label can't be used, and which columns or values could be used instead.
type LabelError struct {
	Fault  LabelFault
	Values []LevelCount // of the label, the most frequent ones
	// Candidates are, for NoLabel, the columns that could be the label: they have two values.
	Candidates []string

	err error
}

func (e *LabelError) Error() string { return e.err.Error() }
func (e *LabelError) Unwrap() error { return e.err }

// labelError returns the error about the label of t.
func (t *Table) labelError(fault LabelFault) *LabelError {
	l, e := t.Schema.Label, &LabelError{Fault: fault}
	if fault == NoLabel {
		for _, c := range t.Columns {
			if twoLabels(c.Levels) {
				e.Candidates = append(e.Candidates, c.Name)
			}
		}
		e.err = fmt.Errorf("%s: which column is the label? (label.column of the schema)", t.Name)
		return e
	}
	e.Values, _ = t.Column(l.Column).mostFrequent()
	switch found := listCounts(e.Values); fault {
	case NoPositive:
		e.err = fmt.Errorf("%s: which values of the label %s mean +1? it has %s (label.positive of the schema)", t.Name, l.Column, found)
	case NotAmong:
		e.err = fmt.Errorf("%s: no row has the positive label %s: %s has %s", t.Name,
			textfile.QuoteAll(l.Positive), l.Column, found)
	}
	return e
}

// LastLevel is a fault where the last of the levels of a column to appear is first.
func (t *Table) LastLevel(column, format string, args ...any) error {
	last := slices.MaxFunc(t.Column(column).seen, func(a, b delimited.Place) int { return cmp.Compare(a.Line, b.Line) })
	return t.fault(last, format, args...)
}

// Labels returns the labels −1 and +1 of the given rows, and in words how the values of the
// label were mapped. A value without a meaning is an error; if labels play no part, its label is 0.
func (t *Table) Labels(l LabelSpec, rows []int) (labels []int8, rule string, err error) {
	labels = make([]int8, len(rows))
	byCode, rule, err := t.classes(l)
	if byCode == nil || err != nil {
		return labels, rule, err
	}
	column := t.Column(l.Column)
	for k, i := range rows {
		labels[k] = byCode[column.Codes.At(i)]
	}
	return labels, rule, nil
}

// classes returns the labels −1 and +1 of the codes of the label, nil if labels play no part.
// The rule describes how they were mapped.
func (t *Table) classes(l LabelSpec) (byCode []int8, rule string, err error) {
	column := t.Column(l.Column)
	switch {
	case t.anyLabels && (column == nil || len(l.Positive) == 0):
		return nil, "labels not used", nil
	case l.Column == "":
		return nil, "", t.labelError(NoLabel)
	case len(l.Positive) == 0:
		return nil, "", t.labelError(NoPositive)
	}
	byCode = make([]int8, 1+len(column.Levels))
	for k, level := range column.Levels {
		if byCode[1+k] = l.Class(level); byCode[1+k] == 0 && !t.anyLabels {
			return nil, "", t.fault(column.seen[k], "label %q, expected %s (skip in the label of a schema leaves such rows out)",
				level, textfile.QuoteAll(slices.Concat(l.Positive, l.Negative)))
		}
	}
	return byCode, l.Rule(), nil
}

// CheckClasses fails unless the rows have labels of both classes, and a weight above 0; nil
// means all rows.
func (t *Table) CheckClasses(rows []int) error {
	l := t.Schema.Label
	byCode, rule, err := t.classes(l)
	if err != nil {
		return err
	}
	if byCode == nil {
		return fmt.Errorf("%s: the rows have no labels to train on", t.Name)
	}
	present := map[int8]bool{} // classes
	for code, n := range t.Column(l.Column).Count(rows) {
		present[byCode[code]] = present[byCode[code]] || n > 0
	}
	switch {
	case !slices.Contains(byCode, 1):
		return t.labelError(NotAmong)
	case !present[1] || !present[-1]:
		n := len(rows)
		if rows == nil {
			n = t.Rows
		}
		err := fmt.Errorf("%s: the %d rows do not have labels of both classes (%s)", t.Name, n, rule)
		return &LabelError{Fault: NotAmong, err: err}
	}
	if w := t.Column(t.Schema.Weight); w != nil && !slices.ContainsFunc(w.Present(rows), func(v float64) bool { return v > 0 }) {
		return fmt.Errorf("%s: the weights %s are all 0", t.Name, w.Name)
	}
	return nil
}

// listCounts shows the first values of a list, with the number of their rows.
func listCounts(values []LevelCount) string {
	const most = 6
	var shown []string
	for _, v := range values[:min(most, len(values))] {
		shown = append(shown, fmt.Sprintf("%s (%d)", textfile.Quote(v.Level), v.Rows))
	}
	if len(values) > most {
		shown = append(shown, "…")
	}
	if len(shown) == 0 {
		return "no values"
	}
	return strings.Join(shown, ", ")
}

// guessLabel returns the column that is most likely the label, or nil: one that is called so, or
// else the last one. The label has two values, or the values that the schema calls positive and
// others. If it is only the last one, others are the columns that could be the label as well.
func (t *tableReader) guessLabel() (label *collector, others []string) {
	l := t.schema.Label
	candidate := func(c *collector) bool {
		if _, declared := t.schema.column(c.name); c.state != anything || declared || c.count()[0] > 0 {
			return false
		}
		levels := slices.DeleteFunc(slices.Clone(c.level), func(level string) bool { return hasLabel(l.Skip, level) })
		if len(l.Positive) == 0 {
			return twoLabels(levels)
		}
		return len(levels) > len(l.Positive) && !slices.ContainsFunc(l.Positive, func(v string) bool {
			return !slices.ContainsFunc(levels, func(level string) bool { return hasLabel([]string{v}, level) })
		})
	}
	for _, c := range t.columns {
		if slices.Contains([]string{"label", "target", "class", "outcome", "y"}, strings.ToLower(c.name)) && candidate(c) {
			return c, nil
		}
	}
	last := len(t.columns) - 1
	for last > 0 && t.columns[last].state == anything && len(t.columns[last].level) == 0 {
		last-- // a delimiter at the end of every line makes a column without values
	}
	if !candidate(t.columns[last]) {
		return nil, nil
	}
	for _, c := range t.columns[:last] {
		if candidate(c) {
			others = append(others, c.name)
		}
	}
	return t.columns[last], others
}

// NoteNegatives notes labels that count as negative, if there are several: some may be no answer,
// such as "pending" or those of a row of totals. They are not declared.
func (t *Table) NoteNegatives(label LabelSpec) {
	c := t.Column(label.Column)
	rows := c.Count(nil)
	var negative []LevelCount
	for k, level := range c.Levels {
		if rows[1+k] > 0 && label.Class(level) == -1 {
			negative = append(negative, LevelCount{level, rows[1+k]})
		}
	}
	if len(negative) == 0 || !slices.ContainsFunc(negative, func(v LevelCount) bool { return labelKey(v.Level) != labelKey(negative[0].Level) }) {
		return
	}
	slices.SortStableFunc(negative, func(a, b LevelCount) int { return cmp.Compare(a.Rows, b.Rows) })
	t.note(c.Name, SeveralNegative, "several values count as negative: "+listCounts(negative), "--skip-label VALUE")
}
