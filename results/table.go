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

// Table is a table for people, or for a spreadsheet in its CSV form, which has all digits
// and a column for every number.
type Table struct {
	Caption string // above the text and Markdown forms
	Columns []string
	Rows    [][]Entry
	Notes   []string // what to know when reading it
	// EqualDigits gives all numbers of a column the decimals that the largest number needs,
	// so that they can be compared by eye. Small numbers may then look like 0.
	EqualDigits bool
	Wide        bool // the text form is not cut into blocks, however wide; long names get lines of their own
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

// maxParts is the largest number of numbers in an entry.
const maxParts = 3

// Part is a number of an entry: the CSV form has it in a column of its own.
type Part struct {
	Name   string // appended to the column's name
	Value  float64
	Digits int // shown to people
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
	if t.Wide {
		widths[0] = nameWidth(widths)
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
			name := row[0]
			if utf8.RuneCountInString(name) > widths[0] {
				b.WriteString(name + "\n") // on a line of its own
				name = ""
			}
			line := fmt.Sprintf(t.aligned(0, "%-*s", "%*s"), widths[0], name)
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

// nameWidth is the width of the first column, given the widths of the others: its own
// width, or less if a line would be wider than other lines of the text.
func nameWidth(widths []int) int {
	room := textWidth
	for _, w := range widths[1:] {
		room -= 2 + w
	}
	const least = 16 // characters, in which most names have room
	if room < least {
		return widths[0]
	}
	return min(widths[0], room)
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
	notations := make([]notation, len(t.Columns))
	for j := range t.Columns {
		notations[j] = t.notation(j)
	}
	rows := make([][]string, len(t.Rows))
	for i, entries := range t.Rows {
		for j, e := range entries {
			text := e.Text
			if len(e.Parts) > 0 {
				text = e.format(func(p Part) string { return plainNumber(notations[j].text(p)) })
			}
			rows[i] = append(rows[i], text)
		}
	}
	return rows
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
