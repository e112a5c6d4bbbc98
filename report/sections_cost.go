package report

import (
	"fmt"
	"math"

	"github.com/fairtrain/fairtrain/report/words"
)

func (d *Document) costSection(s *section) {
	t := table{Caption: "Accuracy: share of correct decisions", Head: []string{"Rows", "This classifier", "Unconstrained baseline", "Difference", "Majority-class baseline"}}
	var costs []words.Cost
	for _, c := range d.Cost {
		row := cells(d.rowsName(c.Role), words.Percent.Text(c.Accuracy),
			words.Percent.Text(c.Unconstrained), words.Undefined, words.Percent.Text(c.Majority))
		if r := d.rows(c.Role); r != nil {
			row[1].Below = words.Interval(r.Accuracy, words.Percent.Text)
		}
		if c.Unconstrained.Defined() {
			row[3].Text = words.Signed(c.Gain)
			costs = append(costs, c.Cost)
		}
		t.Rows = append(t.Rows, row)
	}
	switch {
	case len(d.Requirements) == 0:
		s.text("There is no constraint, so it costs nothing.")
	case costs == nil:
		s.text("The model file does not have the accuracy of the unconstrained baseline on these rows.")
	default:
		s.text("%s", costs[len(costs)-1].Sentence(len(d.Requirements)))
		t.Notes = append(t.Notes, "The unconstrained baseline is a linear classifier, fitted by its loss alone, without a search for the best decisions: the cost may be larger or smaller than shown.")
		t.Notes = append(t.Notes, words.CostNotes(costs)...)
	}
	if c := d.Model.Costs; c != nil {
		s.text("This classifier was not chosen by its accuracy: by its threshold and class weights, a wrong positive decision costs %.4g and a wrong negative one %.4g. The second table compares it by these costs.", c.WrongPositive, c.Missed)
		if even := d.balance(); even != "" {
			s.text("It decides at a score of %.4g%s.", d.Model.Threshold, even)
		}
		s.table(t)
		s.table(d.costTable())
		return
	}
	t.Notes = append(t.Notes, "A classifier must beat the majority-class baseline to be of use.")
	s.table(t)
}

// costTable has what wrong decisions cost.
func (d *Document) costTable() table {
	t := table{Caption: "Cost of wrong decisions, on average over the rows", Head: []string{"Rows", "This classifier", "All decisions positive", "All decisions negative"}}
	for _, p := range d.Cost {
		t.Rows = append(t.Rows, cells(d.rowsName(p.Role), p.Costs.Classifier.Text(4),
			p.Costs.AllPositive.Text(4), p.Costs.AllNegative.Text(4)))
	}
	t.Notes = append(t.Notes, "To be of use, a classifier must cost less than either kind of constant decisions.")
	return t
}

// balance says at which probability costs balance, if that is another one than the classifier's
// threshold.
func (d *Document) balance() string {
	const same = 1e-9
	if even := float64(d.Model.ThresholdOfCosts); math.Abs(even-d.Model.Threshold) > same {
		return fmt.Sprintf(" (the costs balance at %.4g; training moved the threshold)", even)
	}
	return ""
}

func (d *Document) againSection(s *section) {
	if d.Command != "" {
		d.commandBlocks(s)
	} else {
		s.text("The model file does not say by which command it was trained.")
	}
	m := d.Model
	s.table(table{Caption: "Where the model comes from", Words: true, Head: []string{"What", "Value"}, Rows: [][]cell{
		cells("SHA-256 of the model file", m.SHA256),
		cells("Trained on", fmt.Sprintf("%s, %s rows", m.Training.Name, words.Thousands(m.Training.Rows))),
		cells("SHA-256 of these data", m.Training.SHA256),
		cells("Program", "fairtrain "+m.Version),
		cells("Method, loss, seed", fmt.Sprintf("%s, %s, %d", m.Method, m.Loss, m.Seed)),
		cells("How training ended", m.Status),
	}})
	s.text("%s", words.Optimality{Residual: m.Residual, Of: m.ResidualOf, Costs: m.Costs != nil}.Sentence())
}

// commandBlocks say what the command of training does if it is run again.
func (d *Document) commandBlocks(s *section) {
	s.text("With the same files, the same version of the program and the same kind of processor, this trains a model of the same weights:")
	s.Blocks = append(s.Blocks, block{Code: d.Command})
	if len(d.Tests) > 0 {
		s.text("To test rows again, the command needs a ledger that does not have them, such as an empty folder (“--ledger DIR”); it is then the same test, and no further evidence. A model file also notes its tests and their times, so that its SHA-256 changes with every test.")
	}
}
