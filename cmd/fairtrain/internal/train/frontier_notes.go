package train

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/report/words"
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

// moreAccurate reports whether a classifier that was chosen by its accuracy on the training rows has more of it than the
// one without the constraint.
func moreAccurate(r *frontier.Report) bool {
	return r.On == train.Decisions && slices.ContainsFunc(r.Points, func(p *frontier.Point) bool {
		return p.Report.Costs == nil && p.Report.Train.Accuracy > r.Unconstrained.Report.Train.Accuracy
	})
}
