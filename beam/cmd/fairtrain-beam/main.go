// Command fairtrain-beam is fairtrain with the workers of Apache Beam: train on rows in shards, which
// they evaluate, and compare, cutest run and frontier, whose runs they do. Its words, files and exit
// codes are those of fairtrain.
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

	"github.com/fairtrain/fairtrain/beam/files"
	"github.com/fairtrain/fairtrain/beam/passes"
	"github.com/fairtrain/fairtrain/beam/shards"
	"github.com/fairtrain/fairtrain/beam/workers"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/elsewhere"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/census"
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
	os.Exit(tidily(func() int { return run(elsewhere.UntilSignal(), os.Args, os.Stdin, os.Stdout, os.Stderr) }))
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
	return elsewhere.Run(ctx, "fairtrain-beam", args, stdin, stdout, stderr, elsewhere.Work{
		Rows: rows{temporary}.load, TrainFlags: flagsOfTrain(),
		Cells: func(c *cli.Context) (jobs.Executor, error) {
			dir, err := shared(c, temporary)
			if err == nil {
				err = setBeam(c)
			}
			return workers.New(dir, ""), err
		},
		CellFlags: flagsOfWorkers("outcomes"),
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
		&cli.StringFlag{Name: "resume", Category: elsewhere.Workers, Usage: "keep the answers of all passes in the folder `DIR`; a run with the same flags goes on from them", DefaultText: "nothing is kept"},
	}, flagsOfWorkers("sums")...)
}

// flagsOfWorkers are those of Beam, and of the folder in which workers leave something.
func flagsOfWorkers(what string) []cli.Flag {
	list := []cli.Flag{
		&cli.StringFlag{Name: "shared", Category: elsewhere.Workers, Usage: "workers leave their " + what + " in the folder `DIR`, which they share with this program", DefaultText: "a temporary folder"},
		&cli.BoolFlag{Name: "beam-log", Category: elsewhere.Workers, Usage: "print what Beam logs", DisableDefaultText: true},
	}
	for _, name := range slices.Sorted(maps.Keys(beamFlags)) {
		list = append(list, &cli.StringFlag{Name: name, Category: elsewhere.Workers, Usage: beamFlags[name]})
	}
	return list
}

// shared is the folder that workers share with this program.
func shared(c *cli.Context, temporary string) (string, error) {
	dir := c.String("shared")
	if dir == "" {
		return temporary, nil
	}
	if err := files.Folder(dir); err != nil {
		return "", fmt.Errorf("--shared: %w", err)
	}
	return dir, nil
}

// rows are those of a run.
type rows struct {
	temporary string // folder
}

// load returns the rows of shards, and what evaluates them. The invented census is written as
// shards first.
func (r rows) load(c *cli.Context, name string, o *train.Options) (catalogue.Input, elsewhere.Places, error) {
	if err := setBeam(c); err != nil {
		return catalogue.Input{}, nil, err
	}
	dir, err := shared(c, r.temporary)
	if err != nil {
		return catalogue.Input{}, nil, err
	}
	pattern := name
	if name == census.TrainName {
		const most = 1000
		count := c.Int("shards")
		if count < 1 || count > most {
			return catalogue.Input{}, nil, elsewhere.Usagef("--shards is %d, must be from 1 to %d", count, most)
		}
		if pattern, err = shards.Write(r.temporary, census.Train(), count); err != nil {
			return catalogue.Input{}, nil, err
		}
	}
	sample := shards.Sample{Rows: c.Int("sample"), Groups: model.GroupsOf(o.Constraints...), Seed: o.Seed, Dir: dir}
	list, in, err := passes.Open(pattern, sample)
	if err != nil {
		return in, nil, err
	}
	in.Rows.Name = name
	places, err := r.passes(c, list, dir)
	return in, places, err
}

// passes evaluates shards. Without a dry run, for which an answer that is found costs nothing, it keeps
// answers as the flags say.
func (r rows) passes(c *cli.Context, list []shards.Shard, dir string) (*passes.Passes, error) {
	kept := c.String("resume")
	if c.Bool("dry-run") {
		kept = ""
	}
	if kept != "" {
		if err := files.Folder(kept); err != nil {
			return nil, fmt.Errorf("--resume: %w", err)
		}
	}
	return passes.New(list, dir, kept), nil
}

// setBeam sets the flags of Beam that are given. Without a program for workers Beam would compile one for
// each job.
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
		passes.Quiet()
	}
	return nil
}
