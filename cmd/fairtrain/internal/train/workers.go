package train

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/shards"
	"github.com/fairtrain/fairtrain/internal/jobs"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/frontier"
)

func init() { jobs.Register(FrontierJob{}) }

// FrontierJob trains the classifiers of a frontier. Another process reads the same files, as the
// same command line says. Parts are those of frontier.New.
type FrontierJob struct {
	Arguments []string // of the command line
	Rows      []string // what they are, see identities

	here jobs.Job // in the process where the frontier began
}

// identities describe the rows of a run, with the SHA-256 of their files.
func identities(o *train.Options) []string {
	var list []string
	for _, d := range []*dataset.Dataset{o.Data, o.ConstraintData, o.ValidationData, o.TestData} {
		if d != nil {
			list = append(list, fmt.Sprintf("%d rows of %s (SHA-256 %s)", d.Rows(), d.Name, d.Hash))
		}
	}
	return list
}

// reopened are the frontiers that this process has made again, with their data.
var reopened jobs.Cache[string, jobs.Job] // by the job's words and rows

// Do implements jobs.Job.
func (j FrontierJob) Do(ctx context.Context, part any) (_ any, err error) {
	job := j.here
	if job == nil {
		key := strings.Join(slices.Concat(j.Arguments, j.Rows), "\n")
		if job, err = reopened.Get(key, func() (jobs.Job,
			error,
		) {
			return j.open(context.WithoutCancel(ctx))
		}); err != nil {
			return nil, err
		}
	}
	return job.Do(ctx, part)
}

// open makes the frontier again and checks that the rows are those of the job.
func (j FrontierJob) open(ctx context.Context) (job jobs.Job, err error) {
	p := program{Program: command.NewProgram(j.Arguments[0], strings.NewReader(""), io.Discard, io.Discard)}
	again := FrontierCommand(p.Program)
	again.Action = func(c *cli.Context) error {
		o, err := p.frontierOptions(c)
		if err != nil {
			return err
		}
		options, err := p.load(ctx, o.request, nil)
		if err != nil {
			return err
		}
		if here := identities(options); !slices.Equal(here, j.Rows) {
			return fmt.Errorf("other rows are here (%s) than where the frontier began (%s)",
				strings.Join(here, ", "), strings.Join(j.Rows, ", "))
		}
		job, err = frontier.New(*options, o.bounds, frontier.Settings{Method: o.method})
		return err
	}
	app := &cli.App{Name: j.Arguments[0], Commands: []*cli.Command{again}}
	p.Harden(app)
	err = app.RunContext(ctx, j.Arguments)
	return job, err
}

// Sharded returns the rows of a name or, for the constraints and the seed of the options, a sample
// of them, and the shards that have all rows.
type Sharded func(c *cli.Context, name string, o *train.Options) (catalogue.Input, *shards.Rows, error)

// ShardedCommand is fairtrain train on rows in shards. Its flags are those of train that
// leave the rows as they are, and others, of which --data says which rows to train on.
func ShardedCommand(p *command.Program, rows Sharded, others []cli.Flag) *cli.Command {
	train := TrainCommand(p)
	train.Description = fmt.Sprintf(`   %[1]s train
   %[1]s train --data '/rows/part-*.fpk' \
      --constraint demographic-parity:group=sex,bound=0.02

"fairtrain train --help" describes the constraints.`, p.Name)
	train.Action = program{Program: p, sharded: rows}.trainAction()
	taken := []string{"use-group", "group", "test"}
	train.Flags = append(slices.DeleteFunc(train.Flags, func(f cli.Flag) bool {
		category := f.(cli.CategorizableFlag).GetCategory()
		name := f.Names()[0]
		return name == "class-weight" || !slices.Contains(taken, name) && slices.Contains(apart, category)
	}), others...)
	return train
}

// apart are the categories of flags that change rows or read others, to test on among them.
var apart = []string{"Data", "CSV", "Guarantee"}

// FrontierByWorkers is fairtrain frontier, whose classifiers are trained by workers.
func FrontierByWorkers(p *command.Program, executors command.Executors, others []cli.Flag) *cli.Command {
	frontier := FrontierCommand(p)
	command.ByWorkers(frontier, "fairtrain frontier",
		program{Program: p, executors: executors}.frontierAction(), others)
	return frontier
}
