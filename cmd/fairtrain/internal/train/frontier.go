package train

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
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
	frontierJSON   = "frontier.json" // marks the folder as one of a frontier
	frontierCSV    = "frontier.csv"
	frontierFigure = "frontier" // and the extension of a format
)

// FrontierCommand is fairtrain frontier.
func FrontierCommand(p *command.Program) *cli.Command {
	return &cli.Command{
		Name:  "frontier",
		Usage: "what a constraint costs: accuracy, AUC and log loss at different bounds",
		Description: `Trains without a constraint and then with one --constraint at each of several bounds,
from the unconstrained solution (on scores, from a point on the way there). The table has,
for the rows to train on, the validation and the test rows, accuracy, AUC, log loss and the
disparity that the constraint is about, of the decisions. The constraint's own bound is the
chosen bound, marked with *. If a classifier that was trained for one bound keeps another
one, too, and its decisions on the training rows are better than those found for that one,
it has both rows. With --validation, v marks the point that validation would choose: of the
points that keep the chosen bound on the validation rows, the most accurate there, or on
decisions the one whose wrong decisions cost least there, if --threshold or --class-weight
says what they cost. Accuracy and disparity on held-out rows have 95 % intervals, for each
point on its own. Table, figure and all reports are written to a
folder: frontier.csv, frontier.json, frontier.png, frontier.svg, frontier.pdf.
The default bounds, to which the chosen bound is added:

   demographic-parity, equal-opportunity, equalized-odds
                               0.005, 0.01, 0.02, 0.05, 0.1, 0.2; with --on scores 0,
                               too, which decisions on finitely many rows hardly reach
   rate-ratio                  0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1
   bounded-group-loss, share   0.7, 0.8, 0.9, 1.1, 1.2, 1.3 times the chosen one

Bounds that the constraint can't have are left out. "fairtrain train --help"
describes the constraints and the data. Examples:

   fairtrain frontier
   fairtrain frontier --schema adult --data adult.data --test adult.test \
      --constraint demographic-parity:group=sex,bound=0.02
   fairtrain frontier --data people.csv --label hired --validation 0.3 \
      --constraint equalized-odds:group=sex,bound=0.05 --bounds 0.02,0.1,0.2`,
		Flags: append(trainingFlags("the one constraint `SPEC`, whose bound is varied"),
			&cli.StringSliceFlag{Name: "bounds", Category: "Problem", Usage: "vary the constraint's bound over the numbers `B,B,…`", DefaultText: "as above"},
			&cli.StringFlag{Name: "out", Category: "Output", Value: filepath.Join("results", "frontier"), Usage: "write the files to the folder `DIR`"},
			&cli.BoolFlag{Name: "force", Category: "Output", Usage: "write them even if the folder holds something else", DisableDefaultText: true},
			&cli.StringFlag{Name: "format", Category: "Output", Value: string(results.Text), Usage: "print the table as `FORMAT`: text|markdown|csv"},
		),
		Action: program{Program: p}.frontierAction(),
	}
}

// frontierOptions are the flags of frontier.
type frontierOptions struct {
	*request
	bounds   []float64
	dir      string
	format   results.TableFormat
	executor jobs.Executor // nil: this process
	words    []string      // of the command line, for another process
}

func (p program) frontierAction() cli.ActionFunc {
	return command.Action(p.readFrontier, p.frontier)
}

func (p program) readFrontier(c *cli.Context) (o frontierOptions, err error) {
	if o.format, err = command.OneOf(c, "format", results.Text, results.Markdown, results.CSV); err != nil {
		return o, err
	}
	if o.request, o.bounds, err = p.frontierRequest(c); err != nil {
		return o, err
	}
	o.dir, o.words = c.String("out"), flagWords(c)
	if err := checkFrontierFolder(o.dir, c.Bool("force")); err != nil {
		return o, err
	}
	f := o.files(command.NewFiles(c))
	names := []string{frontierJSON, frontierCSV}
	for _, extension := range plots.Formats {
		names = append(names, frontierFigure+extension)
	}
	for _, name := range names {
		f.WritesInto("out", o.dir, name, command.Own)
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

func (p program) frontier(ctx context.Context, o frontierOptions) error {
	options, err := p.load(o.request, nil)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.dir, 0o755); err != nil {
		return err
	}
	bar := p.NewProgress("training")
	report, err := frontier.Trace(ctx, *options, o.bounds, frontier.Settings{
		Method: o.method, Executor: o.executor,
		Encodable: func(job jobs.Job) jobs.Job { return FrontierJob{o.words, identities(options), job} },
		Progress: func(ended, total int) {
			bar.Update(float64(ended)/float64(total), fmt.Sprintf("%d of %d classifiers", ended, total))
		},
	})
	bar.Finish()
	if err != nil {
		os.Remove(o.dir) // if it is empty
		return err
	}
	for _, point := range frontierPoints(report) {
		point.Report.Warnings = words.Warnings(point.Report)
	}
	lost, err := p.writeFrontier(o.dir, report)
	if err != nil {
		return err
	}
	if err := p.printFrontier(report, o.format, o.dir); err != nil {
		return err
	}
	return cmp.Or(lost, frontierFailure(report))
}

// frontierRequest reads the flags of a frontier: what to train, and the bounds.
func (p program) frontierRequest(c *cli.Context) (*request, []float64, error) {
	q, err := p.newRequest(c)
	if err != nil {
		return nil, nil, err
	}
	bounds, err := frontierBounds(c.StringSlice("bounds"), q.options)
	return q, bounds, err
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
			return nil, command.Usage(fmt.Errorf("--bounds: %q is not a number", text), "for example --bounds 0.01,0.02,0.05")
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

// checkFrontierFolder refuses a folder that holds something else than a frontier, unless
// --force is given.
func checkFrontierFolder(dir string, force bool) error {
	if dir == "" {
		return command.Usagef("--out is empty, must be a folder")
	}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) > 0 && !isFrontier(dir) && !force:
		return command.Advise(fmt.Errorf("%s exists and holds no frontier but %s", dir, entries[0].Name()),
			"choose another folder with --out, or write into this one with --force")
	}
	return nil
}

// isFrontier reports whether a folder holds a frontier, which a new one may replace.
func isFrontier(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, frontierJSON))
	var r frontier.Report
	return err == nil && json.Unmarshal(text, &r) == nil && r.Unconstrained != nil
}

// writeFrontier writes table, reports and figures, all of them or none. lost is the error of a figure that can't be drawn;
// one of an earlier frontier does not stay in its place.
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
	files := []command.Content{table, reports}
	figure, err := frontierTradeOff(r)
	if err != nil {
		return nil, err
	}
	var old []string // figures, of an earlier frontier perhaps
	for _, extension := range plots.Formats {
		path := filepath.Join(dir, frontierFigure+extension)
		data, err := figure.Encode(path)
		if err != nil {
			lost, old = cmp.Or(lost, err), append(old, path)
			continue
		}
		files = append(files, command.Content{Path: path, Data: data})
	}
	if err := p.WriteOutputs(files...); err != nil {
		return nil, err
	}
	for _, path := range old {
		os.Remove(path)
	}
	return lost, nil
}

func (p program) printFrontier(r *frontier.Report, format results.TableFormat, dir string) error {
	if p.JSON {
		return p.PrintJSON(struct {
			*frontier.Report
			Out string `json:"out"`
		}{r, dir})
	}
	title := fmt.Sprintf("Frontier of %s on %s\n", r.Constraint, r.On)
	for _, line := range frontierData(r) {
		title += line + "\n"
	}
	if err := p.PrintTables(format, title+"\n", frontierTable(r, format)); err != nil {
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
		"the table has their status; --max-passes allows more, --tol asks for less")
}
