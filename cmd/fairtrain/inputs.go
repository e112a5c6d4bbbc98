package main

import (
	"context"
	"fmt"
	"math"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
)

// dataFlag is the flag that names a data set.
func dataFlag(value, usage string) cli.Flag {
	return &cli.StringFlag{Name: "data", Category: "Data", Value: value, Usage: usage}
}

func maxFeaturesFlag() cli.Flag {
	return &cli.IntFlag{
		Name: "max-features", Category: "Data", Value: libsvm.DefaultMaxFeatures,
		Usage: "refuse feature indices above `N`, likely mistyped",
	}
}

// maxFeatures returns the value of maxFeaturesFlag.
func maxFeatures(c *cli.Context) (int, error) {
	n := c.Int("max-features")
	return n, checkRange("max-features", float64(n), 1, math.MaxInt32)
}

// modelFlag is the flag that names a model to read.
func modelFlag() cli.Flag {
	return &cli.StringFlag{Name: "model", Category: "Data", Value: "model.json", Usage: "read the model from `FILE`, - for standard input"}
}

func thresholdFlag() cli.Flag {
	return &cli.Float64Flag{
		Name: "threshold", Category: "Decision", DefaultText: "the model's",
		Usage: "decide positively from a score of `T` on, 0 to 1",
	}
}

// checkNames refuses names of inputs that are empty, and standard input twice.
func checkNames(names ...string) error {
	stdin := 0
	for _, name := range names {
		switch name {
		case "":
			return usagef("an input without a name, expected a file, - for standard input, or the name of data")
		case "-":
			stdin++
		}
	}
	if stdin > 1 {
		return usagef("standard input (-) is asked for %d times, but can be read only once", stdin)
	}
	return nil
}

// checkRange refuses a number outside [low, high].
func checkRange(flag string, x, low, high float64) error {
	if x >= low && x <= high {
		return nil
	}
	return usagef("--%s is %.10g, must be in [%.10g, %.10g]", flag, x, low, high)
}

// load reads a data set. It returns early if ctx is cancelled, as standard input may
// never come.
func (p *program) load(ctx context.Context, name string, opts libsvm.Options) (*dataset.Dataset, error) {
	return interruptible(ctx, func() (*dataset.Dataset, error) { return catalogue.Load(name, p.stdin, opts) })
}

// loadModel reads a model, and applies the flag --threshold to it if that is given.
func (p *program) loadModel(c *cli.Context) (*classifier.Classifier, error) {
	path := c.String("model")
	m, err := interruptible(c.Context, func() (*classifier.Classifier, error) {
		if path == "-" {
			return classifier.Read(p.stdin, "standard input")
		}
		return classifier.Load(path)
	})
	if err != nil {
		return nil, err
	}
	if c.IsSet("threshold") {
		m.Threshold = c.Float64("threshold")
	}
	return m, nil
}

// interruptible returns what f returns, or the error of ctx as soon as it is cancelled.
func interruptible[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := f()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// scores applies a model to data.
func scores(m *classifier.Classifier, d *dataset.Dataset) ([]float64, error) {
	dst := make([]float64, d.Rows())
	if err := m.Scores(dst, d.X); err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	return dst, nil
}
