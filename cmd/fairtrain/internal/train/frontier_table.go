package train

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/report/words"
	"github.com/fairtrain/fairtrain/results"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/frontier"
)

// frontierTable has a line for each classifier: as text, its accuracy and disparity; as Markdown
// all figures; in CSV, every number and mark has a column of its own.
func frontierTable(r *frontier.Report, format results.TableFormat) results.Table {
	points, kinds := frontierPoints(r), kindsOf(r)
	if kinds.brief = format == results.Text; kinds.brief {
		kinds.losses, kinds.scores = false, kinds.scores && r.On == train.Scores
	}
	t := results.Table{EqualDigits: true, Notes: frontierNotes(r, kinds)}
	for _, p := range points {
		cells := marks(p, kinds)
		if format == results.CSV {
			cells = marksInCSV(p)
		}
		cells = append(cells, numbers(r, p, kinds)...)
		var row []results.Entry
		t.Columns = nil // the same for all points
		for _, c := range cells {
			t.Columns, row = append(t.Columns, c.column), append(row, c.Entry)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// cell is an entry below the title of its column.
type cell struct {
	column string
	results.Entry
}

// marksInCSV are what there is to say of a point before its figures, for machines.
func marksInCSV(p *frontier.Point) []cell {
	return []cell{
		{"bound", results.Single(float64(p.Bound), 4)},
		{"chosen", results.Entry{Text: strconv.FormatBool(p.Chosen)}},
		{"picked", results.Entry{Text: strconv.FormatBool(p.Picked)}},
		{"trained for", results.Single(float64(trainedFor(p)), 4)},
		{"status", results.Entry{Text: string(p.Report.Status)}},
		{"loss", results.Entry{Text: p.Report.Loss}},
	}
}

// marks are the same for people, without what is the same for all points.
func marks(p *frontier.Point, kinds frontierKinds) []cell {
	cells := []cell{{"bound", results.Entry{Text: boundText(p)}}}
	if kinds.borrowed {
		cells = append(cells, cell{"trained for", results.Entry{Text: boundName(trainedFor(p))}})
	}
	if kinds.unfinished {
		cells = append(cells, cell{"status", results.Entry{Text: string(p.Report.Status)}})
	}
	if kinds.losses {
		cells = append(cells, cell{"loss", results.Entry{Text: p.Report.Loss}})
	}
	return cells
}

// numbers are the figures of a point.
func numbers(r *frontier.Report, p *frontier.Point, kinds frontierKinds) []cell {
	sets := frontierSets(r)
	sure := withIntervals(sets)
	var cells []cell
	if !kinds.brief {
		cells = append(cells, cell{"objective", results.Single(p.Report.Objective, 5)})
	}
	for _, s := range sets {
		f, d, i := s.of(p)
		entry := func(v fairness.Value, e fairness.Estimate) results.Entry {
			if slices.Contains(sure, s) {
				return intervalEntry(v, e)
			}
			return results.Single(float64(v), 4)
		}
		for _, q := range frontierQualities {
			if kinds.brief && q.name != accuracy {
				continue
			}
			e := results.Single(float64(q.value(f)), 4)
			if q.name == accuracy {
				e = entry(f.Accuracy, i.Accuracy)
			}
			cells = append(cells, cell{string(s) + " " + q.name, e})
		}
		cells = append(cells, cell{string(s) + " disparity", entry(d.Decisions, i.Disparity)})
		if kinds.scores {
			cells = append(cells, cell{string(s) + " score disparity", results.Single(float64(d.Scores), 4)})
		}
	}
	return cells
}

// intervalEntry is a figure with its interval.
func intervalEntry(v fairness.Value, e fairness.Estimate) results.Entry {
	return results.Entry{
		Parts: []results.Part{
			{Value: float64(v), Digits: 4},
			{Name: " low", Value: float64(e.Low), Digits: 4},
			{Name: " high", Value: float64(e.High), Digits: 4},
		},
		Layout: "%s [%s, %s]",
	}
}

// trainedFor is the bound that the classifier of a point was trained for.
func trainedFor(p *frontier.Point) fairness.Value {
	if p.TrainedFor != nil {
		return *p.TrainedFor
	}
	return p.Bound
}

func boundName(bound fairness.Value) string {
	if !bound.Defined() {
		return "none"
	}
	return strconv.FormatFloat(float64(bound), 'g', 4, 64)
}

func boundText(p *frontier.Point) string {
	text := boundName(p.Bound)
	if p.Chosen {
		text += " *"
	}
	if p.Picked {
		text += " v"
	}
	return text
}

// frontierPoints returns all classifiers of a frontier, the unconstrained one first.
func frontierPoints(r *frontier.Report) []*frontier.Point {
	return slices.Concat([]*frontier.Point{r.Unconstrained}, r.Points)
}

// frontierSet is the name of a data set.
type frontierSet string

const (
	trained    frontierSet = "train"
	validation frontierSet = "validation"
	test       frontierSet = "test"
)

// of returns the figures of a point on the data set, nil if there is no such set.
func (s frontierSet) of(p *frontier.Point) (*train.Figures, frontier.Disparity, frontier.Intervals) {
	switch s {
	case validation:
		return p.Report.Validation, p.Validation, p.ValidationIntervals
	case test:
		return p.Report.Test, p.Test, p.TestIntervals
	}
	return p.Report.Train, p.Train, p.TrainIntervals
}

// frontierSets are the data sets for which a frontier has figures.
func frontierSets(r *frontier.Report) []frontierSet {
	return slices.DeleteFunc([]frontierSet{trained, validation, test}, func(s frontierSet) bool {
		f, _, _ := s.of(r.Unconstrained)
		return f == nil
	})
}

// withIntervals are the sets with intervals: the held-out rows, or else the training rows.
func withIntervals(sets []frontierSet) []frontierSet {
	if len(sets) == 1 {
		return sets
	}
	return sets[1:]
}

// intervalNote says what the intervals of sets cover.
func intervalNote(r *frontier.Report, sets []frontierSet) string {
	level := 100 * r.IntervalLevel
	if sets[0] == trained {
		return fmt.Sprintf("%g %% intervals as if the rows were new to the classifiers, which were trained on them: too good", level)
	}
	note := fmt.Sprintf("%g %% intervals for accuracy and disparity among the people that the rows are drawn from, each point on its own", level)
	picked := slices.ContainsFunc(r.Points, func(p *frontier.Point) bool { return p.Picked })
	if picked && sets[0] == validation {
		note += "; too good for the validation rows of the point that these chose"
	}
	return note
}

const accuracy = "accuracy" // the quality that has an interval

// frontierQualities are the qualities that a constraint may reduce.
var frontierQualities = []struct {
	name  string
	value func(*train.Figures) fairness.Value
}{
	{accuracy, func(f *train.Figures) fairness.Value { return f.Accuracy }},
	{"AUC", func(f *train.Figures) fairness.Value { return f.AUC }},
	{"log loss", func(f *train.Figures) fairness.Value { return f.LogLoss }},
}

// frontierData says on which rows the figures are.
func frontierData(r *frontier.Report) []string {
	var lines []string
	for _, s := range frontierSets(r) {
		f, _, _ := s.of(r.Unconstrained)
		lines = append(lines, fmt.Sprintf("%-10s  %d rows of %s", s, f.Rows, f.Name))
	}
	return lines
}

// frontierKinds are in what the classifiers of a frontier differ.
type frontierKinds struct {
	borrowed   bool // some were trained for another bound
	unfinished bool // some have not converged
	losses     bool // some have another loss
	scores     bool // some have a disparity of scores
	brief      bool // only accuracy and disparity are shown
}

func kindsOf(r *frontier.Report) frontierKinds {
	some := func(is func(*frontier.Point) bool) bool { return slices.ContainsFunc(frontierPoints(r), is) }
	return frontierKinds{
		borrowed:   some(func(p *frontier.Point) bool { return p.TrainedFor != nil }),
		unfinished: some(func(p *frontier.Point) bool { return p.Report.Status != solver.Converged }),
		losses:     some(func(p *frontier.Point) bool { return p.Report.Loss != r.Unconstrained.Report.Loss }),
		scores:     some(func(p *frontier.Point) bool { return p.Train.Scores.Defined() }),
	}
}

// frontierNotes are what is to be said below the table.
func frontierNotes(r *frontier.Report, kinds frontierKinds) []string {
	notes := []string{
		"bound none: the unconstrained baseline; *: the chosen bound",
		"disparity: " + r.Disparity + " of the decisions",
		majority(r),
	}
	if picked := slices.ContainsFunc(r.Points, func(p *frontier.Point) bool { return p.Picked }); picked {
		best := "the most accurate classifier"
		if r.Points[0].Report.Costs != nil {
			best = "the classifier whose wrong decisions cost least"
		}
		notes = append(notes, "v: "+best+" that meets the chosen bound on the validation rows")
	} else if r.Unconstrained.Report.Validation != nil {
		notes = append(notes, "no classifier meets the chosen bound on the validation rows")
	}
	notes = append(notes, doubts(r)...)
	if rows := r.Unconstrained.Report.ConstraintData; rows != "" {
		notes = append(notes, "the bounds are for the constraint rows, "+rows+", of which the table has no figures")
	}
	if groups := withinOneDecision(r); len(groups) > 0 {
		notes = append(notes, "one decision moves the rate of "+words.And(groups)+" by more than a bound: the disparity may be above it")
	}
	if kinds.borrowed {
		notes = append(notes, "trained for: the best classifier found for the bound was trained for this one")
	}
	if moreAccurate(r) {
		notes = append(notes, "the baseline is a single fit; the others were chosen among many candidates, and may be more accurate on the training rows")
	}
	if kinds.losses {
		notes = append(notes, "objectives of different losses can't be compared; accuracy, AUC and log loss can")
	}
	if kinds.scores {
		notes = append(notes, "score disparity: largest difference of the groups' mean scores")
	}
	return append(notes, "[low, high]: "+intervalNote(r, withIntervals(frontierSets(r))))
}

// doubts says what the reports of the chosen and of the picked point warn of, each once.
func doubts(r *frontier.Report) (notes []string) {
	said := map[string]bool{}
	for _, p := range r.Points {
		if !p.Chosen && !p.Picked {
			continue
		}
		for _, warning := range p.Report.Warnings {
			if !said[warning] {
				notes = append(notes, fmt.Sprintf("bound %s: %s", boundText(p), strings.TrimSuffix(warning, ".")))
			}
			said[warning] = true
		}
	}
	return notes
}

// majority says how accurate the same answer for everybody is.
func majority(r *frontier.Report) string {
	var accuracies []string
	for _, s := range frontierSets(r) {
		f, _, _ := s.of(r.Unconstrained)
		positives := float64(f.Positives / (f.Positives + f.Negatives))
		accuracies = append(accuracies, fmt.Sprintf("%s %.4f", s, max(positives, 1-positives)))
	}
	return "accuracy of the majority-class baseline: " + strings.Join(accuracies, ", ")
}

// withinOneDecision names the groups that keep a bound only within one decision of each.
func withinOneDecision(r *frontier.Report) []string {
	var names []string
	for _, p := range r.Points {
		for _, q := range p.Report.Requirements {
			names = append(names, q.WithinOneDecision...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// moreAccurate reports whether a classifier that was chosen by its accuracy on the training rows
// has more of it than the one without the constraint.
func moreAccurate(r *frontier.Report) bool {
	return r.On == train.Decisions && slices.ContainsFunc(r.Points, func(p *frontier.Point) bool {
		return p.Report.Costs == nil && p.Report.Train.Accuracy > r.Unconstrained.Report.Train.Accuracy
	})
}
