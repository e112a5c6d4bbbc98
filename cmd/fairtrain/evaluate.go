package main

import (
	"bytes"
	"fmt"
	"slices"

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
			&cli.IntSliceFlag{
				Name: "group", Category: "Data",
				Usage: "judge the rows in which feature `G`, counted from 1, is not 0", DefaultText: "the constrained groups",
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
	for _, g := range c.IntSlice("group") {
		if g < 1 {
			return usagef("--group is %d, must be a feature number counted from 1", g)
		}
	}
	m, err := p.loadModel(c)
	if err != nil {
		return err
	}
	d, err := p.load(c.Context, c.String("data"), dataset.ReadOptions{Features: m.Features.Count})
	if err != nil {
		return err
	}
	features := c.IntSlice("group")
	if len(features) == 0 {
		features = constrainedGroups(m)
	}
	groups, err := groupsOf(d, features)
	if err != nil {
		return advise(err, "--group G judges other groups")
	}
	prediction := fairness.Predictions{Threshold: m.Threshold, Labels: d.Y}
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

// constrainedGroups returns the features of the groups that a model's constraints name,
// each once. A constraint from a program of somebody's own may name none.
func constrainedGroups(m *classifier.Classifier) []int {
	var features []int
	for _, c := range m.Constraints {
		parsed, err := model.ParseConstraint(c.Spec)
		if err != nil {
			continue
		}
		if grouped, ok := parsed.(model.Grouped); ok {
			features = append(features, grouped.Groups()...)
		}
	}
	slices.Sort(features)
	return slices.Compact(features)
}

func groupsOf(d *dataset.Dataset, features []int) ([]fairness.Group, error) {
	var groups []fairness.Group
	for _, feature := range features {
		g, err := dataset.GroupByFeature(d, feature)
		if err != nil {
			return nil, err
		}
		groups = append(groups, fairness.Group{Name: g.Name, Member: g.Member})
	}
	return groups, nil
}
