package train

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/shards"
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
