// Command fairtrain-beam is fairtrain with the workers of Apache Beam: train on rows in shards,
// which they evaluate, and compare, cutest run and frontier, whose runs they do. Its words, files
// and exit codes are those of fairtrain.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/beam/rows"
	"github.com/fairtrain/fairtrain/beam/workers"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/program"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/dataset/shards"
	"github.com/fairtrain/fairtrain/internal/jobs"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train"
)

// main starts Beam, which starts the program again as a worker, with flags of its own before all
// else.
func main() {
	var ofWorker []string
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "-") && strings.Contains(os.Args[1], "worker") {
		ofWorker = os.Args[1:]
	}
	flag.CommandLine.Parse(ofWorker) // ends the program if it fails
	beam.Init()                      // does not return in a worker
	program.Leave(tidily(func() int { return run(program.UntilSignal(), os.Args, os.Stdin, os.Stdout, os.Stderr) }))
}

// tidily removes what do leaves in the folder for temporary files. Beam leaves a file for each job.
func tidily(do func() int) int {
	dir, err := os.MkdirTemp("", "fairtrain-beam-")
	if err == nil {
		defer os.RemoveAll(dir)
		err = os.Setenv("TMPDIR", dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fairtrain-beam:", err)
		return 1
	}
	return do()
}

// run runs the program and returns its exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	temporary, err := os.MkdirTemp("", "fairtrain-beam-")
	if err != nil {
		fmt.Fprintln(stderr, "fairtrain-beam:", err)
		return 1
	}
	defer os.RemoveAll(temporary)
	t := temporaryFolder(temporary)
	return program.Run(ctx, "fairtrain-beam", args, stdin, stdout, stderr, program.Workers{
		Rows: t.load, Executor: func(c *cli.Context) (jobs.Executor, error) { return t.executor(c, "") },
		TrainFlags: flagsOfTrain(), Flags: flagsOfWorkers(),
	})
}

// beamFlags are the flags of Beam that a person may want to set, and what they mean.
var beamFlags = map[string]string{
	"runner":             "run jobs on `RUNNER`: prism, flink, spark, universal",
	"endpoint":           "hand jobs to the service at `HOST:PORT`",
	"environment_type":   "workers are `LOOPBACK|PROCESS|DOCKER|EXTERNAL`",
	"environment_config": "how workers are started is `TEXT`, see Beam",
	"parallelism":        "Flink runs `N` workers at once",
	"worker_binary":      "workers on other machines run the program `FILE`, of this version and for Linux; this one, if the flag is not set",
}

// flagsOfTrain are those besides the flags of fairtrain train.
func flagsOfTrain() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "data", Category: "Data", Value: census.TrainName, Usage: "train on the packed files that match `PATTERN`"},
		&cli.IntFlag{Name: "shards", Category: "Data", Value: 8, Usage: "write the synthetic data as `N` shards"},
		&cli.IntFlag{Name: "sample", Category: "Data", Value: 1 << 20, Usage: "hold all rows in this program if they are at most `N`, and about N of them if they are more"},
		&cli.StringFlag{Name: "resume", Category: program.Category, Usage: "store the results of all passes in the folder `DIR`; a run with the same flags goes on from them", DefaultText: "nothing is stored"},
	}, flagsOfWorkers()...)
}

// flagsOfWorkers are those of Beam, and of the folder in which workers leave something.
func flagsOfWorkers() []cli.Flag {
	list := []cli.Flag{
		&cli.StringFlag{Name: "shared", Category: program.Category, Usage: "workers leave their results in the folder `DIR`, which they share with this program", DefaultText: "a temporary folder"},
		&cli.BoolFlag{Name: "beam-log", Category: program.Category, Usage: "print what Beam logs", DisableDefaultText: true},
	}
	for _, name := range slices.Sorted(maps.Keys(beamFlags)) {
		list = append(list, &cli.StringFlag{Name: name, Category: program.Category, Usage: beamFlags[name]})
	}
	return list
}

// temporaryFolder is that of a run.
type temporaryFolder string

// executor returns what does jobs by Beam, as the flags say. In the folder stored results stay,
// unless it is empty.
func (t temporaryFolder) executor(c *cli.Context, stored string) (jobs.Executor, error) {
	if err := setBeam(c); err != nil {
		return nil, err
	}
	dir := c.String("shared")
	if dir == "" {
		dir = string(t)
	} else if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("--shared: %w", err)
	}
	return workers.New(dir, stored), nil
}

// load returns the rows of shards or a sample of them, and the shards. The invented census is
// written as shards first.
func (t temporaryFolder) load(c *cli.Context, name string, o *train.Options) (in catalogue.Input, all *shards.Rows, err error) {
	stored := c.String("resume")
	if stored != "" {
		if err := os.MkdirAll(stored, 0o755); err != nil {
			return in, nil, fmt.Errorf("--resume: %w", err)
		}
	}
	executor, err := t.executor(c, stored)
	if err != nil {
		return in, nil, err
	}
	pattern := name
	if name == census.TrainName {
		const most = 1000
		count := c.Int("shards")
		if count < 1 || count > most {
			return in, nil, program.Usagef("--shards is %d, must be from 1 to %d", count, most)
		}
		if pattern, err = rows.Write(string(t), census.Train(), count); err != nil {
			return in, nil, err
		}
	}
	looking, err := t.executor(c, "") // at the files as they are now
	if err != nil {
		return in, nil, err
	}
	sample := rows.Sample{Rows: c.Int("sample"), Groups: model.CellsOf(o.Constraints...), Seed: o.Seed}
	list, in, err := sample.Open(pattern, looking)
	if err != nil {
		return in, nil, err
	}
	in.Rows.Name = name
	all = &shards.Rows{Executor: executor}
	for _, s := range list {
		all.Shards = append(all.Shards, s)
	}
	return in, all, nil
}

// setBeam sets the flags of Beam that are given. Without a program for workers Beam would compile
// one for each job.
func setBeam(c *cli.Context) error {
	program, err := os.Executable()
	if err == nil {
		err = flag.Set("worker_binary", program)
	}
	if err != nil {
		return err
	}
	for name := range beamFlags {
		if c.IsSet(name) {
			if err := flag.Set(name, c.String(name)); err != nil {
				return fmt.Errorf("--%s: %w", name, err)
			}
		}
	}
	if !c.Bool("beam-log") {
		workers.Quiet()
	}
	return nil
}
