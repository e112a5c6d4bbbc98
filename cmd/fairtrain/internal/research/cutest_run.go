package research

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cutest/benchmark"
	"github.com/fairtrain/fairtrain/experiment"
	"github.com/fairtrain/fairtrain/results"
)

// cutestRunOptions are the flags of cutest run.
type cutestRunOptions struct {
	problemOptions
	candidates int // of a method; 0: all
	settings   experiment.Settings
	tableOptions
}

func (p program) cutestRunAction() cli.ActionFunc {
	return command.Action(p.readCutestRun, p.cutestRun)
}

func (p program) readCutestRun(c *cli.Context) (o cutestRunOptions, err error) {
	if o.tableOptions, err = readTable(c); err != nil {
		return o, err
	}
	o.candidates = c.Int("candidates")
	if c.IsSet("candidates") && o.candidates < 1 {
		return o, command.Usagef("--candidates is %d, must be ≥ 1", o.candidates)
	}
	if o.problemOptions, err = readProblems(c); err != nil {
		return o, err
	}
	if err := o.preset.Restrict(command.List(c, "method")); err != nil {
		return o, command.Usage(fmt.Errorf("--method: %w", err))
	}
	if o.settings, err = p.readSettings(c, o.preset.Name); err != nil {
		return o, err
	}
	f := command.NewFiles(c)
	readsPreset(f, c.String("preset"), o.preset)
	f.Reads("sif", o.sif...)
	f.WritesInto("out", o.settings.Dir, ".", command.Own)
	return o, f.Check()
}

func (p program) cutestRun(ctx context.Context, o cutestRunOptions) error {
	instances, err := p.instances(ctx, o.problemOptions)
	if err != nil {
		return err
	}
	in, out := o.rule.Select(instances)
	if len(in) == 0 {
		return command.Advise(fmt.Errorf("no problem enters the experiment; %s: %s", out[0].Source,
			o.rule.Reason(out[0])),
			"fairtrain cutest list says why each is left out")
	}
	p.Remark("problems: %d enter, %d are left out", len(in), len(out))

	runner := &benchmark.Runner{Preset: o.preset, Problems: in, Candidates: o.candidates}
	err = p.runExperiment(o.settings, "running", "results",
		func(s experiment.Settings) error { return runner.Run(ctx, s) })
	if err != nil {
		return discardable(err)
	}
	table, err := benchmark.LoadTable(o.settings.Dir)
	if err != nil {
		return err
	}
	problems := func(w io.Writer) error { return table.ByProblem().Write(w, results.CSV) }
	methods := func(w io.Writer) error { return table.ByMethod().Write(w, results.Markdown) }
	if err := p.WriteOutput(filepath.Join(o.settings.Dir, "problems.csv"), problems); err != nil {
		return err
	}
	if err := p.WriteOutput(filepath.Join(o.settings.Dir, "table.md"), methods); err != nil {
		return err
	}
	return p.printBenchmark(table, o.format)
}

// cutestTableOptions are the flags of cutest table.
type cutestTableOptions struct {
	dir string
	tableOptions
}

func readCutestTable(c *cli.Context) (o cutestTableOptions, err error) {
	if c.NArg() != 1 {
		return o, command.Usagef("table takes one folder of results, found %d arguments", c.NArg())
	}
	o.dir = c.Args().First()
	o.tableOptions, err = readTable(c)
	return o, err
}

func (p program) cutestTable(_ context.Context, o cutestTableOptions) error {
	table, err := loadTable(o.dir)
	if err != nil {
		return err
	}
	return p.printBenchmark(table, o.format)
}

// loadTable reads a folder of results.
func loadTable(dir string) (*benchmark.Table, error) {
	table, err := benchmark.LoadTable(dir)
	if err != nil {
		return nil, command.Advise(err, "fairtrain cutest run writes a folder of results, and does again what is damaged in one")
	}
	return table, nil
}

// printBenchmark prints the table of an experiment; in CSV that is a line for every method
// on every problem.
func (p program) printBenchmark(t *benchmark.Table, format results.TableFormat) error {
	if p.JSON {
		return p.PrintJSON(t)
	}
	table := t.ByMethod()
	if format == results.CSV {
		table = t.ByProblem()
	}
	return p.PrintTables(format, "", table)
}
