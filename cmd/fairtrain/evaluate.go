package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/table"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/model"
)

func (p *program) evaluateCommand() *cli.Command {
	return &cli.Command{
		Name:  "evaluate",
		Usage: "group metrics of a model on data, or of predictions",
		Description: `Compares the decisions of a model with the labels of the data, for all rows and by
group, and says how sure the figures are. The groups that one --group names, such as the
values of a column, are compared with each other; a single one with all other rows.

   fairtrain evaluate --data a9a.t
   fairtrain evaluate --data a9a.t --group 72 --group 73 --threshold 0.4 --json

So are predictions of any other program, from a CSV file whose header has the columns
y_true, y_pred and group, or those that flags name; "*" makes intersections of groups.
Files of fairtrain predict will do, with the columns that its --id copies.

   fairtrain evaluate --predictions scores.csv
   fairtrain evaluate --predictions scores.csv --group sex --group "sex*race" --metric tpr --format markdown
   fairtrain evaluate --predictions scores.csv --label-column hired --group sex --metric ece`,
		Flags: slices.Concat(talkFlags(), frameFlags(), predictionFlags(), []cli.Flag{
			modelFlag(),
			dataFlag("", "judge on the labelled rows of `NAME|FILE`, - for standard input"),
			&cli.StringSliceFlag{
				Name: "group", Category: "Data",
				Usage: "judge the groups `G`: a feature number counted from 1, column=value, age<25, age[25,45], column, or a product of them; repeatable, each compared on its own", DefaultText: "the constrained groups",
			},
			thresholdFlag(),
			skipLabelFlag(),
		}),
		Action: p.evaluate,
	}
}

func (p *program) evaluate(c *cli.Context) error {
	if err := checkPredictionFlags(c); err != nil {
		return err
	}
	options, err := frameOptions(c)
	if err != nil {
		return err
	}
	format, err := frameFormat(c)
	if err != nil {
		return err
	}
	if err := checkSpecs(c.StringSlice("group")); err != nil {
		return err
	}
	if c.IsSet("predictions") {
		return p.evaluatePredictions(c, options, format)
	}
	if err := checkScoring(c); err != nil {
		return err
	}
	m, err := p.loadModel(c)
	if err != nil {
		return err
	}
	specs := c.StringSlice("group")
	needed := []string{} // attributes
	for _, spec := range specs {
		needed = append(needed, dataset.AttributesIn(spec)...)
	}
	if !c.IsSet("group") {
		specs = constrainedGroups(m)
	}
	if m.Features.Kind == classifier.CSV {
		for _, value := range c.StringSlice("skip-label") {
			skipLabel(m.Features.Encoding.Schema, value)
		}
	}
	d, err := reader{p: p, features: m.Features, groups: specs}.read(c.Context, c.String("data"), table.Options{Groups: needed})
	if err != nil {
		return adviseLabel(err)
	}
	if !c.IsSet("group") && m.Features.Kind == classifier.CSV {
		specs = p.judgeable(c, d, specs)
	}
	groups, err := groupsOfEach(d, specs)
	if err != nil {
		return advise(err, "--group G judges other groups")
	}
	prediction := fairness.Predictions{Threshold: m.Threshold, Labels: d.Y, Weights: d.Weights}
	if prediction.Scores, err = scores(m, d); err != nil {
		return err
	}
	found, err := interruptible(c.Context, func() (*audit, error) {
		return newAudit(prediction, specs, groups, options)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", d.Name, err)
	}
	return p.printAudit(c, c.String("model")+" on "+d.Name, found, m.Features.Names, format)
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

// judgeable returns the specifications of groups all of whose columns the data have, and
// says which are left out.
func (p *program) judgeable(c *cli.Context, d *dataset.Dataset, specs []string) []string {
	absent := func(name string) bool {
		return !slices.ContainsFunc(d.Attributes, func(a dataset.Attribute) bool { return a.Name == name })
	}
	return slices.DeleteFunc(specs, func(spec string) bool {
		k := slices.IndexFunc(dataset.AttributesIn(spec), absent)
		if k >= 0 {
			p.remark(c, "%s has no column for %q, so that nothing is said about the group %s", d.Name, dataset.AttributesIn(spec)[k], spec)
		}
		return k >= 0
	})
}

// checkSpecs refuses a specification of groups that is given twice.
func checkSpecs(specs []string) error {
	for k, spec := range specs {
		if slices.Contains(specs[:k], spec) {
			return usagef("--group %s is given twice", spec)
		}
	}
	return nil
}

// groupsOfEach returns the groups of every specification.
func groupsOfEach(d *dataset.Dataset, specs []string) ([][]fairness.Group, error) {
	groups := make([][]fairness.Group, len(specs))
	for k, spec := range specs {
		found, err := dataset.FindGroups(d, spec)
		if err != nil {
			return nil, err
		}
		for _, g := range found {
			groups[k] = append(groups[k], fairness.Group{Name: g.Name, Member: g.Member})
		}
	}
	return groups, nil
}
