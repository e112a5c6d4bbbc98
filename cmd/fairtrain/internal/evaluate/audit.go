package evaluate

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/results"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// audit is the result of evaluate: a frame for every specification of groups, in which
// these groups are compared with each other, or one frame without groups.
type audit struct {
	specs    []string
	frames   []*fairness.Frame
	seen     bool                 // the model was trained on rows of the file
	features *classifier.Features // of the model, nil without one
	remarks  []string             // about whom nothing is said, and what else limits the figures
}

// newAudit compares the groups of each specification of rows, which judge returns by group.
func newAudit(specs []string, d *dataset.Dataset, judge func(*scoring.Grouping) (*fairness.Judged, error), o fairness.FrameOptions) (*audit, error) {
	a := &audit{specs: specs}
	groupings := []*scoring.Grouping{new(scoring.Grouping)} // no groups
	if len(specs) > 0 {
		groupings = nil
	}
	for _, spec := range specs {
		g, err := scoring.NewGrouping(d, spec)
		if err != nil {
			return nil, err
		}
		groupings = append(groupings, g)
	}
	for _, g := range groupings {
		judged, err := judge(g)
		if err != nil {
			return nil, err
		}
		f, err := judged.Frame(o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name, err)
		}
		a.frames = append(a.frames, f)
	}
	return a, nil
}

// several reports whether names must say which comparison they belong to.
func (a *audit) several() bool { return len(a.frames) > 1 }

// evaluation is the output of evaluate --json. The first of several comparisons is at its
// top level.
type evaluation struct {
	*fairness.Report
	Frame       *fairness.Frame   `json:"frame"`
	Seen        bool              `json:"seen_in_training,omitempty"` // the model was trained on rows of the file
	Remarks     []string          `json:"remarks,omitempty"`
	Comparisons []groupComparison `json:"comparisons,omitempty"` // if there are several
}

// groupComparison is one of several.
type groupComparison struct {
	Group  string                  `json:"group"` // the specification
	Groups []fairness.GroupMetrics `json:"groups"`
	fairness.Disparities
	Frame *fairness.Frame `json:"frame"`
}

func (a *audit) evaluation() evaluation {
	e := evaluation{Report: a.frames[0].Report, Frame: a.frames[0], Seen: a.seen, Remarks: a.remarks}
	if !a.several() {
		return e
	}
	for k, f := range a.frames {
		e.Comparisons = append(e.Comparisons, groupComparison{a.specs[k], f.Report.Groups, f.Report.Disparities, f})
	}
	return e
}

// warnings returns the warnings of all frames, each once: a warning about all rows is in every
// frame.
func (a *audit) warnings() []string {
	var list []string
	for _, f := range a.frames {
		for _, w := range f.Warnings {
			if message := "warning: " + w.Message; !slices.Contains(list, message) {
				list = append(list, message)
			}
		}
	}
	return list
}

// printAudit prints an audit: as text under a title, and with remarks on stderr, as warnings where the
// format has no place for them.
func (p program) printAudit(title string, a *audit, format results.TableFormat) error {
	for _, remark := range a.remarks {
		p.Remark("%s", remark)
	}
	if format == jsonFormat {
		return p.PrintJSON(a.evaluation())
	}
	tables := []results.Table{a.table(format)}
	warnings := a.warnings()
	if format == results.Markdown {
		tables[0].Notes = slices.Concat(tables[0].Notes, a.remarks, warnings)
	}
	if reliability := a.reliabilityTable(); format != results.CSV && len(reliability.Rows) > 0 {
		tables = append(tables, reliability)
	}
	if err := p.PrintTables(format, title+"\n\n", tables...); err != nil {
		return err
	}
	switch format {
	case results.CSV:
		for _, warning := range warnings {
			p.Remark("%s", warning)
		}
	case results.Text:
		var b bytes.Buffer
		for k, f := range a.frames {
			if a.several() {
				fmt.Fprintf(&b, "\nBetween groups of %s:", GroupName(a.specs[k], a.features))
			}
			writeDisparities(&b, f.Report)
		}
		if len(warnings) > 0 {
			fmt.Fprintf(&b, "\n%s\n", strings.Join(warnings, "\n"))
		}
		return p.Print(b.Bytes())
	}
	return nil
}

// GroupName returns the name under which people know a group. A number is that of a feature of LIBSVM's; where there
// are columns, it is the name of one. features is nil without a model.
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

// writeDisparities writes how far apart the groups are, if there are any.
func writeDisparities(b *bytes.Buffer, r *fairness.Report) {
	if len(r.Groups) == 0 {
		return
	}
	fmt.Fprintf(b, "\nDemographic parity  difference %v, ratio %v\n", r.DemographicParityDifference, r.DemographicParityRatio)
	if !r.Positives.Defined() { // nobody knows the labels
		return
	}
	fmt.Fprintf(b, "Equal opportunity   difference %v\n", r.EqualOpportunityDifference)
	fmt.Fprintf(b, "Equalized odds      difference %v\n", r.EqualizedOddsDifference)
}
