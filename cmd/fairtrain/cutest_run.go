package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cutest/benchmark"
	"github.com/fairtrain/fairtrain/results"
)

func (p *program) cutestRun(c *cli.Context) error {
	format, err := tableFormat(c, tableFormats...)
	if err != nil {
		return err
	}
	candidates := c.Int("candidates")
	if c.IsSet("candidates") && candidates < 1 {
		return usagef("--candidates is %d, must be ≥ 1", candidates)
	}
	dir := c.String("out")
	if dir == "" {
		dir = filepath.Join("results", c.String("preset"))
	}
	f := newFiles(c)
	f.reads("sif", c.StringSlice("sif")...)
	f.writesInto("out", dir, ".", always)
	if err := f.check(); err != nil {
		return err
	}
	preset, instances, rule, err := p.problems(c)
	if err != nil {
		return err
	}
	if err := restrict(preset, c.StringSlice("method")); err != nil {
		return err
	}
	in, out := rule.Select(instances)
	if len(in) == 0 {
		return advise(fmt.Errorf("no problem enters the experiment; %s: %s", out[0].Source, rule.Reason(out[0])),
			"fairtrain cutest list says why each is left out")
	}
	p.remark(c, "problems: %d enter, %d are left out", len(in), len(out))

	jobs := given(c, "jobs").Int("jobs")
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	bar := p.newProgress(c, "running")
	runner := &benchmark.Runner{
		Preset: preset, Problems: in, Candidates: candidates, Jobs: jobs, Dir: dir,
		Report: func(g benchmark.Progress) {
			bar.update(g.Share, fmt.Sprintf("%d of %d results", g.CellsDone, g.Cells))
		},
		Damaged: func(err error) { p.remark(c, "%v; it is done again", err) },
	}
	err = runner.Run(c.Context)
	bar.finish()
	if errors.Is(err, context.Canceled) {
		return &failure{err: errors.New("interrupted"), code: exitInterrupted, hints: []string{"the same command does what is missing"}}
	}
	if err != nil {
		return err
	}
	table, err := benchmark.LoadTable(dir)
	if err != nil {
		return err
	}
	problems := func(w io.Writer) error { return table.ByProblem().Write(w, results.CSV) }
	methods := func(w io.Writer) error { return table.ByMethod().Write(w, results.Markdown) }
	if err := p.writeOutput(filepath.Join(dir, "problems.csv"), problems); err != nil {
		return err
	}
	if err := p.writeOutput(filepath.Join(dir, "table.md"), methods); err != nil {
		return err
	}
	return p.printBenchmark(c, table, format)
}

// restrict leaves only the named methods in a preset, unless there are no names.
func restrict(preset *benchmark.Preset, names []string) error {
	var methods []benchmark.MethodPreset
	for _, name := range names {
		m, err := preset.Method(name)
		if err != nil {
			return usage(err)
		}
		methods = append(methods, *m)
	}
	if len(methods) > 0 {
		preset.Methods = methods
	}
	return preset.Validate()
}

func (p *program) cutestTable(c *cli.Context) error {
	format, err := tableFormat(c, tableFormats...)
	if err != nil {
		return err
	}
	if c.Args().Len() != 1 {
		return usagef("table takes one folder of results, found %d arguments", c.Args().Len())
	}
	if c.Bool("rules") {
		return p.cutestRules(c, c.Args().First(), format)
	}
	table, err := loadTable(c.Args().First())
	if err != nil {
		return err
	}
	return p.printBenchmark(c, table, format)
}

// loadTable reads a folder of results.
func loadTable(dir string) (*benchmark.Table, error) {
	table, err := benchmark.LoadTable(dir)
	if _, ok := errors.AsType[*benchmark.Damage](err); ok {
		return nil, advise(err, "fairtrain cutest run, started again, does again what is damaged")
	}
	if err != nil {
		return nil, advise(err, "fairtrain cutest run writes a folder of results")
	}
	return table, nil
}

// printBenchmark prints the table of an experiment; in CSV that is a line for every method
// on every problem.
func (p *program) printBenchmark(c *cli.Context, t *benchmark.Table, format results.TableFormat) error {
	if isOn(c, "json") {
		return p.printJSON(t)
	}
	table := t.ByMethod()
	if format == results.CSV {
		table = t.ByProblem()
	}
	var b bytes.Buffer
	if err := table.Write(&b, format); err != nil {
		return err
	}
	return p.printTable(b.Bytes(), format)
}
