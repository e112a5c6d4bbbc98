package data

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/input"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/delimited"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/dataset/table"
	"github.com/fairtrain/fairtrain/internal/inert"
)

// describedTable is a table, such as a CSV file, in the output of data describe.
type describedTable struct {
	Name    string                `json:"name"`
	Rows    int                   `json:"rows"`
	Format  delimited.Format      `json:"format"`
	Label   table.LabelSpec       `json:"label"`
	Columns []table.ColumnSummary `json:"columns"`
	SHA256  string                `json:"sha256"`
	// ConvertedFrom is the encoding of the text, absent for UTF-8.
	ConvertedFrom string `json:"converted_from,omitempty"`
	Above         int    `json:"lines_above_header,omitempty"` // titles, which are left out
	Below         int    `json:"rows_below_header,omitempty"`  // questions and import ids of a survey, which are left out

	typed bool // it is no text
}

func newDescribedTable(t *table.Table) describedTable {
	return describedTable{
		Name: t.Name, Rows: t.Rows, Format: t.Format, Label: t.Schema.Label, Columns: t.Summaries(),
		SHA256: t.Hash, ConvertedFrom: t.Text, Above: t.Above, Below: t.Below, typed: t.Typed,
	}
}

// text describes the file to a person.
func (d describedTable) text(b *bytes.Buffer) {
	header := "no header"
	if *d.Format.Header {
		header = "with a header"
	}
	if d.Above > 0 {
		header += fmt.Sprintf(", %s above it left out", command.Count(d.Above, "line"))
	}
	if d.Below > 0 {
		header += fmt.Sprintf(", %s below it left out", command.Count(d.Below, "row"))
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
	describeHash(b, d.Name, d.SHA256)
	b.WriteByte('\n')
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "column\tuse\tgroups\tmissing\tvalues")
	for _, c := range d.Columns {
		values := valuesOf(c)
		if len(c.Notes) > 0 {
			values += " (" + strings.Join(c.Notes, "; ") + ")"
		}
		missing := "–" // of a column whose values are not kept nobody knows
		if c.Missing != nil {
			missing = strconv.Itoa(*c.Missing)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", inert.Line(c.Name), c.Use, inert.Line(strings.Join(c.Groups, ", ")), missing, values)
	}
	t.Flush() // to memory
}

// valuesOf says what values a column has, or why it has none.
func valuesOf(c table.ColumnSummary) string {
	switch {
	case c.Reason != "":
		return c.Reason
	case c.Number != nil:
		return strings.TrimSpace(fmt.Sprintf("%s to %s, mean %s %s", rounded(c.Number.Min), rounded(c.Number.Max), rounded(c.Number.Mean), c.Number.Unit))
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
	return inert.Line(value)
}

// rounded writes a number with four digits; those before the point are all there if they are usual.
func rounded(v float64) string {
	if unusual := 1e12; math.Abs(v) >= 1e4 && math.Abs(v) < unusual {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.4g", v)
}

// loadAny reads data of either format as CSVFlags say.
func (p program) loadAny(c *cli.Context, name string, anyLabels bool) (catalogue.Input, error) {
	limit, err := input.MaxFeatures(c)
	if err != nil {
		return catalogue.Input{}, err
	}
	opts, err := input.CSVOptions(c, name, nil)
	if err != nil {
		return catalogue.Input{}, err
	}
	if c.NArg() > 1 {
		opts.Table.Dropped = nil // another file may have the column
	}
	opts.Rows = libsvm.Options{MaxFeatures: limit, AnyLabels: anyLabels}
	opts.Table.AnyLabels, opts.Table.HasLabel = anyLabels, c.IsSet("label")
	in, err := input.LoadInput(c.Context, p.Stdin, name, opts)
	return in, input.AdviseLabel(err)
}

// writeSchema writes the detected schema of a CSV file.
func (p program) writeSchema(c *cli.Context, t *table.Table) error {
	path := c.String("write-schema")
	if err := p.WriteOutput(path, t.FullSchema().Write); err != nil {
		return err
	}
	if path != "-" {
		p.Remark("schema of %s written to %s, to be edited and used with --schema", t.Name, path)
	}
	return nil
}

// converted is a file in the output of data convert.
type converted struct {
	Path     string `json:"path"`
	Rows     int    `json:"rows"`
	Features int    `json:"features"`
}

func (p program) dataConvert(c *cli.Context) error {
	names, err := fileArguments(c)
	if err != nil {
		return err
	}
	if len(names) > 1 {
		return command.Usage(fmt.Errorf("%s takes one file, found %d", c.Command.HelpName, len(names)),
			"--also FILE=OUT encodes further files like the first")
	}
	out := c.String("out")
	if out == "-" && p.JSON {
		return command.Usagef("--json and --out - both want standard output")
	}
	also, err := pairs(c.StringSlice("also"))
	if err != nil {
		return err
	}
	f := command.NewFiles(c)
	f.ReadsData("", names...)
	f.Writes("out", out, command.IfForced(c))
	for _, pair := range also {
		f.ReadsData("also", pair[0])
		f.Writes("also", pair[1], command.IfForced(c))
	}
	if c.IsSet("features-out") {
		f.Writes("features-out", c.String("features-out"), command.IfForced(c))
	}
	if err := f.Check(); err != nil {
		return err
	}
	in, err := p.loadAny(c, names[0], false)
	if err != nil {
		return err
	}
	if in.Table == nil && len(also) > 0 {
		return command.Usagef("--also encodes CSV and Parquet files, %s is none", names[0])
	}
	d := in.Rows
	var e *encoding.Encoding
	if in.Table != nil {
		input.RemarkTable(p.Program, in.Table)
		if e, err = encoding.Learn(in.Table, nil); err != nil {
			return input.AdviseLabel(err)
		}
		if d, err = e.Apply(in.Table, nil); err != nil {
			return err
		}
	}
	w := new(conversion)
	if err := w.add(out, d); err != nil {
		return err
	}
	for _, pair := range also {
		t, err := command.Interruptible(c.Context, func() (*table.Table, error) {
			return catalogue.LoadTable(pair[0], p.Stdin, e.Schema, table.Options{})
		})
		if err != nil {
			return err
		}
		rows, err := e.Apply(t, nil)
		if err != nil {
			return err
		}
		if err := w.add(pair[1], rows); err != nil {
			return err
		}
	}
	contents := w.contents
	if features := c.String("features-out"); features != "" {
		names, err := command.Rendered(features, func(w io.Writer) error { return writeFeatures(w, d) })
		if err != nil {
			return err
		}
		contents = append(contents, names)
	}
	if err := p.WriteOutputs(contents...); err != nil {
		return err
	}
	for _, f := range w.files {
		if f.Path != "-" {
			p.Remark("%d rows of %d features written to %s", f.Rows, f.Features, f.Path)
		}
	}
	if p.JSON {
		return p.PrintJSON(map[string]any{"files": w.files})
	}
	return nil
}

// conversion is the rows to be written.
type conversion struct {
	files    []converted
	contents []command.Content
}

func (w *conversion) add(path string, d *dataset.Dataset) error {
	rows, err := command.Rendered(path, func(w io.Writer) error { return libsvm.Write(w, d) })
	w.files = append(w.files, converted{path, d.Rows(), d.Features()})
	w.contents = append(w.contents, rows)
	return err
}

// writeFeatures writes a line "index<tab>name" for every feature.
func writeFeatures(w io.Writer, d *dataset.Dataset) error {
	if d.Cols == nil {
		return errors.New("the features have no names")
	}
	for j, name := range d.Cols {
		if _, err := fmt.Fprintf(w, "%d\t%s\n", j+1, name); err != nil {
			return err
		}
	}
	return nil
}

// pairs splits FILE=OUT.
func pairs(list []string) ([][2]string, error) {
	var out [][2]string
	for _, text := range list {
		from, to, ok := strings.Cut(text, "=")
		if !ok || from == "" || to == "" {
			return nil, command.Usagef("--also is %q, must be FILE=OUT", text)
		}
		out = append(out, [2]string{from, to})
	}
	return out, nil
}
