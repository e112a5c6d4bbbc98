package evaluate

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/report/words"
	"github.com/fairtrain/fairtrain/results"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// evaluation is the result of evaluate, and its JSON form. It has a comparison for every
// specification of groups, in which these groups are compared with each other, or one without
// groups. The first is at the top level.
type evaluation struct {
	*fairness.Report
	Verdicts    []guarantee.Judgment `json:"verdicts,omitempty"` // one a constraint
	Frame       *fairness.Frame      `json:"frame"`
	Seen        bool                 `json:"seen_in_training,omitempty"` // trained on rows of the file
	Remarks     []string             `json:"remarks,omitempty"`          // what limits the figures
	Comparisons []groupComparison    `json:"comparisons,omitempty"`      // if there are several

	title    string
	specs    []string
	frames   []*fairness.Frame
	features *classifier.Features // of the model, nil without one
}

// groupComparison is one of several.
type groupComparison struct {
	Group  string                  `json:"group"` // the specification
	Groups []fairness.GroupMetrics `json:"groups"`
	fairness.Disparities
	Frame *fairness.Frame `json:"frame"`
}

// compare compares the groups of each specification on rows, which judge returns by group.
func (e *evaluation) compare(d *dataset.Dataset, judge func(*scoring.Grouping) (*fairness.Judged, error), o fairness.FrameOptions) error {
	groupings := []*scoring.Grouping{new(scoring.Grouping)} // no groups
	if len(e.specs) > 0 {
		groupings = nil
	}
	for _, spec := range e.specs {
		g, err := scoring.NewGrouping(d, spec)
		if err != nil {
			return err
		}
		groupings = append(groupings, g)
	}
	for k, g := range groupings {
		judged, err := judge(g)
		if err != nil {
			return err
		}
		f, err := judged.Frame(o)
		if err != nil {
			return fmt.Errorf("%s: %w", d.Name, err)
		}
		e.frames = append(e.frames, f)
		if len(groupings) > 1 {
			e.Comparisons = append(e.Comparisons, groupComparison{e.specs[k], f.Report.Groups, f.Report.Disparities, f})
		}
	}
	e.Frame, e.Report = e.frames[0], e.frames[0].Report
	return nil
}

// judge enters the verdicts on requirements, if there are any.
func (e *evaluation) judge(evidence func([]guarantee.Requirement) (guarantee.Rows, error),
	requirements []guarantee.Requirement, level float64,
) error {
	if len(requirements) == 0 {
		return nil
	}
	rows, err := evidence(requirements)
	if err != nil {
		return err
	}
	e.Verdicts, err = guarantee.Judge(requirements, rows, level)
	return err
}

// verdicts writes the verdicts at a level.
func (e *evaluation) verdicts(b *bytes.Buffer, level float64) {
	if e.Verdicts == nil {
		return
	}
	var table [][]string
	for k := range e.Verdicts {
		v := words.JudgmentOf(&e.Verdicts[k])
		table = append(table, []string{v.Name, v.Value, v.Interval, v.Bound, v.Verdict})
	}
	command.WriteTable(b, words.JudgedHead(level), table)
	for _, note := range words.JudgmentNotes(e.Verdicts, e.Seen) {
		b.WriteString(results.Wrap(note, command.ReportWidth) + "\n")
	}
	b.WriteString("\n")
}

// print prints an evaluation with intervals of a level, and its remarks on stderr.
func (p program) print(e *evaluation, level float64) error {
	for _, remark := range e.Remarks {
		p.Remark("%s", remark)
	}
	if p.JSON {
		return p.PrintJSON(e)
	}
	var b bytes.Buffer
	b.WriteString(e.title + "\n\n")
	e.verdicts(&b, level)
	if err := p.PrintTables(results.Text, b.String(), e.table()); err != nil {
		return err
	}
	b.Reset()
	for k, f := range e.frames {
		if e.Comparisons != nil {
			fmt.Fprintf(&b, "\nBetween groups of %s:", GroupName(e.specs[k], e.features))
		}
		if len(f.Report.Groups) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\nDemographic parity  difference %v, ratio %v\n",
			f.Report.DemographicParityDifference, f.Report.DemographicParityRatio)
		if f.Report.Positives.Defined() { // there are labels
			fmt.Fprintf(&b, "Equal opportunity   difference %v\n", f.Report.EqualOpportunityDifference)
			fmt.Fprintf(&b, "Equalized odds      difference %v\n", f.Report.EqualizedOddsDifference)
			fmt.Fprintf(&b, "Predictive parity   difference %v\n", f.Report.PredictiveParityDifference)
		}
	}
	if warnings := e.warnings(); len(warnings) > 0 {
		fmt.Fprintf(&b, "\n%s\n", strings.Join(warnings, "\n"))
	}
	return p.Print(b.Bytes())
}

// warnings returns the warnings of all comparisons, each once: one about all rows is in every one.
func (e *evaluation) warnings() []string {
	var list []string
	for _, f := range e.frames {
		for _, w := range f.Warnings {
			if message := "warning: " + w.Message; !slices.Contains(list, message) {
				list = append(list, message)
			}
		}
	}
	return list
}

// GroupName returns the name of a group for people. A number is that of a feature of
// LIBSVM's; where there are columns, it is the name of one. features is nil without a model.
func GroupName(group string, features *classifier.Features) string {
	feature, err := strconv.Atoi(group)
	switch {
	case err != nil || features == nil || features.Kind == classifier.CSV:
		return group
	case feature < 1 || feature > len(features.Names):
		return "group " + group
	}
	return group + " " + features.Names[feature-1]
}

// table has a line for all rows, for each group, and for the differences and ratios between them.
func (e *evaluation) table() results.Table {
	first := e.frames[0]
	t := results.Table{Columns: []string{"group"}, Notes: frameNotes(first, e.Seen && e.Verdicts == nil)}
	var estimates [][]fairness.Estimate // by row and metric
	line := func(name string, f *fairness.Frame, of func(m *fairness.Comparison) fairness.Estimate) {
		t.Rows = append(t.Rows, []results.Entry{{Text: name}})
		var row []fairness.Estimate
		for k := range f.Metrics {
			row = append(row, of(&f.Metrics[k]))
		}
		estimates = append(estimates, row)
	}
	line("overall", first, func(m *fairness.Comparison) fairness.Estimate { return m.Overall })
	for k, f := range e.frames {
		if len(f.Report.Groups) == 0 {
			continue
		}
		than, of := "", ""
		if e.Comparisons != nil {
			than, of = " than "+GroupName(e.specs[k], e.features), " of "+GroupName(e.specs[k], e.features)
		}
		for i, g := range f.Report.Groups {
			name := GroupName(g.Name, e.features)
			if g.Name == fairness.Others {
				name += than
			}
			line(name, f, func(m *fairness.Comparison) fairness.Estimate { return m.Groups[i].Estimate })
		}
		line("difference"+of, f, func(m *fairness.Comparison) fairness.Estimate { return m.Difference })
		line("ratio"+of, f, func(m *fairness.Comparison) fairness.Estimate { return m.Ratio })
	}
	for k, m := range first.Metrics {
		t.Columns = append(t.Columns, m.Name)
		for i := range t.Rows {
			t.Rows[i] = append(t.Rows[i], estimateEntry(estimates[i][k]))
		}
	}
	return t
}

func estimateEntry(e fairness.Estimate) results.Entry {
	if !e.Low.Defined() {
		return results.Single(float64(e.Value), 4)
	}
	low, lowDigits := outward(float64(e.Low), math.Inf(-1))
	high, highDigits := outward(float64(e.High), math.Inf(1))
	return results.Entry{
		Parts: []results.Part{
			{Value: float64(e.Value), Digits: 4},
			{Value: low, Digits: lowDigits},
			{Value: high, Digits: highDigits},
		},
		Layout: "%s [%s, %s]",
	}
}

// outward rounds an end of an interval towards an infinity, to three digits, or to as many as it
// takes not to show as 1 what is not: from a ratio of 1 one concludes that there may be no gap.
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

// frameNotes say how to read the table, and how sure its figures are.
func frameNotes(f *fairness.Frame, seen bool) []string {
	var notes, counts, exact, melded, drawn, open []string
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	weighted := f.Report.Positives+f.Report.Negatives != fairness.Value(f.Report.Rows)
	atLeast := " at least"
	for _, m := range f.Metrics {
		if weighted && m.Overall.Value.Defined() &&
			slices.Contains([]string{"positives", "negatives", "tp", "fp", "tn", "fn"}, m.Name) {
			counts = append(counts, m.Name)
		}
		switch m.Technique {
		case fairness.NoTechnique:
		case fairness.ClopperPearson:
			exact = append(exact, m.Name)
			if m.Approximate {
				atLeast = ", approximately, as rows have weights, and less if these go with the outcome"
			}
		case fairness.Melded:
			melded = append(melded, m.Name)
		default:
			drawn = append(drawn, m.Name)
		}
		unknown := func(g fairness.GroupEstimate) bool { return !g.Value.Defined() }
		if m.Difference.High.Defined() && slices.ContainsFunc(m.Groups, unknown) {
			open = append(open, m.Name)
		}
	}
	if seen {
		note("the model was trained on rows of this file: on other people it may do worse, and less equally; intervals are as if the rows were new")
	}
	grouped := len(f.Report.Groups) > 0
	if grouped {
		note("difference: largest minus smallest group; ratio: smallest by largest group")
	}
	if counts != nil {
		note("sums of weights, not numbers of rows: %s", strings.Join(counts, ", "))
	}
	level := fmt.Sprintf("[low, high]: %.6g %% confidence", 100*f.Level)
	if exact != nil && f.Interval != fairness.NoInterval {
		note("%s%s: %s", level, atLeast, strings.Join(exact, ", "))
	}
	if melded != nil && f.Interval != fairness.NoInterval {
		note("%s%s, approximately for differences and ratios: %s", level, atLeast, strings.Join(melded, ", "))
	}
	if drawn != nil && f.Interval != fairness.NoInterval {
		note("%s, approximately, of %d bootstrap samples: %s", level, fairness.Resamples, strings.Join(drawn, ", "))
	}
	if grouped && f.Interval != fairness.NoInterval {
		note("intervals of differences and ratios: for the largest gap there truly is between any two groups, all pairs together; one that contains a difference of 0, or a ratio of 1, is not statistically significant")
		if open != nil {
			note("these suppose that a group without a figure may have any: %s", strings.Join(open, ", "))
		}
	}
	return notes
}
