package results

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fairtrain/fairtrain/internal/names"
)

// Statistic says how a table sums up the runs of a method.
type Statistic string

// The statistics.
const (
	Median Statistic = "median" // median [first quartile, third quartile]
	Mean   Statistic = "mean"   // mean ± sample standard deviation
)

// meaning explains the cells of NewTable.
func (s Statistic) meaning() string {
	cell := "median [first, third quartile]"
	if s == Mean {
		cell = "mean ± standard deviation"
	}
	return cell + " over the runs; best: at the point with the least KKT residual"
}

// TableFormat is a form of a table.
type TableFormat string

// The formats of a table.
const (
	Text     TableFormat = "text"
	Markdown TableFormat = "markdown"
	CSV      TableFormat = "csv"
)

// Table is a table for a terminal or a document, or for a spreadsheet in its CSV form, which has
// all digits and a column for every number.
type Table struct {
	Caption string // above the text and Markdown forms
	Columns []string
	Rows    [][]Entry
	Notes   []string // what to know when reading it
	// EqualDigits gives all numbers of a column the decimals that the largest number needs,
	// so that they can be compared by eye. Small numbers may then look like 0.
	EqualDigits bool
	Wide        bool // the text form is not cut into blocks, however wide
}

// Entry is an entry of a table.
type Entry struct {
	Text   string // used if Parts is empty
	Right  bool   // Text is a number of its own notation: it stands to the right
	Key    string // stands for Text in the CSV form, unless it is empty
	Parts  []Part // numbers, at most maxParts
	Layout string // of the numbers' texts, with one %s for each
}

// Row is a row of texts, the first to the left and the others to the right.
func Row(texts ...string) []Entry {
	row := make([]Entry, len(texts))
	for j, text := range texts {
		row[j] = Entry{Text: text, Right: j > 0}
	}
	return row
}

// DropEmpty removes the columns without an entry.
func (t *Table) DropEmpty() {
	for j := len(t.Columns) - 1; j >= 0; j-- {
		if !slices.ContainsFunc(t.Rows, func(row []Entry) bool { return row[j].Text != "" || len(row[j].Parts) > 0 }) {
			t.Columns = slices.Delete(t.Columns, j, j+1)
			for i := range t.Rows {
				t.Rows[i] = slices.Delete(t.Rows[i], j, j+1)
			}
		}
	}
}

// maxParts is the largest number of numbers in an entry.
const maxParts = 3

// Part is a number of an entry: the CSV form has it in a column of its own.
type Part struct {
	Name   string // appended to the column's name
	Value  float64
	Digits int // shown in text
}

// NewTable tabulates summaries, one row each.
func NewTable(summaries []Summary, statistic Statistic) Table {
	t := Table{Columns: []string{"method", "runs", "endings"}, Notes: []string{statistic.meaning()}, EqualDigits: true}
	for _, violation := range violations {
		t.Columns = append(t.Columns, fmt.Sprintf("final c ≤ %g", violation))
	}
	for _, point := range []string{"final", "best"} {
		t.Columns = append(t.Columns, point+" objective", point+" constraint", point+" KKT")
	}
	if len(summaries) > 0 {
		for _, r := range summaries[0].Reached {
			t.Columns = append(t.Columns, "samples to "+strconv.FormatFloat(r.Tolerance, 'g', 4, 64))
		}
	}
	t.Columns = append(t.Columns, "seconds")
	for _, s := range summaries {
		row := []Entry{{Text: names.Method(s.Label), Key: s.Label}, Single(float64(s.Runs), 4), {Text: endings(s.Statuses)}}
		for _, f := range s.Feasible {
			row = append(row, Single(float64(f.Runs), 4))
		}
		for _, v := range []Values{s.Values, s.Best} {
			row = append(row, spread(v.Objective, statistic), spread(v.Constraint, statistic), spread(v.KKT, statistic))
		}
		for _, r := range s.Reached {
			row = append(row, Single(r.Samples, 4))
		}
		t.Rows = append(t.Rows, append(row, spread(s.Seconds, statistic)))
		t.Notes = append(t.Notes, s.Notes...)
	}
	return t
}

func endings(statuses map[Status]int) string {
	var parts []string
	for _, status := range []Status{Converged, Exhausted, Diverged, Failed} {
		if n := statuses[status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, status))
		}
	}
	return strings.Join(parts, ", ")
}

// Single is an entry of one number.
func Single(x float64, digits int) Entry { return Entry{Parts: []Part{{"", x, digits}}, Layout: "%s"} }

func spread(s Spread, statistic Statistic) Entry {
	if statistic == Mean {
		return Entry{Parts: []Part{{" mean", s.Mean, 4}, {" sd", s.SD, 2}}, Layout: "%s ± %s"}
	}
	return Entry{Parts: []Part{{" median", s.Median, 4}, {" q1", s.Q1, 3}, {" q3", s.Q3, 3}}, Layout: "%s [%s, %s]"}
}

// Write writes the table in a format. The CSV form has neither caption nor notes.
func (t Table) Write(w io.Writer, format TableFormat) error {
	var b strings.Builder
	switch format {
	case Text:
		t.writeText(&b)
	case Markdown:
		t.writeMarkdown(&b)
	case CSV:
		return t.writeCSV(w)
	default:
		return fmt.Errorf("table: format is %q, must be %s, %s or %s", format, Text, Markdown, CSV)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// textWidth is the width of the text form. A wider table is cut into blocks of columns,
// one below the other, each with the first column.
const textWidth = 100

func (t Table) writeText(b *strings.Builder) {
	rows := append([][]string{slices.Clone(t.Columns)}, t.texts()...)
	widths := make([]int, len(t.Columns))
	for _, row := range rows {
		for j, text := range row {
			row[j] = names.Line(text)
			widths[j] = max(widths[j], utf8.RuneCountInString(row[j]))
		}
	}
	t.writeCaption(b)
	for from := 1; from < len(widths); {
		to, width := from, widths[0]
		for to < len(widths) && (to == from || t.Wide || width+2+widths[to] <= textWidth) {
			width += 2 + widths[to]
			to++
		}
		if from > 1 {
			b.WriteByte('\n')
		}
		for _, row := range rows {
			line := fmt.Sprintf(t.aligned(0, "%-*s", "%*s"), widths[0], row[0])
			for j := from; j < to; j++ {
				line += fmt.Sprintf(t.aligned(j, "  %-*s", "  %*s"), widths[j], row[j])
			}
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
		from = to
	}
	for i, note := range t.Notes {
		if i == 0 {
			b.WriteByte('\n')
		}
		b.WriteString(Wrap("note: "+note, textWidth) + "\n")
	}
}

func (t Table) writeCaption(b *strings.Builder) {
	if t.Caption != "" {
		b.WriteString(t.Caption + "\n\n")
	}
}

func (t Table) writeMarkdown(b *strings.Builder) {
	line := func(cells []string) {
		for _, cell := range cells {
			b.WriteString("| " + names.Markdown(cell) + " ")
		}
		b.WriteString("|\n")
	}
	t.writeCaption(b)
	line(t.Columns)
	for j := range t.Columns {
		b.WriteString(t.aligned(j, "|---", "|---:"))
	}
	b.WriteString("|\n")
	for _, row := range t.texts() {
		line(row)
	}
	for i, note := range t.Notes {
		if i == 0 {
			b.WriteByte('\n')
		}
		b.WriteString("- " + names.Markdown(note) + "\n")
	}
}

func (t Table) writeCSV(w io.Writer) error {
	var header []string
	for j, column := range t.Columns {
		if len(t.Rows) == 0 || len(t.Rows[0][j].Parts) == 0 {
			header = append(header, column)
			continue
		}
		for _, part := range t.Rows[0][j].Parts {
			header = append(header, column+part.Name)
		}
	}
	rows := [][]string{header}
	for _, entries := range t.Rows {
		var row []string
		for _, e := range entries {
			if len(e.Parts) == 0 {
				row = append(row, cmp.Or(e.Key, e.Text))
			}
			for _, part := range e.Parts {
				row = append(row, number(part.Value))
			}
		}
		rows = append(rows, row)
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// texts formats all entries.
func (t Table) texts() [][]string {
	formats := make([]func(Part) string, len(t.Columns))
	for j := range t.Columns {
		formats[j] = t.numberFormat(j)
	}
	rows := make([][]string, len(t.Rows))
	for i, entries := range t.Rows {
		for j, e := range entries {
			text := e.Text
			if len(e.Parts) > 0 {
				text = e.format(formats[j])
			}
			rows[i] = append(rows[i], text)
		}
	}
	return rows
}

// numberFormat is how the numbers of column j are shown: – if unknown, whole ones without
// decimals, others with the digits of their own, or with EqualDigits with the decimals that the
// largest number and the largest deviation of the column need.
func (t Table) numberFormat(j int) func(Part) string {
	var largest, digits [maxParts]float64 // of the entries' first numbers, second ones, …
	smallest, whole := math.Inf(1), true  // of the first numbers
	for _, row := range t.Rows {
		for k, p := range row[j].Parts {
			x := math.Abs(p.Value)
			if isWhole := x == math.Trunc(x); x <= math.MaxFloat64 && (!isWhole || k > 0 && x > 0) {
				whole = whole && isWhole
				largest[k], digits[k] = max(largest[k], x), float64(p.Digits)
				if k == 0 {
					smallest = min(smallest, x)
				}
			}
		}
	}
	decimals := 0
	for k, x := range largest {
		if x > 0 {
			need := int(digits[k]) - 1 - int(math.Floor(math.Log10(x)))
			if k > 0 && largest[0] > 0 {
				need = min(need, decimals+3)
			}
			decimals = max(decimals, need)
		}
	}
	scientific := largest[0] >= 1e6 || largest[0] > 0 && largest[0] < 1e-3 ||
		smallest < math.Pow10(-decimals)
	return func(p Part) string {
		format, precision := byte('f'), decimals
		switch x := p.Value; {
		case math.IsNaN(x):
			return "–"
		case math.IsInf(x, 1):
			return "∞"
		case x == 0 && scientific, whole || !t.EqualDigits && x == math.Trunc(x) && math.Abs(x) < 1e9:
			precision = 0
		case !t.EqualDigits:
			format, precision = 'g', p.Digits
		case scientific:
			format, precision = 'e', p.Digits-1
		}
		return strconv.FormatFloat(p.Value, format, precision, 64)
	}
}

// aligned returns what puts column j to the left or, if it has numbers, to the right.
func (t Table) aligned(j int, left, right string) string {
	if slices.ContainsFunc(t.Rows, func(row []Entry) bool { return row[j].Right || len(row[j].Parts) > 0 }) {
		return right
	}
	return left
}

func (e Entry) format(text func(Part) string) string {
	if math.IsNaN(e.Parts[0].Value) {
		return text(e.Parts[0]) // the whole is unknown
	}
	texts := make([]any, len(e.Parts))
	for i, part := range e.Parts {
		texts[i] = text(part)
	}
	return fmt.Sprintf(e.Layout, texts...)
}

// Wrap breaks a text into lines of at most so many columns; those after the first are
// indented.
func Wrap(text string, width int) string {
	const indent = "  "
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+n > width:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}
