package report

import (
	"fmt"
	"slices"
	"strings"
)

// residualWords say what the residual of training is that of.
var residualWords = map[string]string{
	ofModel:        "(0 would be an exact optimum nearby)",
	ofUncalibrated: "before its scores were made probabilities (0 would be an exact optimum nearby)",
	ofSmooth:       "of the smooth problem from which a search for the best decisions made the classifier (0 would be an exact optimum of that problem nearby; of the decisions it says nothing)",
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
		cells("Trained on", fmt.Sprintf("%s, %s rows", m.Training.Name, thousands(m.Training.Rows))),
		cells("SHA-256 of these data", m.Training.SHA256),
		cells("Program", "fairtrain "+m.Version),
		cells("Method, loss, seed", fmt.Sprintf("%s, %s, %d", m.Method, m.Loss, m.Seed)),
		cells("How training ended", fmt.Sprintf("%s, at a KKT residual of %.1e %s", m.Status, m.Residual, residualWords[m.ResidualOf])),
	}})
}

// commandBlocks say what the command of training does if it is given again.
func (d *Document) commandBlocks(s *section) {
	certifies := slices.Contains(strings.Fields(d.Command), "--certify")
	ledger := ""
	if certifies {
		ledger = ", with a ledger of tested rows as it was before this training"
	}
	s.text("With the same files, the same version of the program and the same kind of processor%s, this trains a model of the same weights:", ledger)
	s.Blocks = append(s.Blocks, block{Code: d.Command})
	switch {
	case slices.Contains(strings.Fields(d.Command), "--reuse"):
		s.text("That ledger has earlier tests of the rows of --certify. With another one, this test is at another confidence, for which the command trains with other bounds: that is another model. Given again, the test is the same test, and no further evidence.")
	case certifies:
		s.text("The ledger of this training remembers that the rows of --certify were tested. With that ledger the command is refused. With --reuse it tests at a higher confidence, for which it trains with tighter bounds: that is another model. “--ledger DIR” names another ledger, such as an empty folder. Given again in this way, the test is the same test, and no further evidence.")
	}
	if len(d.Tests) > 0 {
		s.text("A model file also notes its tests and their times, so that its SHA-256 changes with every test.")
	}
}
