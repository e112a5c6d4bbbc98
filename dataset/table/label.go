package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/textfile"
)

// LabelFault is what keeps a label from being used.
type LabelFault int

// The faults of labels, and what mends them.
const (
	NoLabel       LabelFault = iota // LabelSpec.Column is not known
	NoPositive                      // LabelSpec.Positive is not known
	NotAmong                        // no row has one of LabelSpec.Positive
	MissingLabels                   // LabelSpec.Skip leaves such rows out
)

// LabelError says why a label can't be used and what there is to choose from.
type LabelError struct {
	Fault  LabelFault
	Column string       // the label, "" for NoLabel
	Values []LevelCount // of the label, the most frequent ones
	// Candidates are the columns that could be the label, having two values, for NoLabel.
	Candidates []string

	err error
}

func (e *LabelError) Error() string { return e.err.Error() }
func (e *LabelError) Unwrap() error { return e.err }

// labelError returns the fault of a label that t has read.
func (t *Table) labelError(fault LabelFault) *LabelError {
	l := t.Schema.Label
	e := &LabelError{Fault: fault, Column: l.Column}
	if fault == NoLabel {
		for _, c := range t.Columns {
			if len(c.Levels) == 2 {
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
		e.err = fmt.Errorf("%s: no row has the positive label %s: %s has %s", t.Name, textfile.QuoteAll(l.Positive), l.Column, found)
	}
	return e
}

// missingLabels counts the rows whose label is missing while a file is read.
type missingLabels struct {
	rows  int
	first place
}

// error returns the fault of a file in which labels are missing; c has the others.
func (m missingLabels) error(file string, c *collector, rows int) *LabelError {
	values, _ := c.column().mostFrequent()
	values = append(values, LevelCount{dataset.MissingLevel, m.rows})
	slices.SortStableFunc(values, func(a, b LevelCount) int { return b.Rows - a.Rows })
	return &LabelError{
		Fault: MissingLabels, Column: c.name, Values: values,
		err: textfile.Errorf(file, m.first.line, m.first.column,
			"the label %s is missing, as in %d of %d rows: it has %s (label.skip of the schema can leave rows out)", c.name, m.rows, m.rows+rows, listCounts(values)),
	}
}

// listCounts shows the first of a list of values with the number of their rows.
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
