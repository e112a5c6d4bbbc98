package train

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/internal/names"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/plots"
	"github.com/fairtrain/fairtrain/report/words"
	"github.com/fairtrain/fairtrain/results"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/frontier"
)

// rowSet is a data set on which a frontier has figures.
type rowSet struct {
	name string
	of   func(*frontier.Point) (*train.Figures, frontier.Disparity, frontier.Intervals)
}

// rowSets are the data sets of a frontier, the training rows first.
func rowSets(r *frontier.Report) []rowSet {
	type (
		figures   = *train.Figures
		disparity = frontier.Disparity
		intervals = frontier.Intervals
		point     = *frontier.Point
	)
	sets := []rowSet{
		{"train", func(p point) (figures, disparity, intervals) { return p.Report.Train, p.Train, p.TrainIntervals }},
		{"validation", func(p point) (figures, disparity, intervals) {
			return p.Report.Validation, p.Validation, p.ValidationIntervals
		}},
		{"test", func(p point) (figures, disparity, intervals) { return p.Report.Test, p.Test, p.TestIntervals }},
	}
	return slices.DeleteFunc(sets, func(s rowSet) bool {
		f, _, _ := s.of(r.Unconstrained)
		return f == nil
	})
}

// withIntervals are the sets whose intervals are shown: those held out, or else the training rows.
func withIntervals(sets []rowSet) []rowSet { return sets[min(1, len(sets)-1):] }

// frontierPoints returns all classifiers of a frontier, the unconstrained one first.
func frontierPoints(r *frontier.Report) []*frontier.Point {
	return slices.Concat([]*frontier.Point{r.Unconstrained}, r.Points)
}

// some reports whether a classifier of a frontier is of a kind.
func some(r *frontier.Report, is func(*frontier.Point) bool) bool {
	return slices.ContainsFunc(frontierPoints(r), is)
}

func isPicked(p *frontier.Point) bool         { return p.Picked }
func isCrossValidated(p *frontier.Point) bool { return p.Report.Unseen != nil }
func isBorrowed(p *frontier.Point) bool       { return p.TrainedFor != nil }

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

// frontierTable has a line for each classifier: as text, its accuracy and disparity; in CSV, every
// number and mark has a column.
func frontierTable(r *frontier.Report, format results.TableFormat) results.Table {
	csv, sets := format == results.CSV, rowSets(r)
	scores := (csv || r.On == train.Scores) && some(r, func(p *frontier.Point) bool { return p.Train.Scores.Defined() })
	borrowed := some(r, isBorrowed)
	unfinished := some(r, func(p *frontier.Point) bool { return p.Report.Status != solver.Converged })
	t := results.Table{EqualDigits: true, Notes: frontierNotes(r)}
	disparity := "disparity"
	if !csv {
		disparity = bounded(r)
	}
	for k, p := range frontierPoints(r) {
		var row []results.Entry
		add := func(shown bool, column string, e results.Entry) {
			if !shown {
				return
			}
			if row = append(row, e); k == 0 {
				t.Columns = append(t.Columns, column)
			}
		}
		number := func(v fairness.Value) results.Entry { return results.Single(float64(v), 4) }
		text := func(text string) results.Entry { return results.Entry{Text: text} }

		trainedFor := p.Bound
		if p.TrainedFor != nil {
			trainedFor = *p.TrainedFor
		}
		add(csv, "bound", number(p.Bound))
		add(csv, "chosen", text(strconv.FormatBool(p.Chosen)))
		add(csv, "picked", text(strconv.FormatBool(p.Picked)))
		add(csv, "trained for", number(trainedFor))
		add(!csv, "bound", text(boundText(p)))
		add(!csv && borrowed, "trained for", text(boundName(trainedFor)))
		add(csv || unfinished, "status", text(string(p.Report.Status)))
		add(csv, "loss", text(p.Report.Loss))
		add(csv, "objective", results.Single(p.Report.Objective, 5))
		for s, set := range sets {
			f, d, intervals := set.of(p)
			within := func(v fairness.Value, e fairness.Estimate) results.Entry {
				if s < len(sets)-len(withIntervals(sets)) {
					return number(v)
				}
				return results.Entry{
					Parts: []results.Part{
						{Value: float64(v), Digits: 4},
						{Name: " low", Value: float64(e.Low), Digits: 4},
						{Name: " high", Value: float64(e.High), Digits: 4},
					},
					Layout: "%s [%s, %s]",
				}
			}
			for _, q := range frontierQualities {
				e := number(q.value(f))
				if q.name == accuracy {
					e = within(f.Accuracy, intervals.Accuracy)
				}
				add(csv || q.name == accuracy, set.name+" "+q.name, e)
			}
			add(true, set.name+" "+disparity, within(d.Decisions, intervals.Disparity))
			add(scores, set.name+" score "+disparity, number(d.Scores))
			if s == 0 && some(r, isCrossValidated) && (csv || len(sets) == 1) { // there is room
				addUnseen(p.Report, csv, disparity, add)
			}
		}
		add(csv, "larger differences", text(words.WorseInShort(&p.Report.Changes)))
		t.Rows = append(t.Rows, row)
	}
	return t
}

// bounded is what a reader takes the values of the constraint for: disparities, or rates.
func bounded(r *frontier.Report) string {
	c, err := model.ParseConstraint(r.Constraint)
	if g, ok := c.(model.GroupConstraint); err == nil && ok && (g.Kind == model.AtLeast || g.Kind == model.AtMost) {
		return "rate"
	}
	return "disparity"
}

// addUnseen adds what cross-validation says of unseen rows.
func addUnseen(r *train.Report, csv bool, bounded string, add func(shown bool, column string, e results.Entry)) {
	u := classifier.Unseen{Accuracy: fairness.Undefined(), AUC: fairness.Undefined(), LogLoss: fairness.Undefined()}
	if r.Unseen != nil {
		u = *r.Unseen
	}
	disparity, se := fairness.Undefined(), fairness.Undefined()
	for _, q := range r.Requirements { // there is one at most
		disparity, se = words.Optional(q.Unseen), words.Optional(q.UnseenSE)
	}
	number := func(v fairness.Value) results.Entry { return results.Single(float64(v), 4) }
	add(true, "unseen accuracy", number(u.Accuracy))
	add(csv, "unseen AUC", number(u.AUC))
	add(csv, "unseen log loss", number(u.LogLoss))
	value := results.Entry{
		Parts:  []results.Part{{Value: float64(disparity), Digits: 3}, {Name: " se", Value: float64(se), Digits: 3}},
		Layout: "%s ± %s",
	}
	if !csv && disparity.Defined() && !se.Defined() {
		value = results.Single(float64(disparity), 3)
	}
	add(true, "unseen "+bounded, value)
}

func boundName(bound fairness.Value) string {
	if !bound.Defined() {
		return "none"
	}
	return strconv.FormatFloat(float64(bound), 'g', 4, 64)
}

// boundText is the bound of a point with its marks.
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

// frontierNotes are what a reader of the text must know.
func frontierNotes(r *frontier.Report) []string {
	var majority []string
	for _, s := range rowSets(r) {
		f, _, _ := s.of(r.Unconstrained)
		positives := float64(f.Positives / (f.Positives + f.Negatives))
		majority = append(majority, fmt.Sprintf("%s %.4f", s.name, max(positives, 1-positives)))
	}
	notes := []string{
		"bound none: the unconstrained baseline; *: the chosen bound",
		bounded(r) + ": " + r.Disparity + " of the decisions",
		"accuracy of the majority-class baseline: " + strings.Join(majority, ", "),
	}
	if some(r, isCrossValidated) && len(rowSets(r)) == 1 {
		notes = append(notes, "unseen: rows of training, by classifiers without them (cross-validation), ± a standard error")
	}
	if some(r, isPicked) {
		notes = append(notes, "v: the best classifier that meets the chosen bound on the validation rows")
	} else if r.Unconstrained.Report.Validation != nil {
		notes = append(notes, "no classifier meets the chosen bound on the validation rows")
	}
	var warnings, tight []string
	for _, p := range r.Points {
		for _, q := range p.Report.Requirements {
			tight = append(tight, q.WithinOneDecision...)
		}
		for _, warning := range p.Report.Warnings {
			if (p.Chosen || p.Picked) && !slices.Contains(warnings, warning) {
				warnings = append(warnings, warning)
				notes = append(notes, fmt.Sprintf("bound %s: %s", boundText(p), strings.TrimSuffix(warning, ".")))
			}
		}
	}
	if rows := r.Unconstrained.Report.ConstraintData; rows != "" {
		notes = append(notes, "the bounds are for the constraint rows, "+rows+", of which the table has no figures")
	}
	if slices.Sort(tight); len(tight) > 0 {
		notes = append(notes, "one decision moves the rate of "+words.And(slices.Compact(tight))+" by more than a bound: the disparity may be above it")
	}
	notes = append(notes, largerNotes(r)...)
	if some(r, isBorrowed) {
		notes = append(notes, "trained for: the best classifier found for the bound was trained for this one")
	}
	return append(notes, "[low, high]: "+intervalNote(r, withIntervals(rowSets(r))))
}

// largerNotes say which other differences between groups rose by more than chance, at which bounds.
func largerNotes(r *frontier.Report) (notes []string) {
	var bounds []string
	for k, p := range r.Points {
		larger := words.WorseInShort(&p.Report.Changes)
		bounds = append(bounds, boundName(p.Bound))
		if k+1 < len(r.Points) && words.WorseInShort(&r.Points[k+1].Report.Changes) == larger {
			continue
		}
		if larger != "" {
			notes = append(notes, fmt.Sprintf("bound %s: larger by more than chance on the %s: differences of %s",
				words.And(bounds), words.ChangedPeople(&p.Report.Changes), larger))
		}
		bounds = nil
	}
	return notes
}

// intervalNote says what the intervals of sets cover.
func intervalNote(r *frontier.Report, sets []rowSet) string {
	note := fmt.Sprintf("%g %% intervals, each on its own", 100*r.IntervalLevel)
	switch {
	case sets[0].name == "train":
		note += "; too narrow, as the classifiers were trained on these rows"
	case sets[0].name == "validation" && some(r, isPicked):
		note += "; too good on the validation rows for v, which these chose"
	}
	return note
}

// frontierTradeOff draws the qualities against the disparity.
func frontierTradeOff(r *frontier.Report) (*plots.Figure, error) {
	t := plots.TradeOff{Disparity: r.Disparity}
	for _, q := range frontierQualities {
		t.Qualities = append(t.Qualities, q.name)
	}
	sets := rowSets(r)
	last := len(sets) - 1
	t.Caption = "Bars on " + sets[last].name + ": " + intervalNote(r, sets[last:]) + "."
	if r.On == train.Scores {
		t.Caption += " Disparities are those of the decisions." // an axis has no room for it
	}
	for k, s := range sets {
		interval := func(v, low, high fairness.Value) plots.Interval {
			if k < last { // bars on all sets would hide the points
				return plots.Exactly(float64(v))
			}
			return plots.Interval{Value: float64(v), Low: float64(low), High: float64(high)}
		}
		at := func(p *frontier.Point) plots.TradeOffPoint {
			f, d, intervals := s.of(p)
			point := plots.TradeOffPoint{Disparity: interval(d.Decisions, intervals.Disparity.Low, intervals.Disparity.High)}
			for _, q := range frontierQualities {
				quality := plots.Exactly(float64(q.value(f)))
				if q.name == accuracy {
					quality = interval(q.value(f), intervals.Accuracy.Low, intervals.Accuracy.High)
				}
				point.Quality = append(point.Quality, quality)
			}
			return point
		}
		set := plots.TradeOffSet{Name: s.name, Unconstrained: at(r.Unconstrained)}
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
	o.Heading = fmt.Sprintf("%s: %s on %s", names.Title(r.Unconstrained.Report.Train.Name), r.Constraint, r.On)
	return plots.Frontier(t, o)
}
