package training

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/model"
)

// Elsewhere returns the rows of a name, and what evaluates all of them in the places that have
// them.
type Elsewhere func(c *cli.Context, name string) (catalogue.Input, model.Remote, error)

// Workers is the category of flags that say how the work is done, and change no result.
const Workers = "Workers"

// CommandElsewhere is fairtrain train on rows in other places. Its flags are those of train that
// leave the rows as they are, and others, of which --data says which rows to train on.
func CommandElsewhere(p *command.Program, rows Elsewhere, others []cli.Flag) *cli.Command {
	train := TrainCommand(p)
	train.Description = `"fairtrain train --help" describes the constraints.`
	train.Action = program{p, rows}.train
	taken := []string{"use-group", "group", "test", "max-features"}
	train.Flags = append(slices.DeleteFunc(train.Flags, func(f cli.Flag) bool {
		category := f.(cli.CategorizableFlag).GetCategory()
		name := f.Names()[0]
		return name == "class-weight" || !slices.Contains(taken, name) && slices.Contains(apart, category)
	}), others...)
	return train
}

// apart are the categories of flags that change rows or read others.
var apart = []string{"Data", "CSV", "Guarantee"}
