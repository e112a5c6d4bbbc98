package report

import (
	"fmt"
	"math"

	"github.com/fairtrain/fairtrain/report/digits"
	"github.com/fairtrain/fairtrain/train"
)

func (d *Document) priceSection(s *section) {
	t := table{Caption: "Share of right decisions (accuracy)", Head: []string{"Rows", "This classifier", "Without requirements", "Difference", "The same answer for everybody"}}
	known, unfinished := false, ""
	var gained []string // rows on which this classifier is the better one
	for _, p := range d.Price {
		row := []cell{{Text: d.rowsName(p.Role)}, {Text: percent(p.Accuracy)}, {Text: percent(p.Unconstrained)}, {Text: undefined}, {Text: percent(p.Majority)}}
		if r := d.rows(p.Role); r != nil {
			row[1].Below = interval(r.Accuracy, percent)
		}
		if p.Unconstrained.Defined() {
			known = true
			if p.Unfinished {
				unfinished = " Its training ended before it was as good as can be."
			}
			if len(d.Requirements) > 0 && p.Accuracy > p.Unconstrained {
				gained = append(gained, d.peopleIn(p.Role))
			}
			row[3].Text = signed(p.Gain)
		}
		t.Rows = append(t.Rows, row)
	}
	switch {
	case len(d.Requirements) == 0:
		s.text("Nothing was asked for, so nothing was paid. The last column is what the same answer for everybody gets.")
	case known:
		s.text("“Without requirements” is a linear classifier that was fitted by its loss alone and decides at the threshold. It had no search for the best decisions, as this one had where its requirements are on decisions, and its loss may be another one.%s So the price may be larger than shown. It may be smaller, too: nothing proves that no other classifier that keeps the requirements is more accurate. The last column is what the same answer for everybody gets%s.", unfinished, d.mustBeat())
	default:
		s.text("The model file does not say what a classifier without requirements gets on these rows. The last column is what the same answer for everybody gets.")
	}
	if c := d.Model.Costs; c != nil {
		s.text("This classifier was not chosen by its accuracy: by the threshold and the class weights asked for, a wrong positive decision was to cost %.4g, and a wrong negative one %.4g. So what it is compared with is the same answer for everybody by these costs, in the second table.", c.WrongPositive, c.Missed)
		if even := d.balance(); even != "" {
			s.text("It decides at a score of %.4g%s.", d.Model.Threshold, even)
		}
	}
	if len(gained) > 0 {
		s.text("On the %s this classifier is more accurate than the one without requirements. The requirements are not the reason: it comes from how the two were made, or from chance.", and(gained))
	}
	s.table(t)
	if d.Model.Costs != nil {
		s.table(d.costTable())
	}
}

// mustBeat says what accuracy is compared with, where decisions were chosen by it.
func (d *Document) mustBeat() string {
	if d.Model.Costs != nil {
		return ""
	}
	return ": a classifier must beat it to be of use"
}

// costTable has what wrong decisions cost.
func (d *Document) costTable() table {
	t := table{Caption: "Cost of wrong decisions, on average over the rows", Head: []string{"Rows", "This classifier", "Positive for everybody", "Negative for everybody"}}
	for _, p := range d.Price {
		t.Rows = append(t.Rows, cells(d.rowsName(p.Role), p.Costs.Classifier.Text(4), p.Costs.AllPositive.Text(4), p.Costs.AllNegative.Text(4)))
	}
	t.Notes = append(t.Notes, "To be of use, a classifier must cost less than either of the two answers for everybody.")
	return t
}

// balance says at which probability costs balance, if that is another one than the classifier's threshold.
func (d *Document) balance() string {
	const same = 1e-9
	if even := float64(d.Model.ThresholdOfCosts); math.Abs(even-d.Model.Threshold) > same {
		return fmt.Sprintf(" (the costs balance at %.4g; training moved the threshold)", even)
	}
	return ""
}

func (d *Document) frontierSection(s *section) {
	f := d.Frontier
	if f == nil {
		return
	}
	s.text("Each point is the classifier for %s at another bound, as judged on the %s rows. Further up is more accurate; the point that was asked for is filled.", f.Constraint, f.Role)
	if f.On == train.Scores {
		s.text("The bounds are on scores. What is shown of each point is about its decisions, for which nothing was asked.")
	}
	s.figures(frontierFigure(f))
	t := table{Caption: "Classifiers at different bounds, on the " + string(f.Role) + " rows", Head: []string{"Bound", sentence(f.Measure), "Accuracy"}}
	borrowed := false
	for _, p := range f.Points {
		name := "none"
		if p.Bound.Defined() {
			name = fmt.Sprintf("%.6g", float64(p.Bound))
		}
		if p.Chosen {
			name += " (asked for)"
		}
		if p.TrainedFor != nil {
			name += fmt.Sprintf(" (trained for %.6g)", float64(*p.TrainedFor))
			borrowed = true
		}
		disparity, _ := digits.Value.Beside(p.Disparity, p.Bound, f.AtLeast, digits.Nearest)
		t.Rows = append(t.Rows, cells(name, disparity, percent(p.Accuracy)))
	}
	if borrowed {
		t.Notes = append(t.Notes, "Trained for another bound: this classifier is the best one found that keeps the bound of the row, by its decisions on the training rows. It is not the classifier of this report.")
	}
	s.table(t)
}
