package data

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/dataset/tabular/delimited"
	"github.com/fairtrain/fairtrain/internal/memory"
	"github.com/fairtrain/fairtrain/internal/names"
)

// describeOptions are the flags of data describe.
type describeOptions struct {
	files  []source
	strict bool   // doubts are an error, once all is shown
	schema string // where the detected schema of the only file is written; "": nowhere
}

func readDescribe(c *cli.Context) (o describeOptions, err error) {
	if o.files, err = readSources(c); err != nil {
		return o, err
	}
	for k := range o.files {
		opts := &o.files[k].opts
		opts.Rows.AnyLabels, opts.Table.AnyLabels = true, true
		o.strict, opts.Table.Strict = opts.Table.Strict, false
		if c.IsSet("label") {
			opts.Table.Needed = append(opts.Table.Needed, c.String("label"))
		}
	}
	o.schema = c.String("write-schema")
	if o.schema == "" {
		return o, nil
	}
	if len(o.files) > 1 {
		return o, command.Usagef("--write-schema is for one file, found %d", len(o.files))
	}
	f := command.NewFiles(c)
	f.ReadsData("", o.files[0].name)
	f.Writes("write-schema", o.schema, nil)
	return o, f.Check()
}

func (p program) describe(ctx context.Context, o describeOptions) error {
	summaries := []any{}
	var b bytes.Buffer
	var doubts []error
	for i, file := range o.files {
		in, err := p.load(ctx, file)
		if err != nil {
			return err
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		if in.Table != nil {
			d := newDescribedTable(in.Table)
			d.text(&b)
			summaries = append(summaries, d)
			if o.strict {
				doubts = append(doubts, in.Table.Doubts())
			}
			if o.schema == "" {
				continue
			}
			if err := p.writeSchema(o.schema, in.Table); err != nil || o.schema == "-" {
				return err
			}
			continue
		}
		if o.schema != "" {
			return command.Usagef("%s is no CSV or Parquet file, it has no schema", file.name)
		}
		const perFeature = 40 // bytes, some of them of the list of unused ones
		if err := memory.Check(fmt.Sprintf("%s: to describe %d features", in.Rows.Name,
			in.Rows.Features()), perFeature*float64(in.Rows.Features())); err != nil {
			return err
		}
		s := dataset.Describe(in.Rows)
		describeRows(&b, s)
		summaries = append(summaries, s)
	}
	if p.JSON {
		return errors.Join(append(doubts, p.PrintJSON(map[string]any{"data": summaries}))...)
	}
	return errors.Join(append(doubts, p.Print(b.Bytes()))...)
}

// writeSchema writes the detected schema of a tabular.
func (p program) writeSchema(path string, t *tabular.Table) error {
	if err := p.WriteOutput(path, t.FullSchema().Write); err != nil {
		return err
	}
	if path != "-" {
		p.Remark("schema of %s written to %s, to be edited and used with --schema", t.Name, path)
	}
	return nil
}

func describeRows(b *bytes.Buffer, s dataset.Summary) {
	fmt.Fprintf(b, "%s\n", s.Name)
	fmt.Fprintf(b, "  rows       %d\n", s.Rows)
	fmt.Fprintf(b, "  labels     %d positive, %d negative (%s)\n", s.Positives, s.Negatives, s.LabelRule)
	fmt.Fprintf(b, "  features   %d, of which %d are 0 in every row\n", s.Features, len(s.Unused))
	fmt.Fprintf(b, "  non-zeros  %d (%.3g %% of the entries)\n", s.NonZeros, 100*s.Density)
	switch {
	case s.MinValue == s.MaxValue:
		fmt.Fprintf(b, "  values     %g\n", s.MinValue)
	case s.Binary:
		fmt.Fprintf(b, "  values     0 and 1\n")
	default:
		fmt.Fprintf(b, "  values     %g to %g\n", s.MinValue, s.MaxValue)
	}
	if len(s.Groups) > 0 {
		fmt.Fprintf(b, "  groups     %s\n", names.Line(strings.Join(s.Groups, ", ")))
	}
	fmt.Fprintf(b, "  SHA-256    %s\n", s.SHA256)
}

// describedTable is a table, such as a CSV file, in the output of data describe.
type describedTable struct {
	Name    string                  `json:"name"`
	Rows    int                     `json:"rows"`
	Format  delimited.Format        `json:"format"`
	Label   tabular.LabelSpec       `json:"label"`
	Columns []tabular.ColumnSummary `json:"columns"`
	Notes   []tabular.Note          `json:"notes,omitempty"` // about the rows
	SHA256  string                  `json:"sha256"`
	// ConvertedFrom is the encoding of the text, absent for UTF-8.
	ConvertedFrom string `json:"converted_from,omitempty"`
	Above         int    `json:"rows_above_header,omitempty"` // titles, which are left out

	typed bool // it is no text
}

func newDescribedTable(t *tabular.Table) describedTable {
	ofColumn := func(n tabular.Note) bool { return n.Column != "" }
	return describedTable{
		Notes: slices.DeleteFunc(slices.Clone(t.Notes), ofColumn),
		Name:  t.Name, Rows: t.Rows, Format: t.Format, Label: t.Schema.Label, Columns: t.Summaries(),
		SHA256: t.Hash, ConvertedFrom: t.Text, Above: t.Above, typed: t.Typed,
	}
}

// text describes the file to a person.
func (d describedTable) text(b *bytes.Buffer) {
	header := "no header"
	if *d.Format.Header {
		header = "with a header"
	}
	if d.Above > 0 {
		header += fmt.Sprintf(", %s above it left out", command.Count(d.Above, "row"))
	}
	if d.ConvertedFrom != "" {
		header += ", converted from " + d.ConvertedFrom
	}
	format := fmt.Sprintf("CSV, delimiter %q, %s", d.Format.Delimiter, header)
	if d.typed {
		format = "Parquet"
	}
	fmt.Fprintf(b, "%s\n  rows       %d\n  format     %s\n", d.Name, d.Rows, format)
	switch l := d.Label; {
	case l.Column == "":
		fmt.Fprintf(b, "  label      not found: --label says which column it is\n")
	case len(l.Positive) == 0:
		fmt.Fprintf(b, "  label      %s: --positive says which value is the positive one\n", l.Column)
	default:
		fmt.Fprintf(b, "  label      %s: positive if %s\n", l.Column, strings.Join(l.Positive, ", "))
	}
	for _, text := range textsOf(d.Notes) {
		fmt.Fprintf(b, "  note       %s\n", text)
	}
	fmt.Fprintf(b, "  SHA-256    %s\n\n", d.SHA256)
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "column\tuse\tgroups\tmissing\tvalues")
	for _, c := range d.Columns {
		values := valuesOf(c)
		if notes := textsOf(c.Notes); notes != nil {
			values += " (" + strings.Join(notes, "; ") + ")"
		}
		missing := "–" // unknown for a column whose values were not stored
		if c.Missing != nil {
			missing = strconv.Itoa(*c.Missing)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", names.Line(c.Name), c.Use,
			names.Line(strings.Join(c.Groups, ", ")), missing, values)
	}
	t.Flush() // to memory
}

// textsOf are notes in words.
func textsOf(notes []tabular.Note) (texts []string) {
	for _, n := range notes {
		texts = append(texts, names.Line(n.String()))
	}
	return texts
}

// valuesOf says what values a column has, or why it has none.
func valuesOf(c tabular.ColumnSummary) string {
	switch {
	case c.Reason != "":
		return c.Reason
	case c.Number != nil:
		return strings.TrimSpace(fmt.Sprintf("%s to %s, mean %s %s", rounded(c.Number.Min),
			rounded(c.Number.Max), rounded(c.Number.Mean), c.Number.Unit))
	case c.Levels == 0:
		return ""
	}
	const shown = 4
	var most []string
	for _, l := range c.Most[:min(shown, len(c.Most))] {
		most = append(most, fmt.Sprintf("%s (%d)", begin(l.Level), l.Rows))
	}
	if c.Levels > len(most) {
		most = append(most, fmt.Sprintf("… %d in all", c.Levels))
	}
	return strings.Join(most, ", ")
}

// begin is a value in one line, or the begin of a long one.
func begin(value string) string {
	const most = 40
	if runes := []rune(value); len(runes) > most {
		value = string(runes[:most-1]) + "…"
	}
	return names.Line(value)
}

// rounded writes a number with four digits; those before the point are all there if they are usual.
func rounded(v float64) string {
	if unusual := 1e12; math.Abs(v) >= 1e4 && math.Abs(v) < unusual {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.4g", v)
}
