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
	"github.com/fairtrain/fairtrain/experiment"
	"github.com/fairtrain/fairtrain/internal/names"
	"github.com/fairtrain/fairtrain/plots"
	"github.com/fairtrain/fairtrain/results"
)

// The kinds of figures.
const (
	convergence = "convergence"
	box         = "box"
	profile     = "profile"
)

// PlotCommand is fairtrain plot.
func PlotCommand(p *command.Program) *cli.Command {
	return &cli.Command{
		Name:  "plot",
		Usage: "draw figures of a folder of results, without running anything again",
		Description: `Kinds of figures: convergence, the objective, the constraint and the KKT residual along
the runs, medians and quartiles over the seeds (--band sd: means and standard deviations); box, their final values; profile, the share
of the seeds for which a method reaches a KKT residual, against its samples divided by the
best method's samples. Without --out,
convergence against samples, passes and seconds and box are drawn, as PNG, SVG and PDF files
in the folder "figure" of the folder. Convergence against seconds is drawn only if half of
the runs take 0.2 s or more, as shorter times mean nothing.

   fairtrain plot results/paper-a9a
   fairtrain plot --kind convergence --x seconds --out seconds.pdf results/paper-a9a
   fairtrain plot --kind profile --tol 0.05 --out profile.svg results/paper-a9a`,
		ArgsUsage: "DIR",
		Flags: append(figureFlags(convergence, box, profile),
			&cli.StringFlag{Name: "x", Category: "Figure", Value: string(plots.DefaultOptions().X), Usage: "show convergence against `X` samples|passes|seconds"},
			&cli.StringFlag{Name: "band", Category: "Figure", Value: string(plots.DefaultOptions().Band), Usage: "show convergence as medians and `BAND` quartiles, or as means and sd, one standard deviation up and down: quartiles|sd"},
			&cli.Float64Flag{Name: "inset", Category: "Figure", Usage: "show the last part `SHARE` of convergence enlarged in a second row, 0 to 1", DefaultText: "none"},
			&cli.Float64Flag{Name: "tol", Category: "Figure", Value: 0.05, Usage: "profiles of reaching the KKT residual `T`"},
		),
		Action: command.Action(readFigure(convergence, box, profile), program{Program: p}.plot),
	}
}

// figureFlags are the flags of a command that draws figures of a folder of results. The
// first kind is the default of --kind.
func figureFlags(kinds ...string) []cli.Flag {
	defaults := plots.DefaultOptions()
	return append(command.TalkFlags(),
		&cli.StringFlag{Name: "kind", Category: "Figure", Value: kinds[0], Usage: "draw a figure of `KIND` " + strings.Join(kinds, "|")},
		&cli.Float64Flag{Name: "width", Category: "Figure", Value: defaults.Width, Usage: "in inches, `W`"},
		&cli.Float64Flag{Name: "height", Category: "Figure", Value: defaults.Height, Usage: "of a row of panels, in inches, `H`"},
		&cli.StringFlag{Name: "out", Category: "Output", Usage: "write one figure to `FILE`: .png, .svg or .pdf", DefaultText: "all of them, in DIR/figure"},
		&cli.BoolFlag{Name: "force", Category: "Output", Usage: "replace the file if it exists", DisableDefaultText: true},
	)
}

// figureOptions are the flags of a command that draws figures of a folder of results.
type figureOptions struct {
	plots.Options
	dir, out, kind string // out is "" for all figures, into the folder
	tolerance      float64
}

// readFigure reads the flags of figureFlags, for the same kinds, and those of plot.
func readFigure(kinds ...string) func(c *cli.Context) (figureOptions, error) {
	return func(c *cli.Context) (o figureOptions, err error) {
		o = figureOptions{Options: plots.DefaultOptions(), dir: c.Args().First(), out: c.String("out"), tolerance: c.Float64("tol")}
		if c.NArg() != 1 {
			return o, command.Usage(fmt.Errorf("plot takes one folder of results, found %d arguments", c.NArg()), "for example: "+c.Command.HelpName+" results/mine")
		}
		o.Width, o.Height, o.Inset = c.Float64("width"), c.Float64("height"), c.Float64("inset")
		if command.Has(c, "x") {
			o.X, o.Band = plots.XAxis(c.String("x")), plots.Band(c.String("band"))
		}
		if err := o.Validate(); err != nil {
			return o, command.Usage(err)
		}
		if o.kind, err = command.OneOf(c, "kind", kinds...); err != nil {
			return o, err
		}
		f := command.NewFiles(c)
		f.Reads("", o.dir)
		if c.IsSet("out") {
			f.Writes("out", o.out, nil)
			err = checkKind(c, o.kind)
		} else { // all kinds are drawn
			err = command.CheckAlone(c, "out", "kind", "x", "tol")
		}
		if err != nil {
			return o, err
		}
		return o, f.Check()
	}
}

// checkKind refuses flags that play no part in a figure of a kind.
func checkKind(c *cli.Context, kind string) error {
	if kind != convergence {
		if err := command.CheckAlone(c, "kind "+convergence, "x", "inset", "band"); err != nil {
			return err
		}
	}
	if kind != profile {
		return command.CheckAlone(c, "kind "+profile, "tol")
	}
	return nil
}

func (p program) plot(ctx context.Context, o figureOptions) error {
	store, err := results.Open(o.dir, results.Comparison)
	if err != nil {
		return command.Advise(err, "fairtrain compare makes such folders, and does again what is damaged in one")
	}
	if o.Heading, err = heading(store); err != nil {
		return err
	}
	return p.plotFolder(ctx, o, comparisonFigures, drawer(store, o.tolerance))
}

// drawFunc draws a figure of a kind.
type drawFunc func(kind string, o plots.Options) (*plots.Figure, error)

// plotFolder draws one figure or all figures of a folder of results.
func (p program) plotFolder(ctx context.Context, o figureOptions, all []drawing, draw drawFunc) error {
	if o.out != "" {
		figure, err := draw(o.kind, o.Options)
		if err != nil {
			return err
		}
		for _, note := range figure.Notes {
			p.Remark("%s", note)
		}
		return figure.Save(o.out)
	}
	paths, err := p.drawAll(ctx, filepath.Join(o.dir, "figure"), o.Options, all, draw)
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

// heading names the experiment, its data and its constraints.
func heading(store *results.Store) (string, error) {
	var preset experiment.Preset
	if err := store.Spec(&preset); err != nil {
		return "", err
	}
	return preset.Name + ": " + posed(preset.Problem), nil
}

// posed names the data and the constraints of a problem.
func posed(problem experiment.ProblemSpec) string {
	text := names.Title(problem.Data) + ", " + strings.Join(problem.Constraints, ", ")
	if other := problem.ConstraintData; other != "" && other != problem.Data {
		text += " on " + names.Title(other)
	}
	return text
}

// drawer draws figures of the stored runs.
func drawer(store *results.Store, tolerance float64) drawFunc {
	return func(kind string, o plots.Options) (*plots.Figure, error) {
		runs, reference, err := stored(store)
		if err != nil {
			return nil, err
		}
		switch kind {
		case convergence:
			return plots.Convergence(runs, reference, o)
		case box:
			return plots.Box(runs, reference, o)
		}
		return plots.Reached(runs, tolerance, o)
	}
}

// drawing is one of the figures of a folder.
type drawing struct {
	name, kind string
	x          plots.XAxis
}

// comparisonFigures are the figures of a comparison.
var comparisonFigures = []drawing{
	{"convergence", convergence, plots.Samples},
	{"convergence-passes", convergence, plots.Passes},
	{"convergence-seconds", convergence, plots.Seconds},
	{"final", box, plots.Samples},
}

// drawAll draws figures into a folder and returns their paths. A file that can't be written does
// not keep it from the others.
func (p program) drawAll(ctx context.Context, folder string, o plots.Options, all []drawing, draw drawFunc) ([]string, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	var paths, notes []string
	var lost error // the first one
	for _, f := range all {
		o.X = f.x
		figure, err := draw(f.kind, o)
		if errors.Is(err, plots.ErrTooShort) || errors.Is(err, plots.ErrNothing) {
			p.Remark("%s is not drawn: %s", f.name, strings.TrimPrefix(err.Error(), "plots: "))
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
			path := filepath.Join(folder, f.name+extension)
			if err := figure.Save(path); err != nil {
				lost = cmp.Or(lost, err)
				continue
			}
			paths = append(paths, path)
		}
	}
	return paths, lost
}
