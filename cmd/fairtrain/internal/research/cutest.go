package research

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cutest/benchmark"
	"github.com/fairtrain/fairtrain/experiment"
)

// CutestCommand is fairtrain cutest.
func CutestCommand(p *command.Program) *cli.Command {
	return &cli.Command{
		Name:      "cutest",
		Usage:     "the CUTEst experiment: list, run, table, plot, eval",
		UsageText: "fairtrain cutest COMMAND [command options] [arguments]",
		Description: `The paper's first experiment: methods on equality-constrained problems of the CUTEst
collection, with Gaussian noise added to gradients, constraints and Jacobians. Problems are
the SIF files in $FAIRTRAIN_DATA/sif, or the files that --sif names. Without any SIF file
there are 56 problems that ship with the program. "fairtrain preset list" names the presets;
"fairtrain preset show NAME > my.toml" writes one for you to edit.

   fairtrain cutest list
   fairtrain cutest run --preset paper-cutest-1e-2
   fairtrain cutest run --sif my.SIF --method fsfo --candidates 15
   fairtrain cutest table results/paper-cutest-1e-2
   fairtrain cutest plot results/paper-cutest-1e-2
   fairtrain cutest eval --param N=100 my.SIF`,
		Subcommands: []*cli.Command{
			{
				Name:   "list",
				Usage:  "the problems that enter the experiment, and why others do not",
				Flags:  append(command.TalkFlags(), sourceFlags()...),
				Action: command.Action(readProblems, program{Program: p}.cutestList),
			},
			{
				Name:  "run",
				Usage: "run methods on problems; a second start does what is missing",
				Description: `Every candidate of every method runs on every problem until its samples are used up;
the best iterate by exact values is the method's result. Each result is stored in a folder. If
an interrupted experiment is started again, it does only what is missing.
"fairtrain preset list" names the presets.

   fairtrain cutest run
   fairtrain cutest run --preset paper-cutest-1e-4 --method fsfo --method ssqp
   fairtrain cutest run --preset my.toml --sif my.SIF --out results/mine`,
				Flags: slices.Concat(command.TalkFlags(), jobsFlag(), sourceFlags(), []cli.Flag{
					&cli.StringSliceFlag{Name: "method", Category: "Experiment", Usage: "run only the method `NAME`; several with commas or repeated"},
					&cli.IntFlag{Name: "candidates", Category: "Experiment", Usage: "try `N` candidates per method, evenly spread", DefaultText: "all of the preset"},
					outFlag("results/PRESET"),
					formatFlag(),
				}),
				Action: program{Program: p}.cutestRunAction(),
			},
			{
				Name:      "table",
				Usage:     "the table of an experiment, beside the paper's",
				ArgsUsage: "DIR",
				Flags:     append(command.TalkFlags(), formatFlag()),
				Action:    command.Action(readCutestTable, program{Program: p}.cutestTable),
			},
			PlotCommand(p),
			{
				Name:      "eval",
				Usage:     "evaluate the functions of a SIF file at a point",
				ArgsUsage: "FILE",
				Description: `Prints the number of variables n and of constraints m, the objective f and its gradient
g, the constraints c and their Jacobian J at the point x, the file's starting point
unless --at gives another. Nothing is eliminated, no noise added.`,
				Flags: append(command.TalkFlags(),
					&cli.StringSliceFlag{Name: "param", Category: "Problem", Usage: "give a parameter of the file a value, `NAME=VALUE`; several with commas or repeated"},
					&cli.StringFlag{Name: "at", Category: "Problem", Usage: "evaluate at the point in `FILE`: numbers, or JSON; - for standard input"},
				),
				Action: command.Action(readEval, program{Program: p}.cutestEval),
			},
		},
	}
}

// CutestByWorkers is fairtrain cutest run, whose candidates are tried by workers.
func CutestByWorkers(p *command.Program, executors command.Executors, others []cli.Flag) *cli.Command {
	cutest := CutestCommand(p)
	run := cutest.Subcommands[slices.IndexFunc(cutest.Subcommands,
		func(c *cli.Command) bool { return c.Name == "run" })]
	command.ByWorkers(run, "fairtrain cutest run", program{p, executors}.cutestRunAction(), others)
	return &cli.Command{Name: cutest.Name, Usage: "the CUTEst experiment: run", Subcommands: []*cli.Command{run}}
}

// sourceFlags are the flags that say which problems there are.
func sourceFlags() []cli.Flag {
	return []cli.Flag{
		presetFlag("paper-cutest-1e-2"),
		&cli.StringSliceFlag{Name: "sif", Category: "Problems", Usage: "the problems of a SIF file or of a folder of them, `FILE|DIR`; several with commas or repeated", DefaultText: "$FAIRTRAIN_DATA/sif, or else built-in problems"},
		&cli.BoolFlag{Name: "built-in", Category: "Problems", Usage: "the problems that ship with the program", DisableDefaultText: true},
	}
}

// problemOptions are the flags of sourceFlags.
type problemOptions struct {
	preset  *experiment.Preset
	rule    benchmark.Rule // selects problems
	sif     []string
	builtIn bool
}

func readProblems(c *cli.Context) (o problemOptions, err error) {
	o.sif, o.builtIn = command.List(c, "sif"), c.Bool("built-in")
	if o.preset, err = experiment.Load(c.String("preset")); err != nil {
		return o, command.Usage(err, presetHints(err)...)
	}
	if o.preset.Benchmark == nil {
		return o, command.Usagef("preset %s is one for fairtrain compare", o.preset.Name)
	}
	if o.builtIn && len(o.sif) > 0 {
		return o, command.Usagef("--built-in along with --sif")
	}
	o.rule = benchmark.Rule(o.preset.Benchmark.Limit)
	return o, nil
}

// instances returns the problems that flags ask for: the files of --sif; without this flag
// the files in $FAIRTRAIN_DATA/sif; without this folder the built-in problems.
func (p program) instances(ctx context.Context, o problemOptions) ([]*benchmark.Instance, error) {
	paths := o.sif
	if dir := os.Getenv("FAIRTRAIN_DATA"); len(paths) == 0 && !o.builtIn && dir != "" {
		dir = filepath.Join(dir, "sif")
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			paths = []string{dir}
		}
	}
	if len(paths) > 0 {
		return benchmark.LoadSIF(ctx, paths...)
	}
	if !o.builtIn {
		p.Remark("no SIF files in $FAIRTRAIN_DATA/sif: the built-in problems")
	}
	return benchmark.BuiltIn()
}

// listedProblem is a problem in the output of cutest list.
type listedProblem struct {
	*benchmark.Instance
	LeftOut string `json:"left_out,omitempty"` // by the rule too
}

func (p program) cutestList(ctx context.Context, o problemOptions) error {
	instances, err := p.instances(ctx, o)
	if err != nil {
		return err
	}
	in, out := []listedProblem{}, []listedProblem{}
	bounded := 0
	for _, i := range instances {
		if reason := o.rule.Reason(i); reason != "" {
			out = append(out, listedProblem{i, reason})
			continue
		}
		in = append(in, listedProblem{Instance: i})
		if i.Bounded > 0 {
			bounded++
		}
	}
	if p.JSON {
		return p.PrintJSON(map[string]any{"preset": o.preset.Name, "problems": in, "left_out": out})
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "problems that enter %s: %d, with bounds that are ignored: %d\n\n", o.preset.Name, len(in), bounded)
	rows := make([][]string, len(in))
	for k, i := range in {
		rows[k] = []string{i.Name, fmt.Sprint(i.N), fmt.Sprint(i.M), fmt.Sprint(i.Fixed), fmt.Sprint(i.Bounded), i.Params}
	}
	command.WriteTable(&b, []string{"problem", "n", "m", "fixed", "bounded", "parameters"}, rows)
	if len(out) > 0 {
		fmt.Fprintf(&b, "\nproblems left out: %d\n\n", len(out))
	}
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, i := range out {
		fmt.Fprintf(t, "%s\t%s\n", i.Name, i.LeftOut)
	}
	t.Flush() // to memory
	return p.Print(b.Bytes())
}
