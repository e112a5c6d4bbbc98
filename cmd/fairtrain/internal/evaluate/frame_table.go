package evaluate

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/results"
)

// jsonFormat stands for --json among the formats of tables.
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
			Usage: "`METHOD` of the intervals: standard (exact for shares, else a bootstrap; see the notes under the table)|none",
		},
		&cli.Float64Flag{Name: "level", Category: "Table", Value: o.Level, Usage: "let intervals contain the truth with probability `P`"},
		&cli.IntFlag{Name: "resamples", Category: "Table", Value: o.Resamples, Usage: "draw `N` samples for a bootstrap"},
		&cli.Uint64Flag{Name: "seed", Category: "Table", Value: o.Seed, Usage: "`N` selects the random numbers of a bootstrap"},
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
			return o, command.Usage(fmt.Errorf("--metric: %w", err))
		}
	}
	o.RelativeTo = fairness.Reference(c.String("relative-to"))
	if o.RelativeTo != fairness.ToGroups && o.RelativeTo != fairness.ToOverall {
		return o, command.Usagef("--relative-to is %q, must be %s or %s", o.RelativeTo, fairness.ToGroups, fairness.ToOverall)
	}
	o.Interval = fairness.IntervalMethod(c.String("interval"))
	if o.Interval != fairness.Standard && o.Interval != fairness.NoInterval {
		return o, command.Usagef("--interval is %q, must be %s or %s", o.Interval, fairness.Standard, fairness.NoInterval)
	}
	if o.Level = c.Float64("level"); !(o.Level > 0 && o.Level < 1) {
		return o, command.Usagef("--level is %v, must be between 0 and 1, such as 0.95", o.Level)
	}
	o.Resamples = c.Int("resamples")
	o.Seed = command.Given(c, "seed").Uint64("seed")
	return o, command.CheckRange("resamples", float64(o.Resamples), fairness.LeastResamples, 1e6)
}

// frameFormat reads --format and --json.
func (p program) frameFormat(c *cli.Context) (results.TableFormat, error) {
	format, err := command.OneOf(c, "format", results.Text, results.Markdown, results.CSV, jsonFormat)
	if err != nil {
		return "", err
	}
	if !p.JSON {
		return format, nil
	}
	if c.IsSet("format") && format != jsonFormat {
		return "", command.Usagef("--json and --format %s exclude each other", format)
	}
	return jsonFormat, nil
}

// line is a line of the table: its name and the estimate of each metric.
type line struct {
	name     string
	estimate func(m *fairness.Comparison) fairness.Estimate
}

// lines returns the lines of a comparison: one for each group, then the difference and the
// ratio of the groups.
func (a *audit) lines(k int) []line {
	f := a.frames[k]
	if len(f.Report.Groups) == 0 {
		return nil
	}
	var lines []line
	of := ""
	if a.several() {
		of = " of " + GroupName(a.specs[k], a.features)
	}
	for i, g := range f.Report.Groups {
		name := GroupName(g.Name, a.features)
		if g.Name == fairness.Others && a.several() {
			name = "others than " + GroupName(a.specs[k], a.features)
		}
		lines = append(lines, line{name, func(m *fairness.Comparison) fairness.Estimate { return m.Groups[i].Estimate }})
	}
	return append(lines,
		line{"difference" + of, func(m *fairness.Comparison) fairness.Estimate { return m.Difference }},
		line{"ratio" + of, func(m *fairness.Comparison) fairness.Estimate { return m.Ratio }})
}

// table has a line for all rows, for each group, and for the disparities between them.
func (a *audit) table(format results.TableFormat) results.Table {
	first := a.frames[0]
	t := results.Table{Columns: []string{"group"}, Rows: [][]results.Entry{{{Text: "overall"}}}}
	estimates := make([][]fairness.Estimate, 1) // by row and metric
	for k := range first.Metrics {
		estimates[0] = append(estimates[0], first.Metrics[k].Overall)
	}
	for k, f := range a.frames {
		for _, l := range a.lines(k) {
			t.Rows = append(t.Rows, []results.Entry{{Text: l.name}})
			var row []fairness.Estimate
			for i := range f.Metrics {
				row = append(row, l.estimate(&f.Metrics[i]))
			}
			estimates = append(estimates, row)
		}
	}
	for k, m := range first.Metrics {
		t.Columns = append(t.Columns, m.Name)
		bounded := slices.ContainsFunc(estimates, func(row []fairness.Estimate) bool { return row[k].Low.Defined() })
		for i := range t.Rows {
			// In print, an estimate without bounds stands alone. In CSV, all estimates of a metric
			// have the same columns.
			withBounds := bounded && (format == results.CSV || estimates[i][k].Low.Defined())
			t.Rows[i] = append(t.Rows[i], estimateEntry(estimates[i][k], withBounds))
		}
	}
	t.Notes = frameNotes(first)
	switch {
	case a.seen && len(intervalNotes(first)) > 0:
		t.Notes = slices.Insert(t.Notes, 0, "the model was trained on rows of this file: intervals are as if the rows were new to it, and say nothing about other people")
	case a.seen:
		t.Notes = slices.Insert(t.Notes, 0, "the model was trained on rows of this file: on other people it may do worse, and less equally")
	}
	return t
}

// reliabilityTable has the bins of all rows and of each group, if the calibration error is
// asked for.
func (a *audit) reliabilityTable() results.Table {
	t := results.Table{Columns: []string{"group", "scores from", "to", "rows", "mean score", "base rate"}}
	asked := func(m fairness.Comparison) bool { return m.Name == "ece" }
	if !slices.ContainsFunc(a.frames[0].Metrics, asked) {
		return t
	}
	add := func(name string, m *fairness.Metrics) {
		for _, bin := range m.Calibration {
			t.Rows = append(t.Rows, []results.Entry{
				{Text: name},
				results.Single(float64(bin.Low), 4), results.Single(float64(bin.High), 4), results.Single(float64(bin.Rows), 4),
				results.Single(float64(bin.MeanScore), 4), results.Single(float64(bin.BaseRate), 4),
			})
		}
	}
	add("overall", &a.frames[0].Report.Metrics)
	for _, f := range a.frames {
		for i := range f.Report.Groups {
			add(GroupName(f.Report.Groups[i].Name, a.features), &f.Report.Groups[i].Metrics)
		}
	}
	t.Notes = []string{"ece: mean distance of mean score and base rate, in bins of about equal weight (ties stay together; at most 10 bins, and one for every 10 rows)"}
	return t
}

func estimateEntry(e fairness.Estimate, withBounds bool) results.Entry {
	if !withBounds {
		return results.Single(float64(e.Value), 4)
	}
	low, lowDigits := outward(float64(e.Low), math.Inf(-1))
	high, highDigits := outward(float64(e.High), math.Inf(1))
	return results.Entry{
		Parts:  []results.Part{{Value: float64(e.Value), Digits: 4}, {Name: "_low", Value: low, Digits: lowDigits}, {Name: "_high", Value: high, Digits: highDigits}},
		Layout: "%s [%s, %s]",
	}
}

// outward rounds an end of an interval towards an infinity, to three digits, or to as many as it takes not to
// show as 1 what is not: from a ratio of 1 one concludes that there may be no gap.
func outward(x, towards float64) (rounded float64, digits int) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return x, 3
	}
	round := func(x float64) float64 {
		r, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', digits-1, 64), 64) // can't fail
		return r
	}
	for digits = 3; ; digits++ {
		rounded = round(x)
		if towards > x && rounded < x || towards < x && rounded > x {
			unit := math.Pow10(int(math.Floor(math.Log10(math.Abs(x)))) - digits + 1)
			rounded = round(rounded + math.Copysign(unit, towards))
		}
		if rounded != 1 || x == 1 || digits == 9 {
			return rounded, digits
		}
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
	if counts := weighedCounts(f); len(counts) > 0 {
		notes = append(notes, "sums of weights, not numbers of rows: "+strings.Join(counts, ", "))
	}
	if f.Interval == fairness.NoInterval {
		return notes
	}
	notes = append(notes, intervalNotes(f)...)
	if grouped {
		every := "any two groups, all pairs"
		if f.RelativeTo == fairness.ToOverall {
			every = "any group and all rows, all groups"
		}
		notes = append(notes,
			"intervals of differences and ratios: for the largest gap there truly is between "+every+" together",
			"a difference whose interval begins with 0, or a ratio whose interval ends with 1, may be chance")
		if names := unknownSomewhere(f); len(names) > 0 {
			notes = append(notes, "these suppose that a group without a figure may have any: "+strings.Join(names, ", "))
		}
	}
	return notes
}

// unknownSomewhere are the metrics that some groups lack and that are compared among the others.
func unknownSomewhere(f *fairness.Frame) (names []string) {
	for _, m := range f.Metrics {
		lacks := slices.ContainsFunc(m.Groups, func(g fairness.GroupEstimate) bool { return !g.Value.Defined() })
		if lacks && m.Difference.High.Defined() {
			names = append(names, m.Name)
		}
	}
	return names
}

// weighedCounts are the figures that look like numbers of rows, and are none as these have weights.
func weighedCounts(f *fairness.Frame) (names []string) {
	if f.Report.Positives+f.Report.Negatives == fairness.Value(f.Report.Rows) {
		return nil
	}
	for _, m := range f.Metrics {
		if slices.Contains([]string{"positives", "negatives", "tp", "fp", "tn", "fn"}, m.Name) && m.Overall.Value.Defined() {
			names = append(names, m.Name)
		}
	}
	return names
}

// intervalNotes say how sure the intervals are.
func intervalNotes(f *fairness.Frame) []string {
	var exact, drawn []string
	weighted := false
	for _, m := range f.Metrics {
		switch m.Technique {
		case fairness.NoTechnique:
		case fairness.ClopperPearson:
			exact = append(exact, m.Name)
			weighted = m.Approximate
		default:
			drawn = append(drawn, m.Name)
		}
	}
	level := fmt.Sprintf("[low, high]: contain the true value of each figure with a probability of %.6g %%", 100*f.Level)
	var notes []string
	if len(exact) > 0 && weighted {
		notes = append(notes, level+", approximately, as rows have weights, and less if these go with the outcome: "+strings.Join(exact, ", "))
	}
	if len(exact) > 0 && !weighted {
		notes = append(notes, level+" at least: "+strings.Join(exact, ", "))
	}
	if len(drawn) > 0 {
		notes = append(notes, fmt.Sprintf("%s, approximately, of %d bootstrap samples: %s", level, f.Resamples, strings.Join(drawn, ", ")))
	}
	return notes
}
