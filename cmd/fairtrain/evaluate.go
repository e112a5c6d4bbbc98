package main

import (
	"bytes"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/model"
)

func (p *program) evaluateCommand() *cli.Command {
	return &cli.Command{
		Name:  "evaluate",
		Usage: "group metrics of a model on data",
		Description: `Compares the decisions of a model with the labels of the data, for all rows and by
group. A single group is compared with all other rows, several with each other.

   fairtrain evaluate --data a9a.t
   fairtrain evaluate --data a9a.t --group 72 --group 73 --threshold 0.4 --json`,
		Flags: append(talkFlags(),
			modelFlag(),
			dataFlag("", "judge on the labelled rows of `NAME|FILE`, - for standard input"),
			&cli.StringSliceFlag{
				Name: "group", Category: "Data",
				Usage: "judge the group `G`: a feature number counted from 1, or column=value", DefaultText: "the constrained groups",
			},
			thresholdFlag(),
		),
		Action: p.evaluate,
	}
}

func (p *program) evaluate(c *cli.Context) error {
	if err := checkScoring(c); err != nil {
		return err
	}
	m, err := p.loadModel(c)
	if err != nil {
		return err
	}
	specs := c.StringSlice("group")
	if len(specs) == 0 {
		specs = constrainedGroups(m)
	}
	d, err := reader{p, m.Features, specs}.read(c.Context, c.String("data"), false)
	if err != nil {
		return err
	}
	groups, err := groupsOf(d, specs)
	if err != nil {
		return advise(err, "--group G judges other groups")
	}
	prediction := fairness.Predictions{Threshold: m.Threshold, Labels: d.Y, Weights: d.Weights}
	if prediction.Scores, err = scores(m, d); err != nil {
		return err
	}
	report, err := fairness.Evaluate(prediction, groups)
	if err != nil {
		return fmt.Errorf("%s: %w", d.Name, err)
	}
	if isOn(c, "json") {
		return p.printJSON(report)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s on %s, decisions from a score of %v on\n\n", c.String("model"), d.Name, report.Threshold)
	writeFigures(&b, []figures{{d.Name, report}}, m.Features.Names)
	writeDisparities(&b, report)
	return p.print(b.Bytes())
}

// constrainedGroups returns the groups that a model's constraints name, each once. A
// constraint from a program of somebody's own may name none.
func constrainedGroups(m *classifier.Classifier) []string {
	var known []model.Constraint
	for _, c := range m.Constraints {
		if parsed, err := model.ParseConstraint(c.Spec); err == nil {
			known = append(known, parsed)
		}
	}
	return groupSpecs(known)
}

func groupsOf(d *dataset.Dataset, specs []string) ([]fairness.Group, error) {
	var groups []fairness.Group
	for _, spec := range specs {
		found, err := dataset.FindGroups(d, spec)
		if err != nil {
			return nil, err
		}
		for _, g := range found {
			groups = append(groups, fairness.Group{Name: g.Name, Member: g.Member})
		}
	}
	return groups, nil
}
