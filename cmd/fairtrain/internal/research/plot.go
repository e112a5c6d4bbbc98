package research

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cutest/benchmark"
	"github.com/fairtrain/fairtrain/experiment"
	"github.com/fairtrain/fairtrain/internal/names"
	"github.com/fairtrain/fairtrain/plots"
	"github.com/fairtrain/fairtrain/results"
)

// PlotCommand is fairtrain plot, and fairtrain cutest plot.
func PlotCommand(p *command.Program) *cli.Command {
	defaults := plots.DefaultOptions()
	return &cli.Command{
		Name:  "plot",
		Usage: "draw figures of a folder of results, without running anything again",
		Description: `Figures of a folder of fairtrain compare: convergence, the objective, the constraint and the
KKT residual along the runs, means and standard deviations over the seeds (--band quartiles: medians
and quartiles).

Figures of a folder of fairtrain cutest run: box, the stationarity, the feasibility and the
score, the larger of the two, that methods reach on the problems; profile, the share of the
problems on which a method's score is at most a multiple of the best method's.

Without --out, all but those against seconds are drawn, as PNG, SVG and PDF files in DIR/figure.

   fairtrain plot results/paper-a9a
   fairtrain plot --x seconds --out seconds.pdf results/paper-a9a`,
		ArgsUsage: "DIR",
		Flags: append(command.TalkFlags(),
			&cli.StringFlag{Name: "kind", Category: "Figure", Usage: "draw the figure `KIND` of the folder: convergence|box|profile", DefaultText: "the first that the folder has"},
			&cli.StringFlag{Name: "x", Category: "Figure", Value: string(defaults.X), Usage: "show convergence against `X` samples|passes|seconds"},
			&cli.StringFlag{Name: "band", Category: "Figure", Value: string(defaults.Band), Usage: "show convergence as means and `BAND` sd, one standard deviation up and down, or as medians and quartiles: sd|quartiles"},
			&cli.Float64Flag{Name: "inset", Category: "Figure", Usage: "show the last part `SHARE` of convergence enlarged in a second row, 0 to 1", DefaultText: "none"},
			&cli.Float64Flag{Name: "width", Category: "Figure", Value: defaults.Width, Usage: "in inches, `W`"},
			&cli.Float64Flag{Name: "height", Category: "Figure", Value: defaults.Height, Usage: "of a row of panels, in inches, `H`"},
			&cli.StringFlag{Name: "out", Category: "Output", Usage: "write one figure to `FILE`: .png, .svg or .pdf", DefaultText: "all of them, in DIR/figure"},
			command.ForceFlag(),
		),
		Action: command.Action(readPlot, program{Program: p}.plot),
	}
}

// plotOptions are the flags of plot.
type plotOptions struct {
	plots.Options
	dir, out, kind string // out is "" for all figures, into the folder
}

func readPlot(c *cli.Context) (o plotOptions, err error) {
	o = plotOptions{Options: plots.DefaultOptions(), dir: c.Args().First(), out: c.String("out"), kind: c.String("kind")}
	if c.NArg() != 1 {
		return o, command.Usage(fmt.Errorf("plot takes one folder of results, found %d arguments", c.NArg()), "for example: "+c.Command.HelpName+" results/mine")
	}
	o.Width, o.Height, o.Inset = c.Float64("width"), c.Float64("height"), c.Float64("inset")
	o.X, o.Band = plots.XAxis(c.String("x")), plots.Band(c.String("band"))
	if err := o.Validate(); err != nil {
		return o, command.Usage(err)
	}
	f := command.NewFiles(c)
	f.Reads("", o.dir)
	if !c.IsSet("out") { // all figures are drawn
		return o, cmp.Or(command.CheckAlone(c, "out", "kind", "x"), f.Check())
	}
	f.Writes("out", o.out, command.Figure)
	return o, f.Check()
}

// plot draws one figure or all figures of a folder of results.
func (p program) plot(ctx context.Context, o plotOptions) error {
	f, err := findFigures(o.dir)
	if err != nil {
		return err
	}
	if o.out != "" {
		o.Heading = f.heading
		k := slices.IndexFunc(f.all, func(d drawing) bool { return o.kind == "" || d.name == o.kind })
		if k < 0 {
			return command.Usagef("--kind is %q, which is no figure of the folder", o.kind)
		}
		figure, err := f.all[k].draw(o.Options)
		if err != nil {
			return err
		}
		for _, note := range figure.Notes {
			p.Remark("%s", note)
		}
		return figure.Save(o.out)
	}
	paths, err := p.drawAll(ctx, filepath.Join(o.dir, "figure"), o.Options, f)
	switch {
	case err != nil:
		return err
	case len(paths) == 0:
		return plots.ErrNothing
	case p.JSON:
		return p.PrintJSON(paths)
	}
	for _, path := range paths {
		p.Remark("%s", path)
	}
	return nil
}

// figures are those of a folder of results.
type figures struct {
	heading string // names the experiment, its data and its constraints
	all     []drawing
}

// drawing is one of the figures of a folder.
type drawing struct {
	name string
	draw func(o plots.Options) (*plots.Figure, error)
}

// findFigures opens a folder of fairtrain compare or of fairtrain cutest run.
func findFigures(dir string) (*figures, error) {
	if !results.IsOf(dir, results.Benchmark) {
		store, err := results.Open(dir, results.Comparison)
		if err != nil {
			return nil, command.Advise(err, "fairtrain compare and fairtrain cutest run make such folders, and do again what is damaged")
		}
		return comparisonFigures(store)
	}
	table, err := loadTable(dir)
	if err != nil {
		return nil, err
	}
	if table.Problems == 0 {
		return nil, command.Advise(errors.New("no problem has the results of all methods"),
			"fairtrain cutest run, started again, does what is missing")
	}
	return &figures{table.Preset + ", " + table.Caption(), tableFigures(table)}, nil
}

// comparisonFigures are the figures of the runs of a comparison.
func comparisonFigures(store *results.Store) (*figures, error) {
	var preset experiment.Preset
	if err := store.Spec(&preset); err != nil {
		return nil, err
	}
	runs, reference, err := stored(store)
	if err != nil {
		return nil, err
	}
	curves := func(o plots.Options) (*plots.Figure, error) { return plots.Convergence(runs, reference, o) }
	passes := func(o plots.Options) (*plots.Figure, error) {
		o.X = plots.Passes
		return curves(o)
	}
	return &figures{preset.Name + ": " + posed(preset.Problem), []drawing{{"convergence", curves}, {"convergence-passes", passes}}}, nil
}

// posed names the data and the constraints of a problem.
func posed(problem experiment.ProblemSpec) string {
	text := names.Title(problem.Data) + ", " + strings.Join(problem.Constraints, ", ")
	if other := problem.ConstraintData; other != "" && other != problem.Data {
		text += " on " + names.Title(other)
	}
	return text
}

// drawAll draws figures into a folder and returns their paths. If a file can't be
// written, the others are.
func (p program) drawAll(ctx context.Context, folder string, o plots.Options, f *figures) ([]string, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	var paths, notes []string
	var lost error // the first one
	o.Heading = f.heading
	for _, d := range f.all {
		figure, err := d.draw(o)
		if errors.Is(err, plots.ErrNothing) {
			p.Remark("%s is not drawn: %s", d.name, strings.TrimPrefix(err.Error(), "plots: "))
			continue
		}
		if err != nil {
			return paths, err
		}
		for _, note := range figure.Notes {
			if !slices.Contains(notes, note) { // most figures leave out the same runs
				notes = append(notes, note)
				p.Remark("%s", note)
			}
		}
		for _, extension := range plots.Formats {
			if err := ctx.Err(); err != nil {
				return paths, err
			}
			path := filepath.Join(folder, d.name+extension)
			if err := figure.Save(path); err != nil {
				lost = cmp.Or(lost, err)
				continue
			}
			paths = append(paths, path)
		}
	}
	return paths, lost
}

// rounding is the error below which all errors are drawn as equal: the rounding of 0.
const rounding = 1e-15

// tableFigures are the figures of the errors that methods reached on problems.
func tableFigures(t *benchmark.Table) []drawing {
	var solvers []string
	for _, m := range t.Methods {
		solvers = append(solvers, m.Name)
	}
	values := func(of func(results.Judged) float64) [][]float64 {
		rows := make([][]float64, len(t.Rows))
		for i, row := range t.Rows {
			for _, cell := range row.Cells {
				rows[i] = append(rows[i], max(of(cell.Best), rounding))
			}
		}
		return rows
	}
	scores := values(results.Judged.Score)
	measures := []plots.Errors{
		{Measure: "stationarity", Solvers: solvers, Value: values(func(p results.Judged) float64 { return float64(p.Stationarity) })},
		{Measure: "feasibility", Solvers: solvers, Value: values(func(p results.Judged) float64 { return float64(p.Feasibility) })},
		{Measure: "score, the larger of both", Solvers: solvers, Value: scores},
	}
	costs := plots.Costs{
		Counted: "share of the problems, by the score reached", Name: "score (the larger of stationarity and feasibility)",
		Solvers: solvers, Cost: scores,
	}
	return []drawing{
		{"box", func(o plots.Options) (*plots.Figure, error) { return plots.ErrorBoxes(measures, o) }},
		{"profile", func(o plots.Options) (*plots.Figure, error) { return plots.Profile(costs, o) }},
	}
}
