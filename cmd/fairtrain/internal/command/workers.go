package command

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/internal/jobs"
)

// Workers is the category of flags that say how the work is done, and change no result.
const Workers = "Workers"

// Executors returns what does the jobs of a command in other processes, as its flags say.
type Executors func(c *cli.Context) (jobs.Executor, error)

// For returns the executor of a command, nil for this process.
func (e Executors) For(c *cli.Context) (jobs.Executor, error) {
	if e == nil {
		return nil, nil
	}
	return e(c)
}

// ByWorkers makes a command one whose work is done by workers, as other flags say. The name is
// that of the command of fairtrain.
func ByWorkers(cmd *cli.Command, name string, action cli.ActionFunc, others []cli.Flag) {
	cmd.Description = `"` + name + ` --help" describes it. Workers do it here, with the same results.`
	cmd.Flags = append(slices.DeleteFunc(cmd.Flags, func(f cli.Flag) bool { return f.Names()[0] == "jobs" }), others...)
	cmd.Action = action
}
