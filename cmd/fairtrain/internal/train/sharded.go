package train

import (
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/shards"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/train"
)

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
	taken := []string{"use-group", "group", "test", "max-features"}
	train.Flags = append(slices.DeleteFunc(train.Flags, func(f cli.Flag) bool {
		category := f.(cli.CategorizableFlag).GetCategory()
		name := f.Names()[0]
		return name == "class-weight" || !slices.Contains(taken, name) && slices.Contains(apart, category)
	}), others...)
	train.Flags = append(train.Flags, &cli.BoolFlag{
		Name: "dry-run", Category: command.Workers, DisableDefaultText: true,
		Usage: "print the plan and what a pass over all rows costs, and do no more",
	})
	return train
}

// plan is what a run would do.
type plan struct {
	Rows      int     `json:"rows"`
	Held      int     `json:"rows_held"` // of them, by this program
	Features  int     `json:"features"`
	Where     string  `json:"where"`
	FirstPass float64 `json:"first_pass_seconds"`
	Pass      float64 `json:"pass_seconds"`
}

// dryRun prints the plan of a run. It evaluates all rows twice: files are opened the first time.
func (p program) dryRun(o *train.Options) error {
	fair, err := model.New(o.Data, o.Data, o.Constraints, o.Model)
	if err != nil {
		return err
	}
	n, m := fair.Dims()
	v, x := problem.NewValues(n, m), make([]float64, n)
	pass := func() float64 {
		x[0]++ // where no values are known
		begin := time.Now()
		fair.Evaluate(v, x, nil)
		return time.Since(begin).Seconds()
	}
	plan := plan{o.Data.All(), o.Data.Rows(), o.Data.Features(), o.Model.Shards.Where, pass(), pass()}
	if err := fair.Err(); err != nil {
		return err
	}
	if p.JSON {
		return p.PrintJSON(plan)
	}
	return p.Print(fmt.Appendf(nil, `Plan: train on %d rows of %d features in %s.
Steps draw from %d of the rows.
A pass over all rows is a job. It takes %.3g s; the first one took %.3g s, in which
workers opened and checked their files. Nothing was trained.
`, plan.Rows, plan.Features, plan.Where, plan.Held, plan.Pass, plan.FirstPass))
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
