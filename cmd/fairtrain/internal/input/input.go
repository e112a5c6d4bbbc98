// Package input has how commands read rows, models and predictions as flags say: flags that
// mean the same for all of them, and remarks on what was found in the files.
package input

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
)

// DataFlag is the flag that names a data set.
func DataFlag(value, usage string) cli.Flag {
	return &cli.StringFlag{Name: "data", Category: "Data", Value: value, Usage: usage}
}

// ModelFlag is the flag that names a model to read.
func ModelFlag() cli.Flag {
	return &cli.StringFlag{Name: "model", Category: "Data", Value: "model.json", Usage: "read the model from `FILE`, - for standard input"}
}

// ThresholdFlag is the flag that replaces a threshold.
func ThresholdFlag(replaced string) cli.Flag {
	return &cli.Float64Flag{
		Name: "threshold", Category: "Decision", DefaultText: replaced,
		Usage: "a decision is positive if the score is at least `T`, 0 to 1",
	}
}

// ModelOptions say which model to read, and what of it other flags replace.
type ModelOptions struct {
	Path      string
	Threshold *float64 // nil: the model's
	SkipLabel []string // leaves out rows with these labels, besides those that the model's schema names
}

// ModelFlags reads ModelFlag, ThresholdFlag and SkipLabelFlag, of which a command may lack the last
// two.
func ModelFlags(c *cli.Context) (o ModelOptions, err error) {
	o = ModelOptions{Path: c.String("model"), SkipLabel: command.List(c, "skip-label")}
	if c.IsSet("threshold") {
		o.Threshold = new(c.Float64("threshold"))
		err = command.CheckRange("threshold", *o.Threshold, 0, 1)
	}
	return o, err
}

// LoadModel reads a model.
func LoadModel(ctx context.Context, p *command.Program, o ModelOptions) (*classifier.Classifier, error) {
	m, err := command.Interruptible(ctx, func() (*classifier.Classifier, error) {
		if o.Path == "-" {
			return classifier.Read(p.Stdin, "standard input")
		}
		return classifier.Load(o.Path)
	})
	if err != nil {
		return nil, err
	}
	if o.Threshold != nil {
		m.Threshold = *o.Threshold
	}
	if m.Features.Kind == classifier.CSV {
		for _, value := range o.SkipLabel {
			skipLabel(m.Features.Encoding.Schema, value)
		}
	}
	return m, nil
}

// Names are the names of the data sets of a training run; test is empty if there is none.
type Names struct{ Data, Constraint, Test string }
