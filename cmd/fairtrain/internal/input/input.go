// Package input has how commands read rows, models and predictions as flags say: flags that
// mean the same for all of them, and remarks on what was found in the files.
package input

import (
	"math"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
)

// DataFlag is the flag that names a data set.
func DataFlag(value, usage string) cli.Flag {
	return &cli.StringFlag{Name: "data", Category: "Data", Value: value, Usage: usage}
}

// MaxFeaturesFlag is the flag that bounds feature indices.
func MaxFeaturesFlag() cli.Flag {
	return &cli.IntFlag{
		Name: "max-features", Category: "Data", Value: libsvm.DefaultMaxFeatures,
		Usage: "refuse feature indices above `N`, likely mistyped",
	}
}

// MaxFeatures returns the value of MaxFeaturesFlag.
func MaxFeatures(c *cli.Context) (int, error) {
	n := c.Int("max-features")
	return n, command.CheckRange("max-features", float64(n), 1, math.MaxInt32)
}

// ModelFlag is the flag that names a model to read.
func ModelFlag() cli.Flag {
	return &cli.StringFlag{Name: "model", Category: "Data", Value: "model.json", Usage: "read the model from `FILE`, - for standard input"}
}

// ThresholdFlag is the flag that replaces a model's threshold.
func ThresholdFlag() cli.Flag {
	return &cli.Float64Flag{
		Name: "threshold", Category: "Decision", DefaultText: "the model's",
		Usage: "a decision is positive if the score is at least `T`, 0 to 1",
	}
}

// LoadModel reads a model, and applies the flags --threshold and --skip-label to it if they
// are given.
func LoadModel(p *command.Program, c *cli.Context) (*classifier.Classifier, error) {
	path := c.String("model")
	m, err := command.Interruptible(c.Context, func() (*classifier.Classifier, error) {
		if path == "-" {
			return classifier.Read(p.Stdin, "standard input")
		}
		return classifier.Load(path)
	})
	if err != nil {
		return nil, err
	}
	if c.IsSet("threshold") {
		m.Threshold = c.Float64("threshold")
	}
	if m.Features.Kind == classifier.CSV {
		for _, value := range c.StringSlice("skip-label") {
			skipLabel(m.Features.Encoding.Schema, value)
		}
	}
	return m, nil
}

// The names of the built-in data, which are the default.
const (
	SyntheticName = "synthetic"
	SyntheticTest = "synthetic.t"
)

// Names are the names of the data sets of a training run; test is empty if there is none.
type Names struct{ Data, Constraint, Test string }
