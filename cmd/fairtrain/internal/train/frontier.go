package train

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/internal/atomicfile"
	"github.com/fairtrain/fairtrain/internal/jobs"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/plots"
	"github.com/fairtrain/fairtrain/report/words"
	"github.com/fairtrain/fairtrain/results"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/frontier"
)

// The files of a frontier.
const (
	frontierJSON   = "frontier.json"
	frontierCSV    = "frontier.csv"
	frontierFigure = "frontier" // and the extension of a format
)

// FrontierCommand is fairtrain frontier.
func FrontierCommand(p *command.Program) *cli.Command {
	return &cli.Command{
		Name:  "frontier",
		Usage: "what a constraint costs: accuracy, AUC and log loss at different bounds",
		Description: `Trains without a constraint and with one --constraint at each of several bounds, and shows
accuracy, AUC, log loss and the difference, ratio or rate that is bounded. Table and figure are
written to a folder: frontier.csv, frontier.json, frontier.png, frontier.svg, frontier.pdf.
docs/fairness.md explains the columns, "fairtrain train --help" the constraints and the data.

   fairtrain frontier
   fairtrain frontier --schema adult --data adult.data --test adult.test \
      --constraint demographic-parity:group=sex,bound=0.02
   fairtrain frontier --data people.csv --label hired --validation 0.3 \
      --constraint equalized-odds:group=sex,bound=0.05 --bounds 0.02,0.1,0.2

The constraint's own bound is marked *; with --validation, v marks the most accurate point that
satisfies it on the validation rows. Bounds are 0.005, 0.01, 0.02, 0.05, 0.1, 0.2 for
differences, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1 for rate-ratio, and 0.7 to 1.3 times the
constraint's own one for the others.`,
		Flags: append(trainingFlags("the one constraint `SPEC`, whose bound is varied"),
			&cli.StringSliceFlag{Name: "bounds", Category: "Problem", Usage: "vary the bound over the numbers `B,B,…`", DefaultText: "as above"},
			&cli.StringFlag{Name: "out", Category: "Output", Value: filepath.Join("results", "frontier"), Usage: "write the files to the folder `DIR`"},
			&cli.BoolFlag{Name: "force", Category: "Output", Usage: "replace files of these names, whatever they are", DisableDefaultText: true},
		),
		Action: program{Program: p}.frontierAction(),
	}
}

// frontierOptions are the options of frontier.
type frontierOptions struct {
	*request
	bounds    []float64
	out       string        // folder
	executor  jobs.Executor // nil: this process
	arguments []string      // of the command line, for other processes
}

// readFrontier reads the flags of frontier and checks that its files can be read and written. An
// earlier frontier is replaced.
func (p program) readFrontier(c *cli.Context) (o frontierOptions, err error) {
	if o, err = p.frontierOptions(c); err != nil {
		return o, err
	}
	if o.out == "" {
		return o, command.Usagef("--out is empty, must be a folder")
	}
	f, earlier := o.files(command.NewFiles(c)), isFrontier(o.out)
	names := []string{frontierJSON, frontierCSV}
	for _, extension := range plots.Formats {
		names = append(names, frontierFigure+extension)
	}
	for _, name := range names {
		f.WritesInto("out", o.out, name, func(string) bool { return earlier })
	}
	if err := f.Check(); err != nil {
		return o, err
	}
	if o.executor, err = p.executors.For(c); err != nil {
		return o, err
	}
	if o.executor != nil && slices.Contains([]string{o.names.Data, o.names.Constraint, o.names.Test}, "-") {
		return o, command.Usagef("workers cannot read standard input (-), name a file")
	}
	return o, nil
}

// frontierOptions reads the flags that say what to train.
func (p program) frontierOptions(c *cli.Context) (o frontierOptions, err error) {
	o = frontierOptions{out: c.String("out"), arguments: flagArguments(c)}
	if o.request, err = p.request(c); err != nil {
		return o, err
	}
	o.bounds, err = frontierBounds(c.StringSlice("bounds"), o.options)
	return o, err
}

func (p program) frontierAction() cli.ActionFunc { return command.Action(p.readFrontier, p.frontier) }

func (p program) frontier(ctx context.Context, o frontierOptions) error {
	options, err := p.load(ctx, o.request, nil)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	bar := p.NewProgress("training")
	report, err := frontier.Trace(ctx, *options, o.bounds, frontier.Settings{
		Method: o.method, Executor: o.executor,
		Encodable: func(job jobs.Job) jobs.Job { return FrontierJob{o.arguments, identities(options), job} },
		Progress: func(ended, total int) {
			bar.Update(float64(ended)/float64(total), fmt.Sprintf("%d of %d classifiers", ended, total))
		},
	})
	bar.Finish()
	if err != nil {
		os.Remove(o.out) // if it is empty
		return err
	}
	for _, point := range frontierPoints(report) {
		point.Report.Warnings = words.Warnings(point.Report)
	}
	lost, err := p.writeFrontier(o.out, report)
	if err != nil {
		return err
	}
	if err := p.printFrontier(report, o.out); err != nil {
		return err
	}
	return cmp.Or(lost, frontierFailure(report))
}

// frontierBounds returns the bounds of the flag, or else the default bounds.
func frontierBounds(given []string, o train.Options) ([]float64, error) {
	constraint, err := frontier.Varied(o.Constraints)
	if err != nil {
		return nil, command.Usage(err, "for example --constraint demographic-parity:group=G,bound=0.02")
	}
	if len(given) == 0 {
		on := o.On
		if on == "" {
			on = constraint.On
		}
		return slices.DeleteFunc(constraint.UsualLevels(on), func(b float64) bool {
			return checkBound(constraint, b) != nil
		}), nil
	}
	var bounds []float64
	for text := range strings.SplitSeq(strings.Join(given, ","), ",") {
		b, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil {
			return nil, command.Usage(fmt.Errorf("--bounds: %q is not a number", text),
				"for example --bounds 0.01,0.02,0.05")
		}
		if err := checkBound(constraint, b); err != nil {
			return nil, command.Usage(fmt.Errorf("--bounds: %w", err))
		}
		bounds = append(bounds, b)
	}
	return bounds, nil
}

// checkBound reports a bound that the constraint can't have.
func checkBound(c model.GroupConstraint, bound float64) error {
	varied, err := model.ParseConstraint(c.WithLevel(bound).String())
	if err == nil {
		_, err = frontier.Varied([]model.Constraint{varied})
	}
	return err
}

// isFrontier reports whether a folder holds a frontier, which a new one may replace.
func isFrontier(dir string) bool {
	text, err := atomicfile.ReadFile(filepath.Join(dir, frontierJSON))
	var r frontier.Report
	return err == nil && json.Unmarshal(text, &r) == nil && r.Unconstrained != nil
}

// writeFrontier writes table and reports, both or none, and then figures. lost is the error of a
// figure that can't be drawn; one of an earlier frontier does not stay in its place.
func (p program) writeFrontier(dir string, r *frontier.Report) (lost, err error) {
	table, err := command.Rendered(filepath.Join(dir, frontierCSV), func(w io.Writer) error {
		return frontierTable(r, results.CSV).Write(w, results.CSV)
	})
	if err != nil {
		return nil, err
	}
	reports, err := command.Rendered(filepath.Join(dir, frontierJSON), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(r)
	})
	if err != nil {
		return nil, err
	}
	if err := p.WriteOutputs(table, reports); err != nil {
		return nil, err
	}
	figure, err := frontierTradeOff(r)
	if err != nil {
		return nil, err
	}
	for _, extension := range plots.Formats {
		path := filepath.Join(dir, frontierFigure+extension)
		if err := figure.Save(path); err != nil {
			lost = cmp.Or(lost, err)
			os.Remove(path)
		}
	}
	return lost, nil
}

func (p program) printFrontier(r *frontier.Report, dir string) error {
	if p.JSON {
		return p.PrintJSON(struct {
			*frontier.Report
			Out string `json:"out"`
		}{r, dir})
	}
	title := fmt.Sprintf("Frontier of %s on %s\n", r.Constraint, r.On)
	for _, s := range rowSets(r) {
		f, _, _ := s.of(r.Unconstrained)
		title += fmt.Sprintf("%-10s  %d rows of %s\n", s.name, f.Rows, f.Name)
	}
	if err := p.PrintTables(results.Text, title+"\n", frontierTable(r, results.Text)); err != nil {
		return err
	}
	p.Remark("table and figure are in %s", dir)
	return nil
}

// frontierFailure returns an error unless all classifiers of a frontier reached the
// tolerance and their constraint.
func frontierFailure(r *frontier.Report) error {
	failed, code := 0, command.ExitNotReached
	for _, point := range frontierPoints(r) {
		if point.Report.Status != solver.Converged {
			failed++
		}
		if point.Report.Status == solver.Diverged {
			code = command.ExitDiverged
		}
	}
	if failed == 0 {
		return nil
	}
	return command.Fail(code, fmt.Errorf("%d of %d classifiers did not reach the tolerance or their constraint", failed, 1+len(r.Points)),
		"the table has their status; --max-passes allows more, --tol is the tolerance")
}
