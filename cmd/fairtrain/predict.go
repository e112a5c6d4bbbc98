package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/dataset"
)

func (p *program) predictCommand() *cli.Command {
	return &cli.Command{
		Name:  "predict",
		Usage: "score rows with a model",
		Description: `Prints CSV with the header "score,decision" and a line for every row: the score, the
model's probability of the positive label, and the decision, 1 or -1. With --json, one
object with the lists "scores" and "decisions". Labels in the data may be missing and
play no part.

   fairtrain predict --data a9a.t
   fairtrain predict --model fair.json --data new.libsvm.gz --out scores.csv
   fairtrain predict --model fair.json --data applicants.csv --out scores.csv`,
		Flags: append(talkFlags(),
			modelFlag(),
			dataFlag("", "score the rows of `NAME|FILE`, - for standard input"),
			thresholdFlag(),
			&cli.StringFlag{Name: "out", Category: "Output", Value: "-", Usage: "write the scores to `FILE`, - for standard output"},
			&cli.BoolFlag{Name: "force", Category: "Output", Usage: "replace the file if it exists", DisableDefaultText: true},
		),
		Action: p.predict,
	}
}

// predictions is the output of predict --json.
type predictions struct {
	Rows      int       `json:"rows"`
	Positives int       `json:"positives"` // decisions
	Threshold float64   `json:"threshold"`
	Scores    []float64 `json:"scores"`
	Decisions []int     `json:"decisions"` // −1 or 1
}

func (p *program) predict(c *cli.Context) error {
	model, data, out := c.String("model"), c.String("data"), c.String("out")
	if err := checkScoring(c); err != nil {
		return err
	}
	f := newFiles(c)
	f.reads("model", model)
	f.readsData("data", data)
	f.writes("out", out, ifForced(c))
	if err := f.check(); err != nil {
		return err
	}
	m, err := p.loadModel(c)
	if err != nil {
		return err
	}
	d, err := reader{p: p, features: m.Features}.read(c.Context, data, dataset.CSVOptions{AnyLabels: true})
	if err != nil {
		return err
	}
	result := predictions{Rows: d.Rows(), Threshold: m.Threshold, Decisions: make([]int, d.Rows())}
	if result.Scores, err = scores(m, d); err != nil {
		return err
	}
	for i, score := range result.Scores {
		result.Decisions[i] = -1
		if score >= m.Threshold {
			result.Decisions[i] = 1
			result.Positives++
		}
	}
	write := result.writeCSV
	if isOn(c, "json") {
		write = func(w io.Writer) error { return json.NewEncoder(w).Encode(result) }
	}
	if err := p.writeOutput(out, write); err != nil {
		return err
	}
	if out != "-" {
		p.remark(c, "%d rows scored, %d decided positively: %s", result.Rows, result.Positives, out)
	}
	return nil
}

// writeCSV writes scores so that reading them gives the same numbers.
func (r *predictions) writeCSV(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "score,decision")
	for i, score := range r.Scores {
		fmt.Fprintf(b, "%v,%d\n", score, r.Decisions[i])
	}
	return b.Flush()
}

// checkScoring checks the flags of commands that apply a model to data.
func checkScoring(c *cli.Context) error {
	if c.String("data") == "" {
		return usage(fmt.Errorf("%s needs --data", c.Command.HelpName), "for example: "+c.Command.HelpName+" --data a9a.t")
	}
	if c.IsSet("threshold") {
		if err := checkRange("threshold", c.Float64("threshold"), 0, 1); err != nil {
			return err
		}
	}
	return checkNames(c.String("model"), c.String("data"))
}
