package training

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/frontier"
)

// frontierKinds are in what the classifiers of a frontier differ.
type frontierKinds struct {
	borrowed   bool // some were trained for another bound
	unfinished bool // some have not converged
	losses     bool // some have another loss
	scores     bool // some have a disparity of scores
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
		"bound none: without the constraint; *: the chosen bound",
		"disparity: " + r.Disparity + " of the decisions",
		majority(r),
	}
	if picked := slices.ContainsFunc(r.Points, func(p *frontier.Point) bool { return p.Picked }); picked {
		best := "the most accurate there"
		if r.Points[0].Report.Costs != nil {
			best = "the one whose wrong decisions cost least there"
		}
		notes = append(notes, "v: of the classifiers trained for a bound that keep the chosen one on the validation rows, "+best)
	} else if r.Unconstrained.Report.Validation != nil {
		notes = append(notes, "none of these classifiers keeps the chosen bound on the validation rows")
	}
	notes = append(notes, doubts(r)...)
	if rows := r.Unconstrained.Report.ConstraintData; rows != "" {
		notes = append(notes, "the bounds are to hold on the constraint rows, "+rows+", of which the table has no figures")
	}
	if groups := withinOneDecision(r); len(groups) > 0 {
		notes = append(notes, "one decision moves the rate of "+strings.Join(groups, ", ")+" by more than a bound: these are held to it within one decision of each, and the disparity may be above it")
	}
	if kinds.borrowed {
		note := "trained for: a classifier that was trained for another bound is the best one found that keeps the bound of the row, by its decisions on the training rows"
		if slices.ContainsFunc(r.Points, borrowedWithinOneDecision) {
			note += ", where its disparity is above that, within one decision of each group that one decision moves by more"
		}
		notes = append(notes, note)
	}
	if moreAccurate(r) {
		notes = append(notes, "bound none is a single fit; the others were chosen by their accuracy on the training rows among many candidates, so they may be more accurate there")
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
	return "the same answer for everybody has the accuracy: " + strings.Join(accuracies, ", ")
}

// borrowedWithinOneDecision reports whether the classifier of a point was trained for another bound, and has a disparity
// above that of the point.
func borrowedWithinOneDecision(p *frontier.Point) bool {
	return p.TrainedFor != nil && p.Train.Decisions > p.Bound && p.Report.ConstraintData == ""
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

// moreAccurate reports whether a classifier that was chosen by its accuracy on the training rows has more of it than the
// one without the constraint.
func moreAccurate(r *frontier.Report) bool {
	return r.On == train.Decisions && slices.ContainsFunc(r.Points, func(p *frontier.Point) bool {
		return p.Report.Costs == nil && p.Report.Train.Accuracy > r.Unconstrained.Report.Train.Accuracy
	})
}
