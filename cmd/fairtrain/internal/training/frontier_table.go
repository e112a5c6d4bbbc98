package training

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/internal/naming"
	"github.com/fairtrain/fairtrain/plots"
	"github.com/fairtrain/fairtrain/results"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/frontier"
)

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

// frontierTable has a line for each classifier. In CSV, every number and mark has a column
// of its own.
func frontierTable(r *frontier.Report, format results.TableFormat) results.Table {
	points, sets := frontierPoints(r), frontierSets(r)
	t := results.Table{EqualDigits: true, Notes: []string{
		"bound none: without the constraint; *: the chosen bound",
		"disparity: " + r.Disparity + " of the decisions",
		majority(r),
	}}
	inCSV := format == results.CSV
	allWell := !slices.ContainsFunc(points, func(p *frontier.Point) bool { return p.Report.Status != solver.Converged })
	withScores := slices.ContainsFunc(points, func(p *frontier.Point) bool { return p.Train.Scores.Defined() })
	losses := slices.ContainsFunc(points, func(p *frontier.Point) bool { return p.Report.Loss != r.Unconstrained.Report.Loss })
	if picked := slices.ContainsFunc(points, func(p *frontier.Point) bool { return p.Picked }); picked {
		best := "the most accurate there"
		if r.Points[0].Report.Costs != nil {
			best = "the one whose wrong decisions cost least there"
		}
		t.Notes = append(t.Notes, "v: of the classifiers trained for a bound that keep the chosen one on the validation rows, "+best)
	} else if r.Unconstrained.Report.Validation != nil {
		t.Notes = append(t.Notes, "none of these classifiers keeps the chosen bound on the validation rows")
	}
	t.Notes = append(t.Notes, doubts(r)...)
	if rows := r.Unconstrained.Report.ConstraintData; rows != "" {
		t.Notes = append(t.Notes, "the bounds are to hold on the constraint rows, "+rows+", of which the table has no figures")
	}
	if groups := withinOneDecision(r); len(groups) > 0 {
		t.Notes = append(t.Notes, "one decision moves the rate of "+strings.Join(groups, ", ")+" by more than a bound: these are held to it within one decision of each, and the disparity may be above it")
	}
	borrowed := slices.ContainsFunc(points, func(p *frontier.Point) bool { return p.TrainedFor != nil })
	if borrowed {
		t.Notes = append(t.Notes, "trained for: a classifier that was trained for another bound is the best one found that keeps the bound of the row, by its decisions on the training rows")
	}
	if moreAccurate(r) {
		t.Notes = append(t.Notes, "bound none is a single fit; the others were chosen by their accuracy on the training rows among many candidates, so they may be more accurate there")
	}
	if losses {
		t.Notes = append(t.Notes, "objectives of different losses can't be compared; accuracy, AUC and log loss can")
	}
	if withScores {
		t.Notes = append(t.Notes, "score disparity: largest difference of the groups' mean scores")
	}
	sure := withIntervals(sets)
	t.Notes = append(t.Notes, "[low, high]: "+intervalNote(r, sure))
	for _, p := range points {
		t.Columns = nil // the same for all points
		var row []results.Entry
		add := func(column string, e results.Entry) { t.Columns, row = append(t.Columns, column), append(row, e) }
		if inCSV {
			add("bound", results.Single(float64(p.Bound), 4))
			add("chosen", results.Entry{Text: strconv.FormatBool(p.Chosen)})
			add("picked", results.Entry{Text: strconv.FormatBool(p.Picked)})
			add("trained for", results.Single(float64(trainedFor(p)), 4))
		} else {
			add("bound", results.Entry{Text: boundText(p)})
		}
		if borrowed && !inCSV {
			add("trained for", results.Entry{Text: boundName(trainedFor(p))})
		}
		if inCSV || !allWell {
			add("status", results.Entry{Text: string(p.Report.Status)})
		}
		if inCSV || losses {
			add("loss", results.Entry{Text: p.Report.Loss})
		}
		add("objective", results.Single(p.Report.Objective, 5))
		for k, s := range sets {
			isSure := k >= len(sets)-len(sure)
			f, d, i := s.of(p)
			for _, q := range frontierQualities {
				e := results.Single(float64(q.value(f)), 4)
				if isSure && q.name == accuracy {
					e = intervalEntry(q.value(f), i.Accuracy)
				}
				add(string(s)+" "+q.name, e)
			}
			e := results.Single(float64(d.Decisions), 4)
			if isSure {
				e = intervalEntry(d.Decisions, i.Disparity)
			}
			add(string(s)+" disparity", e)
			if withScores {
				add(string(s)+" score disparity", results.Single(float64(d.Scores), 4))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
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
	return "the same answer for everybody has the accuracy: " + strings.Join(accuracies, ", ")
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

// moreAccurate reports whether a classifier that was chosen by its accuracy on the training rows has more of it than the
// one without the constraint.
func moreAccurate(r *frontier.Report) bool {
	return r.On == train.Decisions && slices.ContainsFunc(r.Points, func(p *frontier.Point) bool {
		return p.Report.Costs == nil && p.Report.Train.Accuracy > r.Unconstrained.Report.Train.Accuracy
	})
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

// frontierTitle names the data and the constraint.
func frontierTitle(r *frontier.Report) string {
	about := r.Constraint
	if c, ok := groupConstraint(about); ok {
		about = strings.ReplaceAll(c.Name, "-", " ") + " of " + c.Group
	}
	return fmt.Sprintf("%s: %s, on %s", naming.Title(r.Unconstrained.Report.Train.Name), about, r.On)
}

// frontierTradeOff draws the qualities against the disparity.
func frontierTradeOff(r *frontier.Report) (*plots.Figure, error) {
	t := plots.TradeOff{Disparity: r.Disparity}
	for _, q := range frontierQualities {
		t.Qualities = append(t.Qualities, q.name)
	}
	sets := frontierSets(r)
	last := len(sets) - 1
	t.Caption = "Bars on " + string(sets[last]) + ": " + intervalNote(r, sets[last:]) + "."
	if r.On == train.Scores {
		t.Caption += " Disparities are those of the decisions." // an axis has no room for it
	}
	for k, s := range sets {
		at := func(p *frontier.Point) plots.TradeOffPoint {
			f, d, intervals := s.of(p)
			place := plots.TradeOffPoint{Disparity: float64(d.Decisions)}
			if k == last { // bars on all sets would hide the points
				place.DisparityBar = bar(intervals.Disparity)
			}
			for _, q := range frontierQualities {
				place.Quality = append(place.Quality, float64(q.value(f)))
				var ends *plots.Bar
				if k == last && q.name == accuracy {
					ends = bar(intervals.Accuracy)
				}
				place.QualityBars = append(place.QualityBars, ends)
			}
			return place
		}
		set := plots.TradeOffSet{Name: string(s), Unconstrained: at(r.Unconstrained)}
		for i, p := range r.Points {
			set.Points = append(set.Points, at(p))
			if p.Chosen {
				set.Chosen = i
			}
			if p.Picked {
				set.Picked = &i
			}
		}
		t.Sets = append(t.Sets, set)
	}
	o := plots.DefaultOptions()
	o.Heading = frontierTitle(r)
	return plots.Frontier(t, o)
}

// bar is the bar of an interval, nil if it is undefined.
func bar(e fairness.Estimate) *plots.Bar {
	if !e.Low.Defined() || !e.High.Defined() {
		return nil
	}
	return &plots.Bar{Low: float64(e.Low), High: float64(e.High)}
}
