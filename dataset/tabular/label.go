package tabular

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular/delimited"
	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
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
	NoColumn                        // the file has no column of the name LabelSpec.Column
)

// LabelError says why a label can't be used, and which columns or values could be used
// instead.
type LabelError struct {
	Fault  LabelFault
	Column string       // the label, "" for NoLabel
	Values []LevelCount // of the label, the most frequent ones
	// Numbers says that all values are numbers, more than two, for which a condition such as ">0"
	// is shorter than a list.
	Numbers bool
	// Candidates are, for NoLabel, the columns that could be the label: they have two values.
	Candidates []string

	err error
}

func (e *LabelError) Error() string { return e.err.Error() }
func (e *LabelError) Unwrap() error { return e.err }

// labelError returns the error about the label of t.
func (t *Table) labelError(fault LabelFault) *LabelError {
	l := t.Schema.Label
	e := &LabelError{Fault: fault, Column: l.Column}
	if fault == NoLabel {
		for _, c := range t.Columns {
			if _, ok := twoLabels(c.Levels); ok {
				e.Candidates = append(e.Candidates, c.Name)
			}
		}
		e.err = fmt.Errorf("%s: which column is the label? (label.column of the schema)", t.Name)
		return e
	}
	column := t.Column(l.Column)
	e.Values, _ = column.mostFrequent()
	e.Numbers = len(column.Levels) > 2 && !slices.ContainsFunc(column.Levels, func(level string) bool {
		_, ok := numparse.ParsePlain(level) // as meets reads it
		return !ok
	})
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

// labelsNotUsed is the rule of labels that play no part.
const labelsNotUsed = "labels not used"

// Labels returns the labels −1 and +1 of the given rows, and in words how the values of the
// label were mapped. A value without a meaning is an error; if labels play no part, its label
// is 0.
func (t *Table) Labels(l LabelSpec, rows []int) (labels []int8, rule string, err error) {
	labels = make([]int8, len(rows))
	byCode, rule, err := t.classes(l)
	if byCode == nil || err != nil {
		return labels, rule, err
	}
	column := t.Column(l.Column)
	dataset.Lookup(labels, byCode, column.Codes, rows)
	return labels, rule, nil
}

// classes returns the labels −1 and +1 of the codes of the label, nil if labels play no part.
// It says in words how they were mapped.
func (t *Table) classes(l LabelSpec) (byCode []int8, rule string, err error) {
	column := t.Column(l.Column)
	switch {
	case t.anyLabels && (column == nil || len(l.Positive) == 0):
		return nil, labelsNotUsed, nil
	case l.Column == "":
		return nil, "", t.labelError(NoLabel)
	case len(l.Positive) == 0:
		return nil, "", t.labelError(NoPositive)
	}
	byCode = make([]int8, 1+len(column.Levels))
	for k, level := range column.Levels {
		if byCode[1+k] = l.Class(level); byCode[1+k] == 0 && !t.anyLabels {
			at := column.seen[k]
			return nil, "", t.fault(at, "label %q, expected %s (skip in the label of a schema leaves such rows out)", level, textfile.QuoteAll(slices.Concat(l.Positive, l.Negative)))
		}
	}
	return byCode, l.Rule(), nil
}

// CheckClasses fails unless the rows have labels of both classes, and a weight above 0; nil
// means all rows.
func (t *Table) CheckClasses(rows []int) error {
	l := t.Schema.Label
	byCode, rule, err := t.classes(l)
	var present []int8 // classes
	if column := t.Column(l.Column); byCode != nil {
		for code, n := range column.Count(rows) {
			if n > 0 {
				present = append(present, byCode[code])
			}
		}
	}
	switch {
	case err != nil:
		return err
	case rule == labelsNotUsed:
		return fmt.Errorf("%s: the rows have no labels to train on", t.Name)
	case !slices.ContainsFunc(t.Column(l.Column).Levels, func(level string) bool { return hasLabel(l.Positive, level) }):
		return t.labelError(NotAmong)
	case !slices.Contains(present, 1) || !slices.Contains(present, -1):
		n := len(rows)
		if rows == nil {
			n = t.Rows
		}
		return fmt.Errorf("%s: the %d rows do not have labels of both classes (%s)", t.Name, n, rule)
	}
	if w := t.Column(t.Schema.Weight); w != nil && !w.anyPositive(rows) {
		return fmt.Errorf("%s: the weights %s are all 0", t.Name, w.Name)
	}
	return nil
}

// anyPositive reports whether one of the given rows has a number above 0; nil means all rows.
// Weights have no codes.
func (c *Column) anyPositive(rows []int) bool {
	positive := func(v float64) bool { return v > 0 }
	if rows == nil {
		return slices.ContainsFunc(c.Numbers, positive)
	}
	return slices.ContainsFunc(rows, func(i int) bool { return positive(c.Numbers[i]) })
}

// Class returns the class of a value, −1 or +1, and 0 for a value without a meaning.
func (l LabelSpec) Class(value string) int8 {
	switch {
	case hasLabel(l.Positive, value):
		return 1
	case hasLabel(l.Negative, value) || len(l.Negative) == 0:
		return -1
	}
	return 0
}

// Names returns the class of a value that is in the lists, in any spelling, and 0 for others:
// conditions of numbers don't count.
func (l LabelSpec) Names(value string) int8 {
	switch {
	case isLabel(l.Positive, value):
		return 1
	case isLabel(l.Negative, value):
		return -1
	}
	return 0
}

// Rule says in words which values mean −1 and which +1.
func (l LabelSpec) Rule() string {
	negative := "others"
	switch conditions := OtherNumbers(l.Positive, nil); {
	case len(conditions) > 1 && slices.Equal(l.Negative, conditions): // each of which positive numbers may meet, too
		negative = "other numbers"
	case len(l.Negative) > 0:
		negative = textfile.QuoteAll(l.Negative)
	}
	return fmt.Sprintf("%s: %s → −1, %s → +1", l.Column, negative, textfile.QuoteAll(l.Positive))
}

// labelKey is what is compared of a label's value: not its case, nor how a number is written.
// Programs write 1 as 1.0 where labels are missing. The test rows of Adult have a point behind
// their labels.
func labelKey(value string) string {
	if number, ok := numparse.ParsePlain(value); ok {
		return numparse.Format(number + 0) // −0 is 0
	}
	return strings.ToLower(strings.TrimSuffix(value, "."))
}

// hasLabel reports whether a value is one of a list, or a number that meets one of its conditions.
func hasLabel(list []string, value string) bool {
	return isLabel(list, value) || slices.ContainsFunc(list, func(v string) bool { return meets(value, v) })
}

// isLabel reports whether a value is one of a list, in any spelling.
func isLabel(list []string, value string) bool {
	return slices.Contains(list, value) || slices.ContainsFunc(list,
		func(v string) bool { return labelKey(v) == labelKey(value) })
}

// complements are the conditions of all other numbers.
var complements = map[string]string{">=": "<", "<=": ">", ">": "<=", "<": ">="}

// condition cuts a label such as ">0" or "<= 3.5". It is not ok if that is no condition of numbers,
// such as ">50K".
func condition(label string) (comparison string, bound float64, ok bool) {
	for _, comparison := range []string{">=", "<=", ">", "<"} { // the longer ones first
		if rest, found := strings.CutPrefix(label, comparison); found {
			bound, ok = numparse.ParsePlain(strings.TrimSpace(rest))
			return comparison, bound, ok
		}
	}
	return "", 0, false
}

// meets reports whether a value is a number that meets a condition.
func meets(value, label string) bool {
	comparison, bound, isCondition := condition(label)
	if !isCondition {
		return false
	}
	number, ok := numparse.ParsePlain(value)
	if !ok {
		return false
	}
	switch comparison {
	case ">":
		return number > bound
	case ">=":
		return number >= bound
	case "<":
		return number < bound
	}
	return number <= bound
}

// OtherNumbers returns the conditions of the numbers that meet none of those in a list, nil if it
// has none. What is a level itself is no condition.
func OtherNumbers(list, levels []string) (conditions []string) {
	for _, label := range list {
		if comparison, _, ok := condition(label); ok && !slices.Contains(levels, label) {
			conditions = append(conditions, complements[comparison]+strings.TrimPrefix(label, comparison))
		}
	}
	return conditions
}

// DistinctLabels returns the different labels among values, in a spelling of each: three at most.
// Wherever labels or decisions are read, more than two have no meaning until somebody says which
// are positive.
func DistinctLabels(values []string) (labels []string) {
	for _, v := range values {
		if len(labels) < 3 && !hasLabel(labels, v) {
			labels = append(labels, v)
		}
	}
	return labels
}

// UsualLabels returns what 0 and 1, −1 and 1, or true and false mean. It is not ok if there are
// other values.
func UsualLabels(values []string) (l LabelSpec, ok bool) {
	for _, pair := range [][2]string{{"0", "1"}, {"-1", "1"}, {"false", "true"}} {
		l = LabelSpec{Positive: []string{pair[1]}, Negative: []string{pair[0]}}
		if !slices.ContainsFunc(values, func(v string) bool { return l.Names(v) == 0 }) {
			return l, true
		}
	}
	return l, false
}

// twoLabels returns the two labels that values are, in a spelling of each. It is not ok if there
// are fewer or more.
func twoLabels(values []string) (labels []string, ok bool) {
	labels = DistinctLabels(values)
	return labels, len(labels) == 2
}

// missingLabels counts the rows whose label is missing while a file is read.
type missingLabels struct {
	rows  int
	first delimited.Place
}

// error returns the error about a table in which labels are missing. c has the labels that are
// not missing.
func (m missingLabels) error(t *Table, c *collector) *LabelError {
	values, _ := c.column().mostFrequent()
	values = append(values, LevelCount{dataset.MissingLevel, m.rows})
	slices.SortStableFunc(values, func(a, b LevelCount) int { return b.Rows - a.Rows })
	return &LabelError{
		Fault: MissingLabels, Column: c.name, Values: values,
		err: t.fault(m.first, "the label %s is missing, as in %d of %d rows: it has %s (label.skip of the schema can leave rows out)", c.name, m.rows, m.rows+t.Rows, listCounts(values)),
	}
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

// guessLabel returns the column that is most likely the label, or nil. The label has two values, or
// the values that the schema calls positive and others. If that is the last column only for its
// place, others are the columns that could be the label as well.
func (t *tableReader) guessLabel() (label *collector, others []string) {
	l := t.schema.Label
	candidate := func(c *collector) bool {
		if _, declared := t.schema.column(c.name); c.state != anything || declared || c.lacksValues() {
			return false
		}
		levels := slices.DeleteFunc(slices.Clone(c.level), func(level string) bool { return hasLabel(l.Skip, level) })
		if len(l.Positive) == 0 {
			_, ok := twoLabels(levels)
			return ok
		}
		return len(levels) > len(l.Positive) && !slices.ContainsFunc(l.Positive, func(v string) bool {
			return !slices.ContainsFunc(levels, func(level string) bool { return hasLabel([]string{v}, level) })
		})
	}
	for _, c := range t.columns {
		if slices.Contains([]string{"label", "target", "class", "outcome", "y"},
			strings.ToLower(c.name)) && candidate(c) {
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

// Completed fills in which levels mean +1, if that is clear, and which mean −1.
func (l LabelSpec) Completed(levels []string) LabelSpec {
	levels = slices.DeleteFunc(slices.Clone(levels), func(level string) bool { return hasLabel(l.Skip, level) })
	if two, ok := twoLabels(levels); ok && len(l.Positive) == 0 {
		l.Positive = positiveOf(two)
	}
	if len(l.Positive) == 0 || len(l.Negative) > 0 {
		return l
	}
	if l.Negative = OtherNumbers(l.Positive, levels); l.Negative != nil {
		return l // which levels are positive has been said of all numbers
	}
	l.Positive = slices.Clone(l.Positive)
	for _, level := range levels {
		switch {
		case slices.Contains(l.Positive, level):
		case isLabel(l.Positive, level): // in another spelling
			l.Positive = append(l.Positive, level)
		default:
			l.Negative = append(l.Negative, level)
		}
	}
	return l
}

// positiveOf returns the level, of two, that means +1; nil if that is not clear.
func positiveOf(levels []string) []string {
	if values, _, _, ok := numparse.ReadAll(levels, 0); ok && values[1] != values[2] {
		if values[1] > values[2] {
			return levels[:1]
		}
		return levels[1:]
	}
	if word, ok := PositiveWord(levels); ok {
		return []string{word}
	}
	return nil
}

// noteNegatives notes labels that count as negative, if there are several: some may be no answer,
// such as "pending" or those of a row of totals. Nobody has said what they mean.
func (t *Table) noteNegatives(s *Schema, c *Column) {
	const most = 6 // that are named, those of the fewest rows
	rows := c.Count(nil)
	var negative []int
	spellings := map[string]bool{}
	for k, level := range c.Levels {
		if rows[1+k] > 0 && s.Label.Class(level) == -1 {
			negative = append(negative, k)
			spellings[labelKey(level)] = true
		}
	}
	if len(spellings) < 2 {
		return
	}
	slices.SortStableFunc(negative, func(a, b int) int { return cmp.Compare(rows[1+a], rows[1+b]) })
	var list []string
	for _, k := range negative[:min(len(negative), most)] {
		list = append(list, fmt.Sprintf("%q in %d of %d rows, first in line %d", c.Levels[k],
			rows[1+k], t.Rows, t.fault(c.seen[k], "").Line))
	}
	if more := len(negative) - most; more > 0 {
		list = append(list, fmt.Sprintf("%d others", more))
	}
	t.note(c.Name, SeveralNegative, "several values count as negative: "+strings.Join(list, ", "))
}

// decisionWords are pairs of words for positive and negative decisions and outcomes that
// need no explanation, in any case.
var decisionWords = [][2]string{
	{"yes", "no"},
	{"y", "n"},
	{"true", "false"},
	{"t", "f"},
	{"positive", "negative"},
	{"accept", "reject"},
	{"accepted", "rejected"},
	{"accepted", "refused"},
	{"accepted", "declined"},
	{"approve", "deny"},
	{"approved", "denied"},
	{"approved", "rejected"},
	{"approved", "refused"},
	{"approved", "declined"},
	{"grant", "deny"},
	{"granted", "denied"},
	{"granted", "refused"},
	{"admit", "reject"},
	{"admitted", "rejected"},
	{"hire", "reject"},
	{"hired", "rejected"},
	{"selected", "rejected"},
	{"pass", "fail"},
	{"passed", "failed"},
	{"ja", "nein"},
	{"oui", "non"},
}

// IsTruth reports whether a value is true or false, in any case.
func IsTruth(value string) bool {
	return strings.EqualFold(value, "true") || strings.EqualFold(value, "false")
}

// PositiveWord returns the positive one of one or two words; "" if there is only the negative
// one. ok is false if the words are no known pair.
func PositiveWord(words []string) (word string, ok bool) {
	for _, pair := range decisionWords {
		var positive string
		known := true
		for _, word := range words {
			switch {
			case strings.EqualFold(word, pair[0]):
				positive = word
			case !strings.EqualFold(word, pair[1]):
				known = false
			}
		}
		if known {
			return positive, true
		}
	}
	return "", false
}
