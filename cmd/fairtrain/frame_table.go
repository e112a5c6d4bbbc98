package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/results"
)

// jsonFormat is the format of --json among those of tables.
const jsonFormat results.TableFormat = "json"

// frameFlags are the flags that choose what evaluate shows, and how.
func frameFlags() []cli.Flag {
	var names []string
	for _, m := range fairness.MetricList() {
		names = append(names, m.Name)
	}
	o := fairness.DefaultFrameOptions()
	return []cli.Flag{
		&cli.StringSliceFlag{
			Name: "metric", Category: "Table", DefaultText: "accuracy, selection_rate and a few more",
			Usage: "show the metric `NAME`; repeatable: " + strings.Join(names, "|"),
		},
		&cli.StringFlag{Name: "relative-to", Category: "Table", Value: string(o.RelativeTo), Usage: "compare groups with each other or with all rows: `groups|overall`"},
		&cli.StringFlag{
			Name: "interval", Category: "Table", Value: string(o.Interval),
			Usage: "`METHOD` of the intervals: wilson (for shares, else bootstrap)|bootstrap|none",
		},
		&cli.Float64Flag{Name: "level", Category: "Table", Value: o.Level, Usage: "let intervals contain the truth with probability `P`"},
		&cli.IntFlag{Name: "resamples", Category: "Table", Value: o.Resamples, Usage: "draw `N` samples for the bootstrap"},
		&cli.Uint64Flag{Name: "seed", Category: "Table", Value: o.Seed, Usage: "`N` selects the random numbers of the bootstrap"},
		&cli.StringFlag{Name: "format", Category: "Output", Value: "text", Usage: "print the table as `FORMAT`: text|markdown|csv|json"},
	}
}

// frameOptions reads the flags on the content of the table. Its metrics begin with the
// number of rows, without which no other figure can be judged.
func frameOptions(c *cli.Context) (fairness.FrameOptions, error) {
	o := fairness.DefaultFrameOptions()
	if names := c.StringSlice("metric"); len(names) > 0 {
		if !slices.Contains(names, "rows") {
			names = append([]string{"rows"}, names...)
		}
		var err error
		if o.Metrics, err = fairness.FindMetrics(names...); err != nil {
			return o, usage(fmt.Errorf("--metric: %w", err))
		}
	}
	o.RelativeTo = fairness.Reference(c.String("relative-to"))
	if o.RelativeTo != fairness.ToGroups && o.RelativeTo != fairness.ToOverall {
		return o, usagef("--relative-to is %q, must be %s or %s", o.RelativeTo, fairness.ToGroups, fairness.ToOverall)
	}
	o.Interval = fairness.IntervalMethod(c.String("interval"))
	if methods := []fairness.IntervalMethod{fairness.Wilson, fairness.Bootstrap, fairness.NoInterval}; !slices.Contains(methods, o.Interval) {
		return o, usagef("--interval is %q, must be one of %v", o.Interval, methods)
	}
	if o.Level = c.Float64("level"); !(o.Level > 0 && o.Level < 1) {
		return o, usagef("--level is %v, must be between 0 and 1, such as 0.95", o.Level)
	}
	o.Resamples = c.Int("resamples")
	o.Seed = given(c, "seed").Uint64("seed")
	return o, checkRange("resamples", float64(o.Resamples), 2, 1e6)
}

// frameFormat reads --format and --json.
func frameFormat(c *cli.Context) (results.TableFormat, error) {
	format := results.TableFormat(c.String("format"))
	if formats := []results.TableFormat{results.Text, results.Markdown, results.CSV, jsonFormat}; !slices.Contains(formats, format) {
		return "", usagef("--format is %q, must be one of %v", format, formats)
	}
	if !isOn(c, "json") {
		return format, nil
	}
	if c.IsSet("format") && format != jsonFormat {
		return "", usagef("--json and --format %s exclude each other", format)
	}
	return jsonFormat, nil
}

// evaluation is the output of evaluate --json.
type evaluation struct {
	*fairness.Report
	Frame *fairness.Frame `json:"frame"`
}

// printFrame prints a frame: as text under a title, and with warnings on stderr where the
// format has no place for them. features are the names of the features, nil if they have
// none.
func (p *program) printFrame(c *cli.Context, title string, f *fairness.Frame, features []string, format results.TableFormat) error {
	if format == jsonFormat {
		return p.printJSON(evaluation{f.Report, f})
	}
	var b bytes.Buffer
	table := frameTable(f, features, format)
	warnings := make([]string, len(f.Warnings))
	for i, w := range f.Warnings {
		warnings[i] = "warning: " + w.Message
	}
	switch format {
	case results.Text:
		fmt.Fprintf(&b, "%s, decisions from a score of %v on\n\n", title, f.Report.Threshold)
	case results.Markdown:
		table.Notes = append(table.Notes, warnings...)
	}
	if err := table.Write(&b, format); err != nil {
		return err
	}
	if format == results.Text {
		writeDisparities(&b, f.Report)
		if len(warnings) > 0 {
			fmt.Fprintf(&b, "\n%s\n", strings.Join(warnings, "\n"))
		}
	}
	if err := p.print(b.Bytes()); err != nil {
		return err
	}
	if format == results.CSV {
		for _, warning := range warnings {
			p.remark(c, "%s", warning)
		}
	}
	return nil
}

// frameTable has a line for all rows, for each group, and for the disparities between
// them.
func frameTable(f *fairness.Frame, features []string, format results.TableFormat) results.Table {
	t := results.Table{Columns: []string{"group"}, Rows: [][]results.Entry{{{Text: "overall"}}}}
	for _, g := range f.Report.Groups {
		t.Rows = append(t.Rows, []results.Entry{{Text: groupName(g.Name, features)}})
	}
	if len(f.Report.Groups) > 0 {
		t.Rows = append(t.Rows, []results.Entry{{Text: "difference"}}, []results.Entry{{Text: "ratio"}})
	}
	for _, m := range f.Metrics {
		t.Columns = append(t.Columns, m.Name)
		estimates := []fairness.Estimate{m.Overall}
		for _, g := range m.Groups {
			estimates = append(estimates, g.Estimate)
		}
		estimates = append(estimates, m.Difference, m.Ratio)
		bounded := slices.ContainsFunc(estimates, func(e fairness.Estimate) bool { return e.Low.Defined() })
		for i := range t.Rows {
			// In print, an estimate without bounds stands alone. In CSV, every one of a
			// metric has the same columns.
			withBounds := bounded && (format == results.CSV || estimates[i].Low.Defined())
			t.Rows[i] = append(t.Rows[i], estimateEntry(estimates[i], withBounds))
		}
	}
	t.Notes = frameNotes(f)
	return t
}

func estimateEntry(e fairness.Estimate, withBounds bool) results.Entry {
	value := results.Part{Value: float64(e.Value), Digits: 4}
	if !withBounds {
		return results.Entry{Parts: []results.Part{value}, Layout: "%s"}
	}
	return results.Entry{
		Parts:  []results.Part{value, {Name: "_low", Value: float64(e.Low), Digits: 3}, {Name: "_high", Value: float64(e.High), Digits: 3}},
		Layout: "%s [%s, %s]",
	}
}

// frameNotes say how to read the table.
func frameNotes(f *fairness.Frame) []string {
	var notes []string
	grouped := len(f.Report.Groups) > 0
	if grouped && f.RelativeTo == fairness.ToGroups {
		notes = append(notes, "difference: largest minus smallest group; ratio: smallest by largest group")
	}
	if grouped && f.RelativeTo == fairness.ToOverall {
		notes = append(notes, "difference: of the group farthest from overall; ratio: of the two, the smaller by the larger one")
	}
	intervals := fmt.Sprintf("[low, high]: %.6g %% intervals", 100*f.Level)
	switch f.Interval {
	case fairness.NoInterval:
		return notes
	case fairness.Wilson:
		intervals += ", Wilson's for shares of rows, else"
	}
	notes = append(notes, fmt.Sprintf("%s of %d bootstrap samples", intervals, f.Resamples))
	if grouped {
		notes = append(notes, "a difference whose interval begins with 0, or a ratio whose interval ends with 1, may be chance")
	}
	return notes
}
