package research

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cutest/benchmark"
	"github.com/fairtrain/fairtrain/experiment"
	"github.com/fairtrain/fairtrain/results"
)

func (p program) cutestRun(c *cli.Context) error {
	format, err := command.OneOf(c, "format", tableFormats...)
	if err != nil {
		return err
	}
	candidates := c.Int("candidates")
	if c.IsSet("candidates") && candidates < 1 {
		return command.Usagef("--candidates is %d, must be ≥ 1", candidates)
	}
	preset, rule, err := loadBenchmark(c.String("preset"), c.String("bounds"))
	if err != nil {
		return err
	}
	if err := restrict(preset, c.StringSlice("method")); err != nil {
		return err
	}
	dir := outDir(c, preset.Name)
	f := command.NewFiles(c)
	readsPreset(f, c.String("preset"), preset)
	f.Reads("sif", c.StringSlice("sif")...)
	f.WritesInto("out", dir, ".", command.Own)
	if err := f.Check(); err != nil {
		return err
	}
	settings, err := p.settings(c, dir)
	if err != nil {
		return err
	}
	instances, err := p.instances(c.Context, c.StringSlice("sif"), c.Bool("built-in"))
	if err != nil {
		return err
	}
	in, out := rule.Select(instances)
	if len(in) == 0 {
		return command.Advise(fmt.Errorf("no problem enters the experiment; %s: %s", out[0].Source, rule.Reason(out[0])),
			"fairtrain cutest list says why each is left out")
	}
	p.Remark("problems: %d enter, %d are left out", len(in), len(out))

	runner := &benchmark.Runner{Preset: preset, Problems: in, Candidates: candidates}
	err = p.runExperiment(settings, "running", "results", func(s experiment.Settings) error { return runner.Run(c.Context, s) })
	if err != nil {
		return discardable(err)
	}
	table, err := benchmark.LoadTable(dir)
	if err != nil {
		return err
	}
	problems := func(w io.Writer) error { return table.ByProblem().Write(w, results.CSV) }
	methods := func(w io.Writer) error { return table.ByMethod().Write(w, results.Markdown) }
	if err := p.WriteOutput(filepath.Join(dir, "problems.csv"), problems); err != nil {
		return err
	}
	if err := p.WriteOutput(filepath.Join(dir, "table.md"), methods); err != nil {
		return err
	}
	return p.printBenchmark(table, format)
}

// restrict leaves only the named methods in a preset, unless there are no names.
func restrict(preset *experiment.Preset, names []string) error {
	if len(names) == 0 {
		return nil
	}
	all := preset.Methods
	preset.Methods = nil
	for _, name := range names {
		i := slices.IndexFunc(all, func(m experiment.MethodSpec) bool { return m.Label == name })
		if i < 0 {
			var labels []string
			for _, m := range all {
				labels = append(labels, m.Label)
			}
			return command.Usagef("preset %s has no method %q; it has %s", preset.Name, name, strings.Join(labels, ", "))
		}
		if slices.ContainsFunc(preset.Methods, func(m experiment.MethodSpec) bool { return m.Label == name }) {
			return command.Usagef("--method %s is there twice", name)
		}
		preset.Methods = append(preset.Methods, all[i])
	}
	return nil
}

func (p program) cutestTable(c *cli.Context) error {
	format, err := command.OneOf(c, "format", tableFormats...)
	if err != nil {
		return err
	}
	if c.Args().Len() != 1 {
		return command.Usagef("table takes one folder of results, found %d arguments", c.Args().Len())
	}
	table, err := loadTable(c.Args().First())
	if err != nil {
		return err
	}
	return p.printBenchmark(table, format)
}

// loadTable reads a folder of results.
func loadTable(dir string) (*benchmark.Table, error) {
	table, err := benchmark.LoadTable(dir)
	if _, ok := errors.AsType[*results.Damage](err); ok {
		return nil, command.Advise(err, "fairtrain cutest run, started again, does again what is damaged of its experiment; a damaged run of another one may be removed")
	}
	if err != nil {
		return nil, command.Advise(err, "fairtrain cutest run writes a folder of results")
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
