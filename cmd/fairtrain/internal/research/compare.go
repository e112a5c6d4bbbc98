// Package research has the commands about methods: compare, cutest, plot and preset.
package research

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/experiment"
	"github.com/fairtrain/fairtrain/plots"
	"github.com/fairtrain/fairtrain/results"
)

// program adds the commands of this package to what all of them share.
type program struct {
	*command.Program
	executors command.Executors // of runs; nil: this process
}

// CompareCommand is fairtrain compare.
func CompareCommand(p *command.Program) *cli.Command {
	return &cli.Command{
		Name:  "compare",
		Usage: "run methods on one problem from several seeds: trajectories, tables, figures",
		Description: `Runs every method of a preset from every seed and keeps each finished run in a folder. If
an interrupted comparison is started again, or one whose preset has more seeds now, it does only
the missing runs. So does an interrupted --tune, whose folder is results/PRESET-tuning. With
--smoke, the name in place of PRESET is PRESET-smoke. The results do not depend on --jobs. The
exit code is 4 if all runs diverge. "fairtrain preset list" names the presets; "fairtrain preset
show NAME > my.toml" writes one for you to edit.

In the table, "samples to R" are those after which half of the runs, the faster ones, have
reached a KKT residual of R, whatever --statistic says: of two runs the faster one.

   fairtrain compare
   fairtrain compare --preset paper-a9a
   fairtrain compare --preset my.toml --only fsfo --only ssqp --out results/mine
   fairtrain compare --preset paper-a9a --tune tuned.toml`,
		Flags: slices.Concat(command.TalkFlags(), jobsFlag(), []cli.Flag{
			presetFlag("synthetic"),
			&cli.StringSliceFlag{Name: "only", Category: "Experiment", Usage: "run or tune only the method labelled `LABEL`; several with commas or repeated"},
			&cli.BoolFlag{Name: "smoke", Category: "Experiment", Usage: "run at the small size of a quick check", DisableDefaultText: true},
			&cli.StringFlag{Name: "tune", Category: "Experiment", Usage: "choose every method's options from its grid, from at most tune.candidates each, and write the tuned preset to `FILE`"},
			outFlag("results/PRESET; with --smoke results/PRESET-smoke"),
			&cli.BoolFlag{Name: "force", Category: "Output", Usage: "discard the results in the folder and begin anew; with --tune replace the file, no result is discarded", DisableDefaultText: true},
			formatFlag(),
			&cli.StringFlag{Name: "statistic", Category: "Output", Value: "mean", Usage: "sum up the seeds, in table and figure, by `STATISTIC`: mean, with standard deviations, or median, with quartiles: mean|median"},
		}),
		Action: program{Program: p}.compareAction(),
	}
}

// CompareByWorkers is fairtrain compare, whose runs are done by workers.
func CompareByWorkers(p *command.Program, executors command.Executors, others []cli.Flag) *cli.Command {
	compare := CompareCommand(p)
	command.ByWorkers(compare, "fairtrain compare", program{p, executors}.compareAction(), others)
	return compare
}

func presetFlag(value string) cli.Flag {
	return &cli.StringFlag{Name: "preset", Category: "Experiment", Value: value, Usage: "the experiment: a built-in preset or a TOML file, `NAME|FILE`"}
}

func outFlag(defaults string) cli.Flag {
	return &cli.StringFlag{Name: "out", Category: "Output", Usage: "keep the results in the folder `DIR`", DefaultText: defaults}
}

func jobsFlag() []cli.Flag {
	return []cli.Flag{&cli.IntFlag{Name: "jobs", Category: "Run", Usage: "make `N` runs at a time; results do not depend on it", DefaultText: "all processors"}}
}

// tolerances are the KKT residuals for which tables say when a run reached them.
var tolerances = []float64{1e-1, 5e-2, 2e-2}

// compareOptions are the flags of compare.
type compareOptions struct {
	preset   *experiment.Preset
	only     []string // labels; none: all methods
	tuned    string   // file of the tuned preset; "": the methods are compared
	settings experiment.Settings
	tableOptions
}

func (p program) compareAction() cli.ActionFunc { return command.Action(p.readCompare, p.compare) }

func (p program) readCompare(c *cli.Context) (o compareOptions, err error) {
	if o.tableOptions, err = readTable(c); err != nil {
		return o, err
	}
	o.only, o.tuned = command.List(c, "only"), c.String("tune")
	if o.preset, err = experiment.Load(c.String("preset")); err != nil {
		return o, command.Advise(err, presetHints(err)...)
	}
	if o.preset.Benchmark != nil {
		return o, command.Usagef("preset %s is one for fairtrain cutest run", o.preset.Name)
	}
	if err := o.preset.CheckLabels(o.only); err != nil {
		return o, command.Usage(fmt.Errorf("--only: %w", err))
	}
	if err := checkComparable(o.preset.Problem); err != nil {
		return o, err
	}
	if c.Bool("smoke") {
		o.preset.UseSmoke()
	}
	name := o.preset.Name
	if o.tuned != "" {
		name += "-tuning"
	}
	if o.settings, err = p.readSettings(c, name); err != nil {
		return o, err
	}
	f := command.NewFiles(c)
	readsPreset(f, c.String("preset"), o.preset)
	f.WritesInto("out", o.settings.Dir, ".", command.Own)
	if o.tuned != "" {
		f.Writes("tune", o.tuned, nil)
	} else { // --force of --tune is for the file
		o.settings.Force = c.Bool("force")
	}
	return o, f.Check()
}

// readSettings reads the flags on how to run an experiment of that name.
func (p program) readSettings(c *cli.Context, name string) (experiment.Settings, error) {
	executor, err := p.executors.For(c)
	return experiment.Settings{
		Dir:      cmp.Or(c.String("out"), filepath.Join("results", name)),
		Jobs:     cmp.Or(command.Given(c, "jobs").Int("jobs"), runtime.GOMAXPROCS(0)),
		Executor: executor, Command: os.Args,
	}, err
}

// tableOptions are the flags on the printed table.
type tableOptions struct {
	format    results.TableFormat
	statistic results.Statistic // of compare
}

func readTable(c *cli.Context) (o tableOptions, err error) {
	if o.format, err = command.OneOf(c, "format", results.Text, results.Markdown,
		results.CSV); err != nil || !command.Has(c, "statistic") {
		return o, err
	}
	o.statistic, err = command.OneOf(c, "statistic", results.Mean, results.Median)
	return o, err
}

func formatFlag() cli.Flag {
	return &cli.StringFlag{Name: "format", Category: "Output", Value: "text", Usage: "print the table as `FORMAT`: text|markdown|csv"}
}

// compare does the runs, draws them and reports them, or tunes the methods.
func (p program) compare(ctx context.Context, o compareOptions) error {
	if o.tuned != "" {
		return p.tune(ctx, o)
	}
	var store *results.Store
	err := p.runExperiment(o.settings, "comparing", "runs", func(s experiment.Settings) (err error) {
		store, err = experiment.Compare(ctx, o.preset, o.only, s)
		return err
	})
	if err != nil {
		return discardable(err, "or discard the results in this one with --force")
	}
	drawn, err := comparisonFigures(store)
	if err != nil {
		return err
	}
	figure := plots.DefaultOptions()
	figure.Inset = o.preset.Figure.Inset
	if o.statistic == results.Median {
		figure.Band = plots.Quartiles
	}
	_, lost := p.drawAll(ctx, store.FigureDir(), figure, drawn)
	if err := cmp.Or(ctx.Err(), p.reportComparison(store, o)); err != nil {
		return err
	}
	return lost
}

// runExperiment runs an experiment and shows how far it is.
func (p program) runExperiment(s experiment.Settings, task, cells string, run func(experiment.Settings) error) error {
	bar, missing := p.NewProgress(task), false
	remark := func(format string, err error) {
		bar.Clear()
		p.Remark(format, err)
	}
	s.Progress = func(g experiment.Progress) {
		missing = true
		bar.Update(g.Share, fmt.Sprintf("%d of %d %s", g.Finished, g.Cells, cells))
	}
	s.Damaged = func(err error) { remark("%v; it is done again", err) }
	s.Unsolved = func(err error) {
		remark("there is no reference optimum: %v; perhaps no classifier satisfies all constraints (reference = 0 in [problem] leaves it out)", err)
	}
	err := run(s)
	bar.Finish()
	if errors.Is(err, context.Canceled) {
		return command.Advise(err, "what is finished is in "+s.Dir+"; the same command does the rest")
	}
	if err == nil && !missing {
		p.Remark("nothing is missing in %s: no run is done again", s.Dir)
	}
	return err
}

// discardable adds to the error of a folder with other results what can be done.
func discardable(err error, others ...string) error {
	if _, ok := errors.AsType[*results.Conflict](err); !ok {
		return err
	}
	return command.Advise(err, strings.Join(append([]string{"choose another folder with --out"}, others...), ", "))
}

// checkComparable refuses CSV and Parquet files, saying how to make rows of features of them.
func checkComparable(problem experiment.ProblemSpec) error {
	if problem.Data == "-" || !catalogue.IsTable(problem.Data) {
		return nil // other faults are those of the run
	}
	return command.Usage(fmt.Errorf("%s is a table, compare takes rows of features", problem.Data),
		"fairtrain data pack --label COLUMN --group COLUMN --out rows.fpk "+problem.Data,
		"then data = \"rows.fpk\" in the preset")
}

// comparison is the output of compare --json: final values at the budget.
type comparison struct {
	Problem   string             `json:"problem"`
	Seeds     int                `json:"seeds"`
	Budget    int64              `json:"budget"`
	Reference *results.Reference `json:"reference"`
	Methods   []results.Summary  `json:"methods"`
	Out       string             `json:"out"`
}

func (p program) reportComparison(store *results.Store, o compareOptions) error {
	preset := o.preset
	runs, reference, err := stored(store)
	if err != nil {
		return err
	}
	summaries := results.Summarise(runs, tolerances)
	if p.JSON {
		out := comparison{
			Problem: preset.Base(), Seeds: preset.Run.Seeds, Budget: preset.Run.Budget,
			Reference: reference, Methods: summaries, Out: store.Dir(),
		}
		if err := p.PrintJSON(out); err != nil {
			return err
		}
		return allDiverged(runs)
	}
	title := fmt.Sprintf("%s: %d samples, %d seeds\n%s; c ≤ 0: they hold for means of scores or losses of those rows, which says nothing of decisions\n\n",
		preset.Name, preset.Run.Budget, preset.Run.Seeds, posed(preset.Problem))
	if err := p.PrintTables(o.format, title, results.NewTable(summaries, o.statistic)); err != nil {
		return err
	}
	if reference != nil && o.format == results.Text {
		err := p.Print(fmt.Appendf(nil, "\nReference optimum: objective %.6f, multiplier %s (residual %.0e)\n",
			reference.Objective, joined(reference.Multiplier), reference.Residual))
		if err != nil {
			return err
		}
	}
	p.Remark("the runs are in %s, figures of them in %s", store.Dir(), store.FigureDir())
	return allDiverged(runs)
}

// stored are the runs of a comparison, the methods in the order of the preset, and the reference
// optimum, nil for none.
func stored(store *results.Store) ([]results.Run, *results.Reference, error) {
	var preset experiment.Preset
	if err := store.Spec(&preset); err != nil {
		return nil, nil, err
	}
	place := func(r results.Run) int {
		return slices.IndexFunc(preset.Methods, func(m experiment.MethodSpec) bool { return m.Label == r.Label })
	}
	runs := slices.SortedStableFunc(slices.Values(store.Runs()),
		func(a, b results.Run) int { return place(a) - place(b) })
	return runs, store.Reference(), nil
}

// allDiverged is the error of a comparison in which no run came to an end.
func allDiverged(runs []results.Run) error {
	if slices.ContainsFunc(runs, func(r results.Run) bool { return !r.EndedBadly() }) {
		return nil
	}
	return command.Fail(command.ExitDiverged, errors.New("all runs diverged"))
}

func joined(x []float64) string {
	texts := make([]string, len(x))
	for i, v := range x {
		texts[i] = fmt.Sprintf("%.4g", v)
	}
	return strings.Join(texts, ", ")
}

// tune writes a tuned preset and prints what was gained.
func (p program) tune(ctx context.Context, o compareOptions) error {
	var tunings []experiment.Tuning
	err := p.runExperiment(o.settings, "tuning", "candidates", func(s experiment.Settings) (err error) {
		tunings, err = experiment.Tune(ctx, o.preset, o.only, s)
		return err
	})
	if err != nil {
		return discardable(err)
	}
	text, err := experiment.Tuned(o.preset, tunings)
	if err != nil {
		return err
	}
	if err := p.WriteOutputs(command.Content{Path: o.tuned, Data: []byte(text)}); err != nil {
		return err
	}
	if o.tuned == "-" {
		return nil
	}
	header, _, _ := strings.Cut(text, "\n\n")
	return p.Print([]byte(header + "\n"))
}
